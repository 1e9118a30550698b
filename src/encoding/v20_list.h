/// \file
/// Lists of a 2.0 file: one column of offsets, the items in the columns behind it.
/// Spec: format/data-file.md, heading 9 (List).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/field_decoder.h"
#include "encoding/field_shape.h"
#include "encoding/v20_column.h"
#include "encoding/v20_end_offsets.h"

namespace pennon {

class V20ListDecoder : public FieldDecoder {
 public:
  /// `shape`: a list or large list with one child.
  static arrow::Result<std::unique_ptr<FieldDecoder>> Make(const FieldShape& shape,
                                                           const RowRanges& rows,
                                                           const DecodeContext& context);

  arrow::Status Plan(std::vector<ByteRange>* wanted) override;
  arrow::Status Accept(std::span<const FetchedBytes> bytes) override;
  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) override;

 private:
  struct Part {
    size_t page = 0;
    std::shared_ptr<const V20PageIndex> index;
    std::unique_ptr<V20EndOffsets> offsets;
    /// Items of all pages before.
    uint64_t first_item = 0;
    /// Items that the page says it has.
    uint64_t num_items = 0;
  };

  V20ListDecoder(const ColumnPages& column, const FieldShape& shape, const DecodeContext& context)
      : column_(column), shape_(shape), context_(context) {}

  arrow::Status MakeItems();
  template <typename T>
  arrow::Result<std::shared_ptr<arrow::ArrayData>> DecodeAs(uint64_t num_rows);

  const ColumnPages& column_;
  const FieldShape shape_;
  const DecodeContext context_;
  std::vector<Part> parts_;
  /// Made when all offsets have been read.
  std::unique_ptr<FieldDecoder> items_;
  size_t part_ = 0;
  uint64_t row_ = 0;
};

}  // namespace pennon
