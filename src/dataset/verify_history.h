/// \file
/// The rules of what lies around a version: names of manifests, hint, transaction, tags and
/// branches.
/// Spec: format/table.md, headings 2, 6 and 9; format/commit.md, heading 1.
#pragma once

#include <arrow/status.h>

#include <string>

#include "dataset/fault_sink.h"
#include "table/location.h"
#include "table/snapshot.h"

namespace pennon {

/// Checks the folder of versions of one root. Two store calls.
arrow::Status VerifyVersions(Store& store, const std::string& root, FaultSink* sink,
                             VerifyCounters* checked);

/// Checks tags and branches, which belong to the main root. One call for each tag and branch, and a
/// listing for each branch that something points to.
arrow::Status VerifyRefs(Store& store, const std::string& main_root, FaultSink* sink,
                         VerifyCounters* checked);

/// Checks that the version says how it came to be. A store call only if its manifest holds no
/// transaction.
arrow::Status VerifyTransaction(const Snapshot& snapshot, FaultSink* sink);

}  // namespace pennon
