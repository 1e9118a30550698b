#include "encoding/v20_flat.h"

#include <arrow/device.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "encoding/general_compression.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

uint64_t BitmapBytes(uint64_t bits) { return (bits + 7) / 8; }

/// Arrow's kernels load whole words: values start at a multiple of their width, up to 8 bytes.
bool IsAligned(const uint8_t* data, uint64_t width_bytes) {
  const uint64_t need = width_bytes % 8 == 0   ? 8
                        : width_bytes % 4 == 0 ? 4
                        : width_bytes % 2 == 0 ? 2
                                               : 1;
  return reinterpret_cast<uintptr_t>(data) % need == 0;
}

std::shared_ptr<arrow::Buffer> Borrow(const FetchedBytes& bytes, uint64_t begin, uint64_t size) {
  return std::make_shared<arrow::Buffer>(bytes.data.data() + begin, static_cast<int64_t>(size),
                                         arrow::default_cpu_memory_manager(), bytes.owner);
}

}  // namespace

PiecedRows::PiecedRows(const RowRanges& rows) {
  first_.reserve(rows.size() + 1);
  first_.push_back(0);
  for (const RowRange& range : rows) first_.push_back(first_.back() + range.size());
}

size_t PiecedRows::PieceOf(uint64_t row) const {
  return static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) -
         1;
}

V20FlatValues::V20FlatValues(const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type,
                             RowRanges rows, const V20Context& context)
    : encoding_(encoding),
      type_(std::move(type)),
      rows_(std::move(rows)),
      pieces_(rows_),
      context_(context) {}

arrow::Result<std::unique_ptr<V20Values>> V20FlatValues::Make(const V20Encoding& encoding,
                                                              std::shared_ptr<arrow::DataType> type,
                                                              RowRanges rows,
                                                              const V20Context& context) {
  const uint64_t bits = FixedWidthBits(*type);
  if (bits == 0 || bits != encoding.bits || type->id() == arrow::Type::FIXED_SIZE_LIST) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("page holds values of {} bits, wanted are {}",
                                                      encoding.bits, type->ToString()));
  }
  const uint64_t end = rows.empty() ? 0 : rows.back().end;
  if (!encoding.compression && end > encoding.buffer.size() * 8 / bits) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("page buffer is too short: {} bytes for {} values of {} bits",
                                 encoding.buffer.size(), end, bits));
  }
  return std::unique_ptr<V20Values>(
      new V20FlatValues(encoding, std::move(type), std::move(rows), context));
}

arrow::Status V20FlatValues::PlanNext(std::vector<ByteRange>* wanted) {
  if (is_planned_ || rows_.empty()) return arrow::Status::OK();
  is_planned_ = true;
  const uint64_t base = encoding_.buffer.begin;
  if (encoding_.compression) {
    if (encoding_.buffer.size() == 0)
      return MakeError(ErrorKind::kCorrupt, "compressed page buffer is empty");
    wanted->push_back(encoding_.buffer);
    return arrow::Status::OK();
  }
  for (const RowRange& range : rows_) {
    wanted->push_back(
        {base + range.begin * encoding_.bits / 8, base + BitmapBytes(range.end * encoding_.bits)});
  }
  return arrow::Status::OK();
}

arrow::Status V20FlatValues::AcceptNext(std::span<const FetchedBytes> bytes) {
  if (encoding_.compression) return Inflate(bytes[0]);
  bytes_.assign(bytes.begin(), bytes.end());
  return arrow::Status::OK();
}

arrow::Status V20FlatValues::Inflate(const FetchedBytes& bytes) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t size, InflatedSize(*encoding_.compression, bytes.data));
  if (size > context_.buffer_bytes_max) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("compressed page buffer inflates beyond the limit: {} bytes, at "
                                 "most {}",
                                 size, context_.buffer_bytes_max));
  }
  if (rows_.back().end > size * 8 / encoding_.bits) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("page buffer is too short: {} bytes for {} values of {} bits",
                                 size, rows_.back().end, encoding_.bits));
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> plain, AllocateValues(size, context_));
  ARROW_RETURN_NOT_OK(
      pennon::Inflate(*encoding_.compression, bytes.data, {plain->mutable_data(), size}));
  for (const RowRange& range : rows_) {
    const uint64_t begin = range.begin * encoding_.bits / 8;
    const uint64_t end = BitmapBytes(range.end * encoding_.bits);
    bytes_.push_back({{plain->data() + begin, end - begin}, plain});
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> V20FlatValues::Bytes(uint64_t begin,
                                                                   uint64_t count) const {
  const uint64_t width = encoding_.bits / 8;
  size_t piece = pieces_.PieceOf(begin);
  const uint64_t skip = (begin - pieces_.FirstOf(piece)) * width;
  if (begin + count <= pieces_.FirstOf(piece + 1) &&
      IsAligned(bytes_[piece].data.data() + skip, width)) {
    return Borrow(bytes_[piece], skip, count * width);
  }
  ARROW_ASSIGN_OR_RAISE(auto out, AllocateValues(count * width, context_));
  uint8_t* to = out->mutable_data();
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end = std::min(begin + count, pieces_.FirstOf(piece + 1));
    const uint64_t size = (end - row) * width;
    std::memcpy(to, bytes_[piece].data.data() + (row - pieces_.FirstOf(piece)) * width, size);
    to += size;
    row = end;
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> V20FlatValues::Bits(uint64_t begin,
                                                                  uint64_t count) const {
  size_t piece = pieces_.PieceOf(begin);
  const auto bit_of = [&](size_t at, uint64_t row) {
    return rows_[at].begin % 8 + row - pieces_.FirstOf(at);
  };
  const uint64_t first_bit = bit_of(piece, begin);
  if (begin + count <= pieces_.FirstOf(piece + 1) && first_bit % 8 == 0) {
    return Borrow(bytes_[piece], first_bit / 8, BitmapBytes(count));
  }
  ARROW_ASSIGN_OR_RAISE(auto out, AllocateZeroed(BitmapBytes(count), context_));
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end = std::min(begin + count, pieces_.FirstOf(piece + 1));
    arrow::internal::CopyBitmap(bytes_[piece].data.data(), static_cast<int64_t>(bit_of(piece, row)),
                                static_cast<int64_t>(end - row), out->mutable_data(),
                                static_cast<int64_t>(row - begin));
    row = end;
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20FlatValues::Decode(uint64_t begin,
                                                                       uint64_t count) {
  std::shared_ptr<arrow::Buffer> values;
  if (count == 0) {
    ARROW_ASSIGN_OR_RAISE(values, AllocateValues(0, context_));
  } else {
    ARROW_ASSIGN_OR_RAISE(values, encoding_.bits == 1 ? Bits(begin, count) : Bytes(begin, count));
  }
  return arrow::ArrayData::Make(type_, static_cast<int64_t>(count), {nullptr, std::move(values)},
                                0);
}

}  // namespace pennon
