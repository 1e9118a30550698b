#include "dataset/filter_literal.h"

#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>

#include <cmath>
#include <cstring>

#include "dataset/filter_cast.h"
#include "dataset/filter_text_values.h"

namespace pennon {
namespace {

using arrow::Type;

bool IsExactNumber(const arrow::DataType& type) {
  return IsInteger(type) || type.id() == Type::DECIMAL128 || IsDate(type) ||
         type.id() == Type::TIMESTAMP;
}

int ScaleOf(const arrow::DataType& type) {
  return type.id() == Type::DECIMAL128 ? static_cast<const arrow::Decimal128Type&>(type).scale()
                                       : 0;
}

int64_t UnitsPerSecond(const arrow::DataType& timestamp) {
  constexpr int64_t kUnits[] = {1, 1000, 1'000'000, 1'000'000'000};
  return kUnits[static_cast<int>(static_cast<const arrow::TimestampType&>(timestamp).unit())];
}

/// The stored integer of an exact number, unscaled.
arrow::Decimal256 StoredValue(const arrow::Scalar& value) {
  if (value.type->id() == Type::DECIMAL128) {
    return arrow::Decimal256(static_cast<const arrow::Decimal128Scalar&>(value).value);
  }
  const auto bytes = static_cast<const arrow::internal::PrimitiveScalarBase&>(value).view();
  const bool is_unsigned = arrow::is_unsigned_integer(value.type->id());
  uint64_t raw = 0;
  std::memcpy(&raw, bytes.data(), bytes.size());
  if (is_unsigned) return arrow::Decimal256(raw);
  const int shift = 64 - 8 * static_cast<int>(bytes.size());
  return arrow::Decimal256(static_cast<int64_t>(raw << shift) >> shift);
}

/// The common case, without the detour by 256 bits.
ScalarPtr UnwrapInteger(const arrow::Scalar& value, const TypePtr& type) {
  const auto bytes = static_cast<const arrow::internal::PrimitiveScalarBase&>(value).view();
  const int shift = 64 - 8 * static_cast<int>(bytes.size());
  uint64_t raw = 0;
  std::memcpy(&raw, bytes.data(), bytes.size());
  const bool is_negative =
      arrow::is_signed_integer(value.type->id()) && static_cast<int64_t>(raw << shift) < 0;
  const auto negative = static_cast<int64_t>(raw << shift) >> shift;
  const int width = arrow::bit_width(type->id());
  const bool is_signed = arrow::is_signed_integer(type->id());
  if (is_negative) {
    if (!is_signed || negative < (INT64_MIN >> (64 - width))) return nullptr;
    return *arrow::MakeScalar(type, negative);
  }
  if (raw > (UINT64_MAX >> (64 - width + (is_signed ? 1 : 0)))) return nullptr;
  return *arrow::MakeScalar(type, raw);
}

ScalarPtr UnwrapExact(const arrow::Scalar& value, const TypePtr& type) {
  // A day and a point in time have no exact counterparts.
  if ((IsDate(*type) && IsTemporal(*value.type)) || (IsDate(*value.type) && IsTemporal(*type)))
    return nullptr;
  if (IsInteger(*value.type) && IsInteger(*type)) return UnwrapInteger(value, type);
  arrow::Decimal256 stored = StoredValue(value);
  const int from_scale = ScaleOf(*value.type), to_scale = ScaleOf(*type);
  if (to_scale > from_scale) {
    const auto scaled = stored.Rescale(from_scale, to_scale);
    if (!scaled.ok()) return nullptr;
    stored = *scaled;
  } else if (to_scale < from_scale) {
    const auto scaled = stored.Rescale(from_scale, to_scale);  // Fails when digits would be lost.
    if (!scaled.ok()) return nullptr;
    stored = *scaled;
  }
  if (value.type->id() == Type::TIMESTAMP && type->id() == Type::TIMESTAMP) {
    const int64_t from = UnitsPerSecond(*value.type), to = UnitsPerSecond(*type);
    if (to > from) {
      stored *= arrow::Decimal256(to / from);
    } else if (to < from) {
      stored = *stored.Divide(arrow::Decimal256(from / to)).Map([](const auto& pair) {
        return arrow::Decimal256(pair.first);
      });
    }
  }
  if (type->id() == Type::DECIMAL128) {
    if (!stored.FitsInPrecision(static_cast<const arrow::Decimal128Type&>(*type).precision()))
      return nullptr;
    return std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(stored.ToIntegerString()),
                                                     type);
  }
  if (type->id() == Type::UINT64) {
    const auto parsed = CastScalar(std::make_shared<arrow::StringScalar>(stored.ToIntegerString()),
                                   type, CastFailure::kNull);
    return parsed.ok() && (*parsed)->is_valid ? *parsed : nullptr;
  }
  const auto integer = ParseSigned(stored.ToIntegerString());
  if (!integer) return nullptr;
  const TypePtr storage = IsInteger(*type)                     ? type
                          : arrow::bit_width(type->id()) == 32 ? arrow::int32()
                                                               : arrow::int64();
  const auto fitted =
      CastScalar(std::make_shared<arrow::Int64Scalar>(*integer), storage, CastFailure::kNull);
  if (!fitted.ok() || !(*fitted)->is_valid) return nullptr;
  if (IsInteger(*type)) return *fitted;
  const auto typed = arrow::MakeScalar(type, *integer);
  return typed.ok() ? *typed : nullptr;
}

}  // namespace

ScalarPtr NarrowToFloat(const arrow::Scalar& literal, const TypePtr& type) {
  if (!literal.is_valid || (!IsInteger(*literal.type) && literal.type->id() != Type::DOUBLE))
    return nullptr;
  const auto as_double = CastScalar(literal.GetSharedPtr(), arrow::float64());
  if (!as_double.ok()) return nullptr;
  if (type->id() == Type::DOUBLE) return *as_double;
  if (type->id() != Type::FLOAT) return nullptr;
  // From the integer itself: twice rounded is not once rounded.
  const auto as_float = CastScalar(literal.GetSharedPtr(), type);
  return as_float.ok() ? *as_float : nullptr;
}

ScalarPtr UnwrapConstant(const ScalarPtr& value, const TypePtr& type) {
  if (value->type->Equals(type)) return value;
  if (!value->is_valid) return nullptr;
  const arrow::DataType& from = *value->type;
  if (IsExactNumber(from) && IsExactNumber(*type)) return UnwrapExact(*value, type);
  if (from.id() == Type::DOUBLE && type->id() == Type::FLOAT) {
    const double wide = static_cast<const arrow::DoubleScalar&>(*value).value;
    const auto narrow = static_cast<float>(wide);
    if (std::isnan(wide) || static_cast<double>(narrow) != wide) return nullptr;
    return std::make_shared<arrow::FloatScalar>(narrow);
  }
  const bool same_kind = (IsText(from) && IsText(*type)) || (IsBytes(from) && IsBytes(*type));
  if (!same_kind) return nullptr;
  if (type->id() == Type::FIXED_SIZE_BINARY) {
    const auto& bytes = static_cast<const arrow::BaseBinaryScalar&>(*value);
    if (bytes.view().size() !=
        static_cast<size_t>(static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width()))
      return nullptr;
    return std::make_shared<arrow::FixedSizeBinaryScalar>(bytes.value, type);
  }
  const auto cast = CastScalar(value, type);
  return cast.ok() ? *cast : nullptr;
}

}  // namespace pennon
