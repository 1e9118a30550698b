/// \file
/// Evaluates a predicate over batches. The logic (and, or, not, is true) works on bitmaps of rows
/// that are certainly true; numbers beside constants take the loops of filter_compare.h; the rest
/// is Arrow's. Terms that can fail run only on rows that other terms left open, and branches of
/// case only on the rows that take them. Spec: docs/filters.md, heading "Evaluation".
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <vector>

#include "dataset/filter_compare.h"
#include "pennon/dataset/filter.h"

namespace pennon {

/// A predicate made ready to run. Immutable.
class RowProgram {
 public:
  /// `expression` need not be bound. Its names refer to `schema`.
  static arrow::Result<RowProgram> Make(const arrow::compute::Expression& expression,
                                        const arrow::Schema& schema);

  arrow::Result<RowSelection> Run(const arrow::RecordBatch& batch) const;

  /// Fields that it reads, in order of first use.
  const std::vector<arrow::FieldRef>& fields() const { return fields_; }
  /// Whether it passes no row, or every row, of any batch.
  bool is_never() const { return root_.kind == Kind::kNothing; }
  bool is_always() const { return root_.kind == Kind::kEverything; }

 private:
  enum class Kind { kNothing, kEverything, kRange, kNull, kGeneral, kAnd, kOr, kComplement };
  struct Node {
    Kind kind = Kind::kNothing;
    std::vector<Node> children;
    int field = -1;      ///< kRange, kNull: index into fields_.
    ValueRange range;    ///< kRange
    bool wanted = true;  ///< kNull: null or valid; kGeneral: true or false.
    bool may_fail = false;
    std::vector<bool> reads;                ///< By field: what it and its children look at.
    arrow::compute::Expression expression;  ///< kGeneral, bound to the fields as columns.
  };
  class Builder;
  struct Batch;

  static void RunNode(const Node& node, const Batch& batch, arrow::Status* status,
                      std::vector<uint64_t>* words);
  static arrow::Status RunGeneral(const Node& node, const Batch& batch,
                                  std::vector<uint64_t>* words);
  static arrow::Status RunRest(const Node& node, const Batch& batch, bool is_and,
                               std::vector<uint64_t>* words);

  std::vector<arrow::FieldRef> fields_;
  std::vector<std::shared_ptr<arrow::Field>> field_types_;
  Node root_;
};

/// Whether evaluating the expression can fail on some value.
bool MayFail(const arrow::compute::Expression& expression);

}  // namespace pennon
