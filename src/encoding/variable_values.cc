#include "encoding/variable_values.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Fewer strings than this are decoded one by one.
constexpr uint64_t kRunValuesMin = 4;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

/// Offsets as they lie in a file, not aligned.
template <typename Offset>
struct Offsets {
  const uint8_t* bytes;
  uint64_t operator[](uint64_t i) const {
    return LoadLittleEndian<Offset>(bytes + i * sizeof(Offset));
  }
};

/// Checks that offsets [begin, end] ascend within [low, high].
template <typename Offset>
arrow::Status CheckOffsets(Offsets<Offset> offsets, const RowRange& range, uint64_t low,
                           uint64_t high) {
  bool falls = false;
  for (uint64_t i = range.begin; i < range.end; ++i) falls |= offsets[i + 1] < offsets[i];
  if (!falls && offsets[range.begin] >= low && offsets[range.end] <= high)
    return arrow::Status::OK();
  return Corrupt(fmt::format(
      "string offsets are out of order: values {} to {}, bytes {} to {}, allowed {} to {}",
      range.begin, range.end, offsets[range.begin], offsets[range.end], low, high));
}

/// Appends values [begin, end) whose checked offsets point into `base`.
template <typename Offset, typename Out>
arrow::Status AppendPlain(Offsets<Offset> offsets, const uint8_t* base, const RowRange& range,
                          ValueBuilder* out) {
  const uint64_t first = offsets[range.begin];
  const uint64_t size = offsets[range.end] - first;
  ARROW_RETURN_NOT_OK(out->CheckOffsets(size));
  const uint64_t shift = out->bytes.size() - first;
  uint8_t* ends = out->offsets.end();
  for (uint64_t i = range.begin; i < range.end; ++i, ends += sizeof(Out)) {
    StoreLittleEndian(ends, static_cast<Out>(offsets[i + 1] + shift));
  }
  ARROW_RETURN_NOT_OK(out->bytes.Append({base + first, size}));
  return arrow::Status::OK();
}

template <typename Offset, typename Out>
arrow::Status AppendCoded(Offsets<Offset> offsets, const uint8_t* base, const FsstTable& symbols,
                          const RowRange& range, DecodeScratch* scratch, ValueBuilder* out) {
  const uint64_t first = offsets[range.begin];
  const uint64_t size = offsets[range.end] - first;
  ARROW_RETURN_NOT_OK(out->bytes.Reserve(symbols.DecodedBytesMax(size) + FsstTable::kSlackBytes));
  const uint64_t before = out->bytes.size();
  uint8_t* ends = out->offsets.end();
  uint8_t* end = out->bytes.end();
  if (range.size() < kRunValuesMin || size > FsstTable::kRunBytesMax) {
    uint64_t at = first;
    for (uint64_t i = range.begin; i < range.end; ++i, ends += sizeof(Out)) {
      const uint64_t next = offsets[i + 1];
      end = symbols.Decode({base + at, next - at}, end);
      StoreLittleEndian(ends, static_cast<Out>(end - out->bytes.data()));
      at = next;
    }
  } else {
    if (scratch->positions.size() <= size) scratch->positions.resize(size + 1);
    const uint32_t* positions = scratch->positions.data();
    end = symbols.DecodeRun({base + first, size}, end, scratch->positions.data());
    for (uint64_t i = range.begin; i < range.end; ++i, ends += sizeof(Out)) {
      StoreLittleEndian(ends, static_cast<Out>(before + positions[offsets[i + 1] - first]));
    }
  }
  out->bytes.Advance(static_cast<uint64_t>(end - out->bytes.end()));
  return out->CheckOffsets(0);
}

template <typename Offset>
arrow::Status DecodeChunk(const FsstTable* symbols, std::span<const uint8_t> buffer,
                          uint64_t num_values, std::span<const RowRange> keep,
                          DecodeScratch* scratch, ValueBuilder* out) {
  const uint64_t header = SaturatingMultiply(SaturatingAdd(num_values, 1), sizeof(Offset));
  if (header > buffer.size()) {
    return Corrupt(
        fmt::format("string chunk is cut short: {} values, {} bytes", num_values, buffer.size()));
  }
  const Offsets<Offset> offsets{buffer.data()};
  for (const RowRange& range : keep) {
    ARROW_RETURN_NOT_OK(CheckOffsets(offsets, range, header, buffer.size()));
    ARROW_RETURN_NOT_OK(out->ReserveOffsets(range.size()));
    const bool is_small = out->type->width_bytes == 4;
    if (symbols != nullptr) {
      ARROW_RETURN_NOT_OK(is_small ? (AppendCoded<Offset, uint32_t>(offsets, buffer.data(),
                                                                    *symbols, range, scratch, out))
                                   : (AppendCoded<Offset, uint64_t>(
                                         offsets, buffer.data(), *symbols, range, scratch, out)));
    } else {
      ARROW_RETURN_NOT_OK(
          is_small ? (AppendPlain<Offset, uint32_t>(offsets, buffer.data(), range, out))
                   : (AppendPlain<Offset, uint64_t>(offsets, buffer.data(), range, out)));
    }
    out->offsets.Advance(range.size() * out->type->width_bytes);
    out->length += range.size();
  }
  return arrow::Status::OK();
}

