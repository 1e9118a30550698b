#include "file/field_mapping.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Ids of fields that have been dropped from a file without rewriting it.
bool IsTombstone(int32_t field_id) { return field_id == -1 || field_id == -2; }

/// A field that lies in one column whatever its children.
bool IsOneColumn(const FieldTree& field) {
  return field.children.empty() || IsBlob(field) || IsPackedStruct(field);
}

void CountColumns(const FieldTree& field, FileVersion version, uint32_t* next,
                  std::unordered_map<int32_t, uint32_t>* columns) {
  const bool is_leaf = IsOneColumn(field);
  if (is_leaf || version == FileVersion::kV2_0) columns->emplace(field.id, (*next)++);
  if (is_leaf) return;
  for (const FieldTree& child : field.children) CountColumns(child, version, next, columns);
}

FieldShape MakeShape(const FieldTree& field, const std::shared_ptr<arrow::DataType>& type,
                     const ColumnMap& columns, FileVersion version) {
  FieldShape shape;
  shape.type = type;
  shape.column = columns.Find(field.id);
  const bool has_column = shape.column != FieldShape::kNoColumn;
  if (IsOneColumn(field)) {
    if (!has_column) {
      shape.storage = FieldStorage::kMissing;
    } else if (IsBlob(field)) {
      shape.storage = IsBlobV2(field) ? FieldStorage::kPackedStruct : FieldStorage::kBlob;
    } else if (IsPackedStruct(field)) {
      shape.storage = FieldStorage::kPackedStruct;
    }
    return shape;
  }
  bool is_stored = false;
  for (size_t i = 0; i < field.children.size(); ++i) {
    const auto& child_type = type->field(static_cast<int>(i))->type();
    shape.children.push_back(MakeShape(field.children[i], child_type, columns, version));
    is_stored |= shape.children.back().storage != FieldStorage::kMissing;
  }
  if (version == FileVersion::kV2_0 ? !has_column : !is_stored) {
    shape.storage = FieldStorage::kMissing;
    shape.children.clear();
  }
  return shape;
}

}  // namespace

arrow::Result<ColumnMap> ColumnMap::Make(std::span<const int32_t> fields,
                                         std::span<const int32_t> column_indices,
                                         uint32_t num_columns) {
  if (fields.size() != column_indices.size()) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("data file lists {} fields and {} columns",
                                                      fields.size(), column_indices.size()));
  }
  ColumnMap map;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (IsTombstone(fields[i]) || column_indices[i] < 0) continue;
    if (static_cast<uint32_t>(column_indices[i]) >= num_columns) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("field is in a column that the data file does not have: field "
                                   "{}, column {} of {}",
                                   fields[i], column_indices[i], num_columns));
    }
    map.columns_.emplace(fields[i], static_cast<uint32_t>(column_indices[i]));
  }
  return map;
}

ColumnMap ColumnMap::OfOwnSchema(const TableSchema& schema, FileVersion version) {
  ColumnMap map;
  uint32_t next = 0;
  for (const FieldTree& field : schema.fields) CountColumns(field, version, &next, &map.columns_);
  return map;
}

uint32_t ColumnMap::Find(int32_t field_id) const {
  const auto found = columns_.find(field_id);
  return IsTombstone(field_id) || found == columns_.end() ? FieldShape::kNoColumn : found->second;
}

arrow::Result<FieldShape> ShapeOfField(const FieldTree& field, const ColumnMap& columns,
                                       FileVersion version, BlobReading blobs) {
  ArrowView view;
  view.blobs =
      blobs == BlobReading::kBytes && !IsBlobV2(field) ? BlobView::kBytes : BlobView::kDescriptors;
  view.json_as_text = false;
  ARROW_ASSIGN_OR_RAISE(const auto arrow_field, ToArrowField(field, view));
  return MakeShape(field, arrow_field->type(), columns, version);
}

}  // namespace pennon
