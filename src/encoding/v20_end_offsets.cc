#include "encoding/v20_end_offsets.h"

#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// A row needs its own end and the end of the row before; the first row of a page begins at 0.
RowRanges WithRowBefore(RowRanges rows) {
  for (RowRange& range : rows) {
    if (range.begin > 0) --range.begin;
  }
  return rows;
}

arrow::Status FallingOffsets() {
  return MakeError(ErrorKind::kCorrupt, "offsets of strings or lists are not ascending");
}

}  // namespace

V20EndOffsets::V20EndOffsets(std::unique_ptr<V20Values> offsets, uint64_t null_adjustment,
                             RowRanges rows)
    : offsets_(std::move(offsets)),
      null_adjustment_(null_adjustment),
      rows_(std::move(rows)),
      pieces_(rows_) {}

arrow::Result<std::unique_ptr<V20EndOffsets>> V20EndOffsets::Make(const V20Encoding& encoding,
                                                                  uint64_t null_adjustment,
                                                                  RowRanges rows,
                                                                  const V20Context& context) {
  ARROW_ASSIGN_OR_RAISE(auto offsets,
                        MakeV20Values(encoding, arrow::uint64(), WithRowBefore(rows), context));
  return std::unique_ptr<V20EndOffsets>(
      new V20EndOffsets(std::move(offsets), null_adjustment, std::move(rows)));
}

arrow::Status V20EndOffsets::Load() {
  uint64_t stored = 0;
  for (const RowRange& range : rows_) stored += range.size() + (range.begin > 0 ? 1 : 0);
  ARROW_ASSIGN_OR_RAISE(const auto data, offsets_->Decode(0, stored));
  if (data->GetNullCount() > 0)
    return MakeError(ErrorKind::kCorrupt, "offsets of strings or lists are null");
  values_ = data->buffers[1];
  const auto* next = reinterpret_cast<const uint64_t*>(values_->data());
  uint64_t items = 0;
  uint64_t end_before = 0;
  for (const RowRange& range : rows_) {
    Piece piece;
    if (range.begin > 0) piece.start = EndOf(*next++);
    piece.ends = next;
    piece.items_before = items;
    const uint64_t end = EndOf(next[range.size() - 1]);
    piece.end = end;
    if (piece.start < end_before || end < piece.start) return FallingOffsets();
    if (end > piece.start) item_ranges_.push_back({piece.start, end});
    items += end - piece.start;
    end_before = end;
    next += range.size();
    loaded_.push_back(piece);
  }
  return arrow::Status::OK();
}

arrow::Result<V20EndOffsets::Items> V20EndOffsets::ItemsOf(uint64_t begin, uint64_t count) const {
  Items items;
  if (count == 0) return items;
  size_t piece = pieces_.PieceOf(begin);
  if (StartOf(piece, begin) < loaded_[piece].start) return FallingOffsets();
  items.begin = loaded_[piece].items_before + StartOf(piece, begin) - loaded_[piece].start;
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end_row = std::min(begin + count, pieces_.FirstOf(piece + 1));
    const uint64_t* ends = loaded_[piece].ends + (row - pieces_.FirstOf(piece));
    const uint64_t start = StartOf(piece, row);
    uint64_t last = start;
    bool falls = false;
    bool has_nulls = false;
    for (uint64_t i = 0; i < end_row - row; ++i) {
      const bool is_null = ends[i] >= null_adjustment_;
      const uint64_t end = is_null ? ends[i] - null_adjustment_ : ends[i];
      has_nulls |= is_null;
      falls |= end < last;
      last = end;
    }
    // Rows behind these are not looked at yet: the end of the range bounds what these may say.
    if (falls || last > loaded_[piece].end) return FallingOffsets();
    items.has_nulls |= has_nulls;
    items.count += last - start;
    row = end_row;
  }
  return items;
}

template <typename T>
void V20EndOffsets::WriteOffsets(uint64_t begin, uint64_t count, T start, T* out) const {
  *out++ = start;
  if (count == 0) return;
  auto base = static_cast<uint64_t>(start);
  size_t piece = pieces_.PieceOf(begin);
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end_row = std::min(begin + count, pieces_.FirstOf(piece + 1));
    const uint64_t* ends = loaded_[piece].ends + (row - pieces_.FirstOf(piece));
    const uint64_t first = StartOf(piece, row);
    for (uint64_t i = 0; i < end_row - row; ++i)
      out[i] = static_cast<T>(base + (EndOf(ends[i]) - first));
    base += EndOf(ends[end_row - row - 1]) - first;
    out += end_row - row;
    row = end_row;
  }
}

template void V20EndOffsets::WriteOffsets<int32_t>(uint64_t, uint64_t, int32_t, int32_t*) const;
template void V20EndOffsets::WriteOffsets<int64_t>(uint64_t, uint64_t, int64_t, int64_t*) const;

void V20EndOffsets::ClearNulls(uint64_t begin, uint64_t count, uint8_t* bits,
                               uint64_t first_bit) const {
  if (count == 0) return;
  size_t piece = pieces_.PieceOf(begin);
  for (uint64_t row = begin; row < begin + count; ++piece) {
    const uint64_t end_row = std::min(begin + count, pieces_.FirstOf(piece + 1));
    const uint64_t* ends = loaded_[piece].ends + (row - pieces_.FirstOf(piece));
    for (uint64_t i = 0; i < end_row - row; ++i) {
      if (ends[i] >= null_adjustment_) {
        arrow::bit_util::ClearBit(bits, static_cast<int64_t>(first_bit + row - begin + i));
      }
    }
    row = end_row;
  }
}

}  // namespace pennon
