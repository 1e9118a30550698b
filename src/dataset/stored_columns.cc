#include "dataset/stored_columns.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dataset/blob_bytes.h"
#include "format/jsonb.h"
#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {

bool IsShownAsStored(const FieldTree& field) {
  return !IsJson(field) && !IsBlob(field) &&
         std::all_of(field.children.begin(), field.children.end(), IsShownAsStored);
}

namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

/// What conversions need to know beside the field.
struct ShowContext {
  bool blobs_as_bytes = false;
  const FragmentRows& rows;
  DataFileReader* file = nullptr;
};

bool IsBlobToFetch(const FieldTree& field, const ShowContext& context) {
  return context.blobs_as_bytes && IsBlobV2(field);
}

/// True if the stored array of the field, or of one below it, is not what users see.
bool NeedsConversion(const FieldTree& field, const ShowContext& context) {
  if (IsJson(field) || IsBlobToFetch(field, context)) return true;
  if (IsBlob(field)) return false;
  return std::any_of(field.children.begin(), field.children.end(),
                     [&](const FieldTree& child) { return NeedsConversion(child, context); });
}

arrow::Result<ArrayDataPtr> JsonText(const arrow::ArrayData& stored) {
  const auto* offsets = stored.GetValues<int64_t>(1);
  const auto* bytes = reinterpret_cast<const char*>(
      stored.buffers[2] == nullptr ? nullptr : stored.buffers[2]->data());
  std::string text;
  ARROW_ASSIGN_OR_RAISE(auto ends, arrow::AllocateBuffer((stored.length + 1) * 4));
  auto* end = reinterpret_cast<int32_t*>(ends->mutable_data());
  *end++ = 0;
  for (int64_t i = 0; i < stored.length; ++i) {
    if (stored.IsValid(i)) {
      const std::string_view value(bytes + offsets[i],
                                   static_cast<size_t>(offsets[i + 1] - offsets[i]));
      ARROW_RETURN_NOT_OK(AppendJsonText(value, &text));
      if (text.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
        return MakeError(ErrorKind::kTooLarge,
                         "JSON text of one batch takes more than 2 GiB: read fewer rows at once");
      }
    }
    *end++ = static_cast<int32_t>(text.size());
  }
  std::shared_ptr<arrow::Buffer> validity = stored.buffers[0];
  if (validity != nullptr && stored.offset % 8 == 0) {
    validity = arrow::SliceBuffer(validity, stored.offset / 8);
  } else if (validity != nullptr) {
    return MakeError(ErrorKind::kInternal, "decoded array starts inside a byte of its validity");
  }
  return arrow::ArrayData::Make(
      arrow::utf8(), stored.length,
      {std::move(validity), std::move(ends), arrow::Buffer::FromString(std::move(text))});
}

arrow::Result<ArrayDataPtr> Convert(const FieldTree& field, ArrayDataPtr stored,
                                    const ShowContext& context) {
  if (!NeedsConversion(field, context)) return stored;
  if (IsJson(field)) return JsonText(*stored);
  if (IsBlobToFetch(field, context)) return FetchBlobBytes(*stored, *context.file, context.rows);
  ARROW_ASSIGN_OR_RAISE(
      const auto shown,
      ToArrowField(field,
                   {context.blobs_as_bytes ? BlobView::kBytes : BlobView::kDescriptors, true}));
  ArrayDataPtr out = stored->Copy();
  out->type = shown->type();
  for (size_t i = 0; i < field.children.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(out->child_data[i],
                          Convert(field.children[i], stored->child_data[i], context));
  }
  return out;
}

/// Structs of which each file has some children: children from where they are, validity from the
/// first part.
arrow::Result<ArrayDataPtr> Join(const FieldTree& field, const std::vector<StoredPart>& parts) {
  if (parts.size() == 1) return parts[0].data;
  ArrayDataPtr out = parts[0].data->Copy();
  // A field that is no struct lies in one file; should two list it, the first one counts.
  if (field.logical_type != "struct" || field.children.empty() || parts[0].shape->children.empty())
    return out;
  for (size_t i = 0; i < field.children.size(); ++i) {
    std::vector<StoredPart> children;
    for (const StoredPart& part : parts) {
      if (part.shape->children.size() != field.children.size()) continue;
      const FieldShape& shape = part.shape->children[i];
      if (shape.storage == FieldStorage::kMissing) continue;
      children.push_back({&shape, part.data->child_data[i], part.file});
    }
    if (children.empty()) continue;
    ARROW_ASSIGN_OR_RAISE(out->child_data[i], Join(field.children[i], children));
  }
  return out;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> ShowField(const FieldTree& field,
                                                       std::vector<StoredPart> parts,
                                                       int64_t length, bool blobs_as_bytes,
                                                       const FragmentRows& rows) {
  if (parts.empty()) {
    ARROW_ASSIGN_OR_RAISE(
        const auto shown,
        ToArrowField(field, {blobs_as_bytes ? BlobView::kBytes : BlobView::kDescriptors, true}));
    return arrow::MakeArrayOfNull(shown->type(), length);
  }
  const ShowContext context{blobs_as_bytes, rows, parts[0].file};
  ARROW_ASSIGN_OR_RAISE(ArrayDataPtr stored, Join(field, parts));
  auto shown = Convert(field, std::move(stored), context);
  if (!shown.ok()) {
    if (shown.status().message().find(context.file->path()) != std::string::npos)
      return shown.status();
    return AddContext(shown.status(),
                      fmt::format(" (field '{}'): {}", field.name, context.file->path()));
  }
  return arrow::MakeArray(*std::move(shown));
}

arrow::Result<double> EstimateDecodedRowBytes(DataFileReader& file, const FieldShape& shape) {
  constexpr double kOffsetBytes = 4;
  // What compression saves on strings and list items, as a rule; a wrong guess makes a batch of
  // another size.
  constexpr double kExpansion = 2;
  if (shape.storage == FieldStorage::kMissing) return kOffsetBytes;
  double bytes = 0;
  switch (shape.type->id()) {
    case arrow::Type::STRUCT:
      if (shape.children.empty()) break;
      for (const FieldShape& child : shape.children) {
        ARROW_ASSIGN_OR_RAISE(const double part, EstimateDecodedRowBytes(file, child));
        bytes += part;
      }
      return bytes;
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListType&>(*shape.type);
      FieldShape item;
      item.type = list.value_type();
      if (!shape.children.empty()) item = shape.children[0];
      if (arrow::is_fixed_width(item.type->id()) ||
          item.type->id() == arrow::Type::FIXED_SIZE_LIST) {
        ARROW_ASSIGN_OR_RAISE(const double part, EstimateDecodedRowBytes(file, item));
        return part * list.list_size();
      }
      break;
    }
    default:
      if (arrow::is_fixed_width(shape.type->id()) && shape.type->id() != arrow::Type::DICTIONARY) {
        return static_cast<double>(shape.type->bit_width()) / 8;
      }
      break;
  }
  std::vector<const FieldShape*> below = {&shape};
  while (!below.empty()) {
    const FieldShape* at = below.back();
    below.pop_back();
    for (const FieldShape& child : at->children) below.push_back(&child);
    if (at->column == FieldShape::kNoColumn) continue;
    ARROW_ASSIGN_OR_RAISE(const double part, file.StoredBytes(at->column));
    bytes += part;
  }
  ARROW_ASSIGN_OR_RAISE(const auto num_rows, file.NumRows(shape));
  return kOffsetBytes + kExpansion * bytes / static_cast<double>(std::max<uint64_t>(num_rows, 1));
}

}  // namespace pennon
