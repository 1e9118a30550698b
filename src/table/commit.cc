#include "table/commit.h"

#include <fmt/format.h>

#include "format/transaction.h"
#include "pennon/base/error.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

constexpr int kReadBackTries = 3;

enum class Ownership { kOurs, kForeign, kAbsent, kUnreadable };

/// Whose manifest has this number? Decided by the transaction it carries.
Ownership ReadBack(const std::shared_ptr<Store>& store, const CommitAttempt& attempt) {
  const std::string path = ManifestPath(attempt.root, attempt.version, attempt.naming);
  for (int i = 0; i < kReadBackTries; ++i) {
    auto file = store->ReadWhole(path, kManifestBytesMax);
    if (!file.ok()) {
      if (KindOf(file.status()) == ErrorKind::kNotFound) return Ownership::kAbsent;
      continue;
    }
    auto manifest = DecodeManifest(*file);
    if (!manifest.ok()) continue;
    if (!manifest->transaction.has_value()) return Ownership::kForeign;
    auto transaction = DecodeTransaction(*manifest->transaction);
    return transaction.ok() && transaction->uuid == attempt.transaction_uuid ? Ownership::kOurs : Ownership::kForeign;
  }
  return Ownership::kUnreadable;
}

void RemoveTransactionFile(Store& store, const std::string& path) {
  if (path.empty()) return;
  const auto status = store.Remove(path);
  (void)status;  // A transaction file without a manifest is garbage that cleanup removes.
}

}  // namespace

arrow::Result<CommitAnswer> WriteVersion(const std::shared_ptr<Store>& store, const CommitAttempt& attempt) {
  std::string transaction_path;
  if (!attempt.transaction_file.empty()) {
    transaction_path = JoinPath(JoinPath(attempt.root, "_transactions"), attempt.transaction_file);
    ARROW_RETURN_NOT_OK(store->Put(transaction_path, attempt.transaction));
  }
  const std::string path = ManifestPath(attempt.root, attempt.version, attempt.naming);
  const auto put = store->PutIfAbsent(path, attempt.manifest_file);
  if (put.ok() && *put == PutOutcome::kWritten) {
    WriteVersionHint(*store, attempt.root, attempt.version);
    return CommitAnswer{CommitOutcome::kCommitted, arrow::Status::OK()};
  }
  switch (ReadBack(store, attempt)) {
    case Ownership::kOurs:
      WriteVersionHint(*store, attempt.root, attempt.version);
      return CommitAnswer{CommitOutcome::kCommitted, arrow::Status::OK()};
    case Ownership::kForeign:
      RemoveTransactionFile(*store, transaction_path);
      return CommitAnswer{CommitOutcome::kConflicted, arrow::Status::OK()};
    case Ownership::kAbsent:
      if (!put.ok()) {
        RemoveTransactionFile(*store, transaction_path);
        return put.status();
      }
      // Somebody's version was there and is gone again: only a restart with a fresh listing can tell.
      RemoveTransactionFile(*store, transaction_path);
      return CommitAnswer{CommitOutcome::kConflicted, arrow::Status::OK()};
    case Ownership::kUnreadable:
      break;
  }
  return CommitAnswer{CommitOutcome::kUnknown,
                      put.ok() ? MakeError(ErrorKind::kIo, fmt::format("the manifest there cannot be read: {}", path))
                               : put.status()};
}

}  // namespace pennon
