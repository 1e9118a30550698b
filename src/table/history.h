/// \file
/// How versions came to be: their transactions, wherever they lie.
/// Spec: format/table.md, heading 2 (sections 21 and 23, field 12); format/commit.md, heading 1.
#pragma once

#include <arrow/result.h>

#include <optional>

#include "format/transaction.h"
#include "table/snapshot.h"

namespace pennon {

/// A version's transaction: from its manifest, else from the file that it names. No store call, or
/// one. Nothing when it has none, or one that is gone or broken: that must not keep a version from
/// opening. Errors: those of the store, so that a failing disk does not pass for a version without
/// a transaction.
arrow::Result<std::optional<Transaction>> ReadTransaction(const Snapshot& snapshot);

}  // namespace pennon
