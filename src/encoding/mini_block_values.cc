#include "encoding/mini_block_values.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/fastlanes.h"
#include "encoding/inflate_budget.h"
#include "encoding/run_length.h"
#include "encoding/variable_values.h"
#include "encoding/zipped_values.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using Bytes = std::span<const uint8_t>;
using Keep = std::span<const RowRange>;

/// Up to so many values of a chunk are picked from the packed words one by one.
constexpr uint64_t kPickedOneByOneMax = 32;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

arrow::Status CheckSize(uint64_t expected, uint64_t got) {
  if (expected == got) [[likely]]
    return arrow::Status::OK();
  return Corrupt(
      fmt::format("value buffer has the wrong size: expected {} bytes, got {}", expected, got));
}

arrow::Status CheckWidth(uint64_t encoded_bits, const ValueBuilder& out) {
  if (encoded_bits == out.type->FixedBits()) [[likely]]
    return arrow::Status::OK();
  return Corrupt(fmt::format("values have the wrong width: the type has {} bits, the page {}",
                             out.type->FixedBits(), encoded_bits));
}

/// Appends ranges of fixed-width values that lie one after the other.
arrow::Status AppendRanges(const uint8_t* values, Keep keep, ValueBuilder* out) {
  for (const RowRange& range : keep) {
    ARROW_RETURN_NOT_OK(
        out->AppendFixed(values + range.begin * out->type->width_bytes, range.size()));
  }
  return arrow::Status::OK();
}

arrow::Status DecodeFlat(uint64_t bits, Bytes bytes, uint64_t num_values, Keep keep,
                         ValueBuilder* out) {
  ARROW_RETURN_NOT_OK(CheckWidth(bits, *out));
  ARROW_RETURN_NOT_OK(CheckSize(CeilDivide(SaturatingMultiply(num_values, bits), 8), bytes.size()));
  if (out->type->kind == LeafKind::kFixed) return AppendRanges(bytes.data(), keep, out);
  if (out->type->kind != LeafKind::kBits)
    return Corrupt("flat values in a column of another layout");
  for (const RowRange& range : keep) {
    ARROW_RETURN_NOT_OK(out->bits.AppendBitmap(bytes.data(), range.begin, range.size()));
    out->length += range.size();
  }
  return arrow::Status::OK();
}

template <typename T>
arrow::Status DecodeInlineBitpacking(Bytes bytes, uint64_t num_values, Keep keep,
                                     DecodeScratch* scratch, ValueBuilder* out) {
  if (bytes.size() < sizeof(T)) return Corrupt("bit-packed chunk is cut short");
  if (num_values > kFastLanesGroup)
    return Corrupt(fmt::format("bit-packed chunk has too many values: {}", num_values));
  const uint64_t width = LoadLittleEndian<T>(bytes.data());
  if (width > sizeof(T) * 8)
    return Corrupt(fmt::format("bit-packed chunk has an impossible width: {} bits", width));
  ARROW_RETURN_NOT_OK(
      CheckSize(sizeof(T) + FastLanesBytes(static_cast<unsigned>(width)), bytes.size()));
  const uint8_t* packed = bytes.data() + sizeof(T);
  const auto bits = static_cast<unsigned>(width);
  const uint64_t num_kept = CountRows(keep);
  if (num_kept <= kPickedOneByOneMax) {
    ARROW_RETURN_NOT_OK(out->values.Reserve(num_kept * sizeof(T)));
    for (const RowRange& range : keep) {
      for (uint64_t i = range.begin; i < range.end; ++i) {
        StoreLittleEndian(out->values.end(),
                          FastLanesValue<T>(packed, bits, static_cast<uint32_t>(i)));
        out->values.Advance(sizeof(T));
      }
    }
    out->length += num_kept;
    return arrow::Status::OK();
  }
  if (num_kept == kFastLanesGroup) {
    ARROW_RETURN_NOT_OK(out->values.Reserve(kFastLanesGroup * sizeof(T)));
    UnpackFastLanes<T>(packed, bits, out->values.end());
    out->values.Advance(kFastLanesGroup * sizeof(T));
    out->length += kFastLanesGroup;
    return arrow::Status::OK();
  }
  scratch->unpacked.resize(kFastLanesGroup * sizeof(uint64_t));
  UnpackFastLanes<T>(packed, bits, scratch->unpacked.data());
  return AppendRanges(scratch->unpacked.data(), keep, out);
}

