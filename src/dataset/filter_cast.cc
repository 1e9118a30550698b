#include "dataset/filter_cast.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "dataset/filter_kernel.h"
#include "dataset/filter_text_values.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

struct CastCall {
  const arrow::Array& values;
  const TypePtr& to;
  CastFailure failure;
  arrow::MemoryPool* pool;
};

arrow::Status CannotCast(const arrow::Array& values, int64_t row, const arrow::DataType& to) {
  std::string shown = "value";
  if (const auto scalar = values.GetScalar(row); scalar.ok()) shown = (*scalar)->ToString();
  if (shown.size() > 60) shown = shown.substr(0, 60) + "...";
  return MakeError(ErrorKind::kInvalidArgument,
                   fmt::format("cannot cast \"{}\" from {} to {}", shown, TypeName(*values.type()),
                               TypeName(to)));
}

/// Builds the result row by row; `convert` returns nothing for a value that does not fit.
template <typename Builder, typename Convert>
arrow::Result<ArrayPtr> ConvertRows(const CastCall& call, Convert&& convert) {
  Builder builder(call.to, call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.values.length()));
  for (int64_t row = 0; row < call.values.length(); ++row) {
    if (call.values.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    const auto converted = convert(row);
    if (converted) {
      ARROW_RETURN_NOT_OK(builder.Append(*converted));
    } else if (call.failure == CastFailure::kNull) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
    } else {
      return CannotCast(call.values, row, *call.to);
    }
  }
  return builder.Finish();
}

/// Calls `visit` with a builder type and a value type for each integer type.
template <typename Visit>
arrow::Result<ArrayPtr> VisitInteger(const arrow::DataType& type, Visit&& visit) {
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
    default:
      return visit(arrow::UInt64Type());
  }
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000'000'000;
  }
}

/// Shifts a local time into an instant of a zone that needs the database.
std::optional<int64_t> LocalToInstant(int64_t value, const arrow::TimestampType& to) {
  const auto naive = std::make_shared<arrow::TimestampScalar>(value, arrow::timestamp(to.unit()));
  const auto shifted = arrow::compute::AssumeTimezone(
      arrow::Datum(naive), arrow::compute::AssumeTimezoneOptions(to.timezone()));
  if (!shifted.ok() || !shifted->scalar()->is_valid) return std::nullopt;
  return static_cast<const arrow::TimestampScalar&>(*shifted->scalar()).value;
}

