// Functions on lists of any kind. Positions count from 1, from the end when negative.
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compare.h>
#include <arrow/compute/api_vector.h>

#include "dataset/filter_cast.h"
#include "dataset/filter_kernel.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

/// A column of lists: elements of row r are values()[begin(r), end(r)).
class ListColumn {
 public:
  static arrow::Result<ListColumn> Make(const KernelCall& call, const arrow::Datum& datum) {
    ListColumn column;
    column.is_scalar_ = datum.is_scalar();
    ARROW_ASSIGN_OR_RAISE(column.lists_,
                          AsArray(datum, column.is_scalar_ ? 1 : call.length, call.pool));
    switch (column.lists_->type_id()) {
      case Type::LIST:
      case Type::MAP:
        column.values_ = static_cast<const arrow::ListArray&>(*column.lists_).values();
        column.offsets32_ =
            static_cast<const arrow::ListArray&>(*column.lists_).raw_value_offsets();
        break;
      case Type::LARGE_LIST:
        column.values_ = static_cast<const arrow::LargeListArray&>(*column.lists_).values();
        column.offsets64_ =
            static_cast<const arrow::LargeListArray&>(*column.lists_).raw_value_offsets();
        break;
      default: {
        const auto& fixed = static_cast<const arrow::FixedSizeListArray&>(*column.lists_);
        column.values_ = fixed.values();
        column.width_ = fixed.value_length();
        column.first_ = fixed.offset();
      }
    }
    // A slice of a long column looks at its own elements only.
    const int64_t rows = column.lists_->length();
    const int64_t base = rows == 0 ? 0 : column.Offset(0);
    column.values_ = column.values_->Slice(base, rows == 0 ? 0 : column.Offset(rows) - base);
    column.base_ = base;
    return column;
  }

  bool is_scalar() const { return is_scalar_; }
  bool IsNull(int64_t row) const { return lists_->IsNull(is_scalar_ ? 0 : row); }
  const ArrayPtr& values() const { return values_; }
  int64_t begin(int64_t row) const { return Offset(is_scalar_ ? 0 : row); }
  int64_t end(int64_t row) const { return Offset((is_scalar_ ? 0 : row) + 1); }
  int64_t size(int64_t row) const { return end(row) - begin(row); }

 private:
  int64_t Offset(int64_t row) const {
    if (offsets32_ != nullptr) return offsets32_[row] - base_;
    return (offsets64_ != nullptr ? offsets64_[row] : (first_ + row) * width_) - base_;
  }

  bool is_scalar_ = false;
  ArrayPtr lists_;
  ArrayPtr values_;
  const int32_t* offsets32_ = nullptr;
  const int64_t* offsets64_ = nullptr;
  int64_t width_ = 0;
  int64_t first_ = 0;
  int64_t base_ = 0;
};

/// Floats by their bits, nulls like a value.
bool SameElement(const arrow::Array& left, int64_t left_index, const arrow::Array& right,
                 int64_t right_index) {
  static const auto options =
      arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  return arrow::ArrayRangeEquals(left, right, left_index, left_index + 1, right_index, options);
}

/// For each element of `lists` whether it is valid and equal to element `index` of `wanted`: one
/// pass by Arrow's kernels for types that have them.
arrow::Result<ArrayPtr> FlatEqual(const KernelCall& call, const ArrayPtr& values,
                                  const std::shared_ptr<arrow::Scalar>& wanted) {
  const arrow::DataType& type = *values->type();
  if (!IsFloat(type) && type.num_fields() == 0)
    return CallArrow({call.arguments, values->length(), call.options, call.pool}, "equal",
                     {values, wanted});
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr one, arrow::MakeArrayFromScalar(*wanted, 1));
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(values->length()));
  for (int64_t i = 0; i < values->length(); ++i)
    builder.UnsafeAppend(SameElement(*values, i, *one, 0));
  return builder.Finish();
}

