/// \file
/// Arrow's compute functions (filters, casts, take): most are in a library of their own.
#pragma once

#include <arrow/status.h>

namespace pennon {

/// Makes Arrow's compute functions ready. To be called before the first use of any of them, in the
/// thread that starts the others: Arrow fills its registry without a lock. Cost: some milliseconds
/// at the first call of a process, nothing later. Errors: kUnsupportedFeature when the library is
/// missing. Safe for concurrent use.
arrow::Status LoadArrowFunctions();

}  // namespace pennon