std::optional<int64_t> InUnits(const TextInstant& instant, arrow::TimeUnit::type unit) {
  const __int128 nanos = static_cast<__int128>(instant.seconds) * 1'000'000'000 + instant.nanos;
  const __int128 value = nanos / (1'000'000'000 / UnitsPerSecond(unit));
  if (value > std::numeric_limits<int64_t>::max() || value < std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<int64_t> ParseTimestamp(std::string_view text, const arrow::TimestampType& to) {
  auto instant = ParseInstant(text);
  if (!instant) return std::nullopt;
  const bool is_local = !instant->has_zone && !to.timezone().empty();
  const auto offset = is_local ? ParseZoneOffset(to.timezone()) : 0;
  if (is_local && offset) instant->seconds -= *offset;
  const auto value = InUnits(*instant, to.unit());
  return value && is_local && !offset ? LocalToInstant(*value, to) : value;
}

template <typename DecimalType>
arrow::Result<ArrayPtr> TextToDecimal(const CastCall& call, const TextArgument& text) {
  using Value = typename arrow::TypeTraits<DecimalType>::CType;
  const auto& type = static_cast<const DecimalType&>(*call.to);
  return ConvertRows<typename arrow::TypeTraits<DecimalType>::BuilderType>(
      call, [&](int64_t row) -> std::optional<Value> {
        const auto value = ParseDecimal(text.At(row), type.precision(), type.scale());
        if (!value) return std::nullopt;
        return Value(value->ToIntegerString());
      });
}

arrow::Result<ArrayPtr> FromText(const CastCall& call) {
  const TextArgument text{arrow::Datum(call.values.data())};
  const arrow::DataType& to = *call.to;
  switch (to.id()) {
    case Type::BOOL:
      return ConvertRows<arrow::BooleanBuilder>(
          call, [&](int64_t row) { return ParseBoolean(text.At(row)); });
    case Type::FLOAT:
      return ConvertRows<arrow::FloatBuilder>(
          call, [&](int64_t row) { return ParseFloat(text.At(row)); });
    case Type::DOUBLE:
      return ConvertRows<arrow::DoubleBuilder>(
          call, [&](int64_t row) { return ParseDouble(text.At(row)); });
    case Type::DATE32:
      return ConvertRows<arrow::Date32Builder>(
          call, [&](int64_t row) { return ParseDate(text.At(row)); });
    case Type::DATE64:
      return ConvertRows<arrow::Date64Builder>(call, [&](int64_t row) -> std::optional<int64_t> {
        const auto days = ParseDate(text.At(row));
        return days ? std::optional<int64_t>(*days * int64_t{86'400'000}) : std::nullopt;
      });
    case Type::TIMESTAMP:
      return ConvertRows<arrow::TimestampBuilder>(call, [&](int64_t row) {
        return ParseTimestamp(text.At(row), static_cast<const arrow::TimestampType&>(to));
      });
    case Type::TIME32:
      return ConvertRows<arrow::Time32Builder>(call, [&](int64_t row) -> std::optional<int32_t> {
        const int64_t unit =
            1'000'000'000 / UnitsPerSecond(static_cast<const arrow::Time32Type&>(to).unit());
        const auto nanos = ParseTimeOfDay(text.At(row));
        return nanos ? std::optional<int32_t>(static_cast<int32_t>(*nanos / unit)) : std::nullopt;
      });
    case Type::TIME64:
      return ConvertRows<arrow::Time64Builder>(call, [&](int64_t row) -> std::optional<int64_t> {
        const int64_t unit =
            1'000'000'000 / UnitsPerSecond(static_cast<const arrow::Time64Type&>(to).unit());
        const auto nanos = ParseTimeOfDay(text.At(row));
        return nanos ? std::optional<int64_t>(*nanos / unit) : std::nullopt;
      });
    case Type::DECIMAL128:
      return TextToDecimal<arrow::Decimal128Type>(call, text);
    case Type::DECIMAL256:
      return TextToDecimal<arrow::Decimal256Type>(call, text);
    default:
      break;
  }
  return VisitInteger(to, [&](auto type) {
    using T = typename decltype(type)::c_type;
    return ConvertRows<typename arrow::TypeTraits<decltype(type)>::BuilderType>(
        call, [&](int64_t row) -> std::optional<T> {
          if constexpr (std::is_signed_v<T>) {
            const auto value = ParseSigned(text.At(row));
            if (!value || !std::in_range<T>(*value)) return std::nullopt;
            return static_cast<T>(*value);
          } else {
            const auto value = ParseUnsigned(text.At(row));
            if (!value || !std::in_range<T>(*value)) return std::nullopt;
            return static_cast<T>(*value);
          }
        });
  });
}

/// Value `row` as text; nothing for types that have none.
std::optional<std::string> TextOf(const arrow::Array& values, int64_t row) {
  const auto as_real = [](const auto& array, int64_t at) { return array.Value(at); };
  switch (values.type_id()) {
    case Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(values).Value(row) ? "true" : "false";
    case Type::FLOAT:
      return FormatFloat(as_real(static_cast<const arrow::FloatArray&>(values), row));
    case Type::DOUBLE:
      return FormatDouble(as_real(static_cast<const arrow::DoubleArray&>(values), row));
    case Type::HALF_FLOAT:
      return FormatFloat(arrow::util::Float16::FromBits(
                             static_cast<const arrow::HalfFloatArray&>(values).Value(row))
                             .ToFloat());
    case Type::DATE32:
      return FormatDate(static_cast<const arrow::Date32Array&>(values).Value(row));
    case Type::DATE64:
      return FormatDate(static_cast<int32_t>(
          static_cast<const arrow::Date64Array&>(values).Value(row) / 86'400'000));
    case Type::DECIMAL128:
      return FormatDecimal(arrow::Decimal256(arrow::Decimal128(
                               static_cast<const arrow::Decimal128Array&>(values).GetValue(row))),
                           static_cast<const arrow::Decimal128Type&>(*values.type()).scale());
    case Type::DECIMAL256:
      return FormatDecimal(
          arrow::Decimal256(static_cast<const arrow::Decimal256Array&>(values).GetValue(row)),
          static_cast<const arrow::Decimal256Type&>(*values.type()).scale());
    case Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*values.type());
      const int64_t value = static_cast<const arrow::TimestampArray&>(values).Value(row);
      const int64_t per_second = UnitsPerSecond(type.unit());
      // The year 262142, as far as the reference engine's calendar goes.
      constexpr int64_t kCalendarSecondsMax = 8'210'266'876'799;
      const bool borrows = value % per_second < 0;
      const int64_t seconds = value / per_second - (borrows ? 1 : 0);
      const int64_t units = value % per_second + (borrows ? per_second : 0);
      const auto nanos = static_cast<int32_t>(units * (1'000'000'000 / per_second));
      if (seconds > kCalendarSecondsMax || seconds < -kCalendarSecondsMax) return std::nullopt;
      if (type.timezone().empty()) return FormatInstant(seconds, nanos, std::nullopt);
      const auto offset = ParseZoneOffset(type.timezone());
      if (!offset) return std::nullopt;
      return FormatInstant(seconds, nanos, *offset);
    }
    case Type::TIME32:
      return FormatTimeOfDay(
          static_cast<const arrow::Time32Array&>(values).Value(row) *
          (1'000'000'000 /
           UnitsPerSecond(static_cast<const arrow::Time32Type&>(*values.type()).unit())));
    case Type::TIME64:
      return FormatTimeOfDay(
          static_cast<const arrow::Time64Array&>(values).Value(row) *
          (1'000'000'000 /
           UnitsPerSecond(static_cast<const arrow::Time64Type&>(*values.type()).unit())));
    default: {
      const auto scalar = values.GetScalar(row);
      if (!scalar.ok()) return std::nullopt;
      return (*scalar)->ToString();
    }
  }
}

arrow::Result<ArrayPtr> ToText(const CastCall& call) {
  const auto convert = [&](int64_t row) { return TextOf(call.values, row); };
  return call.to->id() == Type::LARGE_STRING ? ConvertRows<arrow::LargeStringBuilder>(call, convert)
                                             : ConvertRows<arrow::StringBuilder>(call, convert);
}

double RealAt(const arrow::Array& values, int64_t row) {
  if (values.type_id() == Type::DOUBLE)
    return static_cast<const arrow::DoubleArray&>(values).Value(row);
  if (values.type_id() == Type::FLOAT)
    return static_cast<const arrow::FloatArray&>(values).Value(row);
  return arrow::util::Float16::FromBits(
             static_cast<const arrow::HalfFloatArray&>(values).Value(row))
      .ToDouble();
}

arrow::Result<ArrayPtr> RealToInteger(const CastCall& call) {
  return VisitInteger(*call.to, [&](auto type) {
    using T = typename decltype(type)::c_type;
    return ConvertRows<typename arrow::TypeTraits<decltype(type)>::BuilderType>(
        call, [&](int64_t row) -> std::optional<T> {
          const double value = std::trunc(RealAt(call.values, row));
          // The bounds as doubles: the upper one is exact as a power of two, and excluded.
          const double below = std::ldexp(1.0, std::numeric_limits<T>::digits);
          if (!(value >= (std::is_signed_v<T> ? -below : 0.0)) || !(value < below))
            return std::nullopt;
          return static_cast<T>(value);
        });
  });
}

template <typename DecimalType>
arrow::Result<ArrayPtr> RealToDecimal(const CastCall& call) {
  using Value = typename arrow::TypeTraits<DecimalType>::CType;
  const auto& type = static_cast<const DecimalType&>(*call.to);
  return ConvertRows<typename arrow::TypeTraits<DecimalType>::BuilderType>(
      call, [&](int64_t row) -> std::optional<Value> {
        const auto value =
            Value::FromReal(RealAt(call.values, row), type.precision(), type.scale());
        if (!value.ok()) return std::nullopt;
        return *value;
      });
}

arrow::Decimal256 DecimalAt(const arrow::Array& values, int64_t row) {
  switch (values.type_id()) {
    case Type::DECIMAL32:
      return arrow::Decimal256(arrow::Decimal128(
          arrow::Decimal32(static_cast<const arrow::Decimal32Array&>(values).GetValue(row))
              .value()));
    case Type::DECIMAL64:
      return arrow::Decimal256(arrow::Decimal128(
          arrow::Decimal64(static_cast<const arrow::Decimal64Array&>(values).GetValue(row))
              .value()));
    case Type::DECIMAL128:
      return arrow::Decimal256(
          arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(values).GetValue(row)));
    case Type::DECIMAL256:
      return arrow::Decimal256(static_cast<const arrow::Decimal256Array&>(values).GetValue(row));
    default: {  // Integers.
      const auto scalar = values.GetScalar(row);
      return arrow::Decimal256((*scalar)->ToString());
    }
  }
}

/// Integers and decimals to decimals, half rounded away from zero.
template <typename DecimalType>
arrow::Result<ArrayPtr> ExactToDecimal(const CastCall& call) {
  using Value = typename arrow::TypeTraits<DecimalType>::CType;
  const auto& type = static_cast<const DecimalType&>(*call.to);
  const int scale = IsDecimal(*call.values.type())
                        ? static_cast<const arrow::DecimalType&>(*call.values.type()).scale()
                        : 0;
  return ConvertRows<typename arrow::TypeTraits<DecimalType>::BuilderType>(
      call, [&](int64_t row) -> std::optional<Value> {
        arrow::Decimal256 value = DecimalAt(call.values, row);
        if (type.scale() < scale) {
          value = arrow::Decimal256(value.ReduceScaleBy(scale - type.scale(), /*round=*/true));
        } else if (type.scale() > scale) {
          const auto scaled = value.Rescale(scale, type.scale());
          if (!scaled.ok()) return std::nullopt;
          value = *scaled;
        }
        if (!value.FitsInPrecision(type.precision())) return std::nullopt;
        return Value(value.ToIntegerString());
      });
}

arrow::Result<ArrayPtr> DecimalToInteger(const CastCall& call) {
  const int scale = static_cast<const arrow::DecimalType&>(*call.values.type()).scale();
  return VisitInteger(*call.to, [&](auto type) {
    using T = typename decltype(type)::c_type;
    return ConvertRows<typename arrow::TypeTraits<decltype(type)>::BuilderType>(
        call, [&](int64_t row) -> std::optional<T> {
          arrow::Decimal256 value = DecimalAt(call.values, row);
          value = scale > 0 ? arrow::Decimal256(value.ReduceScaleBy(scale, /*round=*/false))
                            : arrow::Decimal256(value.IncreaseScaleBy(-scale));
          const std::string digits = value.ToIntegerString();
          if constexpr (std::is_signed_v<T>) {
            const auto parsed = ParseSigned(digits);
            if (!parsed || !std::in_range<T>(*parsed)) return std::nullopt;
            return static_cast<T>(*parsed);
          } else {
            const auto parsed = ParseUnsigned(digits);
            if (!parsed || !std::in_range<T>(*parsed)) return std::nullopt;
            return static_cast<T>(*parsed);
          }
        });
  });
}

/// Timestamps and dates to timestamps. A local time becomes an instant of the zone it is cast to.
arrow::Result<ArrayPtr> ToTimestamp(const CastCall& call) {
  const auto& to = static_cast<const arrow::TimestampType&>(*call.to);
  const int64_t to_size = UnitsPerSecond(to.unit());
  int64_t numerator = 1, denominator = 1;
  bool is_local = !to.timezone().empty();
  if (call.values.type_id() == Type::TIMESTAMP) {
    const auto& from = static_cast<const arrow::TimestampType&>(*call.values.type());
    numerator = to_size;
    denominator = UnitsPerSecond(from.unit());
    is_local = is_local && from.timezone().empty();
  } else {
    numerator = call.values.type_id() == Type::DATE32 ? to_size * 86400 : to_size;
    denominator = call.values.type_id() == Type::DATE32 ? 1 : 1000;
  }
  const auto offset = is_local ? ParseZoneOffset(to.timezone()) : 0;
  const int64_t shift = offset.value_or(0) * to_size;
  const int32_t* days =
      call.values.type_id() == Type::DATE32 ? call.values.data()->GetValues<int32_t>(1) : nullptr;
  const int64_t* units = days == nullptr ? call.values.data()->GetValues<int64_t>(1) : nullptr;
  const int64_t multiplier = numerator >= denominator ? numerator / denominator : 1;
  const int64_t divisor = numerator < denominator ? denominator / numerator : 1;
  return ConvertRows<arrow::TimestampBuilder>(call, [&](int64_t row) -> std::optional<int64_t> {
    int64_t value = days != nullptr ? days[row] : units[row];
    if (__builtin_mul_overflow(value / divisor, multiplier, &value)) return std::nullopt;
    if (__builtin_sub_overflow(value, shift, &value)) return std::nullopt;
    return is_local && !offset ? LocalToInstant(value, to) : std::optional<int64_t>(value);
  });
}

/// What Arrow's own cast does the reference engine's way.
arrow::Result<ArrayPtr> ArrowCast(const arrow::Datum& values, const TypePtr& to,
                                  arrow::MemoryPool* pool) {
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(to);
  options.allow_float_truncate = true;  // Also lets large integers lose digits in a float.
  options.allow_time_truncate = true;
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  auto cast = arrow::compute::Cast(values, options, &context);
  if (!cast.ok()) {
    const ErrorKind kind = cast.status().IsNotImplemented() || cast.status().IsInvalid()
                               ? ErrorKind::kInvalidArgument
                               : KindOf(cast.status());
    return MakeError(kind, fmt::format("cannot cast {} to {}: {}", TypeName(*values.type()),
                                       TypeName(*to), cast.status().message()));
  }
  return cast->make_array();
}

arrow::Result<ArrayPtr> CastList(const CastCall& call, const ArrayPtr& values) {
  const TypePtr element = ElementType(*call.to);
  const auto& data = values->data();
  if (!element->Equals(ElementType(*values->type()))) {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr child, CastArray(arrow::MakeArray(data->child_data[0]),
                                                          element, call.failure, call.pool));
    auto changed = data->Copy();
    changed->child_data = {child->data()};
    switch (values->type_id()) {
      case Type::LARGE_LIST:
        changed->type = arrow::large_list(element);
        break;
      case Type::FIXED_SIZE_LIST:
        changed->type = arrow::fixed_size_list(
            element, static_cast<const arrow::FixedSizeListType&>(*values->type()).list_size());
        break;
      default:
        changed->type = arrow::list(element);
    }
    if (changed->type->id() == call.to->id()) changed->type = call.to;
    return CastArray(arrow::MakeArray(changed), call.to, call.failure, call.pool);
  }
  return ArrowCast(values, call.to, call.pool);
}

TypePtr WithoutView(const TypePtr& type) {
  if (type->id() == Type::STRING_VIEW) return arrow::utf8();
  if (type->id() == Type::BINARY_VIEW) return arrow::binary();
  if (type->id() == Type::DICTIONARY)
    return static_cast<const arrow::DictionaryType&>(*type).value_type();
  if (type->id() == Type::DECIMAL32 || type->id() == Type::DECIMAL64) {
    const auto& decimal = static_cast<const arrow::DecimalType&>(*type);
    return arrow::decimal128(decimal.precision(), decimal.scale());
  }
  return type;
}

bool IsTextOrBytes(const arrow::DataType& type) { return IsText(type) || IsBytes(type); }

}  // namespace

