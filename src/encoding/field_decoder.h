/// \file
/// Decoding of one field as a dialogue: the decoder says which bytes it needs, somebody fetches
/// them, and so on until it needs none; then it gives the rows. It never sees a file. Both page
/// formats (2.0; 2.1 and 2.2) speak this interface; several fields in step let the caller join
/// their reads. Spec: format/data-file.md.
#pragma once

#include <arrow/array/data.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/byte_range.h"
#include "encoding/column_pages.h"
#include "encoding/field_shape.h"
#include "encoding/row_range.h"

namespace pennon {

/// Bytes that were asked for. They stay valid as long as `owner`, of which `data` is a part; a
/// decoder that hands them on in an array keeps the owner.
struct FetchedBytes {
  std::span<const uint8_t> data;
  std::shared_ptr<arrow::Buffer> owner;
};

/// What a page needs before any of its rows can be found (chunk table, dictionary, repetition
/// index), decoded. Immutable once made, so that many reads may share it.
class PageIndex {
 public:
  virtual ~PageIndex() = default;
  /// Memory held, for the cache's budget.
  virtual uint64_t memory_bytes() const = 0;
};

/// Keeps page indices between reads. Safe for concurrent use.
class PageIndexCache {
 public:
  virtual ~PageIndexCache() = default;
  /// Returns the index of a page or null.
  virtual std::shared_ptr<const PageIndex> Find(uint32_t column, uint32_t page) = 0;
  virtual void Keep(uint32_t column, uint32_t page, std::shared_ptr<const PageIndex> index) = 0;
};

/// Gives the pages of a column; parsed when first asked for.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  /// Returns the pages of a column, owned by the source. Errors: kCorrupt; kInvalidArgument: no
  /// such column.
  virtual arrow::Result<const ColumnPages*> Pages(uint32_t column) = 0;
  /// Size of the file: positions found inside pages (blobs) are checked against it.
  virtual uint64_t file_size_bytes() const = 0;
};

/// What every decoder is given besides its field and rows.
struct DecodeContext {
  ColumnSource* columns = nullptr;
  /// May be null: nothing is kept then.
  PageIndexCache* indices = nullptr;
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  /// No single decoded buffer and no single inflated block may become larger.
  uint64_t buffer_bytes_max = uint64_t{1} << 34;
};

/// Decodes one field over one selection of rows. Not safe for concurrent use; many may work on one
/// file at once.
class FieldDecoder {
 public:
  virtual ~FieldDecoder() = default;

  /// Appends the byte ranges needed next to `wanted`; appends nothing when all is there. A range
  /// may be empty; its answer is then too. Errors: kCorrupt, kTooLarge, kUnsupportedFeature, with
  /// column and page.
  virtual arrow::Status Plan(std::vector<ByteRange>* wanted) = 0;

  /// Takes what the last Plan asked for, in its order and number.
  virtual arrow::Status Accept(std::span<const FetchedBytes> bytes) = 0;

  /// Returns the next `num_rows` rows of the selection, which has that many left. Only once Plan
  /// asks for nothing. The result is a full array of the shape's type.
  virtual arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) = 0;

  /// Whether rows of another file may join those of this one.
  virtual bool CanContinue() const { return false; }
  /// Decodes the rows that are left and keeps them for the next Decode. Only once Plan asks for
  /// nothing.
  virtual arrow::Status Drain();
  /// Goes on with `rows` of another file, in which the field lies in the same columns. Only after
  /// Drain; the next Decode gives all rows kept and all of these.
  virtual arrow::Status Continue(const RowRanges& rows, const DecodeContext& context);
};

/// Makes the decoder of a field of a 2.1 or 2.2 file.
/// `rows`: ascending, disjoint ranges below the file's number of rows. Errors: kCorrupt,
/// kUnsupportedFeature, kInvalidArgument (rows beyond the end).
arrow::Result<std::unique_ptr<FieldDecoder>> MakeFieldDecoder(const FieldShape& shape,
                                                              RowRanges rows,
                                                              const DecodeContext& context);

/// The same for a 2.0 file.
arrow::Result<std::unique_ptr<FieldDecoder>> MakeV20FieldDecoder(const FieldShape& shape,
                                                                 RowRanges rows,
                                                                 const DecodeContext& context);

}  // namespace pennon
