#include "encoding/block_values.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/fastlanes.h"
#include "encoding/inflate_budget.h"
#include "encoding/mini_block_values.h"
#include "encoding/run_length.h"
#include "encoding/variable_values.h"
#include "encoding/zipped_values.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using Bytes = std::span<const uint8_t>;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

/// Whole groups, then either a padded group or raw words: the length tells.
template <typename T>
arrow::Status UnpackGroups(unsigned width, Bytes block, uint64_t num_values, ValueBuilder* out) {
  const uint64_t num_full = num_values / kFastLanesGroup;
  const uint64_t num_rest = num_values % kFastLanesGroup;
  const uint64_t group_bytes = FastLanesBytes(width);
  const uint64_t full_bytes = SaturatingMultiply(num_full, group_bytes);
  const bool is_rest_raw =
      num_rest != 0 && block.size() == SaturatingAdd(full_bytes, num_rest * sizeof(T));
  if (!is_rest_raw && block.size() != SaturatingAdd(full_bytes, num_rest == 0 ? 0 : group_bytes)) {
    return Corrupt(
        fmt::format("bit-packed block has the wrong size: {} values of {} bits, {} bytes",
                    num_values, width, block.size()));
  }
  ARROW_RETURN_NOT_OK(out->values.Reserve(SaturatingMultiply(num_values, sizeof(T))));
  const uint8_t* in = block.data();
  for (uint64_t g = 0; g < num_full; ++g, in += group_bytes) {
    UnpackFastLanes<T>(in, width, out->values.end());
    out->values.Advance(kFastLanesGroup * sizeof(T));
  }
  if (is_rest_raw) {
    std::memcpy(out->values.end(), in, num_rest * sizeof(T));
  } else if (num_rest != 0) {
    std::array<uint8_t, kFastLanesGroup * sizeof(T)> group;
    UnpackFastLanes<T>(in, width, group.data());
    std::memcpy(out->values.end(), group.data(), num_rest * sizeof(T));
  }
  out->values.Advance(num_rest * sizeof(T));
  out->length += num_values;
  return arrow::Status::OK();
}

arrow::Status DecodeOutOfLine(const ValueEncoding& encoding, Bytes block, uint64_t num_values,
                              ValueBuilder* out) {
  if (out->type->kind != LeafKind::kFixed || encoding.bits != out->type->FixedBits()) {
    return Corrupt("bit-packed values in a column of another layout");
  }
  switch (encoding.bits) {
    case 8:
      return UnpackGroups<uint8_t>(encoding.packed_bits, block, num_values, out);
    case 16:
      return UnpackGroups<uint16_t>(encoding.packed_bits, block, num_values, out);
    case 32:
      return UnpackGroups<uint32_t>(encoding.packed_bits, block, num_values, out);
    default:
      return UnpackGroups<uint64_t>(encoding.packed_bits, block, num_values, out);
  }
}

/// The two parts of a run-length block.
arrow::Result<std::array<Bytes, 2>> SplitRuns(Bytes block) {
  if (block.size() < 8) return Corrupt("run-length block is cut short");
  const auto values_size = LoadLittleEndian<uint64_t>(block.data());
  block = block.subspan(8);
  if (values_size > block.size()) return Corrupt("run-length block is cut short");
  return std::array<Bytes, 2>{block.first(values_size), block.subspan(values_size)};
}

arrow::Status DecodeConstant(const ValueEncoding& encoding, uint64_t num_values,
                             ValueBuilder* out) {
  if (!encoding.has_value) return out->AppendEmpty(num_values);
  const uint64_t width = out->type->width_bytes;
  if (out->type->kind != LeafKind::kFixed || encoding.value.size() != width) {
    return Corrupt("constant block has a value of the wrong width");
  }
  ARROW_RETURN_NOT_OK(out->values.Reserve(SaturatingMultiply(num_values, width)));
  for (uint64_t i = 0; i < num_values; ++i) {
    ARROW_RETURN_NOT_OK(
        out->AppendFixed(reinterpret_cast<const uint8_t*>(encoding.value.data()), 1));
  }
  return arrow::Status::OK();
}

arrow::Status DecodeZipped(const ValueEncoding& encoding, Bytes block, uint64_t num_values,
                           ValueBuilder* out) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t width, ZippedBytes(encoding, *out->type));
  if (block.size() != SaturatingMultiply(width, num_values)) {
    return Corrupt(fmt::format("block has the wrong size: {} values of {} bytes, {} bytes",
                               num_values, width, block.size()));
  }
  return AppendZipped(encoding, block.data(), width, num_values, out);
}

}  // namespace

arrow::Status DecodeBlock(const ValueEncoding& encoding, Bytes block, uint64_t num_values,
                          DecodeScratch* scratch, ValueBuilder* out) {
  const RowRange all{0, num_values};
  switch (encoding.kind) {
    case EncodingKind::kFlat:
    case EncodingKind::kInlineBitpacking: {
      const std::array<Bytes, 1> buffers{block};
      return DecodeMiniBlock(encoding, buffers, num_values, {&all, 1}, scratch, out);
    }
    case EncodingKind::kOutOfLineBitpacking:
      return DecodeOutOfLine(encoding, block, num_values, out);
    case EncodingKind::kRle: {
      if (encoding.bits != out->type->FixedBits())
        return Corrupt("run-length values have the wrong width");
      ARROW_ASSIGN_OR_RAISE(const auto parts, SplitRuns(block));
      return DecodeRuns(parts[0], parts[1], num_values, {&all, 1}, out);
    }
    case EncodingKind::kVariable:
      return DecodeVariableBlock(block, num_values, out);
    case EncodingKind::kGeneral: {
      ARROW_RETURN_NOT_OK(InflateChecked(encoding.scheme, block, out->budget, &scratch->inflated));
      const std::vector<uint8_t> inflated = std::move(scratch->inflated);
      return DecodeBlock(encoding.children[0], inflated, num_values, scratch, out);
    }
    case EncodingKind::kFixedSizeList:
      return DecodeZipped(encoding, block, num_values, out);
    case EncodingKind::kConstant:
      return DecodeConstant(encoding, num_values, out);
    default:
      return Corrupt(
          fmt::format("encoding cannot stand in a block: {}", EncodingKindName(encoding.kind)));
  }
}

arrow::Result<uint64_t> DecodeLevels(const ValueEncoding& encoding, Bytes block,
                                     uint64_t num_levels, DecodeScratch* scratch,
                                     ValueBuilder* out) {
  if (encoding.kind == EncodingKind::kRle) {
    ARROW_ASSIGN_OR_RAISE(const auto parts, SplitRuns(block));
    const uint64_t sum = CountRuns(parts[1]);
    if (sum > num_levels && (sum - num_levels) % 65536 == 0) num_levels = sum;
  }
  ARROW_RETURN_NOT_OK(DecodeBlock(encoding, block, num_levels, scratch, out));
  return num_levels;
}

}  // namespace pennon