bool CanCast(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() == Type::NA || from.Equals(to)) return true;
  if (from.id() == Type::DICTIONARY)
    return CanCast(*static_cast<const arrow::DictionaryType&>(from).value_type(), to);
  if (to.id() == Type::DICTIONARY)
    return CanCast(from, *static_cast<const arrow::DictionaryType&>(to).value_type());
  if (IsList(from) && IsList(to)) return CanCast(*ElementType(from), *ElementType(to));
  if (from.num_fields() > 0 || to.num_fields() > 0) return false;
  if (to.id() == Type::INTERVAL_MONTHS || from.id() == Type::INTERVAL_MONTHS ||
      from.id() == Type::INTERVAL_DAY_TIME || to.id() == Type::INTERVAL_DAY_TIME ||
      from.id() == Type::INTERVAL_MONTH_DAY_NANO || to.id() == Type::INTERVAL_MONTH_DAY_NANO ||
      to.id() == Type::NA) {
    return false;
  }
  const bool to_text = IsTextOrBytes(to), from_text = IsTextOrBytes(from);
  if (IsBytes(from)) return to_text;
  if (IsBytes(to)) return IsText(from);
  if (to_text) return true;
  if (from_text) return to.id() != Type::DURATION && to.id() != Type::HALF_FLOAT;
  const bool from_number = IsNumeric(from) || from.id() == Type::BOOL,
             to_number = IsNumeric(to) || to.id() == Type::BOOL;
  if (from_number && to_number) return true;
  if (from.id() == Type::BOOL || to.id() == Type::BOOL) return false;
  if (IsInteger(from) || IsInteger(to)) {
    const arrow::DataType& integer = IsInteger(from) ? from : to;
    const arrow::DataType& time = IsInteger(from) ? to : from;
    const bool is_plain = integer.id() == Type::INT32 || integer.id() == Type::INT64;
    return time.id() == Type::TIMESTAMP || time.id() == Type::DURATION || is_plain;
  }
  if (from_number || to_number) return false;
  if (to.id() == Type::TIMESTAMP) return IsDate(from) || from.id() == Type::TIMESTAMP;
  if (from.id() == Type::TIMESTAMP) return IsDate(to) || arrow::is_time(to.id());
  return (IsDate(from) && IsDate(to)) || (arrow::is_time(from.id()) && arrow::is_time(to.id())) ||
         from.id() == to.id();
}

