/// \file
/// Checks the files that a version refers to: they are there, whole, and hold what the manifest
/// says.
/// Spec: format/table.md, heading 3; format/data-file.md, headings 1 and 3.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <vector>

#include "dataset/fault_sink.h"
#include "rowset/deletion_vector.h"
#include "table/snapshot.h"

namespace pennon {

/// Checks the end of every data file. Three or four store calls each. Returns for each fragment, in
/// order, whether one of its files has a fault, named here or by the manifest's checks.
arrow::Result<std::vector<bool>> VerifyDataFiles(const Snapshot& snapshot, FaultSink* sink,
                                                 VerifyCounters* checked);

/// Reads and checks every deletion file; returns a vector for each fragment, in order, without a
/// value where the file cannot be relied on. One store call each. Memory: that of the vectors.
arrow::Result<std::vector<std::optional<DeletionVector>>> VerifyDeletionFiles(
    const Snapshot& snapshot, FaultSink* sink, VerifyCounters* checked);

/// Checks that every index has its folder. One store call each.
arrow::Status VerifyIndexFolders(const Snapshot& snapshot, FaultSink* sink);

}  // namespace pennon
