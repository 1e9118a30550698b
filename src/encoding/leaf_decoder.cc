#include "encoding/leaf_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked_math.h"
#include "encoding/blob_cursor.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Columns with more rows than this are damaged, whatever their pages say.
constexpr uint64_t kPageRowsMax = uint64_t{1} << 48;

}  // namespace

LeafDecoder::LeafDecoder(LeafType type, uint32_t column, uint64_t rows_per_row,
                         const DecodeContext& context)
    : type_(std::make_unique<const LeafType>(std::move(type))),
      column_(column),
      page_rows_per_row_(rows_per_row),
      context_(context),
      budget_{context.pool, context.buffer_bytes_max} {}

arrow::Result<std::unique_ptr<LeafDecoder>> LeafDecoder::Make(LeafType type,
                                                              std::vector<StructureNode> nodes,
                                                              size_t num_built, uint32_t column,
                                                              const RowRanges& rows,
                                                              const DecodeContext& context) {
  uint64_t rows_per_row = 1;
  for (const StructureNode& node : nodes)
    rows_per_row = SaturatingMultiply(rows_per_row, node.dimension);
  std::unique_ptr<LeafDecoder> decoder(
      new LeafDecoder(std::move(type), column, rows_per_row, context));
  ARROW_RETURN_NOT_OK(decoder->OpenColumn());
  decoder->output_ =
      std::make_unique<LeafOutput>(*decoder->type_, std::move(nodes), num_built, decoder->budget_);
  ARROW_RETURN_NOT_OK(decoder->AddRows(rows));
  return decoder;
}

arrow::Status LeafDecoder::OpenColumn() {
  ARROW_ASSIGN_OR_RAISE(pages_, context_.columns->Pages(column_));
  if (page_rows_per_row_ == 0 || page_rows_per_row_ > kPageRowsMax ||
      pages_->num_rows > kPageRowsMax) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("column has an impossible number of rows: {} (column {})",
                                 pages_->num_rows, column_));
  }
  return arrow::Status::OK();
}

arrow::Status LeafDecoder::AddRows(const RowRanges& rows) {
  const auto& pages = pages_->pages;
  size_t page = 0;
  for (const RowRange& range : rows) {
    const uint64_t begin = SaturatingMultiply(range.begin, page_rows_per_row_);
    const uint64_t end = SaturatingMultiply(range.end, page_rows_per_row_);
    if (end > pages_->num_rows) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          fmt::format("rows are beyond the end: {} to {} of {} (column {})", range.begin, range.end,
                      pages_->num_rows / page_rows_per_row_, column_));
    }
    uint64_t at = begin;
    while (at < end) {
      if (at >= pages[page].first_row + pages[page].num_rows) {
        const auto after = std::upper_bound(
            pages.begin() + static_cast<std::ptrdiff_t>(page), pages.end(), at,
            [](uint64_t row, const PageInfo& info) { return row < info.first_row; });
        page = static_cast<size_t>(after - pages.begin()) - 1;
        continue;
      }
      const PageInfo& info = pages[page];
      const uint64_t stop = std::min(end, info.first_row + info.num_rows);
      if (parts_.empty() || parts_.back().page != page) {
        parts_.emplace_back();
        parts_.back().page = static_cast<uint32_t>(page);
      }
      Part& part = parts_.back();
      part.rows.push_back({at - info.first_row, stop - info.first_row});
      part.num_rows += stop - at;
      part.rows_left = part.num_rows;
      at = stop;
    }
  }
  return arrow::Status::OK();
}

arrow::Status LeafDecoder::Plan(std::vector<ByteRange>* wanted) {
  for (Part& part : parts_) {
    part.num_wanted = 0;
    if (part.is_ready) continue;
    const size_t before = wanted->size();
    ARROW_RETURN_NOT_OK(InPage(part, PlanPart(&part, wanted)));
    part.num_wanted = wanted->size() - before;
    part.is_ready = part.num_wanted == 0;
  }
  return arrow::Status::OK();
}

arrow::Status LeafDecoder::Accept(std::span<const FetchedBytes> bytes) {
  for (Part& part : parts_) {
    if (part.num_wanted == 0) continue;
    ARROW_RETURN_NOT_OK(InPage(part, AcceptPart(&part, bytes.first(part.num_wanted))));
    bytes = bytes.subspan(part.num_wanted);
  }
  return arrow::Status::OK();
}

