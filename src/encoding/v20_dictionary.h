/// \file
/// Values that are stored once and pointed to: strings of few kinds, and Arrow dictionary columns.
/// Spec: format/data-file.md, heading 9 (Dictionary).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/v20_values.h"

namespace pennon {

/// kDictionary. For a string type index 0 means null and k the item k - 1; for a dictionary type
/// indices are the array's own, and items that are null make their rows null.
class V20DictionaryValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override;
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override;

 private:
  V20DictionaryValues(std::shared_ptr<arrow::DataType> type, std::unique_ptr<V20Values> indices,
                      std::unique_ptr<V20Values> items, uint64_t num_items,
                      const V20Context& context)
      : type_(std::move(type)),
        indices_(std::move(indices)),
        items_(std::move(items)),
        num_items_(num_items),
        context_(context) {}

  arrow::Result<std::shared_ptr<arrow::ArrayData>> DecodeStrings(
      const arrow::ArrayData& indices) const;
  arrow::Result<std::shared_ptr<arrow::ArrayData>> DecodeDictionary(
      const arrow::ArrayData& indices) const;

  const std::shared_ptr<arrow::DataType> type_;
  const std::unique_ptr<V20Values> indices_;
  const std::unique_ptr<V20Values> items_;
  const uint64_t num_items_;
  const V20Context context_;
  /// Decoded with the first rows.
  std::shared_ptr<arrow::ArrayData> dictionary_;
  /// The same without its nulls, which the indices tell: Arrow does not join dictionaries with
  /// nulls.
  std::shared_ptr<arrow::ArrayData> shown_dictionary_;
};

}  // namespace pennon
