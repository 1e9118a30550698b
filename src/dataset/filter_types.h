/// \file
/// Which common type the two sides of an operator are brought to. The rules are those of the
/// reference engine, so that the same text compares the same way in both; docs/filters.md lists
/// them. Spec: docs/filters.md, heading "Types".
#pragma once

#include <arrow/type.h>

#include <memory>

namespace pennon {

using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsText(const arrow::DataType& type);   ///< Strings of any offset width, views included.
bool IsBytes(const arrow::DataType& type);  ///< Binary of any offset width, fixed size included.
bool IsInteger(const arrow::DataType& type);
bool IsFloat(const arrow::DataType& type);
bool IsDecimal(const arrow::DataType& type);
bool IsNumeric(const arrow::DataType& type);  ///< Integers, floats and decimals.
bool IsDate(const arrow::DataType& type);
bool IsList(const arrow::DataType& type);  ///< List, large list, fixed-size list.
bool IsTemporal(const arrow::DataType& type);

/// Element type of any list.
TypePtr ElementType(const arrow::DataType& list);
/// The type of the values of a dictionary; any other type itself.
TypePtr ValueType(const TypePtr& type);

/// Returns the type in which values of `left` and `right` are compared, or nullptr when they are
/// not comparable. A number beside text is compared as a number, a date beside text as a date.
TypePtr ComparisonType(const TypePtr& left, const TypePtr& right);

/// Returns the type that can hold values of both (branches of case, coalesce of text), or nullptr.
/// A number beside text becomes text.
TypePtr UnionType(const TypePtr& left, const TypePtr& right);

/// Like ComparisonType, for arguments of one call (coalesce, greatest, array elements).
TypePtr ArgumentType(const TypePtr& left, const TypePtr& right);

/// Types of an arithmetic operator: what each side is cast to and what comes out.
struct ArithmeticTypes {
  TypePtr left;
  TypePtr right;
  TypePtr result;
};

/// Returns the types for + - * / %, all nullptr when there is no such operation. Numbers only;
/// dates and times are the caller's.
ArithmeticTypes NumericArithmetic(char operation, const TypePtr& left, const TypePtr& right);

/// Returns the integer type in which << and >> work, or nullptr.
TypePtr BitwiseType(const TypePtr& left, const TypePtr& right);

/// Decimal with precision and scale cut to what the width allows.
TypePtr MakeDecimal(int bit_width, int precision, int scale);

/// "int64", "timestamp[us]", ... for messages.
std::string TypeName(const arrow::DataType& type);

}  // namespace pennon
