// The six comparisons. Arrow's own serve all types but floats (whose order here is total, see
// filter_compare.h) and lists and structs (which Arrow does not compare).
#include <arrow/array/builder_primitive.h>
#include <arrow/compare.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/scalar.h>
#include <arrow/util/bitmap_ops.h>

#include "dataset/filter_compare.h"
#include "dataset/filter_kernel.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Datum;
using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

enum class Operation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

constexpr const char* kNames[] = {"equal",      "not_equal", "less",
                                  "less_equal", "greater",   "greater_equal"};

Operation Mirror(Operation operation) {
  switch (operation) {
    case Operation::kLess:
      return Operation::kGreater;
    case Operation::kLessEqual:
      return Operation::kGreaterEqual;
    case Operation::kGreater:
      return Operation::kLess;
    case Operation::kGreaterEqual:
      return Operation::kLessEqual;
    default:
      return operation;
  }
}

template <typename T>
bool Holds(Operation operation, T left, T right) {
  switch (operation) {
    case Operation::kEqual:
      return left == right;
    case Operation::kNotEqual:
      return left != right;
    case Operation::kLess:
      return left < right;
    case Operation::kLessEqual:
      return left <= right;
    case Operation::kGreater:
      return left > right;
    default:
      return left >= right;
  }
}

/// Column beside constant: the ranges of filter_compare.h.
arrow::Result<ArrayPtr> CompareWithConstant(const KernelCall& call, Operation operation,
                                            const Datum& column, const arrow::Scalar& constant) {
  if (!constant.is_valid) return arrow::MakeArrayOfNull(arrow::boolean(), call.length, call.pool);
  const auto range = MakeValueRange(kNames[static_cast<int>(operation)], constant);
  if (!range) return MakeError(ErrorKind::kInternal, "no range for a float");
  const int64_t num_words = (call.length + 63) / 64;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateBuffer(num_words * 8, call.pool));
  const arrow::ArraySpan span(*column.array());
  SelectInRange(span, *range, reinterpret_cast<uint64_t*>(bits->mutable_data()));
  std::shared_ptr<arrow::Buffer> validity;
  if (span.MayHaveNulls()) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::internal::CopyBitmap(call.pool, span.buffers[0].data,
                                                                span.offset, span.length));
  }
  return std::make_shared<arrow::BooleanArray>(call.length, std::move(bits), std::move(validity));
}

template <typename ArrowType, typename Bits>
arrow::Result<ArrayPtr> CompareFloatColumns(const KernelCall& call, Operation operation,
                                            const arrow::Array& left, const arrow::Array& right) {
  const auto* a = left.data()->GetValues<Bits>(1);
  const auto* b = right.data()->GetValues<Bits>(1);
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  for (int64_t i = 0; i < call.length; ++i) {
    if (left.IsNull(i) || right.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(Holds(operation, TotalOrderKey(a[i]), TotalOrderKey(b[i])));
    }
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> CompareFloats(const KernelCall& call, Operation operation) {
  const Datum& left = call.arguments[0];
  const Datum& right = call.arguments[1];
  if (right.is_scalar() && left.is_array())
    return CompareWithConstant(call, operation, left, *right.scalar());
  if (left.is_scalar() && right.is_array())
    return CompareWithConstant(call, Mirror(operation), right, *left.scalar());
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr a, AsArray(left, call.length, call.pool));
  if (left.is_scalar()) return CompareWithConstant(call, operation, a, *right.scalar());
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr b, AsArray(right, call.length, call.pool));
  return a->type_id() == Type::DOUBLE
             ? CompareFloatColumns<arrow::DoubleType, int64_t>(call, operation, *a, *b)
             : CompareFloatColumns<arrow::FloatType, int32_t>(call, operation, *a, *b);
}

arrow::Result<ArrayPtr> CompareNested(const KernelCall& call, Operation operation) {
  if (operation != Operation::kEqual && operation != Operation::kNotEqual) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "lists and structs can be compared for equality only");
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr left, AsArray(call.arguments[0], call.length, call.pool));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr right, AsArray(call.arguments[1], call.length, call.pool));
  const auto equal_options =
      arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  for (int64_t i = 0; i < call.length; ++i) {
    if (left->IsNull(i) || right->IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      const bool is_equal = arrow::ArrayRangeEquals(*left, *right, i, i + 1, i, equal_options);
      builder.UnsafeAppend(is_equal == (operation == Operation::kEqual));
    }
  }
  return builder.Finish();
}

template <Operation kOperation>
arrow::Result<ArrayPtr> Compare(const KernelCall& call) {
  if (call.arguments.size() != 2)
    return MakeError(ErrorKind::kInternal, "a comparison takes two arguments");
  switch (call.arguments[0].type()->id()) {
    case Type::FLOAT:
    case Type::DOUBLE:
      if (call.arguments[1].type()->id() != call.arguments[0].type()->id()) break;
      return CompareFloats(call, kOperation);
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST:
    case Type::STRUCT:
    case Type::MAP:
      return CompareNested(call, kOperation);
    case Type::NA:
      return arrow::MakeArrayOfNull(arrow::boolean(), call.length, call.pool);
    default:
      break;
  }
  return CallArrow(call, kNames[static_cast<int>(kOperation)], call.arguments);
}

}  // namespace

std::vector<NamedKernel> ComparisonKernels() {
  return {{"equal", Compare<Operation::kEqual>},
          {"not_equal", Compare<Operation::kNotEqual>},
          {"less", Compare<Operation::kLess>},
          {"less_equal", Compare<Operation::kLessEqual>},
          {"greater", Compare<Operation::kGreater>},
          {"greater_equal", Compare<Operation::kGreaterEqual>}};
}

}  // namespace pennon
