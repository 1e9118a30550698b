/// \file
/// Inflates buffers compressed as a whole with LZ4 or ZSTD, in the framing of the format.
/// Spec: format/data-file.md, heading 7.11.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>

namespace pennon {

/// Numbers of the wire.
enum class CompressionScheme : uint8_t { kLz4 = 1, kZstd = 2 };

/// Returns the inflated size as the buffer states it, which a damaged buffer may overstate: check
/// it against a budget before allocating. Bare ZSTD frames of old writers that do not say their
/// size are measured by inflating them once. Errors: kCorrupt.
arrow::Result<uint64_t> InflatedSize(CompressionScheme scheme, std::span<const uint8_t> bytes);

/// Inflates into `out`, whose size is InflatedSize. Errors: kCorrupt, also when fewer or more bytes
/// come out.
arrow::Status Inflate(CompressionScheme scheme, std::span<const uint8_t> bytes,
                      std::span<uint8_t> out);

}  // namespace pennon
