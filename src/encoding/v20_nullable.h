/// \file
/// Validity around the values of another node.
/// Spec: format/data-file.md, heading 9 (Nullable).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/v20_values.h"

namespace pennon {

/// kSomeNulls.
class V20SomeNulls : public V20Values {
 public:
  V20SomeNulls(std::unique_ptr<V20Values> validity, std::unique_ptr<V20Values> values,
               const V20Context& context)
      : validity_(std::move(validity)), values_(std::move(values)), context_(context) {}

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override;
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override;

 private:
  const std::unique_ptr<V20Values> validity_;
  const std::unique_ptr<V20Values> values_;
  const V20Context context_;
};

/// kAllNulls: no bytes at all.
class V20AllNulls : public V20Values {
 public:
  V20AllNulls(std::shared_ptr<arrow::DataType> type, const V20Context& context)
      : type_(std::move(type)), context_(context) {}

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>*) override { return arrow::Status::OK(); }
  arrow::Status AcceptNext(std::span<const FetchedBytes>) override { return arrow::Status::OK(); }

 private:
  const std::shared_ptr<arrow::DataType> type_;
  const V20Context context_;
};

/// Makes `count` nulls of any type. Errors: kTooLarge beyond the context's limit.
arrow::Result<std::shared_ptr<arrow::ArrayData>> MakeNulls(
    const std::shared_ptr<arrow::DataType>& type, uint64_t count, const V20Context& context);

}  // namespace pennon
