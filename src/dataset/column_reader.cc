#include "dataset/column_reader.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dataset/stored_columns.h"
#include "file/field_mapping.h"
#include "format/fragment.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

int32_t HiddenField(SystemColumn column) {
  switch (column) {
    case SystemColumn::kRowId:
      return kRowIdField;
    case SystemColumn::kCreatedAt:
      return kCreatedAtField;
    case SystemColumn::kLastUpdatedAt:
      return kLastUpdatedAtField;
    case SystemColumn::kRowAddress:
      break;
  }
  return kTombstoneField;
}

/// True if the file may hold any part of the field: its id or one below it is listed.
bool Lists(const DataFile& file, const FieldTree& field) {
  if (std::find(file.fields.begin(), file.fields.end(), field.id) != file.fields.end()) return true;
  return std::any_of(field.children.begin(), field.children.end(),
                     [&](const FieldTree& child) { return Lists(file, child); });
}

arrow::Result<ColumnMap> MapColumns(const DataFile& file, const DataFileReader& reader) {
  auto map = ColumnMap::Make(file.fields, file.column_indices, reader.num_columns());
  if (!map.ok()) return AddContext(map.status(), fmt::format(": {}", reader.path()));
  return map;
}

}  // namespace

arrow::Result<FragmentColumns> FragmentColumns::Make(std::shared_ptr<const FragmentRows> rows,
                                                     const Projection& projection) {
  FragmentColumns out;
  out.rows_ = std::move(rows);
  out.projection_ = &projection;
  const Snapshot& snapshot = out.rows_->snapshot();
  const BlobReading blobs =
      projection.blobs_as_bytes ? BlobReading::kBytes : BlobReading::kDescriptors;
  std::vector<SystemColumn> systems;
  for (size_t i = 0; i < kNumSystemColumns; ++i) {
    const auto column = static_cast<SystemColumn>(i);
    if (!projection.Needs(column)) continue;
    if (out.rows_->CarrierOf(column) == nullptr) {
      out.computed_.push_back(column);
    } else {
      systems.push_back(column);
    }
  }
  for (const DataFile& file : out.rows_->fragment().files) {
    const bool carries = std::any_of(systems.begin(), systems.end(), [&](SystemColumn column) {
      return out.rows_->CarrierOf(column) == &file;
    });
    const bool holds = std::any_of(projection.roots.begin(), projection.roots.end(),
                                   [&](const FieldTree& root) { return Lists(file, root); });
    if (!carries && !holds) continue;
    Source source;
    ARROW_ASSIGN_OR_RAISE(source.file, out.rows_->session().OpenFile(snapshot, file));
    ARROW_ASSIGN_OR_RAISE(const ColumnMap columns, MapColumns(file, *source.file));
    for (size_t i = 0; i < projection.roots.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          auto shape, ShapeOfField(projection.roots[i], columns, source.file->version(), blobs));
      if (shape.storage == FieldStorage::kMissing) continue;
      source.shapes.push_back(std::move(shape));
      source.roots.push_back(i);
      source.systems.emplace_back();
    }
    for (const SystemColumn column : systems) {
      if (out.rows_->CarrierOf(column) != &file) continue;
      FieldShape shape;
      shape.type = arrow::uint64();
      shape.column = columns.Find(HiddenField(column));
      source.shapes.push_back(std::move(shape));
      source.roots.push_back(0);
      source.systems.emplace_back(column);
    }
    if (!source.shapes.empty()) out.sources_.push_back(std::move(source));
  }
  return out;
}

arrow::Result<double> FragmentColumns::EstimateRowBytes() const {
  double total = static_cast<double>(computed_.size() * sizeof(uint64_t));
  for (const Source& source : sources_) {
    for (const FieldShape& shape : source.shapes) {
      ARROW_ASSIGN_OR_RAISE(const double bytes, EstimateDecodedRowBytes(*source.file, shape));
      total += bytes;
    }
  }
  return total;
}

ColumnWindow::ColumnWindow(const FragmentColumns& columns, RowRanges rows)
    : columns_(columns), rows_(std::move(rows)), rows_left_(CountRows(rows_)) {}

arrow::Result<std::unique_ptr<ColumnWindow>> ColumnWindow::Open(const FragmentColumns& columns,
                                                                RowRanges rows) {
  std::unique_ptr<ColumnWindow> window(new ColumnWindow(columns, std::move(rows)));
  for (const auto& source : columns.sources_) {
    ARROW_ASSIGN_OR_RAISE(auto opened, source.file->OpenWindow(source.shapes, window->rows_));
    window->windows_.push_back(std::move(opened));
  }
  return window;
}

arrow::Result<RowRanges> ColumnWindow::TakeRows(uint64_t num_rows) {
  if (num_rows > rows_left_)
    return MakeError(ErrorKind::kInternal, "more rows were read than selected");
  rows_left_ -= num_rows;
  RowRanges taken;
  while (num_rows > 0) {
    const RowRange& range = rows_[range_];
    const uint64_t count = std::min(num_rows, range.size() - range_done_);
    taken.push_back({range.begin + range_done_, range.begin + range_done_ + count});
    range_done_ += count;
    num_rows -= count;
    if (range_done_ == range.size()) {
      ++range_;
      range_done_ = 0;
    }
  }
  return taken;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ColumnWindow::Next(uint64_t num_rows) {
  const Projection& projection = *columns_.projection_;
  const auto length = static_cast<int64_t>(num_rows);
  ARROW_ASSIGN_OR_RAISE(const RowRanges rows, TakeRows(num_rows));
  std::vector<std::vector<StoredPart>> parts(projection.roots.size());
  std::vector<std::shared_ptr<arrow::Array>> systems(kNumSystemColumns);
  for (size_t i = 0; i < windows_.size(); ++i) {
    const auto& source = columns_.sources_[i];
    ARROW_ASSIGN_OR_RAISE(auto arrays, windows_[i]->Next(num_rows));
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (source.systems[k].has_value()) {
        systems[static_cast<size_t>(*source.systems[k])] = arrow::MakeArray(std::move(arrays[k]));
      } else {
        parts[source.roots[k]].push_back(
            {&source.shapes[k], std::move(arrays[k]), source.file.get()});
      }
    }
  }
  for (const SystemColumn column : columns_.computed_) {
    ARROW_ASSIGN_OR_RAISE(systems[static_cast<size_t>(column)],
                          columns_.rows_->Column(column, rows));
  }
  std::vector<std::shared_ptr<arrow::Array>> roots(projection.roots.size());
  for (size_t i = 0; i < roots.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(roots[i], ShowField(projection.roots[i], std::move(parts[i]), length,
                                              projection.blobs_as_bytes, *columns_.rows_));
  }
  std::vector<std::shared_ptr<arrow::Array>> out;
  out.reserve(projection.columns.size());
  for (const ProjectedColumn& column : projection.columns) {
    ARROW_ASSIGN_OR_RAISE(auto array, ProjectColumn(column, roots, systems));
    out.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(projection.schema, length, std::move(out));
}

}  // namespace pennon
