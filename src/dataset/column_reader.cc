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

arrow::Result<bool> FragmentColumns::TakeAfter(const FragmentColumns& like) {
  const auto& files = rows_->fragment().files;
  const auto& others = like.rows_->fragment().files;
  if (files.size() != 1 || others.size() != 1 || like.sources_.size() != 1 ||
      !like.computed_.empty()) {
    return false;
  }
  const DataFile& file = files[0];
  const DataFile& other = others[0];
  const Source& source = like.sources_[0];
  const bool has_systems = std::any_of(source.layout->systems.begin(), source.layout->systems.end(),
                                       [](const auto& system) { return system.has_value(); });
  if (has_systems || file.fields != other.fields || file.column_indices != other.column_indices)
    return false;
  ARROW_ASSIGN_OR_RAISE(auto reader, rows_->session().OpenFile(rows_->snapshot(), file));
  if (reader->version() != source.file->version() ||
      reader->num_columns() != source.file->num_columns()) {
    return false;
  }
  sources_.push_back({std::move(reader), source.layout});
  return true;
}

arrow::Result<std::shared_ptr<const FragmentColumns::Layout>> FragmentColumns::MakeLayout(
    const DataFile& file, const DataFileReader& reader,
    const std::vector<SystemColumn>& systems) const {
  const BlobReading blobs =
      projection_->blobs_as_bytes ? BlobReading::kBytes : BlobReading::kDescriptors;
  auto layout = std::make_shared<Layout>();
  ARROW_ASSIGN_OR_RAISE(const ColumnMap columns, MapColumns(file, reader));
  for (size_t i = 0; i < projection_->roots.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto shape,
                          ShapeOfField(projection_->roots[i], columns, reader.version(), blobs));
    if (shape.storage == FieldStorage::kMissing) continue;
    layout->shapes.push_back(std::move(shape));
    layout->roots.push_back(i);
    layout->systems.emplace_back();
  }
  for (const SystemColumn column : systems) {
    if (rows_->CarrierOf(column) != &file) continue;
    FieldShape shape;
    shape.type = arrow::uint64();
    shape.column = columns.Find(HiddenField(column));
    layout->shapes.push_back(std::move(shape));
    layout->roots.push_back(0);
    layout->systems.emplace_back(column);
  }
  return layout;
}

arrow::Result<FragmentColumns> FragmentColumns::Make(std::shared_ptr<const FragmentRows> rows,
                                                     const Projection& projection,
                                                     const FragmentColumns* like) {
  FragmentColumns out;
  out.rows_ = std::move(rows);
  out.projection_ = &projection;
  if (like != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const bool is_alike, out.TakeAfter(*like));
    if (is_alike) return out;
  }
  const Snapshot& snapshot = out.rows_->snapshot();
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
    ARROW_ASSIGN_OR_RAISE(auto reader, out.rows_->session().OpenFile(snapshot, file));
    ARROW_ASSIGN_OR_RAISE(auto layout, out.MakeLayout(file, *reader, systems));
    if (!layout->shapes.empty()) out.sources_.push_back({std::move(reader), std::move(layout)});
  }
  return out;
}

arrow::Result<double> FragmentColumns::EstimateRowBytes() const {
  double total = static_cast<double>(computed_.size() * sizeof(uint64_t));
  for (const Source& source : sources_) {
    for (const FieldShape& shape : source.layout->shapes) {
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
    ARROW_ASSIGN_OR_RAISE(auto opened,
                          source.file->OpenWindow(source.layout->shapes, window->rows_));
    window->windows_.push_back(std::move(opened));
  }
  return window;
}

arrow::Result<bool> ColumnWindow::Join(const FragmentColumns& columns, const RowRanges& rows) {
  // Layouts are shared by columns of one file each, without system columns. What is not shown as it
  // is stored must name its own file.
  const bool is_possible = columns_.sources_.size() == 1 && columns.sources_.size() == 1 &&
                           columns_.sources_[0].layout == columns.sources_[0].layout &&
                           std::all_of(columns_.projection_->roots.begin(),
                                       columns_.projection_->roots.end(), IsShownAsStored);
  if (!is_possible) return false;
  ARROW_ASSIGN_OR_RAISE(const bool has_joined, windows_[0]->Join(columns.sources_[0].file, rows));
  if (!has_joined) return false;
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  rows_left_ += CountRows(rows);
  return true;
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
    const auto& layout = *source.layout;
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (layout.systems[k].has_value()) {
        systems[static_cast<size_t>(*layout.systems[k])] = arrow::MakeArray(std::move(arrays[k]));
      } else {
        parts[layout.roots[k]].push_back(
            {&layout.shapes[k], std::move(arrays[k]), source.file.get()});
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
