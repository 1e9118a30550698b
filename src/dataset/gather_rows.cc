#include "dataset/gather_rows.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/arrow_functions.h"

namespace pennon {
namespace {

/// As many runs are cheaper to copy one by one than it is to load Arrow's functions.
constexpr size_t kRunsMax = 128;

/// Rows `begin` to `begin + length`, or as many null rows.
struct Run {
  int64_t begin = 0;
  int64_t length = 0;
};

/// Returns at least one run, or none if there are more than `kRunsMax`.
std::vector<Run> RunsOf(std::span<const int64_t> sources) {
  if (sources.empty()) return {Run{}};
  std::vector<Run> runs;
  for (const int64_t source : sources) {
    if (!runs.empty()) {
      Run& last = runs.back();
      const int64_t next = last.begin == kNullRow ? kNullRow : last.begin + last.length;
      if (source == next) {
        ++last.length;
        continue;
      }
    }
    if (runs.size() == kRunsMax) return {};
    runs.push_back({source, 1});
  }
  return runs;
}

bool HasDictionary(const arrow::DataType& type) {
  if (type.id() == arrow::Type::EXTENSION)
    return HasDictionary(*static_cast<const arrow::ExtensionType&>(type).storage_type());
  return type.id() == arrow::Type::DICTIONARY ||
         std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return HasDictionary(*field->type()); });
}

arrow::Result<std::shared_ptr<arrow::Array>> JoinRuns(const arrow::Array& column,
                                                      std::span<const Run> runs) {
  arrow::ArrayVector parts;
  parts.reserve(runs.size());
  for (const Run& run : runs) {
    if (run.begin != kNullRow) {
      parts.push_back(column.Slice(run.begin, run.length));
    } else {
      ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(column.type(), run.length));
      parts.push_back(std::move(nulls));
    }
  }
  return arrow::Concatenate(parts);
}

arrow::Result<arrow::ArrayVector> GatherByRuns(const arrow::ArrayVector& columns,
                                               std::span<const Run> runs) {
  arrow::ArrayVector gathered;
  for (const auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto joined, JoinRuns(*column, runs));
    gathered.push_back(std::move(joined));
  }
  return gathered;
}

arrow::Result<arrow::ArrayVector> GatherByFunction(const arrow::ArrayVector& columns,
                                                   std::span<const int64_t> sources) {
  ARROW_RETURN_NOT_OK(LoadArrowFunctions());
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(sources.size())));
  for (const int64_t source : sources) {
    if (source == kNullRow) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(source);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto indices, builder.Finish());
  arrow::ArrayVector gathered;
  for (const auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(
        const auto taken,
        arrow::compute::Take(column, indices, arrow::compute::TakeOptions::NoBoundsCheck()));
    gathered.push_back(taken.make_array());
  }
  return gathered;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherRows(
    const arrow::RecordBatch& batch, std::span<const int64_t> sources,
    const std::shared_ptr<arrow::Schema>& schema) {
  const std::vector<Run> runs = RunsOf(sources);
  // Null rows have a dictionary of their own, and joining would have to unite the two.
  const bool has_dictionary =
      std::any_of(schema->fields().begin(), schema->fields().end(),
                  [](const auto& field) { return HasDictionary(*field->type()); });
  arrow::ArrayVector columns;
  if (runs.empty() || has_dictionary) {
    ARROW_ASSIGN_OR_RAISE(columns, GatherByFunction(batch.columns(), sources));
  } else {
    ARROW_ASSIGN_OR_RAISE(columns, GatherByRuns(batch.columns(), runs));
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(sources.size()), std::move(columns));
}

}  // namespace pennon
