#include "encoding/v20_column.h"

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

uint64_t MemoryOf(const V20Encoding& encoding) {
  uint64_t bytes = sizeof(V20Encoding) + encoding.symbol_table.capacity();
  for (const V20Encoding& child : encoding.children) bytes += MemoryOf(child);
  return bytes;
}

}  // namespace

uint64_t V20PageIndex::memory_bytes() const { return sizeof(*this) + MemoryOf(encoding_); }

arrow::Status AddPlace(const arrow::Status& status, const ColumnPages& column, size_t page) {
  return AddContext(status, fmt::format(" (column {}, page {})", column.column, page));
}

V20Context ContextOf(const DecodeContext& context) {
  return {context.pool, context.buffer_bytes_max};
}

arrow::Result<std::shared_ptr<const V20PageIndex>> LoadV20Page(const ColumnPages& column,
                                                               size_t page,
                                                               const DecodeContext& context) {
  const auto number = static_cast<uint32_t>(page);
  if (context.indices != nullptr) {
    auto kept =
        std::static_pointer_cast<const V20PageIndex>(context.indices->Find(column.column, number));
    if (kept != nullptr) return kept;
  }
  auto encoding = ParseV20Encoding(column.pages[page], column.column_buffers);
  if (!encoding.ok()) return AddPlace(encoding.status(), column, page);
  auto index = std::make_shared<const V20PageIndex>(std::move(*encoding));
  if (context.indices != nullptr) context.indices->Keep(column.column, number, index);
  return index;
}

std::vector<V20PageRows> SplitByPage(const ColumnPages& column, const RowRanges& rows) {
  std::vector<V20PageRows> split;
  size_t page = 0;
  for (const RowRange& range : rows) {
    uint64_t begin = range.begin;
    while (begin < range.end) {
      // A selection may skip many pages; each range finds its first one by bisection.
      const auto found = std::partition_point(
          column.pages.begin() + static_cast<ptrdiff_t>(page), column.pages.end(),
          [&](const PageInfo& info) { return info.first_row + info.num_rows <= begin; });
      page = static_cast<size_t>(found - column.pages.begin());
      const PageInfo& info = column.pages[page];
      const RowRange part{begin - info.first_row,
                          std::min(range.end, info.first_row + info.num_rows) - info.first_row};
      if (split.empty() || split.back().page != page) split.push_back({page, {}});
      RowRanges& kept = split.back().rows;
      if (!kept.empty() && kept.back().end == part.begin) {
        kept.back().end = part.end;
      } else {
        kept.push_back(part);
      }
      begin = info.first_row + part.end;
    }
  }
  return split;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> JoinArrays(
    const std::vector<std::shared_ptr<arrow::ArrayData>>& parts,
    const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool) {
  if (parts.size() == 1) return parts[0];
  if (parts.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto none, arrow::MakeEmptyArray(type, pool));
    return none->data();
  }
  arrow::ArrayVector arrays;
  for (const auto& part : parts) arrays.push_back(arrow::MakeArray(part));
  auto joined = arrow::Concatenate(arrays, pool);
  if (!joined.ok()) {
    return MakeError(
        ErrorKind::kTooLarge,
        fmt::format("rows of several pages do not fit one batch: read fewer rows at once: {}",
                    joined.status().message()));
  }
  return (*joined)->data();
}

arrow::Result<std::unique_ptr<FieldDecoder>> V20ColumnDecoder::Make(
    const ColumnPages& column, std::shared_ptr<arrow::DataType> type, const RowRanges& rows,
    const DecodeContext& context) {
  std::unique_ptr<V20ColumnDecoder> decoder(
      new V20ColumnDecoder(column, std::move(type), context.pool));
  for (V20PageRows& split : SplitByPage(column, rows)) {
    Part part;
    part.page = split.page;
    part.num_rows = CountRows(split.rows);
    ARROW_ASSIGN_OR_RAISE(part.index, LoadV20Page(column, split.page, context));
    auto values = MakeV20Values(part.index->encoding(), decoder->type_, std::move(split.rows),
                                ContextOf(context));
    if (!values.ok()) return AddPlace(values.status(), column, split.page);
    part.values = std::move(*values);
    decoder->parts_.push_back(std::move(part));
  }
  return decoder;
}

arrow::Status V20ColumnDecoder::Plan(std::vector<ByteRange>* wanted) {
  for (Part& part : parts_) {
    const auto status = part.values->Plan(wanted);
    if (!status.ok()) return AddPlace(status, column_, part.page);
  }
  return arrow::Status::OK();
}

arrow::Status V20ColumnDecoder::Accept(std::span<const FetchedBytes> bytes) {
  for (Part& part : parts_) {
    const auto status = part.values->Accept(&bytes);
    if (!status.ok()) return AddPlace(status, column_, part.page);
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20ColumnDecoder::Decode(uint64_t num_rows) {
  std::vector<std::shared_ptr<arrow::ArrayData>> pieces;
  while (num_rows > 0) {
    if (part_ == parts_.size())
      return MakeError(ErrorKind::kInternal, "more rows were decoded than selected");
    Part& part = parts_[part_];
    const uint64_t count = std::min(num_rows, part.num_rows - row_);
    auto piece = part.values->Decode(row_, count);
    if (!piece.ok()) return AddPlace(piece.status(), column_, part.page);
    pieces.push_back(std::move(*piece));
    num_rows -= count;
    row_ += count;
    if (row_ == part.num_rows) {
      // What the page held is no longer needed here.
      part.values.reset();
      ++part_;
      row_ = 0;
    }
  }
  return JoinArrays(pieces, type_, pool_);
}

}  // namespace pennon
