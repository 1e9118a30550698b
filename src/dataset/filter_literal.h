/// \file
/// Constants beside columns: when a literal takes the column's type, and when a cast of the column
/// can be taken off by casting the constant instead, so that the comparison runs on stored values.
/// Spec: docs/filters.md, heading "Types".
#pragma once

#include <arrow/scalar.h>

#include <memory>

#include "dataset/filter_types.h"

namespace pennon {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

/// Returns a number literal as the float type `type` (rounded to nearest), or nullptr if it has to
/// be compared wider. The reference engine does this for `column operator literal` outside of not()
/// and functions.
ScalarPtr NarrowToFloat(const arrow::Scalar& literal, const TypePtr& type);

/// Returns the constant `value` as `type` such that comparing a column of `type` with it gives the
/// same rows as comparing the column's cast to value's type; nullptr if there is none.
ScalarPtr UnwrapConstant(const ScalarPtr& value, const TypePtr& type);

}  // namespace pennon
