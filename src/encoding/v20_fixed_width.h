/// \file
/// Fixed-size lists, and structs whose children of fixed width lie row by row in one buffer.
/// Spec: format/data-file.md, heading 9 (FixedSizeList, PackedStruct).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/v20_flat.h"
#include "encoding/v20_values.h"

namespace pennon {

/// kFixedSizeList.
class V20FixedSizeListValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        const RowRanges& rows,
                                                        const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override { return items_->Plan(wanted); }
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override {
    return items_->Accept(&bytes);
  }

 private:
  V20FixedSizeListValues(std::shared_ptr<arrow::DataType> type, uint64_t dimension,
                         std::unique_ptr<V20Values> items)
      : type_(std::move(type)), dimension_(dimension), items_(std::move(items)) {}

  const std::shared_ptr<arrow::DataType> type_;
  const uint64_t dimension_;
  const std::unique_ptr<V20Values> items_;
};

/// kPackedStruct.
class V20PackedStructValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override;
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override;

 private:
  V20PackedStructValues(const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type,
                        uint64_t row_bytes, RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::Buffer>> Column(uint64_t begin, uint64_t count, uint64_t at,
                                                       uint64_t width) const;

  const V20Encoding& encoding_;
  const std::shared_ptr<arrow::DataType> type_;
  const uint64_t row_bytes_;
  const RowRanges rows_;
  const PiecedRows pieces_;
  const V20Context context_;
  bool is_planned_ = false;
  std::vector<FetchedBytes> bytes_;
};

}  // namespace pennon
