#include "encoding/v20_bitpacked.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/little_endian.h"
#include "encoding/fastlanes.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Byte ranges, counted from the start of the buffer, that hold a range of rows.
ByteRange PackedBytes(const V20Encoding& encoding, const RowRange& range) {
  if (encoding.kind == V20Kind::kFastLanes) {
    const uint64_t group = FastLanesBytes(static_cast<unsigned>(encoding.bits));
    return {range.begin / kFastLanesGroup * group,
            (range.end + kFastLanesGroup - 1) / kFastLanesGroup * group};
  }
  return {range.begin * encoding.bits / 8, (range.end * encoding.bits + 7) / 8};
}

/// Loads `width` bits that start at `bit`, without touching bytes behind the end.
uint64_t LoadBits(std::span<const uint8_t> bytes, uint64_t bit, unsigned width) {
  if (width == 0) return 0;
  const uint64_t first = bit / 8;
  const unsigned shift = static_cast<unsigned>(bit % 8);
  std::array<uint8_t, 16> window{};
  std::memcpy(window.data(), bytes.data() + first, std::min<uint64_t>(9, bytes.size() - first));
  uint64_t value = LoadLittleEndian<uint64_t>(window.data()) >> shift;
  if (shift + width > 64) value |= uint64_t{window[8]} << (64 - shift);
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

template <typename T>
void UnpackStream(std::span<const uint8_t> bytes, uint64_t bit, const V20Encoding& encoding,
                  uint64_t count, uint8_t* out) {
  const auto width = static_cast<unsigned>(encoding.bits);
  const bool extend = encoding.is_signed && width > 0 && width < 64;
  for (uint64_t i = 0; i < count; ++i, bit += width) {
    uint64_t value = LoadBits(bytes, bit, width);
    if (extend && (value >> (width - 1)) != 0) value |= ~uint64_t{0} << width;
    StoreLittleEndian(out + i * sizeof(T), static_cast<T>(value));
  }
}

/// `row`: first wanted row, counted from the start of the page. `bytes` begins with the group that
/// holds it.
template <typename T>
void UnpackGroups(std::span<const uint8_t> bytes, uint64_t row, const V20Encoding& encoding,
                  uint64_t count, uint8_t* out) {
  const auto width = static_cast<unsigned>(encoding.bits);
  std::array<uint8_t, kFastLanesGroup * sizeof(T)> group;
  const uint8_t* packed = bytes.data();
  while (count > 0) {
    const uint64_t skip = row % kFastLanesGroup;
    const uint64_t take = std::min(count, kFastLanesGroup - skip);
    UnpackFastLanes<T>(packed, width, group.data());
    std::memcpy(out, group.data() + skip * sizeof(T), take * sizeof(T));
    packed += FastLanesBytes(width);
    out += take * sizeof(T);
    row += take;
    count -= take;
  }
}

}  // namespace

V20BitpackedValues::V20BitpackedValues(const V20Encoding& encoding,
                                       std::shared_ptr<arrow::DataType> type, RowRanges rows,
                                       const V20Context& context)
    : encoding_(encoding),
      type_(std::move(type)),
      rows_(std::move(rows)),
      pieces_(rows_),
      context_(context) {}

arrow::Result<std::unique_ptr<V20Values>> V20BitpackedValues::Make(
    const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, RowRanges rows,
    const V20Context& context) {
  if (FixedWidthBits(*type) != encoding.plain_bits || type->id() == arrow::Type::FIXED_SIZE_LIST) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("page holds packed values of {} bits, wanted are {}",
                                 encoding.plain_bits, type->ToString()));
  }
  const uint64_t end = rows.empty() ? 0 : rows.back().end;
  constexpr uint64_t kRowsMax = uint64_t{1} << 48;
  if (end > kRowsMax || PackedBytes(encoding, {0, end}).end > encoding.buffer.size()) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("page buffer is too short: {} bytes for {} values of {} bits",
                                 encoding.buffer.size(), end, encoding.bits));
  }
  return std::unique_ptr<V20Values>(
      new V20BitpackedValues(encoding, std::move(type), std::move(rows), context));
}

arrow::Status V20BitpackedValues::PlanNext(std::vector<ByteRange>* wanted) {
  if (is_planned_ || encoding_.bits == 0) return arrow::Status::OK();
  is_planned_ = true;
  for (const RowRange& range : rows_) {
    const ByteRange bytes = PackedBytes(encoding_, range);
    wanted->push_back({encoding_.buffer.begin + bytes.begin, encoding_.buffer.begin + bytes.end});
  }
  return arrow::Status::OK();
}

arrow::Status V20BitpackedValues::AcceptNext(std::span<const FetchedBytes> bytes) {
  bytes_.assign(bytes.begin(), bytes.end());
  return arrow::Status::OK();
}

template <typename T>
void V20BitpackedValues::Unpack(uint64_t begin, uint64_t count, uint8_t* out) const {
  size_t piece = pieces_.PieceOf(begin);
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end = std::min(begin + count, pieces_.FirstOf(piece + 1));
    const uint64_t page_row = rows_[piece].begin + row - pieces_.FirstOf(piece);
    const std::span<const uint8_t> bytes = bytes_[piece].data;
    if (encoding_.kind == V20Kind::kFastLanes) {
      const uint64_t groups = page_row / kFastLanesGroup - rows_[piece].begin / kFastLanesGroup;
      UnpackGroups<T>(bytes.subspan(groups * FastLanesBytes(static_cast<unsigned>(encoding_.bits))),
                      page_row, encoding_, end - row, out);
    } else {
      const uint64_t bit =
          rows_[piece].begin * encoding_.bits % 8 + (row - pieces_.FirstOf(piece)) * encoding_.bits;
      UnpackStream<T>(bytes, bit, encoding_, end - row, out);
    }
    out += (end - row) * sizeof(T);
    row = end;
  }
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20BitpackedValues::Decode(uint64_t begin,
                                                                            uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto values, AllocateZeroed(count * encoding_.plain_bits / 8, context_));
  // Values of no bits are all zero, which the buffer is already.
  if (encoding_.bits > 0) {
    switch (encoding_.plain_bits) {
      case 8:
        Unpack<uint8_t>(begin, count, values->mutable_data());
        break;
      case 16:
        Unpack<uint16_t>(begin, count, values->mutable_data());
        break;
      case 32:
        Unpack<uint32_t>(begin, count, values->mutable_data());
        break;
      default:
        Unpack<uint64_t>(begin, count, values->mutable_data());
        break;
    }
  }
  return arrow::ArrayData::Make(type_, static_cast<int64_t>(count), {nullptr, std::move(values)},
                                0);
}

}  // namespace pennon
