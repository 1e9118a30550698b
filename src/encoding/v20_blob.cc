#include "encoding/v20_blob.h"

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "encoding/v20_column.h"
#include "encoding/v20_values.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::shared_ptr<arrow::DataType> DescriptorType() {
  return arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
}

/// Fetches descriptors first, then the bytes of all rows of the selection.
class BlobDecoder : public FieldDecoder {
 public:
  BlobDecoder(uint32_t column, uint64_t num_rows, std::unique_ptr<FieldDecoder> descriptors,
              const DecodeContext& context)
      : column_(column),
        num_rows_(num_rows),
        descriptors_(std::move(descriptors)),
        context_(context) {}

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    if (is_planned_) return arrow::Status::OK();
    const size_t before = wanted->size();
    ARROW_RETURN_NOT_OK(descriptors_->Plan(wanted));
    if (wanted->size() > before) return arrow::Status::OK();
    is_planned_ = true;
    return PlanBytes(wanted);
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    if (!is_planned_) return descriptors_->Accept(bytes);
    // Other fields may need more rounds than this one.
    if (bytes.empty()) return arrow::Status::OK();
    size_t next = 0;
    for (Value& value : values_) {
      if (value.size > 0) value.bytes = bytes[next++];
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) override {
    if (num_rows > values_.size() - next_) {
      return MakeError(ErrorKind::kInternal, "more rows were decoded than selected");
    }
    const std::span<Value> values = std::span(values_).subspan(next_, num_rows);
    next_ += num_rows;
    const V20Context context = ContextOf(context_);
    uint64_t size = 0;
    for (const Value& value : values) size += value.size;
    ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues((num_rows + 1) * sizeof(int64_t), context));
    ARROW_ASSIGN_OR_RAISE(auto bytes, AllocateValues(size, context));
    ARROW_ASSIGN_OR_RAISE(auto validity, AllocateZeroed((num_rows + 7) / 8, context));
    auto* offset = reinterpret_cast<int64_t*>(offsets->mutable_data());
    *offset++ = 0;
    uint8_t* to = bytes->mutable_data();
    int64_t nulls = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].size > 0) {
        std::memcpy(to, values[i].bytes.data.data(), values[i].size);
        to += values[i].size;
      }
      *offset++ = to - bytes->data();
      values[i].bytes = {};
      if (values[i].is_null) {
        ++nulls;
      } else {
        arrow::bit_util::SetBit(validity->mutable_data(), static_cast<int64_t>(i));
      }
    }
    return arrow::ArrayData::Make(
        arrow::large_binary(), static_cast<int64_t>(num_rows),
        {nulls == 0 ? nullptr : std::move(validity), std::move(offsets), std::move(bytes)}, nulls);
  }

 private:
  struct Value {
    uint64_t size = 0;
    bool is_null = false;
    FetchedBytes bytes;
  };

  arrow::Status PlanBytes(std::vector<ByteRange>* wanted) {
    ARROW_ASSIGN_OR_RAISE(const auto data, descriptors_->Decode(num_rows_));
    const auto* positions =
        reinterpret_cast<const uint64_t*>(data->child_data[0]->buffers[1]->data());
    const auto* sizes = reinterpret_cast<const uint64_t*>(data->child_data[1]->buffers[1]->data());
    const uint64_t file_size = context_.columns->file_size_bytes();
    for (uint64_t i = 0; i < num_rows_; ++i) {
      if (positions[i] > file_size || sizes[i] > file_size - positions[i]) {
        return MakeError(ErrorKind::kCorrupt,
                         fmt::format("blob lies outside the file: {} bytes at {} (column {})",
                                     sizes[i], positions[i], column_));
      }
      Value value;
      value.size = sizes[i];
      value.is_null = (sizes[i] == 0 && positions[i] == 1) || data->IsNull(static_cast<int64_t>(i));
      if (sizes[i] > 0) wanted->push_back({positions[i], positions[i] + sizes[i]});
      values_.push_back(std::move(value));
    }
    return arrow::Status::OK();
  }

  const uint32_t column_;
  const uint64_t num_rows_;
  const std::unique_ptr<FieldDecoder> descriptors_;
  const DecodeContext context_;
  bool is_planned_ = false;
  std::vector<Value> values_;
  size_t next_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<FieldDecoder>> MakeV20BlobDecoder(const FieldShape& shape,
                                                                const RowRanges& rows,
                                                                const DecodeContext& context) {
  ARROW_ASSIGN_OR_RAISE(const ColumnPages* column, context.columns->Pages(shape.column));
  const bool wants_bytes = shape.type->id() == arrow::Type::LARGE_BINARY;
  if (!wants_bytes && !shape.type->Equals(*DescriptorType())) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("blob column cannot be read as {}", shape.type->ToString()));
  }
  ARROW_ASSIGN_OR_RAISE(auto descriptors,
                        V20ColumnDecoder::Make(*column, DescriptorType(), rows, context));
  if (!wants_bytes) return descriptors;
  return std::make_unique<BlobDecoder>(shape.column, CountRows(rows), std::move(descriptors),
                                       context);
}

}  // namespace pennon
