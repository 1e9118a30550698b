#include "encoding/v20_list.h"

#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {

arrow::Result<std::unique_ptr<FieldDecoder>> V20ListDecoder::Make(const FieldShape& shape,
                                                                  const RowRanges& rows,
                                                                  const DecodeContext& context) {
  ARROW_ASSIGN_OR_RAISE(const ColumnPages* column, context.columns->Pages(shape.column));
  std::unique_ptr<V20ListDecoder> decoder(new V20ListDecoder(*column, shape, context));
  auto split = SplitByPage(*column, rows);
  // Where a page's items begin is the sum over the pages before it, so these are looked at too.
  uint64_t items = 0;
  size_t page = 0;
  for (V20PageRows& wanted : split) {
    Part part;
    for (; page <= wanted.page; ++page) {
      ARROW_ASSIGN_OR_RAISE(part.index, LoadV20Page(*column, page, context));
      const V20Encoding& encoding = part.index->encoding();
      if (encoding.kind != V20Kind::kList) {
        return AddPlace(
            MakeError(ErrorKind::kCorrupt, "page of a list column does not describe lists"),
            *column, page);
      }
      part.first_item = items;
      part.num_items = encoding.count;
      if (encoding.count > std::numeric_limits<int64_t>::max() - items) {
        return AddPlace(MakeError(ErrorKind::kCorrupt, "list column has more items than can be"),
                        *column, page);
      }
      items += encoding.count;
    }
    part.page = wanted.page;
    const V20Encoding& encoding = part.index->encoding();
    auto offsets = V20EndOffsets::Make(encoding.children[0], encoding.null_adjustment,
                                       std::move(wanted.rows), ContextOf(context));
    if (!offsets.ok()) return AddPlace(offsets.status(), *column, part.page);
    part.offsets = std::move(*offsets);
    decoder->parts_.push_back(std::move(part));
  }
  return decoder;
}

arrow::Status V20ListDecoder::Plan(std::vector<ByteRange>* wanted) {
  if (items_ != nullptr) return items_->Plan(wanted);
  const size_t before = wanted->size();
  for (Part& part : parts_) {
    const auto status = part.offsets->Plan(wanted);
    if (!status.ok()) return AddPlace(status, column_, part.page);
  }
  if (wanted->size() > before) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(MakeItems());
  return items_->Plan(wanted);
}

arrow::Status V20ListDecoder::MakeItems() {
  RowRanges ranges;
  for (Part& part : parts_) {
    const auto status = part.offsets->Load();
    if (!status.ok()) return AddPlace(status, column_, part.page);
    for (const RowRange& range : part.offsets->item_ranges()) {
      if (range.end > part.num_items) {
        return AddPlace(MakeError(ErrorKind::kCorrupt,
                                  fmt::format("list ends behind the items of its page: {} of {}",
                                              range.end, part.num_items)),
                        column_, part.page);
      }
      const RowRange items{range.begin + part.first_item, range.end + part.first_item};
      if (!ranges.empty() && ranges.back().end == items.begin) {
        ranges.back().end = items.end;
      } else {
        ranges.push_back(items);
      }
    }
  }
  auto items = MakeV20FieldDecoder(shape_.children[0], std::move(ranges), context_);
  if (!items.ok() && KindOf(items.status()) == ErrorKind::kInvalidArgument) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("lists have more items than the column below them: {}",
                                 MessageOf(items.status())));
  }
  ARROW_ASSIGN_OR_RAISE(items_, std::move(items));
  return arrow::Status::OK();
}

arrow::Status V20ListDecoder::Accept(std::span<const FetchedBytes> bytes) {
  if (items_ != nullptr) return items_->Accept(bytes);
  for (Part& part : parts_) {
    const auto status = part.offsets->Accept(&bytes);
    if (!status.ok()) return AddPlace(status, column_, part.page);
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20ListDecoder::Decode(uint64_t num_rows) {
  return shape_.type->id() == arrow::Type::LIST ? DecodeAs<int32_t>(num_rows)
                                                : DecodeAs<int64_t>(num_rows);
}

template <typename T>
arrow::Result<std::shared_ptr<arrow::ArrayData>> V20ListDecoder::DecodeAs(uint64_t num_rows) {
  const V20Context context = ContextOf(context_);
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues((num_rows + 1) * sizeof(T), context));
  auto* out = reinterpret_cast<T*>(offsets->mutable_data());
  out[0] = 0;
  std::shared_ptr<arrow::Buffer> validity;
  uint64_t num_items = 0;
  for (uint64_t done = 0; done < num_rows;) {
    if (part_ == parts_.size())
      return MakeError(ErrorKind::kInternal, "more rows were decoded than selected");
    const Part& part = parts_[part_];
    const uint64_t count = std::min(num_rows - done, part.offsets->num_rows() - row_);
    const auto items = part.offsets->ItemsOf(row_, count);
    if (!items.ok()) return AddPlace(items.status(), column_, part.page);
    if (num_items + items->count > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      return MakeError(ErrorKind::kTooLarge,
                       "lists of one batch have more than 2^31 items: read fewer rows at once");
    }
    part.offsets->WriteOffsets<T>(row_, count, static_cast<T>(num_items), out + done);
    if (items->has_nulls) {
      if (validity == nullptr) {
        ARROW_ASSIGN_OR_RAISE(validity, AllocateZeroed((num_rows + 7) / 8, context));
        arrow::bit_util::SetBitsTo(validity->mutable_data(), 0, static_cast<int64_t>(num_rows),
                                   true);
      }
      part.offsets->ClearNulls(row_, count, validity->mutable_data(), done);
    }
    num_items += items->count;
    done += count;
    row_ += count;
    if (row_ == part.offsets->num_rows()) {
      ++part_;
      row_ = 0;
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto items, items_->Decode(num_items));
  const int64_t null_count = validity == nullptr ? 0 : arrow::kUnknownNullCount;
  return arrow::ArrayData::Make(shape_.type, static_cast<int64_t>(num_rows),
                                {std::move(validity), std::move(offsets)}, {std::move(items)},
                                null_count);
}

}  // namespace pennon
