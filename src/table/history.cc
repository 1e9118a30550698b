#include "table/history.h"

#include <string_view>

namespace pennon {
namespace {

constexpr uint64_t kTransactionBytesMax = uint64_t{1} << 30;

}  // namespace

std::optional<Transaction> ReadTransaction(const Snapshot& snapshot) {
  const Manifest& manifest = snapshot.manifest;
  if (manifest.transaction.has_value()) {
    auto transaction = DecodeTransaction(*manifest.transaction);
    if (transaction.ok()) return *transaction;
  }
  if (manifest.transaction_file.empty()) return std::nullopt;
  const std::string path = JoinPath(JoinPath(snapshot.table.root, "_transactions"), manifest.transaction_file);
  auto bytes = snapshot.store->ReadWhole(path, kTransactionBytesMax);
  if (!bytes.ok()) return std::nullopt;
  auto transaction =
      DecodeTransaction({reinterpret_cast<const char*>((*bytes)->data()), static_cast<size_t>((*bytes)->size())});
  if (!transaction.ok()) return std::nullopt;
  return *transaction;
}

}  // namespace pennon
