/// \file
/// Filters: SQL predicates in PostgreSQL's grammar, checked against a schema, analysed for what a
/// scan can skip, and evaluated batch by batch. The language is the reference engine's;
/// docs/filters.md describes it and lists where we answer and it does not. Spec: docs/filters.md.
#pragma once

#include <arrow/compute/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pennon {

/// The rows of one batch that pass a filter.
class RowSelection {
 public:
  RowSelection() = default;
  /// Bit i of `words` stands for row i; bits behind the last row are zero.
  RowSelection(std::vector<uint64_t> words, int64_t num_rows);

  int64_t num_rows() const { return num_rows_; }
  /// Number of rows that pass.
  int64_t count() const { return count_; }
  bool passes(int64_t row) const {
    return (words_[static_cast<size_t>(row / 64)] >> (row % 64) & 1) != 0;
  }
  const std::vector<uint64_t>& words() const { return words_; }

  /// Returns the passing rows, ascending.
  std::vector<int32_t> Rows() const;
  /// Returns a mask for arrow::compute::Filter, without nulls. No copy.
  std::shared_ptr<arrow::BooleanArray> ToMask() const;

 private:
  std::vector<uint64_t> words_;
  int64_t num_rows_ = 0;
  int64_t count_ = 0;
};

/// Row ids or row addresses from `first` to `last`, both included: 2^64 - 1 is a valid id.
struct RowNumberRange {
  uint64_t first = 0;
  uint64_t last = 0;
  bool operator==(const RowNumberRange&) const = default;
};

/// What a filter says about `_rowid` or `_rowaddr`.
struct RowNumberBounds {
  /// Passing rows have their number in one of these. Ascending, disjoint, not adjacent.
  std::vector<RowNumberRange> ranges{{0, UINT64_MAX}};
  /// Every row with its number in a range passes: nothing else is asked.
  bool is_exact = false;

  bool is_unbounded() const {
    return ranges.size() == 1 && ranges[0] == RowNumberRange{0, UINT64_MAX};
  }
  /// How many numbers the ranges hold, UINT64_MAX if it is 2^64.
  uint64_t Count() const;
};

/// A predicate bound to a schema. Immutable, cheap to copy, safe for concurrent use.
class Filter {
 public:
  /// The text it was parsed from.
  const std::string& text() const;
  /// The predicate as an Arrow expression, bound against the schema, constants folded. Comparisons
  /// of columns with constants have the form `operation(field_ref, literal)` with Arrow's names
  /// (equal, less, is_in, ...). It carries functions of ours: evaluate it with
  /// arrow::compute::ExecuteScalarExpression, do not serialise it. It evaluates all branches of
  /// case and coalesce; Evaluate below only those that are taken.
  const arrow::compute::Expression& expression() const;
  /// Top-level columns it reads, in order of first use, each once; system columns too.
  const std::vector<std::string>& column_names() const;
  /// The same, down to the fields of structs that it reads: a projection of these suffices.
  const std::vector<arrow::FieldRef>& fields() const;

  /// No row of any table passes.
  bool is_never() const;
  /// Every row of every table passes.
  bool is_always() const;
  /// Bounds of `_rowid` and `_rowaddr` that hold for all passing rows.
  const RowNumberBounds& row_ids() const;
  const RowNumberBounds& row_addresses() const;

  /// The terms of a top-level `and`, in the order of the text; the filter itself when there is
  /// none.
  std::vector<Filter> Conjuncts() const;

  /// Returns which rows of `batch` are true under the filter. Columns are found by name; the batch
  /// needs those of fields() and may have others. Cost: one pass over the columns read, less where
  /// an earlier term of an `and` has already decided. Errors: kInvalidArgument for a column that is
  /// missing or of another type than the schema said, and for values the filter fails on (division
  /// by zero, a cast that does not fit) in rows that an earlier term did not decide.
  arrow::Result<RowSelection> Evaluate(const arrow::RecordBatch& batch) const;

 private:
  struct State;
  explicit Filter(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static arrow::Result<Filter> Make(std::string text, const arrow::Schema& schema,
                                    const arrow::compute::Expression& expression);
  friend arrow::Result<Filter> ParseFilter(std::string_view sql, const arrow::Schema& schema);

  std::shared_ptr<const State> state_;
};

/// Parses `sql`, a boolean expression, and binds it to `schema`: the table's fields and the system
/// columns that the caller wants usable (`_rowid`, `_rowaddr`, `_row_created_at_version`,
/// `_row_last_updated_at_version`, all uint64). Cost: microseconds, and once per process about 3 ms
/// for Arrow's function registry. Errors: kInvalidArgument with the place (`... at character 12
/// near "foo"`); kTooLarge above 1 MiB of text.
arrow::Result<Filter> ParseFilter(std::string_view sql, const arrow::Schema& schema);

}  // namespace pennon