/// (list, element)
arrow::Result<ArrayPtr> ArrayHas(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  const arrow::Datum& wanted = call.arguments[1];
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  if (wanted.is_scalar()) {
    if (!wanted.scalar()->is_valid)
      return arrow::MakeArrayOfNull(arrow::boolean(), call.length, call.pool);
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr equal, FlatEqual(call, lists.values(), wanted.scalar()));
    const auto& flags = static_cast<const arrow::BooleanArray&>(*equal);
    for (int64_t row = 0; row < call.length; ++row) {
      if (lists.IsNull(row)) {
        builder.UnsafeAppendNull();
        continue;
      }
      bool has = false;
      for (int64_t i = lists.begin(row); i < lists.end(row) && !has; ++i)
        has = flags.IsValid(i) && flags.Value(i);
      builder.UnsafeAppend(has);
    }
    return builder.Finish();
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr elements, AsArray(wanted, call.length, call.pool));
  for (int64_t row = 0; row < call.length; ++row) {
    if (lists.IsNull(row) || elements->IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    bool has = false;
    for (int64_t i = lists.begin(row); i < lists.end(row) && !has; ++i)
      has = SameElement(*lists.values(), i, *elements, row);
    builder.UnsafeAppend(has);
  }
  return builder.Finish();
}

/// (list, list). Nulls among the elements are equal to each other.
template <bool kAll>
arrow::Result<ArrayPtr> ArrayHasMany(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const ListColumn wanted, ListColumn::Make(call, call.arguments[1]));
  // A constant list: one pass over all elements for each wanted one.
  std::vector<std::vector<bool>> matches;
  if (wanted.is_scalar() && !wanted.IsNull(0)) {
    for (int64_t k = wanted.begin(0); k < wanted.end(0); ++k) {
      std::vector<bool>& flags =
          matches.emplace_back(static_cast<size_t>(lists.values()->length()));
      ARROW_ASSIGN_OR_RAISE(const auto element, wanted.values()->GetScalar(k));
      if (!element->is_valid) {
        for (size_t i = 0; i < flags.size(); ++i)
          flags[i] = lists.values()->IsNull(static_cast<int64_t>(i));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr equal, FlatEqual(call, lists.values(), element));
      const auto& bits = static_cast<const arrow::BooleanArray&>(*equal);
      for (size_t i = 0; i < flags.size(); ++i)
        flags[i] = bits.IsValid(static_cast<int64_t>(i)) && bits.Value(static_cast<int64_t>(i));
    }
  }
  const auto has_element = [&](int64_t row, int64_t k) {
    for (int64_t i = lists.begin(row); i < lists.end(row); ++i) {
      const bool same =
          wanted.is_scalar()
              ? matches[static_cast<size_t>(k - wanted.begin(0))][static_cast<size_t>(i)]
              : SameElement(*lists.values(), i, *wanted.values(), k);
      if (same) return true;
    }
    return false;
  };
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  for (int64_t row = 0; row < call.length; ++row) {
    if (lists.IsNull(row) || wanted.IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    bool holds = kAll;
    for (int64_t k = wanted.begin(row); k < wanted.end(row) && holds == kAll; ++k)
      holds = has_element(row, k);
    builder.UnsafeAppend(holds);
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> ArrayLength(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  arrow::UInt64Builder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    ARROW_RETURN_NOT_OK(lists.IsNull(row) ? builder.AppendNull()
                                          : builder.Append(static_cast<uint64_t>(lists.size(row))));
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> ArrayEmpty(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  arrow::BooleanBuilder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    ARROW_RETURN_NOT_OK(lists.IsNull(row) ? builder.AppendNull()
                                          : builder.Append(lists.size(row) == 0));
  }
  return builder.Finish();
}

/// (list, element): the first position.
arrow::Result<ArrayPtr> ArrayPosition(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr elements,
                        AsArray(call.arguments[1], call.length, call.pool));
  arrow::UInt64Builder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    uint64_t position = 0;
    for (int64_t i = lists.begin(row); !lists.IsNull(row) && i < lists.end(row) && position == 0;
         ++i) {
      if (SameElement(*lists.values(), i, *elements, row))
        position = static_cast<uint64_t>(i - lists.begin(row)) + 1;
    }
    ARROW_RETURN_NOT_OK(position == 0 ? builder.AppendNull() : builder.Append(position));
  }
  return builder.Finish();
}

/// Takes element `index(row)` of all elements, null where it is negative.
template <typename Index>
arrow::Result<ArrayPtr> TakeElements(const KernelCall& call, const ListColumn& lists,
                                     Index&& index) {
  arrow::Int64Builder indices(call.pool);
  ARROW_RETURN_NOT_OK(indices.Reserve(call.length));
  for (int64_t row = 0; row < call.length; ++row) {
    const int64_t at = lists.IsNull(row) ? -1 : index(row);
    at < 0 ? indices.UnsafeAppendNull() : indices.UnsafeAppend(at);
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr taken_at, indices.Finish());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken, arrow::compute::Take(lists.values(), taken_at));
  return taken.make_array();
}

