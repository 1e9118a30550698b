// Fields of a 2.0 file: which decoder for which shape, structs, blobs, and fields that are in no
// column.
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "encoding/field_decoder.h"
#include "encoding/v20_blob.h"
#include "encoding/v20_column.h"
#include "encoding/v20_list.h"
#include "encoding/v20_nullable.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// A field without a column: nulls.
class MissingDecoder : public FieldDecoder {
 public:
  MissingDecoder(std::shared_ptr<arrow::DataType> type, const DecodeContext& context)
      : type_(std::move(type)), context_(ContextOf(context)) {}

  arrow::Status Plan(std::vector<ByteRange>*) override { return arrow::Status::OK(); }
  arrow::Status Accept(std::span<const FetchedBytes>) override { return arrow::Status::OK(); }
  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) override {
    return MakeNulls(type_, num_rows, context_);
  }

 private:
  const std::shared_ptr<arrow::DataType> type_;
  const V20Context context_;
};

/// The header column of a struct holds nothing: all rows are there, the children have the values.
class StructDecoder : public FieldDecoder {
 public:
  StructDecoder(std::shared_ptr<arrow::DataType> type,
                std::vector<std::unique_ptr<FieldDecoder>> children)
      : type_(std::move(type)), children_(std::move(children)), num_planned_(children_.size()) {}

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    for (size_t i = 0; i < children_.size(); ++i) {
      const size_t before = wanted->size();
      ARROW_RETURN_NOT_OK(children_[i]->Plan(wanted));
      num_planned_[i] = wanted->size() - before;
    }
    return arrow::Status::OK();
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    for (size_t i = 0; i < children_.size(); ++i) {
      if (num_planned_[i] == 0) continue;
      ARROW_RETURN_NOT_OK(children_[i]->Accept(bytes.first(num_planned_[i])));
      bytes = bytes.subspan(num_planned_[i]);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) override {
    std::vector<std::shared_ptr<arrow::ArrayData>> arrays;
    for (const auto& child : children_) {
      ARROW_ASSIGN_OR_RAISE(auto array, child->Decode(num_rows));
      arrays.push_back(std::move(array));
    }
    return arrow::ArrayData::Make(type_, static_cast<int64_t>(num_rows), {nullptr},
                                  std::move(arrays), 0);
  }

 private:
  const std::shared_ptr<arrow::DataType> type_;
  const std::vector<std::unique_ptr<FieldDecoder>> children_;
  std::vector<size_t> num_planned_;
};

arrow::Status CheckRows(const FieldShape& shape, const RowRanges& rows,
                        const DecodeContext& context) {
  if (shape.column == FieldShape::kNoColumn || rows.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const ColumnPages* column, context.columns->Pages(shape.column));
  if (rows.back().end <= column->num_rows) return arrow::Status::OK();
  return MakeError(ErrorKind::kInvalidArgument,
                   fmt::format("rows end behind the column: {} of {} (column {})", rows.back().end,
                               column->num_rows, shape.column));
}

arrow::Status WrongShape(const FieldShape& shape) {
  return MakeError(ErrorKind::kUnsupportedFeature,
                   fmt::format("type cannot be stored in a 2.0 file: {}", shape.type->ToString()));
}

arrow::Result<std::unique_ptr<FieldDecoder>> MakeStruct(const FieldShape& shape,
                                                        const RowRanges& rows,
                                                        const DecodeContext& context) {
  if (static_cast<size_t>(shape.type->num_fields()) != shape.children.size())
    return WrongShape(shape);
  std::vector<std::unique_ptr<FieldDecoder>> children;
  for (const FieldShape& child : shape.children) {
    ARROW_ASSIGN_OR_RAISE(auto made, MakeV20FieldDecoder(child, rows, context));
    children.push_back(std::move(made));
  }
  return std::make_unique<StructDecoder>(shape.type, std::move(children));
}

}  // namespace

arrow::Result<std::unique_ptr<FieldDecoder>> MakeV20FieldDecoder(const FieldShape& shape,
                                                                 RowRanges rows,
                                                                 const DecodeContext& context) {
  if (shape.storage == FieldStorage::kMissing)
    return std::make_unique<MissingDecoder>(shape.type, context);
  ARROW_RETURN_NOT_OK(CheckRows(shape, rows, context));
  const arrow::Type::type id = shape.type->id();
  if (shape.storage == FieldStorage::kPlain && id == arrow::Type::STRUCT)
    return MakeStruct(shape, rows, context);
  if (shape.column == FieldShape::kNoColumn) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("field has no column: {}", shape.type->ToString()));
  }
  if (id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST) {
    if (shape.children.size() != 1) return WrongShape(shape);
    return V20ListDecoder::Make(shape, rows, context);
  }
  if (!shape.children.empty()) return WrongShape(shape);
  if (shape.storage == FieldStorage::kBlob) return MakeV20BlobDecoder(shape, rows, context);
  ARROW_ASSIGN_OR_RAISE(const ColumnPages* column, context.columns->Pages(shape.column));
  return V20ColumnDecoder::Make(*column, shape.type, rows, context);
}

}  // namespace pennon
