// Arithmetic that Arrow does differently or not at all. Integers wrap around like Arrow's own + -
// *, which serve them.
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/util/decimal.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "dataset/filter_compare.h"
#include "dataset/filter_kernel.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

arrow::Status DivisionByZero() {
  return MakeError(ErrorKind::kInvalidArgument, "division by zero");
}
arrow::Status Overflow(const char* what) {
  return MakeError(ErrorKind::kInvalidArgument,
                   std::string(what) + ": the result does not fit its type");
}

template <typename ArrowType>
const typename ArrowType::c_type* Values(const arrow::Array& array) {
  return array.data()->GetValues<typename ArrowType::c_type>(1);
}

/// Calls `visit` with the numeric type of `type`; others are a mistake of ours.
template <typename Visit>
arrow::Result<ArrayPtr> VisitNumber(const arrow::DataType& type, Visit&& visit) {
  switch (type.id()) {
    case Type::INT8:
      return visit(arrow::Int8Type());
    case Type::INT16:
      return visit(arrow::Int16Type());
    case Type::INT32:
      return visit(arrow::Int32Type());
    case Type::INT64:
      return visit(arrow::Int64Type());
    case Type::UINT8:
      return visit(arrow::UInt8Type());
    case Type::UINT16:
      return visit(arrow::UInt16Type());
    case Type::UINT32:
      return visit(arrow::UInt32Type());
    case Type::UINT64:
      return visit(arrow::UInt64Type());
    case Type::FLOAT:
      return visit(arrow::FloatType());
    case Type::DOUBLE:
      return visit(arrow::DoubleType());
    default:
      return MakeError(ErrorKind::kInternal, "not a number: " + TypeName(type));
  }
}

/// One result for each row without a null among its arguments. `make` returns Result<value>.
template <typename ArrowType, typename Make>
arrow::Result<ArrayPtr> BuildNumbers(const KernelCall& call, const std::vector<ArrayPtr>& arguments,
                                     Make&& make) {
  arrow::NumericBuilder<ArrowType> builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  for (int64_t row = 0; row < call.length; ++row) {
    bool is_null = false;
    for (const ArrayPtr& argument : arguments) is_null |= argument->IsNull(row);
    if (is_null) {
      builder.UnsafeAppendNull();
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const typename ArrowType::c_type value, make(row));
    builder.UnsafeAppend(value);
  }
  return builder.Finish();
}

arrow::Result<std::vector<ArrayPtr>> Arrays(const KernelCall& call) {
  std::vector<ArrayPtr> arrays;
  for (const arrow::Datum& argument : call.arguments) {
    ARROW_ASSIGN_OR_RAISE(ArrayPtr array, AsArray(argument, call.length, call.pool));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

template <typename T>
arrow::Result<T> Divide(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return left / right;
  } else {
    if (right == 0) return DivisionByZero();
    if (std::is_signed_v<T> && left == std::numeric_limits<T>::min() && right == static_cast<T>(-1))
      return Overflow("/");
    return static_cast<T>(left / right);
  }
}
template <typename T>
arrow::Result<T> Remainder(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(left, right);
  } else {
    if (right == 0) return DivisionByZero();
    if (std::is_signed_v<T> && right == static_cast<T>(-1)) return T{0};
    return static_cast<T>(left % right);
  }
}

