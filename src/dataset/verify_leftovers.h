/// \file
/// Finds what lies in a table's folders although no version uses it: leftovers of crashed or beaten
/// writers.
/// Spec: format/table.md, headings 1 (layout) and 11 (cleanup).
#pragma once

#include <arrow/result.h>

#include <cstdint>

#include "dataset/fault_sink.h"
#include "table/snapshot.h"

namespace pennon {

/// Names unused files of the snapshot's root as notes, and versions that cannot be read as errors;
/// returns false, and has named nothing, when that takes more than `manifest_bytes_max` of other
/// versions' manifests.
/// Reads every manifest of the root and, for the main root, of its branches, whose files may lie in
/// it; lists five folders. Memory: the names of all files that any version uses. Errors: only those
/// of the store.
arrow::Result<bool> VerifyLeftovers(const Snapshot& snapshot, uint64_t manifest_bytes_max,
                                    FaultSink* sink);

}  // namespace pennon
