#include "table/commit.h"

#include "pennon/base/error.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

constexpr int kTries = 3;

enum class Ownership { kOurs, kForeign, kAbsent };

/// Whose manifest has this number? Ours holds the transaction's uuid and is written whole, so it is
/// known by its bytes; a foreign one need not even be one that we can read. An error means that it
/// cannot be told.
arrow::Result<Ownership> ReadBack(const std::shared_ptr<Store>& store,
                                  const CommitAttempt& attempt) {
  const std::string path = ManifestPath(attempt.root, attempt.version, attempt.naming);
  auto failure = arrow::Status::OK();
  for (int i = 0; i < kTries; ++i) {
    const auto file = store->ReadWhole(path, kManifestBytesMax);
    if (file.ok()) {
      const std::string_view bytes(reinterpret_cast<const char*>((*file)->data()),
                                   static_cast<size_t>((*file)->size()));
      return bytes == attempt.manifest_file ? Ownership::kOurs : Ownership::kForeign;
    }
    failure = file.status();
    if (KindOf(failure) == ErrorKind::kNotFound) return Ownership::kAbsent;
  }
  return failure;
}

/// Best effort: a transaction file without a manifest is garbage that cleanup removes.
void RemoveTransactionFile(Store& store, const std::string& path) {
  if (path.empty()) return;
  for (int i = 0; i < kTries; ++i) {
    const auto status = store.Remove(path);
    if (status.ok() || KindOf(status) == ErrorKind::kNotFound) return;
  }
}

}  // namespace

arrow::Result<CommitAnswer> WriteVersion(const std::shared_ptr<Store>& store,
                                         const CommitAttempt& attempt) {
  std::string transaction_path;
  if (!attempt.transaction_file.empty()) {
    transaction_path = JoinPath(JoinPath(attempt.root, "_transactions"), attempt.transaction_file);
    const auto status = store->Put(transaction_path, attempt.transaction);
    if (!status.ok()) {
      // It may be there although the store says no.
      RemoveTransactionFile(*store, transaction_path);
      return status;
    }
  }
  const std::string path = ManifestPath(attempt.root, attempt.version, attempt.naming);
  const auto put = store->PutIfAbsent(path, attempt.manifest_file);
  if (put.ok() && *put == PutOutcome::kWritten) {
    WriteVersionHint(*store, attempt.root, attempt.version);
    return CommitAnswer{CommitOutcome::kCommitted, arrow::Status::OK()};
  }
  const auto owner = ReadBack(store, attempt);
  if (!owner.ok()) {
    return CommitAnswer{CommitOutcome::kUnknown, put.ok() ? owner.status() : put.status()};
  }
  if (*owner == Ownership::kOurs) {
    WriteVersionHint(*store, attempt.root, attempt.version);
    return CommitAnswer{CommitOutcome::kCommitted, arrow::Status::OK()};
  }
  RemoveTransactionFile(*store, transaction_path);
  if (*owner == Ownership::kAbsent && !put.ok()) return put.status();
  // Foreign; or somebody's version was there and is gone again, and only a restart with a fresh
  // listing can tell.
  return CommitAnswer{CommitOutcome::kConflicted, arrow::Status::OK()};
}

}  // namespace pennon