/// + - * / % of decimals, in 256 bits; a result that is too long for its type is an error.
template <typename ArrowType>
arrow::Result<ArrayPtr> DecimalArithmetic(const KernelCall& call,
                                          const std::vector<ArrayPtr>& arguments) {
  using Value = typename arrow::TypeTraits<ArrowType>::CType;
  const auto& left_type = static_cast<const arrow::DecimalType&>(*arguments[0]->type());
  const auto& right_type = static_cast<const arrow::DecimalType&>(*arguments[1]->type());
  const auto& type = static_cast<const arrow::DecimalType&>(*call.options.type);
  const char operation = call.options.word[0];
  int left_shift = 0, right_shift = 0;
  if (operation == '/') {
    const int shift = type.scale() - left_type.scale() + right_type.scale();
    left_shift = std::max(shift, 0);
    right_shift = std::max(-shift, 0);
  } else if (operation != '*') {
    left_shift = type.scale() - left_type.scale();
    right_shift = type.scale() - right_type.scale();
  }
  const auto shifted = [](const arrow::Decimal256& value, int shift, arrow::Decimal256* out) {
    // 76 digits always fit.
    if (shift > 0 && !value.FitsInPrecision(76 - shift)) return false;
    *out = shift > 0 ? arrow::Decimal256(value.IncreaseScaleBy(shift)) : value;
    return true;
  };
  typename arrow::TypeTraits<ArrowType>::BuilderType builder(call.options.type, call.pool);
  using ArrayType = typename arrow::TypeTraits<ArrowType>::ArrayType;
  const auto& left = static_cast<const ArrayType&>(*arguments[0]);
  const auto& right = static_cast<const ArrayType&>(*arguments[1]);
  for (int64_t row = 0; row < call.length; ++row) {
    if (left.IsNull(row) || right.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    arrow::Decimal256 a, b, result;
    if (!shifted(arrow::Decimal256(Value(left.GetValue(row))), left_shift, &a) ||
        !shifted(arrow::Decimal256(Value(right.GetValue(row))), right_shift, &b)) {
      return Overflow("decimal");
    }
    if ((operation == '/' || operation == '%') && b == arrow::Decimal256(0))
      return DivisionByZero();
    switch (operation) {
      case '+':
        result = a + b;
        break;
      case '-':
        result = a + arrow::Decimal256(-b);
        break;
      case '*': {
        // Digits of the factors bound those of the product.
        const auto digits = [](const arrow::Decimal256& value) {
          return arrow::Decimal256(arrow::Decimal256(value).Abs()).ToIntegerString().size();
        };
        if (digits(a) + digits(b) > 76) return Overflow("decimal");
        result = a * b;
        break;
      }
      default: {
        ARROW_ASSIGN_OR_RAISE(const auto divided, a.Divide(b));
        result = arrow::Decimal256(operation == '/' ? divided.first : divided.second);
      }
    }
    if (!result.FitsInPrecision(sizeof(Value) > 16 ? 76 : 38)) return Overflow("decimal");
    ARROW_RETURN_NOT_OK(builder.Append(Value(result.ToIntegerString())));
  }
  return builder.Finish();
}

/// The word is the operator.
arrow::Result<ArrayPtr> Arithmetic(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  if (call.options.type->id() == Type::DECIMAL128)
    return DecimalArithmetic<arrow::Decimal128Type>(call, arguments);
  if (call.options.type->id() == Type::DECIMAL256)
    return DecimalArithmetic<arrow::Decimal256Type>(call, arguments);
  return VisitNumber(*call.options.type, [&](auto type) {
    using ArrowType = decltype(type);
    const auto* left = Values<ArrowType>(*arguments[0]);
    const auto* right = Values<ArrowType>(*arguments[1]);
    const bool divides = call.options.word == "/";
    return BuildNumbers<ArrowType>(call, arguments, [&](int64_t row) {
      return divides ? Divide(left[row], right[row]) : Remainder(left[row], right[row]);
    });
  });
}

/// << and >>, the shift taken modulo the width.
arrow::Result<ArrayPtr> Shift(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  const bool is_left = call.options.word == "<<";
  return VisitNumber(*call.options.type, [&](auto type) -> arrow::Result<ArrayPtr> {
    using ArrowType = decltype(type);
    using T = typename ArrowType::c_type;
    if constexpr (std::is_integral_v<T>) {
      const auto* left = Values<ArrowType>(*arguments[0]);
      const auto* right = Values<ArrowType>(*arguments[1]);
      return BuildNumbers<ArrowType>(call, arguments, [&](int64_t row) -> arrow::Result<T> {
        const auto bits = static_cast<unsigned>(right[row]) % (8 * sizeof(T));
        if (is_left) return static_cast<T>(static_cast<std::make_unsigned_t<T>>(left[row]) << bits);
        return static_cast<T>(left[row] >> bits);
      });
    }
    return MakeError(ErrorKind::kInternal, "shift of a float");
  });
}

/// Half away from zero; the second argument counts decimal places.
template <typename T>
T RoundTo(T value, int64_t places, T (*round)(T)) {
  if (places == 0 || !std::isfinite(value)) return round(value);
  const T factor = std::pow(T{10}, static_cast<T>(places));
  if (!std::isfinite(factor)) return value;
  return round(value * factor) / factor;
}

template <bool kTruncates>
arrow::Result<ArrayPtr> Round(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  std::optional<IntegerArgument> places;
  if (arguments.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(places, IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  }
  return VisitNumber(*call.options.type, [&](auto type) -> arrow::Result<ArrayPtr> {
    using ArrowType = decltype(type);
    using T = typename ArrowType::c_type;
    if constexpr (std::is_floating_point_v<T>) {
      const auto* values = Values<ArrowType>(*arguments[0]);
      return BuildNumbers<ArrowType>(call, arguments, [&](int64_t row) -> arrow::Result<T> {
        T(*const round)
        (T) = kTruncates ? static_cast<T (*)(T)>(std::trunc) : static_cast<T (*)(T)>(std::round);
        const T result = RoundTo<T>(values[row], places ? places->At(row) : 0, round);
        return kTruncates && result == 0 && !places ? T{0} : result;
      });
    }
    return MakeError(ErrorKind::kInternal, "rounding takes floats");
  });
}

/// A logarithm that does not exist is NaN without the sign that this processor gives it, which
/// would order it first.
template <typename T>
T Logarithm(T value, T (*function)(T)) {
  const T result = function(value);
  return std::isnan(result) && !std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : result;
}

/// Functions of one double or float, by the word.
arrow::Result<ArrayPtr> Real(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  return VisitNumber(*call.options.type, [&](auto type) -> arrow::Result<ArrayPtr> {
    using ArrowType = decltype(type);
    using T = typename ArrowType::c_type;
    if constexpr (std::is_floating_point_v<T>) {
      using Function = T (*)(T);
      static const std::pair<const char*, Function> kFunctions[] = {
          {"sqrt", std::sqrt},
          {"cbrt", std::cbrt},
          {"exp", std::exp},
          {"log10", [](T value) { return Logarithm<T>(value, std::log10); }},
          {"ln", [](T value) { return Logarithm<T>(value, std::log); }},
          {"log2", [](T value) { return Logarithm<T>(value, std::log2); }},
          {"sin", std::sin},
          {"cos", std::cos},
          {"tan", std::tan},
          {"asin", std::asin},
          {"acos", std::acos},
          {"atan", std::atan},
          {"sinh", std::sinh},
          {"cosh", std::cosh},
          {"tanh", std::tanh},
          {"floor", std::floor},
          {"ceil", std::ceil},
          {"signum",
           [](T value) {
             return std::isnan(value) ? value : value == 0 ? T{0} : std::copysign(T{1}, value);
           }},
          {"degrees", [](T value) { return value * static_cast<T>(180.0 / M_PI); }},
          {"radians", [](T value) { return value * static_cast<T>(M_PI / 180.0); }}};
      for (const auto& [name, function] : kFunctions) {
        if (call.options.word != name) continue;
        const auto* values = Values<ArrowType>(*arguments[0]);
        return BuildNumbers<ArrowType>(call, arguments,
                                       [values, apply = function](int64_t row) -> arrow::Result<T> {
                                         return apply(values[row]);
                                       });
      }
    }
    return MakeError(ErrorKind::kInternal, "unknown function of a float: " + call.options.word);
  });
}

arrow::Result<ArrayPtr> Power(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  const auto* base = Values<arrow::DoubleType>(*arguments[0]);
  const auto* exponent = Values<arrow::DoubleType>(*arguments[1]);
  const bool is_log = call.options.word == "log";
  return BuildNumbers<arrow::DoubleType>(
      call, arguments, [&](int64_t row) -> arrow::Result<double> {
        if (!is_log) return std::pow(base[row], exponent[row]);
        return Logarithm<double>(exponent[row], std::log) / Logarithm<double>(base[row], std::log);
      });
}

arrow::Result<ArrayPtr> Abs(const KernelCall& call) {
  if (IsDecimal(*call.options.type)) return CallArrow(call, "abs", call.arguments);
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  return VisitNumber(*call.options.type, [&](auto type) {
    using ArrowType = decltype(type);
    using T = typename ArrowType::c_type;
    const auto* values = Values<ArrowType>(*arguments[0]);
    return BuildNumbers<ArrowType>(call, arguments, [&](int64_t row) -> arrow::Result<T> {
      if constexpr (std::is_floating_point_v<T>) {
        return std::fabs(values[row]);
      } else {
        if (std::is_signed_v<T> && values[row] == std::numeric_limits<T>::min())
          return Overflow("abs");
        return static_cast<T>(values[row] < 0 ? -values[row] : values[row]);
      }
    });
  });
}

/// gcd and lcm of int64, by the word.
arrow::Result<ArrayPtr> CommonDivisor(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, Arrays(call));
  const auto* left = Values<arrow::Int64Type>(*arguments[0]);
  const auto* right = Values<arrow::Int64Type>(*arguments[1]);
  const bool is_multiple = call.options.word == "lcm";
  return BuildNumbers<arrow::Int64Type>(
      call, arguments, [&](int64_t row) -> arrow::Result<int64_t> {
        const auto magnitude = [](int64_t value) {
          return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value)
                           : static_cast<uint64_t>(value);
        };
        uint64_t result = std::gcd(magnitude(left[row]), magnitude(right[row]));
        if (is_multiple && result != 0 &&
            __builtin_mul_overflow(magnitude(left[row]) / result, magnitude(right[row]), &result)) {
          return Overflow("lcm");
        }
        if (result > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
          return Overflow(call.options.word.c_str());
        return static_cast<int64_t>(result);
      });
}

/// isnan and iszero, by the word.
arrow::Result<ArrayPtr> TestReal(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  const bool wants_nan = call.options.word == "isnan";
  arrow::BooleanBuilder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    if (values->IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    const double value = values->type_id() == Type::FLOAT ? Values<arrow::FloatType>(*values)[row]
                                                          : Values<arrow::DoubleType>(*values)[row];
    ARROW_RETURN_NOT_OK(builder.Append(wants_nan ? std::isnan(value) : value == 0));
  }
  return builder.Finish();
}

}  // namespace

std::vector<NamedKernel> MathKernels() {
  return {{"sql_arithmetic", Arithmetic},
          {"sql_shift", Shift},
          {"sql_round", Round<false>},
          {"sql_trunc", Round<true>},
          {"sql_real", Real},
          {"sql_power", Power},
          {"sql_abs", Abs},
          {"sql_gcd", CommonDivisor},
          {"sql_test_real", TestReal}};
}

}  // namespace pennon
