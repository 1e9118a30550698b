// Mini-block pages whose values lie plain and alone in their chunks: where each value is follows
// from the chunk table, so that rows are fetched without the rest of their chunks.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked_math.h"
#include "encoding/page_cursor.h"
#include "encoding/zipped_values.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Number of levels and size of the one buffer, padded: what stands before the values of a chunk.
constexpr uint64_t kHeaderBytes = 8;

/// Returns the bytes of a value, 0 if the page is not of this kind.
uint64_t PlainValueBytes(const PageSelection& selection) {
  const auto* layout = std::get_if<MiniBlockLayout>(&selection.index->layout.layout);
  if (layout == nullptr || layout->rep || layout->def || layout->dictionary ||
      layout->num_buffers != 1) {
    return 0;
  }
  for (const ValueEncoding* encoding = &layout->values;; encoding = &encoding->children[0]) {
    if (encoding->has_validity) return 0;
    if (encoding->kind == EncodingKind::kFlat) break;
    if (encoding->kind != EncodingKind::kFixedSizeList &&
        encoding->kind != EncodingKind::kPackedStruct) {
      return 0;
    }
  }
  const auto size = ZippedBytes(layout->values, *selection.leaf);
  return size.ok() ? *size : 0;
}

class FlatChunkCursor : public PageCursor {
 public:
  FlatChunkCursor(PageSelection selection, uint64_t value_bytes)
      : selection_(std::move(selection)),
        chunks_(selection_.index->chunks),
        values_(std::get<MiniBlockLayout>(selection_.index->layout.layout).values),
        value_bytes_(value_bytes) {}

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    if (!places_.empty()) return arrow::Status::OK();
    const uint64_t base = selection_.page->buffers[1].begin;
    places_.reserve(selection_.rows.size());
    size_t chunk = 0;
    for (const RowRange& rows : selection_.rows) {
      chunk = ChunkOfRow(rows.begin, chunk);
      Place place{.first_chunk = chunk, .begin = PositionOf(rows.begin, chunk), .bytes = {}};
      ARROW_RETURN_NOT_OK(CheckChunk(chunk));
      while (chunks_[chunk + 1].first_row < rows.end) ARROW_RETURN_NOT_OK(CheckChunk(++chunk));
      const uint64_t end = PositionOf(rows.end - 1, chunk) + value_bytes_;
      wanted->push_back({base + place.begin, base + end});
      places_.push_back(std::move(place));
    }
    return arrow::Status::OK();
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    for (size_t i = 0; i < places_.size(); ++i) places_[i].bytes = bytes[i];
    return arrow::Status::OK();
  }

  arrow::Status Decode(uint64_t num_rows, LeafOutput* out) override {
    const uint64_t values_before = out->values.length;
    for (uint64_t left = num_rows; left != 0;) {
      const RowRange& rows = selection_.rows[range_];
      const uint64_t begin = rows.begin + rows_done_;
      const uint64_t end = std::min(rows.end, begin + left);
      ARROW_RETURN_NOT_OK(AppendRows({begin, end}, out));
      left -= end - begin;
      rows_done_ += end - begin;
      if (end == rows.end) {
        ++range_;
        rows_done_ = 0;
      }
    }
    return out->AppendStructure(selection_.index->layout.layers, false, false, num_rows, num_rows,
                                out->values.length - values_before);
  }

 private:
  /// Where the bytes of one range of rows lie in the chunk data, and the bytes.
  struct Place {
    size_t first_chunk = 0;
    uint64_t begin = 0;
    FetchedBytes bytes;
  };

  /// `from`: a chunk that does not lie behind the row's.
  size_t ChunkOfRow(uint64_t row, size_t from) const {
    if (row < chunks_[from + 1].first_row) return from;
    const auto after = std::upper_bound(
        chunks_.begin() + static_cast<std::ptrdiff_t>(from), chunks_.end(), row,
        [](uint64_t r, const LayoutPageIndex::Chunk& chunk) { return r < chunk.first_row; });
    return static_cast<size_t>(after - chunks_.begin()) - 1;
  }

  uint64_t PositionOf(uint64_t row, size_t chunk) const {
    return chunks_[chunk].begin + kHeaderBytes + (row - chunks_[chunk].first_row) * value_bytes_;
  }

  /// The chunk must be as large as its values need.
  arrow::Status CheckChunk(size_t chunk) const {
    const uint64_t size = chunks_[chunk + 1].begin - chunks_[chunk].begin;
    const uint64_t num_values = chunks_[chunk + 1].first_value - chunks_[chunk].first_value;
    const uint64_t needed =
        SaturatingAdd(SaturatingMultiply(num_values, value_bytes_), kHeaderBytes + 7) / 8 * 8;
    if (needed == size) [[likely]]
      return arrow::Status::OK();
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("chunk has the wrong size: {} bytes, its values need {} (chunk {})", size,
                    needed, chunk));
  }

  arrow::Status AppendRows(const RowRange& rows, LeafOutput* out) {
    const Place& place = places_[range_];
    chunk_ = std::max(chunk_, place.first_chunk);
    for (uint64_t row = rows.begin; row < rows.end;) {
      while (chunks_[chunk_ + 1].first_row <= row) ++chunk_;
      const uint64_t end = std::min(rows.end, chunks_[chunk_ + 1].first_row);
      const uint8_t* first = place.bytes.data.data() + (PositionOf(row, chunk_) - place.begin);
      ARROW_RETURN_NOT_OK(AppendZipped(values_, first, value_bytes_, end - row, &out->values));
      row = end;
    }
    return arrow::Status::OK();
  }

  PageSelection selection_;
  const std::vector<LayoutPageIndex::Chunk>& chunks_;
  const ValueEncoding& values_;
  const uint64_t value_bytes_;
  std::vector<Place> places_;
  size_t range_ = 0;        // next range of the selection
  uint64_t rows_done_ = 0;  // rows of it that are decoded
  size_t chunk_ = 0;        // chunk of the last row decoded
};

}  // namespace

std::unique_ptr<PageCursor> MakeFlatChunkCursor(PageSelection* selection) {
  const uint64_t value_bytes = PlainValueBytes(*selection);
  if (value_bytes == 0) return nullptr;
  return std::make_unique<FlatChunkCursor>(std::move(*selection), value_bytes);
}

}  // namespace pennon
