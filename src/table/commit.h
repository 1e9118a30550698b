/// \file
/// Makes bytes the next version of a table, or says who was faster.
/// Spec: format/commit.md, heading 1, steps 5 and 8 to 10.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>

#include "io/store.h"
#include "table/versions.h"

namespace pennon {

/// One attempt to write a version.
struct CommitAttempt {
  std::string root;
  ManifestNaming naming = ManifestNaming::kV2;
  Version version{};
  std::string_view manifest_file;  ///< Like no other: the transaction's uuid is in it.
  std::string transaction_file;    ///< Name below `_transactions/`; empty: none is written.
  std::string_view transaction;
};

enum class CommitOutcome {
  kCommitted,
  kConflicted,  ///< Somebody else's version has that number; nothing of ours is left behind.
  kUnknown,  ///< The store failed and whether it took the version cannot be read back; nothing is
             ///< cleaned up.
};

struct CommitAnswer {
  CommitOutcome outcome = CommitOutcome::kUnknown;
  /// Why, for kUnknown.
  arrow::Status cause;
};

/// Writes the transaction file, then the manifest if its name is free. After a failure of the store
/// it reads back what lies there, so a commit that did happen is never reported as lost. Three
/// store calls on success (transaction, manifest, hint). Errors: kIo when the store failed and it
/// is certain that nothing was committed.
arrow::Result<CommitAnswer> WriteVersion(const std::shared_ptr<Store>& store,
                                         const CommitAttempt& attempt);

}  // namespace pennon