arrow::Status LeafDecoder::PlanPart(Part* part, std::vector<ByteRange>* wanted) {
  if (part->cursor == nullptr) {
    const PageInfo& page = pages_->pages[part->page];
    if (context_.indices != nullptr) {
      auto kept = std::dynamic_pointer_cast<const LayoutPageIndex>(
          context_.indices->Find(column_, part->page));
      if (kept != nullptr) ARROW_RETURN_NOT_OK(MakeCursor(part, std::move(kept)));
    }
    if (part->cursor == nullptr) {
      if (page.message != EncodingMessage::kPageLayout) {
        return MakeError(ErrorKind::kCorrupt,
                         "page is described as one of version 2.0 in a newer file");
      }
      ARROW_ASSIGN_OR_RAISE(auto layout, ParsePageLayout(page.encoding));
      ARROW_ASSIGN_OR_RAISE(const auto ranges, PageIndexRanges(layout, page));
      part->layout = std::make_unique<PageLayout>(std::move(layout));
      if (!ranges.empty()) {
        wanted->insert(wanted->end(), ranges.begin(), ranges.end());
        return arrow::Status::OK();
      }
      ARROW_RETURN_NOT_OK(AcceptPart(part, {}));
    }
  }
  return part->cursor->Plan(wanted);
}

arrow::Status LeafDecoder::AcceptPart(Part* part, std::span<const FetchedBytes> bytes) {
  if (part->cursor != nullptr) return part->cursor->Accept(bytes);
  const LeafType& stored = StoredType(*part->layout);
  ARROW_ASSIGN_OR_RAISE(
      auto index,
      MakePageIndex(std::move(*part->layout), pages_->pages[part->page], stored, bytes, budget_));
  part->layout = nullptr;
  if (context_.indices != nullptr) context_.indices->Keep(column_, part->page, index);
  return MakeCursor(part, std::move(index));
}

arrow::Status LeafDecoder::MakeCursor(Part* part,
                                      std::shared_ptr<const LayoutPageIndex> index) const {
  PageSelection selection{.page = &pages_->pages[part->page],
                          .index = std::move(index),
                          .rows = std::move(part->rows),
                          .leaf = type_.get(),
                          .file_size_bytes = context_.columns->file_size_bytes(),
                          .budget = budget_};
  ARROW_ASSIGN_OR_RAISE(part->cursor, MakePageCursor(std::move(selection)));
  return arrow::Status::OK();
}

const LeafType& LeafDecoder::StoredType(const PageLayout& layout) const {
  return layout.is_blob ? BlobDescriptorType() : *type_;
}

arrow::Status LeafDecoder::Drain() {
  uint64_t left = 0;
  for (const Part& part : parts_) left += part.rows_left;
  ARROW_RETURN_NOT_OK(DecodePageRows(left));
  kept_page_rows_ += left;
  return arrow::Status::OK();
}

arrow::Status LeafDecoder::Continue(const RowRanges& rows, const DecodeContext& context) {
  context_ = context;
  parts_.clear();
  next_part_ = 0;
  ARROW_RETURN_NOT_OK(OpenColumn());
  return AddRows(rows);
}

arrow::Status LeafDecoder::Decode(uint64_t num_rows) {
  const uint64_t wanted = SaturatingMultiply(num_rows, page_rows_per_row_);
  const uint64_t kept = kept_page_rows_;
  if (wanted < kept)
    return MakeError(ErrorKind::kInternal, "decoder is asked for a part of the rows it keeps");
  kept_page_rows_ = 0;
  return DecodePageRows(wanted - kept);
}

arrow::Status LeafDecoder::DecodePageRows(uint64_t left) {
  output_->structure.Expect(left);
  const bool has_lists = output_->structure.has_lists();
  if (!has_lists) output_->values.Expect(left);
  while (left != 0) {
    if (next_part_ == parts_.size())
      return MakeError(ErrorKind::kInternal, "decoder is asked for more rows than chosen");
    Part& part = parts_[next_part_];
    if (part.rows_left == 0) {
      part.cursor = nullptr;
      ++next_part_;
      continue;
    }
    const uint64_t count = std::min(left, part.rows_left);
    ARROW_RETURN_NOT_OK(InPage(part, part.cursor->Decode(count, output_.get())));
    part.rows_left -= count;
    left -= count;
  }
  return arrow::Status::OK();
}

arrow::Status LeafDecoder::InPage(const Part& part, const arrow::Status& status) const {
  if (status.ok()) [[likely]]
    return status;
  return AddContext(status, fmt::format(" (column {}, page {})", column_, part.page));
}

}  // namespace pennon
