/// \file
/// Rows of one column of a 2.0 file, over all its pages.
/// Spec: format/data-file.md, headings 4.2 and 9.
#pragma once

#include <arrow/array/data.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/column_pages.h"
#include "encoding/field_decoder.h"
#include "encoding/v20_encoding.h"
#include "encoding/v20_values.h"

namespace pennon {

/// What is kept of a page between reads: its parsed encoding.
class V20PageIndex : public PageIndex {
 public:
  explicit V20PageIndex(V20Encoding encoding) : encoding_(std::move(encoding)) {}
  const V20Encoding& encoding() const { return encoding_; }
  uint64_t memory_bytes() const override;

 private:
  const V20Encoding encoding_;
};

/// Returns the parsed encoding of a page, from the cache or put there. Errors name column and page.
arrow::Result<std::shared_ptr<const V20PageIndex>> LoadV20Page(const ColumnPages& column,
                                                               size_t page,
                                                               const DecodeContext& context);

/// The rows of a selection that lie in one page, counted from the start of the page.
struct V20PageRows {
  size_t page = 0;
  RowRanges rows;
};

/// Splits rows of a column by page. `rows` lie in the column. Neighbouring ranges become one.
std::vector<V20PageRows> SplitByPage(const ColumnPages& column, const RowRanges& rows);

/// Appends " (column c, page p)" to an error.
arrow::Status AddPlace(const arrow::Status& status, const ColumnPages& column, size_t page);

V20Context ContextOf(const DecodeContext& context);

/// Joins consecutive arrays of one type; one alone is given as it is.
arrow::Result<std::shared_ptr<arrow::ArrayData>> JoinArrays(
    const std::vector<std::shared_ptr<arrow::ArrayData>>& parts,
    const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool);

/// Decodes a column whose pages hold the values themselves.
class V20ColumnDecoder : public FieldDecoder {
 public:
  static arrow::Result<std::unique_ptr<FieldDecoder>> Make(const ColumnPages& column,
                                                           std::shared_ptr<arrow::DataType> type,
                                                           const RowRanges& rows,
                                                           const DecodeContext& context);

  arrow::Status Plan(std::vector<ByteRange>* wanted) override;
  arrow::Status Accept(std::span<const FetchedBytes> bytes) override;
  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) override;

 private:
  struct Part {
    size_t page = 0;
    uint64_t num_rows = 0;
    std::shared_ptr<const V20PageIndex> index;
    std::unique_ptr<V20Values> values;
  };

  V20ColumnDecoder(const ColumnPages& column, std::shared_ptr<arrow::DataType> type,
                   arrow::MemoryPool* pool)
      : column_(column), type_(std::move(type)), pool_(pool) {}

  const ColumnPages& column_;
  const std::shared_ptr<arrow::DataType> type_;
  arrow::MemoryPool* const pool_;
  std::vector<Part> parts_;
  /// Where Decode goes on.
  size_t part_ = 0;
  uint64_t row_ = 0;
};

}  // namespace pennon
