/// \file
/// Functions that filters call beside Arrow's own: where Arrow has no function, or one with another
/// meaning. They live in a registry of ours on top of Arrow's, so a bound expression carries them
/// wherever it is evaluated. Spec: docs/decisions/020-filter-functions.md.
#pragma once

#include <arrow/array.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/function_options.h>
#include <arrow/datum.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/filter_types.h"

namespace pennon {

/// Options of every function of ours.
class FilterCallOptions : public arrow::compute::FunctionOptions {
 public:
  explicit FilterCallOptions(TypePtr result_type = nullptr, std::string word_argument = {},
                             bool flag_argument = false);

  TypePtr type;       ///< Type of the result.
  std::string word;   ///< A constant argument: part of a date, flags of a pattern, ...
  bool flag = false;  ///< Meaning depends on the function.
};

/// One batch for a function of ours. Arguments are arrays of `length` or scalars.
struct KernelCall {
  const std::vector<arrow::Datum>& arguments;
  int64_t length;
  const FilterCallOptions& options;
  arrow::MemoryPool* pool;
};

using KernelFunction = arrow::Result<std::shared_ptr<arrow::Array>> (*)(const KernelCall&);

struct NamedKernel {
  const char* name;
  KernelFunction function;
};

/// The functions of each family, by file.
std::vector<NamedKernel>
ComparisonKernels();  ///< Replace Arrow's: total order of floats, lists, structs.
std::vector<NamedKernel> CastKernels();
std::vector<NamedKernel> TextKernels();
std::vector<NamedKernel> PatternKernels();
std::vector<NamedKernel> MathKernels();
std::vector<NamedKernel> TimeKernels();
std::vector<NamedKernel> ListKernels();

/// Context in which filters are bound and evaluated. Initialises Arrow's functions when first
/// called (about 3 ms).
arrow::Result<arrow::compute::ExecContext*> FilterExecContext();

/// Calls Arrow's own function of that name and returns an array of call.length.
arrow::Result<std::shared_ptr<arrow::Array>> CallArrow(
    const KernelCall& call, const std::string& name, std::vector<arrow::Datum> arguments,
    const arrow::compute::FunctionOptions* options = nullptr);

/// Returns a datum as an array of `length`: a scalar is repeated.
arrow::Result<std::shared_ptr<arrow::Array>> AsArray(const arrow::Datum& datum, int64_t length,
                                                     arrow::MemoryPool* pool);

/// Reads strings and binary of any offset width, by row, from an array or a scalar.
class TextArgument {
 public:
  explicit TextArgument(const arrow::Datum& datum);

  bool IsNull(int64_t row) const { return is_scalar_ ? scalar_is_null_ : array_->IsNull(row); }
  std::string_view At(int64_t row) const {
    if (is_scalar_) return scalar_;
    if (offsets32_ != nullptr) {
      return {bytes_ + offsets32_[row], static_cast<size_t>(offsets32_[row + 1] - offsets32_[row])};
    }
    if (offsets64_ != nullptr) {
      return {bytes_ + offsets64_[row], static_cast<size_t>(offsets64_[row + 1] - offsets64_[row])};
    }
    return {bytes_ + row * width_, static_cast<size_t>(width_)};
  }
  bool is_scalar() const { return is_scalar_; }

 private:
  bool is_scalar_ = false;
  bool scalar_is_null_ = false;
  std::string_view scalar_;
  std::shared_ptr<arrow::Scalar> owner_;
  std::shared_ptr<arrow::Array> array_;
  const int32_t* offsets32_ = nullptr;
  const int64_t* offsets64_ = nullptr;
  const char* bytes_ = nullptr;
  int64_t width_ = 0;
};

/// Reads integers of any width as int64 (uint64 above 2^63 wraps), by row, from an array or a
/// scalar.
class IntegerArgument {
 public:
  static arrow::Result<IntegerArgument> Make(const arrow::Datum& datum, int64_t length,
                                             arrow::MemoryPool* pool);
  bool IsNull(int64_t row) const { return array_->IsNull(is_scalar_ ? 0 : row); }
  int64_t At(int64_t row) const { return values_[is_scalar_ ? 0 : row]; }

 private:
  bool is_scalar_ = false;
  std::shared_ptr<arrow::Array> array_;
  const int64_t* values_ = nullptr;
};

}  // namespace pennon
