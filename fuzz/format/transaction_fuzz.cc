// Any bytes give a transaction, kCorrupt, or kUnsupportedFeature for a fragment that a newer engine
// wrote. What a rewrite says of its fragments survives being written anew.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/transaction.h"
#include "pennon/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pennon;
  const auto transaction = DecodeTransaction({reinterpret_cast<const char*>(data), size});
  if (!transaction.ok()) {
    const ErrorKind kind = KindOf(transaction.status());
    if (kind != ErrorKind::kCorrupt && kind != ErrorKind::kUnsupportedFeature) std::abort();
    return 0;
  }
  if (transaction->operation.empty()) std::abort();
  if (!transaction->rewrite_groups.empty() && transaction->operation != "Rewrite") std::abort();
  for (const auto& group : transaction->rewrite_groups) {
    if (group.old_fragments.empty()) continue;
    const auto bytes = EncodeSelfRewrite(transaction->read_version, transaction->uuid,
                                         group.old_fragments, transaction->properties);
    const auto again = DecodeTransaction(bytes);
    if (!again.ok() || again->read_version != transaction->read_version ||
        again->uuid != transaction->uuid || again->properties != transaction->properties ||
        again->rewrite_groups.size() != 1 ||
        again->rewrite_groups[0].old_fragments != group.old_fragments ||
        again->rewrite_groups[0].new_fragments != group.old_fragments) {
      std::abort();
    }
  }
  return 0;
}