/// Where a block keeps what.
struct BlockParts {
  uint64_t offset_bits = 0;
  uint64_t offsets_begin = 0;
  uint64_t bytes_begin = 0;
};

arrow::Result<BlockParts> ParseBlockHeader(std::span<const uint8_t> block) {
  if (block.size() < 9) return Corrupt("string block is cut short");
  const auto word = LoadLittleEndian<uint32_t>(block.data());
  if (word == 32) return BlockParts{32, 8, LoadLittleEndian<uint32_t>(block.data() + 4)};
  if (word == 64) {
    if (block.size() < 16) return Corrupt("string block is cut short");
    return BlockParts{64, 16, LoadLittleEndian<uint64_t>(block.data() + 8)};
  }
  // Very old files: one byte of width, then the number of values and the position, not aligned.
  if (block[0] == 32) return BlockParts{32, 9, LoadLittleEndian<uint32_t>(block.data() + 5)};
  if (block[0] == 64) {
    if (block.size() < 17) return Corrupt("string block is cut short");
    return BlockParts{64, 17, LoadLittleEndian<uint64_t>(block.data() + 9)};
  }
  return Corrupt(fmt::format("string block has offsets of an unknown width: {} bits", word));
}

template <typename Offset>
arrow::Status DecodeBlock(std::span<const uint8_t> block, const BlockParts& parts,
                          uint64_t num_values, ValueBuilder* out) {
  const Offsets<Offset> offsets{block.data() + parts.offsets_begin};
  const RowRange all{0, num_values};
  const auto bytes = block.subspan(parts.bytes_begin);
  ARROW_RETURN_NOT_OK(CheckOffsets(offsets, all, 0, bytes.size()));
  ARROW_RETURN_NOT_OK(out->ReserveOffsets(num_values));
  ARROW_RETURN_NOT_OK(out->type->width_bytes == 4
                          ? (AppendPlain<Offset, uint32_t>(offsets, bytes.data(), all, out))
                          : (AppendPlain<Offset, uint64_t>(offsets, bytes.data(), all, out)));
  out->offsets.Advance(num_values * out->type->width_bytes);
  out->length += num_values;
  return arrow::Status::OK();
}

}  // namespace

arrow::Status DecodeVariableChunk(uint64_t offset_bits, const FsstTable* symbols,
                                  std::span<const uint8_t> buffer, uint64_t num_values,
                                  std::span<const RowRange> keep, DecodeScratch* scratch,
                                  ValueBuilder* out) {
  if (out->type->kind != LeafKind::kVariable)
    return Corrupt("strings in a column of another layout");
  return offset_bits == 32 ? DecodeChunk<uint32_t>(symbols, buffer, num_values, keep, scratch, out)
                           : DecodeChunk<uint64_t>(symbols, buffer, num_values, keep, scratch, out);
}

arrow::Status DecodeVariableBlock(std::span<const uint8_t> block, uint64_t num_values,
                                  ValueBuilder* out) {
  if (out->type->kind != LeafKind::kVariable)
    return Corrupt("strings in a column of another layout");
  if (num_values == 0 && block.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const BlockParts parts, ParseBlockHeader(block));
  const uint64_t offsets_size =
      SaturatingMultiply(SaturatingAdd(num_values, 1), parts.offset_bits / 8);
  if (parts.bytes_begin > block.size() ||
      SaturatingAdd(parts.offsets_begin, offsets_size) > parts.bytes_begin) {
    return Corrupt(
        fmt::format("string block has no room for its offsets: {} values, bytes at {} of {}",
                    num_values, parts.bytes_begin, block.size()));
  }
  return parts.offset_bits == 32 ? DecodeBlock<uint32_t>(block, parts, num_values, out)
                                 : DecodeBlock<uint64_t>(block, parts, num_values, out);
}

}  // namespace pennon
