// Compressed buffers of both schemes: inflated within a budget or refused.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "encoding/inflate_budget.h"
#include "pennon/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto scheme =
      data[0] % 2 == 0 ? pennon::CompressionScheme::kLz4 : pennon::CompressionScheme::kZstd;
  const pennon::BufferBudget budget{arrow::default_memory_pool(), 1 << 20};
  std::vector<uint8_t> out;
  const auto status = pennon::InflateChecked(scheme, {data + 1, size - 1}, budget, &out);
  if (out.size() > budget.buffer_bytes_max) std::abort();
  if (status.ok()) return 0;
  const auto kind = pennon::KindOf(status);
  if (kind != pennon::ErrorKind::kCorrupt && kind != pennon::ErrorKind::kTooLarge) std::abort();
  return 0;
}
