#include "encoding/v20_fixed_width.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

// Values as they lie in memory, under all the fixed-size lists of the type.
std::shared_ptr<arrow::ArrayData> WrapValues(const std::shared_ptr<arrow::DataType>& type,
                                             int64_t length,
                                             std::shared_ptr<arrow::Buffer> values) {
  if (type->id() != arrow::Type::FIXED_SIZE_LIST) {
    return arrow::ArrayData::Make(type, length, {nullptr, std::move(values)}, 0);
  }
  const auto& list = static_cast<const arrow::FixedSizeListType&>(*type);
  auto items = WrapValues(list.value_type(), length * list.list_size(), std::move(values));
  return arrow::ArrayData::Make(type, length, {nullptr}, {std::move(items)}, 0);
}

}  // namespace

arrow::Result<std::unique_ptr<V20Values>> V20FixedSizeListValues::Make(
    const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, const RowRanges& rows,
    const V20Context& context) {
  if (type->id() != arrow::Type::FIXED_SIZE_LIST ||
      static_cast<uint64_t>(static_cast<const arrow::FixedSizeListType&>(*type).list_size()) !=
          encoding.count) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("page holds lists of {} items, wanted are {}",
                                                      encoding.count, type->ToString()));
  }
  const uint64_t end = rows.empty() ? 0 : rows.back().end;
  if (end > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / encoding.count) {
    return MakeError(ErrorKind::kCorrupt, "page holds more list items than can be");
  }
  const auto& item_type = static_cast<const arrow::FixedSizeListType&>(*type).value_type();
  ARROW_ASSIGN_OR_RAISE(auto items, MakeV20Values(encoding.children[0], item_type,
                                                  ScaleRanges(rows, encoding.count), context));
  return std::unique_ptr<V20Values>(
      new V20FixedSizeListValues(std::move(type), encoding.count, std::move(items)));
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20FixedSizeListValues::Decode(uint64_t begin,
                                                                                uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto items, items_->Decode(begin * dimension_, count * dimension_));
  return arrow::ArrayData::Make(type_, static_cast<int64_t>(count), {nullptr}, {std::move(items)},
                                0);
}

V20PackedStructValues::V20PackedStructValues(const V20Encoding& encoding,
                                             std::shared_ptr<arrow::DataType> type,
                                             uint64_t row_bytes, RowRanges rows,
                                             const V20Context& context)
    : encoding_(encoding),
      type_(std::move(type)),
      row_bytes_(row_bytes),
      rows_(std::move(rows)),
      pieces_(rows_),
      context_(context) {}

arrow::Result<std::unique_ptr<V20Values>> V20PackedStructValues::Make(
    const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, RowRanges rows,
    const V20Context& context) {
  if (type->id() != arrow::Type::STRUCT ||
      static_cast<size_t>(type->num_fields()) != encoding.children.size()) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("page holds a packed struct of {} fields, wanted are {}",
                                 encoding.children.size(), type->ToString()));
  }
  uint64_t row_bytes = 0;
  for (const auto& field : type->fields()) {
    const uint64_t bits = FixedWidthBits(*field->type());
    if (bits == 0 || bits % 8 != 0) {
      return MakeError(ErrorKind::kUnsupportedFeature,
                       fmt::format("packed struct has a field of type {}: {}",
                                   field->type()->ToString(), field->name()));
    }
    row_bytes += bits / 8;
  }
  const uint64_t end = rows.empty() ? 0 : rows.back().end;
  if (row_bytes == 0 || end > encoding.buffer.size() / row_bytes) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("page buffer is too short: {} bytes for {} rows of {} bytes",
                                 encoding.buffer.size(), end, row_bytes));
  }
  return std::unique_ptr<V20Values>(
      new V20PackedStructValues(encoding, std::move(type), row_bytes, std::move(rows), context));
}

arrow::Status V20PackedStructValues::PlanNext(std::vector<ByteRange>* wanted) {
  if (is_planned_) return arrow::Status::OK();
  is_planned_ = true;
  const uint64_t base = encoding_.buffer.begin;
  for (const RowRange& range : rows_) {
    wanted->push_back({base + range.begin * row_bytes_, base + range.end * row_bytes_});
  }
  return arrow::Status::OK();
}

arrow::Status V20PackedStructValues::AcceptNext(std::span<const FetchedBytes> bytes) {
  bytes_.assign(bytes.begin(), bytes.end());
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> V20PackedStructValues::Column(uint64_t begin,
                                                                            uint64_t count,
                                                                            uint64_t at,
                                                                            uint64_t width) const {
  ARROW_ASSIGN_OR_RAISE(auto out, AllocateValues(count * width, context_));
  uint8_t* to = out->mutable_data();
  if (count == 0) return out;
  size_t piece = pieces_.PieceOf(begin);
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end = std::min(begin + count, pieces_.FirstOf(piece + 1));
    const uint8_t* from =
        bytes_[piece].data.data() + (row - pieces_.FirstOf(piece)) * row_bytes_ + at;
    for (; row < end; ++row, from += row_bytes_, to += width) std::memcpy(to, from, width);
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20PackedStructValues::Decode(uint64_t begin,
                                                                               uint64_t count) {
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  uint64_t at = 0;
  for (const auto& field : type_->fields()) {
    const uint64_t width = FixedWidthBits(*field->type()) / 8;
    ARROW_ASSIGN_OR_RAISE(auto values, Column(begin, count, at, width));
    children.push_back(WrapValues(field->type(), static_cast<int64_t>(count), std::move(values)));
    at += width;
  }
  return arrow::ArrayData::Make(type_, static_cast<int64_t>(count), {nullptr}, std::move(children),
                                0);
}

}  // namespace pennon