arrow::Status DecodeInlineBitpacking(const ValueEncoding& encoding, Bytes bytes,
                                     uint64_t num_values, Keep keep, DecodeScratch* scratch,
                                     ValueBuilder* out) {
  ARROW_RETURN_NOT_OK(CheckWidth(encoding.bits, *out));
  if (out->type->kind != LeafKind::kFixed)
    return Corrupt("bit-packed values in a column of another layout");
  switch (encoding.bits) {
    case 8:
      return DecodeInlineBitpacking<uint8_t>(bytes, num_values, keep, scratch, out);
    case 16:
      return DecodeInlineBitpacking<uint16_t>(bytes, num_values, keep, scratch, out);
    case 32:
      return DecodeInlineBitpacking<uint32_t>(bytes, num_values, keep, scratch, out);
    default:
      return DecodeInlineBitpacking<uint64_t>(bytes, num_values, keep, scratch, out);
  }
}

template <size_t N>
void JoinStreams(const uint8_t* streams, uint64_t num_values, const RowRange& range, uint8_t* out) {
  for (uint64_t i = range.begin; i < range.end; ++i) {
    for (size_t b = 0; b < N; ++b) *out++ = streams[b * num_values + i];
  }
}

arrow::Status DecodeByteStreamSplit(const ValueEncoding& encoding, Bytes bytes, uint64_t num_values,
                                    Keep keep, ValueBuilder* out) {
  ARROW_RETURN_NOT_OK(CheckWidth(encoding.bits, *out));
  if (out->type->kind != LeafKind::kFixed)
    return Corrupt("split values in a column of another layout");
  const uint64_t width = encoding.bits / 8;
  ARROW_RETURN_NOT_OK(CheckSize(SaturatingMultiply(num_values, width), bytes.size()));
  for (const RowRange& range : keep) {
    ARROW_RETURN_NOT_OK(out->values.Reserve(range.size() * width));
    if (width == 4) {
      JoinStreams<4>(bytes.data(), num_values, range, out->values.end());
    } else {
      JoinStreams<8>(bytes.data(), num_values, range, out->values.end());
    }
    out->values.Advance(range.size() * width);
    out->length += range.size();
  }
  return arrow::Status::OK();
}

arrow::Status DecodeFixedSizeList(const ValueEncoding& encoding, std::span<const Bytes> buffers,
                                  uint64_t num_values, Keep keep, DecodeScratch* scratch,
                                  ValueBuilder* out) {
  if (out->type->kind != LeafKind::kFixedSizeList || out->type->list_size != encoding.list_size) {
    return Corrupt(
        fmt::format("fixed-size list has the wrong size: the page says {}", encoding.list_size));
  }
  ValueBuilder& items = out->children[0];
  const uint64_t size = encoding.list_size;
  const uint64_t num_items = SaturatingMultiply(num_values, size);
  std::vector<RowRange> item_keep;
  item_keep.reserve(keep.size());
  for (const RowRange& range : keep) item_keep.push_back({range.begin * size, range.end * size});
  if (encoding.has_validity) {
    if (buffers.empty()) return Corrupt("fixed-size list lacks its validity buffer");
    ARROW_RETURN_NOT_OK(CheckSize(CeilDivide(num_items, 8), buffers[0].size()));
    for (const RowRange& range : item_keep) {
      ARROW_RETURN_NOT_OK(
          items.validity.AppendBitmap(buffers[0].data(), range.begin, range.size()));
    }
    buffers = buffers.subspan(1);
  } else {
    items.validity.AppendValid(CountRows(item_keep));
  }
  const ValueEncoding& inner = encoding.children[0];
  if (inner.kind == EncodingKind::kConstant && !inner.has_value) {
    const uint64_t nulls = CountRows(item_keep);
    ARROW_RETURN_NOT_OK(items.AppendEmpty(nulls));
    if (!encoding.has_validity) return Corrupt("fixed-size list of nulls lacks its validity");
  } else {
    ARROW_RETURN_NOT_OK(DecodeMiniBlock(inner, buffers, num_items, item_keep, scratch, &items));
  }
  out->length += CountRows(keep);
  return arrow::Status::OK();
}

