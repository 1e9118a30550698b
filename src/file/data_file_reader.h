/// \file
/// Reads one data file of version 2.0, 2.1 or 2.2: rows of chosen fields, by range or by offset.
/// Spec: format/data-file.md, headings 1 and 12.
#pragma once

#include <arrow/array/data.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/field_shape.h"
#include "encoding/row_range.h"
#include "file/file_version.h"
#include "io/store.h"

namespace pennon {

struct DataFileReaderOptions {
  /// How much of the end of the file is fetched at once when it is opened.
  uint32_t tail_bytes = 16 * 1024;
  /// Ranges that lie closer to each other than this are fetched in one call; at 2.0, 4096 at most.
  uint32_t coalesce_gap_bytes = 6144;
  /// Memory for page indices kept between reads of this file.
  uint64_t index_bytes_max = uint64_t{32} << 20;
  /// Upper bound of any single decoded buffer.
  uint64_t buffer_bytes_max = uint64_t{1} << 34;
  arrow::MemoryPool* pool = arrow::default_memory_pool();
};

class DataFileReader;

using FieldArrays = std::vector<std::shared_ptr<arrow::ArrayData>>;

/// Rows of one selection, fetched, to be decoded in pieces. Keeps its file alive. Not safe for
/// concurrent use; many may be open on one file.
class RowWindow {
 public:
  virtual ~RowWindow() = default;
  virtual uint64_t rows_left() const = 0;
  /// Returns the next `num_rows` (at most rows_left) rows: one array per field, in the order of the
  /// shapes.
  virtual arrow::Result<FieldArrays> Next(uint64_t num_rows) = 0;
  /// Adds `rows` of another file, in which the fields lie in the same columns, behind those that
  /// are left, and fetches them: one array of many small pieces costs a fraction of many arrays.
  /// Next must ask for all rows afterwards. Returns false and changes nothing if rows of the two
  /// do not join: files of 2.0, blobs.
  virtual arrow::Result<bool> Join(const std::shared_ptr<DataFileReader>& file, RowRanges rows) = 0;
};

/// An open data file. Immutable to its users and safe for concurrent use; worth keeping: column
/// metadata and page indices are parsed once, when first needed.
class DataFileReader : public std::enable_shared_from_this<DataFileReader> {
 public:
  virtual ~DataFileReader() = default;

  /// Reads footer and offset tables: one store call when they lie in the last `tail_bytes`, else
  /// two. Errors: kCorrupt; kUnsupportedFeature: legacy version 0.1, version 2.3 or newer.
  static arrow::Result<std::shared_ptr<DataFileReader>> Open(
      std::shared_ptr<RandomAccessFile> file, const DataFileReaderOptions& options = {});

  virtual FileVersion version() const = 0;
  virtual const std::string& path() const = 0;
  virtual uint32_t num_columns() const = 0;
  virtual uint32_t num_global_buffers() const = 0;
  /// Returns the rows of a column as its pages count them: items, for columns below lists at 2.0
  /// and below fixed-size lists of structs at 2.1 and newer. No store call when the metadata lies
  /// in the tail.
  virtual arrow::Result<uint64_t> NumPageRows(uint32_t column) = 0;
  /// Returns the rows of a field, which is stored in this file (not kMissing). Errors:
  /// kInvalidArgument, kCorrupt.
  arrow::Result<uint64_t> NumRows(const FieldShape& field);
  /// Returns the bytes of all pages of a column, to plan reads with. Cost: as NumPageRows.
  virtual arrow::Result<double> StoredBytes(uint32_t column) = 0;
  /// Returns one global buffer; number 0 is the FileDescriptor message with the file's own schema.
  virtual arrow::Result<std::shared_ptr<arrow::Buffer>> ReadGlobalBuffer(uint32_t index) = 0;

  /// Fetches what the rows need, for all fields together, in few joined reads. A scan calls it for
  /// pieces that fit its memory budget (some MB of pages) and then decodes batch by batch.
  virtual arrow::Result<std::unique_ptr<RowWindow>> OpenWindow(std::span<const FieldShape> fields,
                                                               RowRanges rows) = 0;
  /// Returns rows [begin, end): one array per field.
  arrow::Result<FieldArrays> ReadRange(std::span<const FieldShape> fields, RowRange rows);
  /// Returns the rows at strictly ascending offsets: one array per field. Only the chunks and rows
  /// needed are fetched.
  arrow::Result<FieldArrays> TakeRows(std::span<const FieldShape> fields,
                                      std::span<const uint32_t> offsets);

  /// Memory held by parsed metadata and page indices.
  virtual uint64_t memory_bytes() const = 0;
};

}  // namespace pennon
