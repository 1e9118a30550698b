#include "output_dictionary.h"

#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "pennon/base/error.h"

namespace pennon::cli {
namespace {

const arrow::DataType& StorageOf(const arrow::DataType& type) {
  if (type.id() != arrow::Type::EXTENSION) return type;
  return StorageOf(*static_cast<const arrow::ExtensionType&>(type).storage_type());
}

bool HasDictionary(const arrow::DataType& type) {
  const arrow::DataType& storage = StorageOf(type);
  return storage.id() == arrow::Type::DICTIONARY ||
         std::any_of(storage.fields().begin(), storage.fields().end(),
                     [](const auto& field) { return HasDictionary(*field->type()); });
}

/// A value that stands in a dictionary that would have none: Arrow cannot let an empty one grow.
arrow::Result<std::shared_ptr<arrow::Array>> AnyValue(
    const std::shared_ptr<arrow::DataType>& type) {
  ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(type));
  ARROW_RETURN_NOT_OK(builder->AppendEmptyValue());
  return builder->Finish();
}

/// Adds values to the unifier; returns the place of each among all, null for a null.
arrow::Result<std::shared_ptr<arrow::Array>> Unify(const std::shared_ptr<arrow::Array>& values,
                                                   arrow::DictionaryUnifier* unifier) {
  std::shared_ptr<arrow::Buffer> places;
  if (values->null_count() == 0) {
    ARROW_RETURN_NOT_OK(unifier->Unify(*values, &places));
    return std::make_shared<arrow::Int32Array>(values->length(), std::move(places));
  }
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < values->length(); ++i) {
    if (values->IsValid(i)) ARROW_RETURN_NOT_OK(builder.Append(i));
  }
  ARROW_ASSIGN_OR_RAISE(const auto chosen, builder.Finish());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum valid,
                        arrow::compute::Take(arrow::Datum(values), arrow::Datum(chosen)));
  ARROW_RETURN_NOT_OK(unifier->Unify(*valid.make_array(), &places));
  const auto* next = reinterpret_cast<const int32_t*>(places->data());
  arrow::Int32Builder out;
  for (int64_t i = 0; i < values->length(); ++i) {
    ARROW_RETURN_NOT_OK(values->IsValid(i) ? out.Append(*next++) : out.AppendNull());
  }
  return out.Finish();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> DictionaryMerger::Merge(
    const arrow::RecordBatch& batch) {
  next_ = 0;
  std::vector<DataPtr> columns;
  for (const auto& column : batch.column_data()) {
    ARROW_ASSIGN_OR_RAISE(auto merged, MergeData(column));
    columns.push_back(std::move(merged));
  }
  return arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
}

arrow::Result<DictionaryMerger::DataPtr> DictionaryMerger::MergeData(const DataPtr& data) {
  if (!HasDictionary(*data->type)) return data;
  const arrow::DataType& storage = StorageOf(*data->type);
  if (storage.id() == arrow::Type::DICTIONARY) {
    return MergeDictionary(data, static_cast<const arrow::DictionaryType&>(storage));
  }
  DataPtr out = data->Copy();
  for (auto& child : out->child_data) {
    ARROW_ASSIGN_OR_RAISE(child, MergeData(child));
  }
  return out;
}

arrow::Result<DictionaryMerger::DataPtr> DictionaryMerger::MergeDictionary(
    const DataPtr& data, const arrow::DictionaryType& type) {
  if (next_ == merged_.size()) {
    ARROW_ASSIGN_OR_RAISE(auto unifier, arrow::DictionaryUnifier::Make(type.value_type()));
    merged_.push_back({std::move(unifier), nullptr, nullptr, nullptr});
  }
  Merged& merged = merged_[next_++];
  if (merged.source != data->dictionary) {
    if (merged.source == nullptr && data->dictionary->length == data->dictionary->GetNullCount()) {
      ARROW_ASSIGN_OR_RAISE(const auto value, AnyValue(type.value_type()));
      ARROW_RETURN_NOT_OK(merged.unifier->Unify(*value));
    }
    ARROW_ASSIGN_OR_RAISE(merged.places,
                          Unify(arrow::MakeArray(data->dictionary), merged.unifier.get()));
    const arrow::Status status =
        merged.unifier->GetResultWithIndexType(type.index_type(), &merged.values);
    if (!status.ok()) {
      return MakeError(ErrorKind::kUnsupportedFeature,
                       "the dictionaries of a column have more values together than its indices "
                       "can name; the formats "
                       "arrow and parquet do not join them: " +
                           type.ToString());
    }
    merged.source = data->dictionary;
  }
  DataPtr indices = data->Copy();
  indices->type = type.index_type();
  indices->dictionary = nullptr;
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken,
                        arrow::compute::Take(arrow::Datum(merged.places), arrow::Datum(indices)));
  ARROW_ASSIGN_OR_RAISE(const auto narrow,
                        arrow::compute::Cast(*taken.make_array(), type.index_type()));
  DataPtr out = narrow->data()->Copy();
  out->type = data->type;
  out->dictionary = merged.values->data();
  return out;
}

}  // namespace pennon::cli
