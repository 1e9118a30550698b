/// \file
/// Finds what lies in a table's folders although no version uses it: leftovers of crashed or beaten
/// writers.
/// Spec: format/table.md, headings 1 (layout) and 11 (cleanup).
#pragma once

#include <arrow/status.h>

#include "dataset/fault_sink.h"
#include "table/snapshot.h"

namespace pennon {

/// Names unused files of the snapshot's root as notes, and versions that cannot be read as errors.
/// Reads every manifest of the root and, for the main root, of its branches, whose files may lie in
/// it; lists five folders. Memory: the names of all files that any version uses. Errors: only those
/// of the store.
arrow::Status VerifyLeftovers(const Snapshot& snapshot, FaultSink* sink);

}  // namespace pennon
