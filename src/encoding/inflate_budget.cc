#include "encoding/inflate_budget.h"

#include <fmt/format.h>

#include "base/checked_math.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// No lz4 block holds more than this many bytes for each of its own; a zstd block of repeats holds
/// 128 KiB in a few bytes.
constexpr uint64_t kLz4RatioMax = 256;
constexpr uint64_t kZstdRatioMax = 128 * 1024;

}  // namespace

arrow::Result<uint64_t> CheckedInflatedSize(CompressionScheme scheme,
                                            std::span<const uint8_t> bytes,
                                            const BufferBudget& budget) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t size, InflatedSize(scheme, bytes));
  const uint64_t ratio_max = scheme == CompressionScheme::kLz4 ? kLz4RatioMax : kZstdRatioMax;
  if (size > SaturatingMultiply(bytes.size(), ratio_max)) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("compressed buffer claims an impossible size: {} bytes hold {}",
                                 bytes.size(), size));
  }
  if (size > budget.buffer_bytes_max) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("inflated buffer is larger than allowed: {} bytes, at most {}",
                                 size, budget.buffer_bytes_max));
  }
  return size;
}

arrow::Status InflateChecked(CompressionScheme scheme, std::span<const uint8_t> bytes,
                             const BufferBudget& budget, std::vector<uint8_t>* out) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t size, CheckedInflatedSize(scheme, bytes, budget));
  out->resize(size);
  return Inflate(scheme, bytes, *out);
}

}  // namespace pennon