/// (list, position)
arrow::Result<ArrayPtr> ArrayElement(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const auto positions,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  return TakeElements(call, lists, [&](int64_t row) -> int64_t {
    if (positions.IsNull(row)) return -1;
    const int64_t position = positions.At(row), size = lists.size(row);
    if (position > 0 && position <= size) return lists.begin(row) + position - 1;
    return position < 0 && position >= -size ? lists.end(row) + position : -1;
  });
}

/// The greatest element, or the smallest with the flag, nulls left out.
arrow::Result<ArrayPtr> ArrayExtreme(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  // Ranks compare any sortable type once for all rows.
  const auto order = arrow::compute::SortIndices(*lists.values());
  if (!order.ok())
    return MakeError(ErrorKind::kInvalidArgument,
                     "elements of " + TypeName(*lists.values()->type()) + " have no order");
  std::vector<uint64_t> ranks(static_cast<size_t>(lists.values()->length()));
  const auto& sorted = static_cast<const arrow::UInt64Array&>(**order);
  for (int64_t i = 0; i < sorted.length(); ++i) ranks[sorted.Value(i)] = static_cast<uint64_t>(i);
  return TakeElements(call, lists, [&](int64_t row) {
    int64_t best = -1;
    for (int64_t i = lists.begin(row); i < lists.end(row); ++i) {
      if (lists.values()->IsNull(i)) continue;
      const auto rank = ranks[static_cast<size_t>(i)];
      if (best < 0 || (rank < ranks[static_cast<size_t>(best)]) == call.options.flag) best = i;
    }
    return best;
  });
}

/// (list, separator): elements as text, nulls left out.
arrow::Result<ArrayPtr> ArrayToString(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ListColumn lists, ListColumn::Make(call, call.arguments[0]));
  const TextArgument separator(call.arguments[1]);
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr texts,
                        CastArray(lists.values(), arrow::utf8(), CastFailure::kError, call.pool));
  const TextArgument text{arrow::Datum(texts)};
  arrow::StringBuilder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    if (lists.IsNull(row) || separator.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    std::string joined;
    bool is_first = true;
    for (int64_t i = lists.begin(row); i < lists.end(row); ++i) {
      if (text.IsNull(i)) continue;
      if (!is_first) joined += separator.At(row);
      is_first = false;
      joined += text.At(i);
    }
    ARROW_RETURN_NOT_OK(builder.Append(joined));
  }
  return builder.Finish();
}

/// Columns of one type become one list a row.
arrow::Result<ArrayPtr> MakeList(const KernelCall& call) {
  const auto width = static_cast<int64_t>(call.arguments.size());
  if (call.length * width > INT32_MAX)
    return MakeError(ErrorKind::kTooLarge, "make_array: too many elements in a batch");
  arrow::ArrayVector columns;
  for (const arrow::Datum& argument : call.arguments) {
    ARROW_ASSIGN_OR_RAISE(ArrayPtr column, AsArray(argument, call.length, call.pool));
    columns.push_back(std::move(column));
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr stacked, arrow::Concatenate(columns, call.pool));
  arrow::Int64Builder order(call.pool);
  arrow::Int32Builder offsets(call.pool);
  for (int64_t row = 0; row <= call.length; ++row) {
    ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(row * width)));
    for (int64_t i = 0; i < width && row < call.length; ++i)
      ARROW_RETURN_NOT_OK(order.Append(i * call.length + row));
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr taken_at, order.Finish());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum elements, arrow::compute::Take(stacked, taken_at));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr ends, offsets.Finish());
  return arrow::ListArray::FromArrays(call.options.type, *ends, *elements.make_array(), call.pool);
}

}  // namespace

std::vector<NamedKernel> ListKernels() {
  return {{"array_has", ArrayHas},
          {"array_has_any", ArrayHasMany<false>},
          {"array_has_all", ArrayHasMany<true>},
          {"array_length", ArrayLength},
          {"array_empty", ArrayEmpty},
          {"array_position", ArrayPosition},
          {"array_element", ArrayElement},
          {"array_extreme", ArrayExtreme},
          {"array_to_string", ArrayToString},
          {"make_array", MakeList}};
}

}  // namespace pennon
