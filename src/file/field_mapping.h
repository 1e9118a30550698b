/// \file
/// Which column of a data file holds what of a field: from the table's schema and the file's entry
/// in its fragment to the shapes the decoders want. Spec: format/data-file.md, headings 4 and 12.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <span>
#include <unordered_map>

#include "encoding/field_shape.h"
#include "file/file_version.h"
#include "format/schema.h"

namespace pennon {

/// How blob columns of the first kind are read.
enum class BlobReading : uint8_t { kDescriptors, kBytes };

/// Column of each field id of one file.
class ColumnMap {
 public:
  /// `fields` and `column_indices` as the fragment lists them; tombstones (ids -1 and -2) and
  /// negative columns are skipped, other negative ids are hidden columns. Errors: kCorrupt: lists
  /// of different lengths, a column beyond `num_columns`.
  static arrow::Result<ColumnMap> Make(std::span<const int32_t> fields,
                                       std::span<const int32_t> column_indices,
                                       uint32_t num_columns);

  /// The columns of a file read on its own, by its own schema: counted depth-first, as the version
  /// does it.
  static ColumnMap OfOwnSchema(const TableSchema& schema, FileVersion version);

  /// Returns the column of a field or FieldShape::kNoColumn.
  uint32_t Find(int32_t field_id) const;

 private:
  std::unordered_map<int32_t, uint32_t> columns_;
};

/// Returns the shape of `field` with everything below it. What is in no column of the file is
/// kMissing; a field of which nothing is, is kMissing as a whole. The shape's type is the field's
/// stored type, but for blobs of the first kind, whose type is large_binary or struct<position,
/// size>, as asked; those of the second kind always give their descriptors, since their bytes may
/// lie in other files. Errors: as ToArrowField.
arrow::Result<FieldShape> ShapeOfField(const FieldTree& field, const ColumnMap& columns,
                                       FileVersion version, BlobReading blobs);

}  // namespace pennon
