/// \file
/// The two bit packings that early releases wrote at file version 2.0.
/// Spec: format/data-file.md, headings 9 (Bitpacked, BitpackedForNonNeg) and 7.4 (FastLanes order).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/v20_flat.h"
#include "encoding/v20_values.h"

namespace pennon {

/// kBitpacked and kFastLanes.
class V20BitpackedValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override;
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override;

 private:
  V20BitpackedValues(const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type,
                     RowRanges rows, const V20Context& context);

  template <typename T>
  void Unpack(uint64_t begin, uint64_t count, uint8_t* out) const;

  const V20Encoding& encoding_;
  const std::shared_ptr<arrow::DataType> type_;
  const RowRanges rows_;
  const PiecedRows pieces_;
  const V20Context context_;
  bool is_planned_ = false;
  std::vector<FetchedBytes> bytes_;
};

}  // namespace pennon