arrow::Result<ArrayPtr> CastArray(const ArrayPtr& values, const TypePtr& to, CastFailure failure,
                                  arrow::MemoryPool* pool) {
  if (values->type()->Equals(to)) return values;
  const CastCall call{*values, to, failure, pool};
  if (values->type_id() == Type::NA) return arrow::MakeArrayOfNull(to, values->length(), pool);
  if (!CanCast(*values->type(), *to)) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("cannot cast {} to {}", TypeName(*values->type()), TypeName(*to)));
  }
  if (const TypePtr plain = WithoutView(values->type()); plain != values->type()) {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr decoded, ArrowCast(values, plain, pool));
    return CastArray(decoded, to, failure, pool);
  }
  const arrow::DataType& from = *values->type();
  if (IsList(from)) return CastList(call, values);
  if (IsText(from) && !IsTextOrBytes(*to)) return FromText(call);
  if (IsText(*to) && !IsTextOrBytes(from)) return ToText(call);
  if (to->id() == Type::DECIMAL128 && IsFloat(from))
    return RealToDecimal<arrow::Decimal128Type>(call);
  if (to->id() == Type::DECIMAL256 && IsFloat(from))
    return RealToDecimal<arrow::Decimal256Type>(call);
  const bool from_exact = IsInteger(from) || IsDecimal(from);
  if (to->id() == Type::DECIMAL128 && from_exact)
    return ExactToDecimal<arrow::Decimal128Type>(call);
  if (to->id() == Type::DECIMAL256 && from_exact)
    return ExactToDecimal<arrow::Decimal256Type>(call);
  if (IsInteger(*to) && IsFloat(from)) return RealToInteger(call);
  if (IsInteger(*to) && IsDecimal(from)) return DecimalToInteger(call);
  if (to->id() == Type::TIMESTAMP && (IsDate(from) || from.id() == Type::TIMESTAMP))
    return ToTimestamp(call);
  // Between integers and times Arrow goes by the stored width.
  if (IsInteger(from) && IsTemporal(*to)) {
    const TypePtr stored = arrow::bit_width(to->id()) == 32 ? arrow::int32() : arrow::int64();
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr widened, CastArray(values, stored, failure, pool));
    return ArrowCast(widened, to, pool);
  }
  if (IsTemporal(from) && IsInteger(*to)) {
    const TypePtr stored = arrow::bit_width(from.id()) == 32 ? arrow::int32() : arrow::int64();
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr plain, ArrowCast(values, stored, pool));
    return CastArray(plain, to, failure, pool);
  }
  if (failure == CastFailure::kNull && IsInteger(from) && IsInteger(*to)) {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr text, CastArray(values, arrow::utf8(), failure, pool));
    return CastArray(text, to, failure, pool);
  }
  return ArrowCast(values, to, pool);
}

arrow::Result<std::shared_ptr<arrow::Scalar>> CastScalar(
    const std::shared_ptr<arrow::Scalar>& value, const TypePtr& to, CastFailure failure) {
  if (value->type->Equals(to)) return value;
  if (!value->is_valid) return arrow::MakeNullScalar(to);
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr array, arrow::MakeArrayFromScalar(*value, 1));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr cast,
                        CastArray(array, to, failure, arrow::default_memory_pool()));
  return cast->GetScalar(0);
}

namespace {

arrow::Result<ArrayPtr> SqlCast(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  return CastArray(values, call.options.type,
                   call.options.flag ? CastFailure::kNull : CastFailure::kError, call.pool);
}

}  // namespace

std::vector<NamedKernel> CastKernels() { return {{"sql_cast", SqlCast}}; }

}  // namespace pennon
