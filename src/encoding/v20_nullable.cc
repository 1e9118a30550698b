#include "encoding/v20_nullable.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {

arrow::Status V20SomeNulls::PlanNext(std::vector<ByteRange>* wanted) {
  ARROW_RETURN_NOT_OK(validity_->Plan(wanted));
  return values_->Plan(wanted);
}

arrow::Status V20SomeNulls::AcceptNext(std::span<const FetchedBytes> bytes) {
  ARROW_RETURN_NOT_OK(validity_->Accept(&bytes));
  return values_->Accept(&bytes);
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20SomeNulls::Decode(uint64_t begin,
                                                                      uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(const auto validity, validity_->Decode(begin, count));
  ARROW_ASSIGN_OR_RAISE(const auto values, values_->Decode(begin, count));
  const auto length = static_cast<int64_t>(count);
  std::shared_ptr<arrow::Buffer> bits = validity->buffers[1];
  int64_t valid = arrow::internal::CountSetBits(bits->data(), 0, length);
  if (valid == length || values->type->id() == arrow::Type::NA) return values;
  if (values->buffers[0] != nullptr) {
    ARROW_ASSIGN_OR_RAISE(
        bits, arrow::internal::BitmapAnd(context_.pool, bits->data(), 0, values->buffers[0]->data(),
                                         0, length, 0));
    valid = arrow::internal::CountSetBits(bits->data(), 0, length);
  }
  values->buffers[0] = std::move(bits);
  values->null_count = length - valid;
  return values;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20AllNulls::Decode(uint64_t, uint64_t count) {
  return MakeNulls(type_, count, context_);
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> MakeNulls(
    const std::shared_ptr<arrow::DataType>& type, uint64_t count, const V20Context& context) {
  const uint64_t bits = std::max<uint64_t>(FixedWidthBits(*type), 64);
  if (count > context.buffer_bytes_max / bits * 8) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("nulls would take more memory than the limit: {} of {}", count,
                                 type->ToString()));
  }
  ARROW_ASSIGN_OR_RAISE(const auto nulls,
                        arrow::MakeArrayOfNull(type, static_cast<int64_t>(count), context.pool));
  return nulls->data();
}

}  // namespace pennon
