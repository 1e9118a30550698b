/// \file
/// Checks the files that a version refers to: they are there, whole, and hold what the manifest
/// says.
/// Spec: format/table.md, heading 3; format/data-file.md, headings 1 and 3.
#pragma once

#include <arrow/status.h>

#include <vector>

#include "dataset/fault_sink.h"
#include "rowset/deletion_vector.h"
#include "table/snapshot.h"

namespace pennon {

/// Checks every data file. Three or four store calls each.
/// Errors: only those of the store that say nothing about the file.
arrow::Status VerifyDataFiles(const Snapshot& snapshot, FaultSink* sink, VerifyCounters* checked);

/// Reads and checks every deletion file; returns a vector for each fragment, in order, without a
/// value where the file cannot be relied on. One store call each. Memory: that of the vectors.
arrow::Result<std::vector<std::optional<DeletionVector>>> VerifyDeletionFiles(
    const Snapshot& snapshot, FaultSink* sink, VerifyCounters* checked);

/// Checks that every index has its folder. One store call each.
arrow::Status VerifyIndexFolders(const Snapshot& snapshot, FaultSink* sink);

}  // namespace pennon