arrow::Status DecodePackedStruct(const ValueEncoding& encoding, Bytes bytes, uint64_t num_values,
                                 Keep keep, ValueBuilder* out) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t width, ZippedBytes(encoding, *out->type));
  ARROW_RETURN_NOT_OK(CheckSize(SaturatingMultiply(num_values, width), bytes.size()));
  for (const RowRange& range : keep) {
    ARROW_RETURN_NOT_OK(
        AppendZipped(encoding, bytes.data() + range.begin * width, width, range.size(), out));
  }
  return arrow::Status::OK();
}

arrow::Status DecodeGeneral(const ValueEncoding& encoding, std::span<const Bytes> buffers,
                            uint64_t num_values, Keep keep, DecodeScratch* scratch,
                            ValueBuilder* out) {
  ARROW_RETURN_NOT_OK(InflateChecked(encoding.scheme, buffers[0], out->budget, &scratch->inflated));
  // Taken out of the scratch: what lies inside may want it too.
  std::vector<uint8_t> inflated = std::move(scratch->inflated);
  std::vector<Bytes> inner(buffers.begin(), buffers.end());
  inner[0] = inflated;
  auto status = DecodeMiniBlock(encoding.children[0], inner, num_values, keep, scratch, out);
  scratch->inflated = std::move(inflated);
  return status;
}

}  // namespace

arrow::Status DecodeMiniBlock(const ValueEncoding& encoding, std::span<const Bytes> buffers,
                              uint64_t num_values, Keep keep, DecodeScratch* scratch,
                              ValueBuilder* out) {
  if (buffers.empty()) return Corrupt("chunk has no value buffer");
  const Bytes first = buffers[0];
  switch (encoding.kind) {
    case EncodingKind::kFlat:
      return DecodeFlat(encoding.bits, first, num_values, keep, out);
    case EncodingKind::kInlineBitpacking:
      return DecodeInlineBitpacking(encoding, first, num_values, keep, scratch, out);
    case EncodingKind::kVariable:
      return DecodeVariableChunk(encoding.bits, nullptr, first, num_values, keep, scratch, out);
    case EncodingKind::kFsst:
      if (encoding.children[0].kind != EncodingKind::kVariable) break;
      return DecodeVariableChunk(encoding.children[0].bits, encoding.symbols.get(), first,
                                 num_values, keep, scratch, out);
    case EncodingKind::kRle:
      if (buffers.size() < 2) return Corrupt("run-length chunk lacks its run lengths");
      ARROW_RETURN_NOT_OK(CheckWidth(encoding.bits, *out));
      return DecodeRuns(first, buffers[1], num_values, keep, out);
    case EncodingKind::kByteStreamSplit:
      return DecodeByteStreamSplit(encoding, first, num_values, keep, out);
    case EncodingKind::kGeneral:
      return DecodeGeneral(encoding, buffers, num_values, keep, scratch, out);
    case EncodingKind::kFixedSizeList:
      return DecodeFixedSizeList(encoding, buffers, num_values, keep, scratch, out);
    case EncodingKind::kPackedStruct:
      return DecodePackedStruct(encoding, first, num_values, keep, out);
    default:
      break;
  }
  return Corrupt(
      fmt::format("encoding cannot stand in a mini-block: {}", EncodingKindName(encoding.kind)));
}

}  // namespace pennon
