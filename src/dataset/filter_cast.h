/// \file
/// Casts as the reference engine does them: fractions are cut, what does not fit is an error, text
/// follows filter_text_values.h. Spec: docs/filters.md, heading "Casts".
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/scalar.h>

#include <memory>

#include "dataset/filter_types.h"

namespace pennon {

/// What becomes of a value that cannot be cast.
enum class CastFailure { kError, kNull };

/// Returns whether there is a cast at all.
bool CanCast(const arrow::DataType& from, const arrow::DataType& to);

/// Returns `values` as `to`. One pass; no copy when the type is the same.
/// Errors: kInvalidArgument naming the first value that does not fit, or the types when there is no
/// such cast.
arrow::Result<std::shared_ptr<arrow::Array>> CastArray(const std::shared_ptr<arrow::Array>& values,
                                                       const TypePtr& to, CastFailure failure,
                                                       arrow::MemoryPool* pool);

arrow::Result<std::shared_ptr<arrow::Scalar>> CastScalar(
    const std::shared_ptr<arrow::Scalar>& value, const TypePtr& to,
    CastFailure failure = CastFailure::kError);

}  // namespace pennon
