#include "dataset/fragment_rows.h"

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/recycling_pool.h"
#include "file/field_mapping.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// What rows read that were there before lineage was kept.
constexpr uint64_t kFirstVersion = 1;

/// Returns the column of a file that holds any of its live fields: all have the same number of
/// rows.
int32_t AnyField(const DataFile& file) {
  for (size_t i = 0; i < file.fields.size(); ++i) {
    if (file.fields[i] != kTombstoneField && i < file.column_indices.size() &&
        file.column_indices[i] >= 0) {
      return file.column_indices[i];
    }
  }
  return -1;
}

/// Writes one value for each row, range by range.
template <typename Fill>
arrow::Result<std::shared_ptr<arrow::Array>> MakeColumn(const RowRanges& rows, Fill&& fill) {
  const auto num_rows = static_cast<int64_t>(CountRows(rows));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(num_rows * 8, RecyclingPool::Shared()));
  auto* out = reinterpret_cast<uint64_t*>(buffer->mutable_data());
  for (const RowRange& range : rows) {
    ARROW_RETURN_NOT_OK(fill(range.begin, std::span<uint64_t>(out, range.size())));
    out += range.size();
  }
  return std::make_shared<arrow::UInt64Array>(num_rows, std::move(buffer));
}

}  // namespace

arrow::Result<uint64_t> FragmentRows::NumPhysicalRows() const {
  if (fragment_.physical_rows > 0 || fragment_.files.empty()) return fragment_.physical_rows;
  for (const DataFile& file : fragment_.files) {
    const int32_t column = AnyField(file);
    if (column < 0) continue;
    ARROW_ASSIGN_OR_RAISE(const auto reader, session_.OpenFile(snapshot_, file));
    FieldShape shape;
    shape.type = arrow::null();
    shape.column = static_cast<uint32_t>(column);
    return reader->NumRows(shape);
  }
  return uint64_t{0};
}

arrow::Result<uint64_t> FragmentRows::NumLiveRows() const {
  ARROW_ASSIGN_OR_RAISE(const uint64_t physical, NumPhysicalRows());
  if (!fragment_.deletion_file.has_value()) return physical;
  uint64_t deleted = fragment_.deletion_file->num_deleted_rows;
  if (deleted == 0) {
    ARROW_ASSIGN_OR_RAISE(const auto deletions, Deletions());
    deleted = deletions->count();
  }
  if (deleted > physical) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("fragment {} has more deleted rows than rows: {} of {}",
                                 ToInteger(fragment_.id), deleted, physical));
  }
  return physical - deleted;
}

arrow::Result<RowRanges> FragmentRows::LiveRows(const RowRanges& rows) const {
  if (!fragment_.deletion_file.has_value()) return rows;
  ARROW_ASSIGN_OR_RAISE(const auto deletions, Deletions());
  if (deletions->empty()) return rows;
  RowRanges live;
  for (const RowRange& range : rows) {
    LiveRangeCursor cursor(*deletions, {range.begin, range.end});
    for (OffsetRange run; cursor.Next(&run);) live.push_back({run.begin, run.end});
  }
  return live;
}

const DataFile* FragmentRows::CarrierOf(SystemColumn column) const {
  const LineageSequence* sequence = nullptr;
  int32_t field = 0;
  switch (column) {
    case SystemColumn::kRowAddress:
      return nullptr;
    case SystemColumn::kRowId:
      sequence = &fragment_.row_ids;
      field = kRowIdField;
      break;
    case SystemColumn::kCreatedAt:
      sequence = &fragment_.created;
      field = kCreatedAtField;
      break;
    case SystemColumn::kLastUpdatedAt:
      sequence = &fragment_.last_updated;
      field = kLastUpdatedAtField;
      break;
  }
  if (!snapshot_.manifest.has_stable_row_ids() || sequence->placement != LineagePlacement::kColumn)
    return nullptr;
  for (const DataFile& file : fragment_.files) {
    if (std::find(file.fields.begin(), file.fields.end(), field) != file.fields.end()) return &file;
  }
  return nullptr;
}

arrow::Status FragmentRows::AddPlace(const arrow::Status& status, SystemColumn column) const {
  return AddContext(status, fmt::format(" ({} of fragment {}): {}", NameOf(column),
                                        ToInteger(fragment_.id), snapshot_.manifest_path));
}

arrow::Result<RowIdSequence> FragmentRows::RowIds() const {
  const std::lock_guard lock(mutex_);
  if (row_ids_.has_value()) return *row_ids_;
  if (fragment_.row_ids.placement != LineagePlacement::kInline) {
    return MakeError(ErrorKind::kCorrupt, "fragment has no row ids");
  }
  ARROW_ASSIGN_OR_RAISE(row_ids_,
                        DecodeRowIdSequence(fragment_.row_ids.bytes, snapshot_.manifest.file));
  return *row_ids_;
}

arrow::Result<const VersionSequence*> FragmentRows::Versions(SystemColumn column) const {
  const bool is_created = column == SystemColumn::kCreatedAt;
  const LineageSequence& encoded = is_created ? fragment_.created : fragment_.last_updated;
  std::optional<VersionSequence>& decoded = is_created ? created_ : last_updated_;
  const std::lock_guard lock(mutex_);
  if (!decoded.has_value()) {
    if (encoded.placement == LineagePlacement::kColumn) {
      return MakeError(ErrorKind::kCorrupt,
                       "fragment keeps its lineage in a column that no data file has");
    }
    ARROW_ASSIGN_OR_RAISE(decoded, DecodeVersionSequence(encoded.bytes));
  }
  return &*decoded;
}

arrow::Result<std::shared_ptr<arrow::Array>> FragmentRows::Column(SystemColumn column,
                                                                  const RowRanges& rows) const {
  const bool is_stable = snapshot_.manifest.has_stable_row_ids();
  if (column == SystemColumn::kRowAddress || (column == SystemColumn::kRowId && !is_stable)) {
    const uint64_t first = ToInteger(MakeRowAddress(fragment_.id, RowOffset{0}));
    return MakeColumn(rows, [first](uint64_t begin, std::span<uint64_t> out) {
      std::iota(out.begin(), out.end(), first + begin);
      return arrow::Status::OK();
    });
  }
  if (column == SystemColumn::kRowId) {
    const auto read = [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
      ARROW_ASSIGN_OR_RAISE(const RowIdSequence ids, RowIds());
      return MakeColumn(
          rows, [&](uint64_t begin, std::span<uint64_t> out) { return ids.Read(begin, out); });
    };
    auto array = read();
    if (!array.ok()) return AddPlace(array.status(), column);
    return array;
  }
  // Rows that were never updated read as updated when they were created.
  if (is_stable && column == SystemColumn::kLastUpdatedAt &&
      fragment_.last_updated.placement == LineagePlacement::kAbsent) {
    column = SystemColumn::kCreatedAt;
  }
  const LineageSequence& encoded =
      column == SystemColumn::kCreatedAt ? fragment_.created : fragment_.last_updated;
  if (!is_stable || encoded.placement == LineagePlacement::kAbsent) {
    return MakeColumn(rows, [](uint64_t, std::span<uint64_t> out) {
      std::fill(out.begin(), out.end(), kFirstVersion);
      return arrow::Status::OK();
    });
  }
  const auto read = [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
    ARROW_ASSIGN_OR_RAISE(const VersionSequence* versions, Versions(column));
    return MakeColumn(
        rows, [&](uint64_t begin, std::span<uint64_t> out) { return versions->Read(begin, out); });
  };
  auto array = read();
  if (!array.ok()) return AddPlace(array.status(), column);
  return array;
}

}  // namespace pennon
