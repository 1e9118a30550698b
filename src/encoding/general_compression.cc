#include "encoding/general_compression.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <array>
#include <limits>
#include <memory>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr size_t kZstdPrefixBytes = 8;
constexpr size_t kLz4PrefixBytes = 4;
/// The bit that tells a length prefix which happens to look like a frame's magic from a frame, as
/// the reference engine (14.0.2) tests it.
constexpr uint8_t kFrameUnusedBit = 0x10;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// One context a thread: making one costs more than inflating a small buffer.
ZSTD_DCtx* ThreadContext() {
  static thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

bool IsBareFrame(std::span<const uint8_t> bytes) {
  return bytes.size() < kZstdPrefixBytes ||
         (LoadLittleEndian<uint32_t>(bytes.data()) == ZSTD_MAGICNUMBER &&
          (bytes[4] & kFrameUnusedBit) == 0);
}

std::span<const uint8_t> ZstdFrame(std::span<const uint8_t> bytes) {
  return IsBareFrame(bytes) ? bytes : bytes.subspan(kZstdPrefixBytes);
}

arrow::Status ZstdError(size_t code) {
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("zstd buffer does not inflate: {}", ZSTD_getErrorName(code)));
}

/// Sizes of a frame that does not say its own.
arrow::Result<uint64_t> MeasureFrame(std::span<const uint8_t> frame) {
  ZSTD_DCtx* const context = ThreadContext();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  std::array<uint8_t, 16384> piece;
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  uint64_t size = 0;
  while (true) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const size_t left = ZSTD_decompressStream(context, &out, &in);
    if (ZSTD_isError(left)) return ZstdError(left);
    size += out.pos;
    if (left == 0) return size;
    if (out.pos == 0 && in.pos == in.size)
      return MakeError(ErrorKind::kCorrupt, "zstd buffer is cut short");
  }
}

}  // namespace

arrow::Result<uint64_t> InflatedSize(CompressionScheme scheme, std::span<const uint8_t> bytes) {
  if (scheme == CompressionScheme::kLz4) {
    if (bytes.size() < kLz4PrefixBytes)
      return MakeError(ErrorKind::kCorrupt, "lz4 buffer is cut short");
    return LoadLittleEndian<uint32_t>(bytes.data());
  }
  if (bytes.empty()) return 0;
  if (!IsBareFrame(bytes)) return LoadLittleEndian<uint64_t>(bytes.data());
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR)
    return MakeError(ErrorKind::kCorrupt, "zstd buffer has no frame");
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) return MeasureFrame(bytes);
  return size;
}

arrow::Status Inflate(CompressionScheme scheme, std::span<const uint8_t> bytes,
                      std::span<uint8_t> out) {
  uint64_t size = 0;
  if (scheme == CompressionScheme::kLz4) {
    constexpr uint64_t kSizeMax = std::numeric_limits<int>::max();
    if (bytes.size() < kLz4PrefixBytes)
      return MakeError(ErrorKind::kCorrupt, "lz4 buffer is cut short");
    if (bytes.size() > kSizeMax || out.size() > kSizeMax) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("lz4 buffer is too large: {} bytes", out.size()));
    }
    if (out.empty()) return arrow::Status::OK();
    const auto block = bytes.subspan(kLz4PrefixBytes);
    const int got = LZ4_decompress_safe(
        reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(out.data()),
        static_cast<int>(block.size()), static_cast<int>(out.size()));
    if (got < 0) return MakeError(ErrorKind::kCorrupt, "lz4 buffer does not inflate");
    size = static_cast<uint64_t>(got);
  } else if (!bytes.empty()) {
    const auto frame = ZstdFrame(bytes);
    const size_t got =
        ZSTD_decompressDCtx(ThreadContext(), out.data(), out.size(), frame.data(), frame.size());
    if (ZSTD_isError(got)) return ZstdError(got);
    size = got;
  }
  if (size != out.size()) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("compressed buffer has the wrong inflated size: expected {}, got {}",
                    out.size(), size));
  }
  return arrow::Status::OK();
}

}  // namespace pennon
