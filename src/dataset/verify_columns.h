/// \file
/// How verification gets at ids and lineage that lie in hidden columns of data files.
/// Spec: format/row-ids.md, heading 3 (spilled form).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "format/fragment.h"

namespace pennon {

/// Returns the values of a hidden column of a fragment, a row each; kNotFound when another check
/// names what is missing. Empty when files are not to be read.
using LoadHiddenColumn =
    std::function<arrow::Result<std::vector<uint64_t>>(const Fragment&, int32_t field)>;

}  // namespace pennon
