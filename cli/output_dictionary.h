/// \file
/// For a format that has one dictionary for all batches: dictionaries that only grow.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/data.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <memory>
#include <vector>

namespace pennon::cli {

/// Gives the dictionaries of batches that follow one another, nested ones too, one order of values:
/// each begins with the one before.
class DictionaryMerger {
 public:
  /// Batches have one schema. Cost: a pass over the indices, and over a dictionary that is another
  /// than that of the batch before. Errors: kUnsupportedFeature if the indices are too narrow for
  /// all values.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Merge(const arrow::RecordBatch& batch);

 private:
  using DataPtr = std::shared_ptr<arrow::ArrayData>;

  /// One dictionary of the schema.
  struct Merged {
    std::unique_ptr<arrow::DictionaryUnifier> unifier;
    DataPtr source;                        ///< The last one that was merged.
    std::shared_ptr<arrow::Array> places;  ///< For each value of `source` its place in `values`.
    std::shared_ptr<arrow::Array> values;
  };

  arrow::Result<DataPtr> MergeData(const DataPtr& data);
  arrow::Result<DataPtr> MergeDictionary(const DataPtr& data, const arrow::DictionaryType& type);

  std::vector<Merged> merged_;  ///< In the order in which a walk over the schema meets them.
  size_t next_ = 0;
};

}  // namespace pennon::cli
