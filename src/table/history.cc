#include "table/history.h"

#include <string_view>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t kTransactionBytesMax = uint64_t{1} << 30;

}  // namespace

arrow::Result<std::optional<Transaction>> ReadTransaction(const Snapshot& snapshot) {
  using Found = std::optional<Transaction>;
  const Manifest& manifest = snapshot.manifest;
  if (manifest.transaction.has_value()) {
    auto transaction = DecodeTransaction(*manifest.transaction);
    if (transaction.ok()) return Found(*std::move(transaction));
  }
  if (manifest.transaction_file.empty()) return Found();
  const std::string path =
      JoinPath(JoinPath(snapshot.table.root, "_transactions"), manifest.transaction_file);
  const auto bytes = snapshot.store->ReadWhole(path, kTransactionBytesMax);
  if (!bytes.ok()) {
    if (KindOf(bytes.status()) == ErrorKind::kIo) return bytes.status();
    return Found();
  }
  auto transaction = DecodeTransaction(
      {reinterpret_cast<const char*>((*bytes)->data()), static_cast<size_t>((*bytes)->size())});
  return transaction.ok() ? Found(*std::move(transaction)) : Found();
}

}  // namespace pennon
