/// \file
/// The check after a migration: is the committed version what was promised?
/// Spec: format/commit.md, heading 5.7; format/row-ids.md, heading 8.
#pragma once

#include <arrow/status.h>

#include "table/snapshot.h"
#include "txn/stable_ids_plan.h"

namespace pennon {

/// Compares the committed version with the one it was built upon. Reads the old manifest once more
/// to see that it is untouched. O(fragments log fragments), one store call. Errors: kInternal with
/// the first difference found.
arrow::Status CheckMigrated(const Snapshot& before, const Snapshot& after,
                            const StableIdsPlan& plan);

}  // namespace pennon
