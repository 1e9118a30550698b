#include "dataset/filter_types.h"

#include <arrow/type_traits.h>

#include <algorithm>

namespace pennon {
namespace {

using arrow::Type;

int SignedWidth(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::INT8:
      return 8;
    case Type::INT16:
      return 16;
    case Type::INT32:
      return 32;
    case Type::INT64:
      return 64;
    default:
      return 0;
  }
}
int UnsignedWidth(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::UINT8:
      return 8;
    case Type::UINT16:
      return 16;
    case Type::UINT32:
      return 32;
    case Type::UINT64:
      return 64;
    default:
      return 0;
  }
}
TypePtr SignedType(int width) {
  return width <= 8    ? arrow::int8()
         : width <= 16 ? arrow::int16()
         : width <= 32 ? arrow::int32()
                       : arrow::int64();
}
TypePtr UnsignedType(int width) {
  return width <= 8    ? arrow::uint8()
         : width <= 16 ? arrow::uint16()
         : width <= 32 ? arrow::uint32()
                       : arrow::uint64();
}

/// Integers and floats, not decimals.
TypePtr CommonNumber(const TypePtr& left, const TypePtr& right) {
  for (Type::type id : {Type::DOUBLE, Type::FLOAT, Type::HALF_FLOAT}) {
    if (left->id() == id) return left;
    if (right->id() == id) return right;
  }
  const int left_signed = SignedWidth(*left), right_signed = SignedWidth(*right);
  const int left_unsigned = UnsignedWidth(*left), right_unsigned = UnsignedWidth(*right);
  const int widest_signed = std::max(left_signed, right_signed);
  const int widest_unsigned = std::max(left_unsigned, right_unsigned);
  if (widest_signed == 0) return UnsignedType(widest_unsigned);
  if (widest_unsigned == 0) return SignedType(widest_signed);
  // No integer holds both uint64 and negative numbers.
  if (widest_unsigned == 64) return arrow::decimal128(20, 0);
  return SignedType(std::max(widest_signed, 2 * widest_unsigned));
}

struct DecimalShape {
  int width = 128;
  int precision = 0;
  int scale = 0;
};

/// Shape of the decimal that stands for a number of another kind.
DecimalShape ShapeOf(const arrow::DataType& type) {
  if (IsDecimal(type)) {
    const auto& decimal = static_cast<const arrow::DecimalType&>(type);
    return {decimal.id() == Type::DECIMAL256 ? 256 : 128, decimal.precision(), decimal.scale()};
  }
  switch (type.id()) {
    case Type::INT8:
    case Type::UINT8:
      return {128, 3, 0};
    case Type::INT16:
    case Type::UINT16:
      return {128, 5, 0};
    case Type::INT32:
    case Type::UINT32:
      return {128, 10, 0};
    case Type::HALF_FLOAT:
      return {128, 6, 3};
    case Type::FLOAT:
      return {128, 14, 7};
    case Type::DOUBLE:
      return {128, 30, 15};
    default:
      return {128, 20, 0};
  }
}

TypePtr WiderDecimal(const TypePtr& left, const TypePtr& right) {
  const DecimalShape a = ShapeOf(*left), b = ShapeOf(*right);
  const int scale = std::max(a.scale, b.scale);
  const int range = std::max(a.precision - a.scale, b.precision - b.scale);
  return MakeDecimal(std::max(a.width, b.width), range + scale, scale);
}

TypePtr CommonNumeric(const TypePtr& left, const TypePtr& right) {
  if (!IsNumeric(*left) || !IsNumeric(*right)) return nullptr;
  if (left->Equals(right)) return left;
  if (IsDecimal(*left) || IsDecimal(*right)) return WiderDecimal(left, right);
  return CommonNumber(left, right);
}

TypePtr CommonTemporal(const TypePtr& left, const TypePtr& right) {
  if (left->id() == Type::TIMESTAMP && right->id() == Type::TIMESTAMP) {
    const auto& a = static_cast<const arrow::TimestampType&>(*left);
    const auto& b = static_cast<const arrow::TimestampType&>(*right);
    // The coarser unit: the reference engine cuts the finer side.
    return arrow::timestamp(std::min(a.unit(), b.unit()),
                            a.timezone().empty() ? b.timezone() : a.timezone());
  }
  if (left->id() == Type::TIMESTAMP && IsDate(*right)) {
    return arrow::timestamp(static_cast<const arrow::TimestampType&>(*left).unit());
  }
  if (right->id() == Type::TIMESTAMP && IsDate(*left)) return CommonTemporal(right, left);
  if (IsDate(*left) && IsDate(*right)) return arrow::date64();
  if (IsDate(*left) && IsInteger(*right)) return left;
  if (IsDate(*right) && IsInteger(*left)) return right;
  if (left->id() == Type::DURATION && right->id() == Type::DURATION) {
    return arrow::duration(std::max(static_cast<const arrow::DurationType&>(*left).unit(),
                                    static_cast<const arrow::DurationType&>(*right).unit()));
  }
  return nullptr;
}

TypePtr CommonText(const TypePtr& left, const TypePtr& right) {
  if (!IsText(*left) || !IsText(*right)) return nullptr;
  const bool is_large = left->id() == Type::LARGE_STRING || right->id() == Type::LARGE_STRING;
  return is_large ? arrow::large_utf8() : arrow::utf8();
}

TypePtr CommonBytes(const TypePtr& left, const TypePtr& right) {
  const bool left_fits = IsBytes(*left) || IsText(*left),
             right_fits = IsBytes(*right) || IsText(*right);
  if (!left_fits || !right_fits) return nullptr;
  const auto is_large = [](const arrow::DataType& type) {
    return type.id() == Type::LARGE_STRING || type.id() == Type::LARGE_BINARY;
  };
  return is_large(*left) || is_large(*right) ? arrow::large_binary() : arrow::binary();
}

TypePtr TemporalBesideText(const TypePtr& left, const TypePtr& right) {
  if (IsText(*right)) return TemporalBesideText(right, left);
  if (!IsText(*left)) return nullptr;
  switch (right->id()) {
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIME32:
    case Type::TIME64:
      return right;
    case Type::TIMESTAMP:
      return arrow::timestamp(arrow::TimeUnit::NANO,
                              static_cast<const arrow::TimestampType&>(*right).timezone());
    default:
      return nullptr;
  }
}

enum class Purpose { kCompare, kUnite };

TypePtr Common(const TypePtr& left, const TypePtr& right, Purpose purpose);

TypePtr CommonList(const TypePtr& left, const TypePtr& right, Purpose purpose) {
  if (!IsList(*left) || !IsList(*right)) return nullptr;
  const TypePtr element = Common(ElementType(*left), ElementType(*right), purpose);
  if (element == nullptr) return nullptr;
  if (left->id() == Type::LARGE_LIST || right->id() == Type::LARGE_LIST)
    return arrow::large_list(element);
  if (left->id() == Type::FIXED_SIZE_LIST && right->id() == Type::FIXED_SIZE_LIST) {
    const int size = static_cast<const arrow::FixedSizeListType&>(*left).list_size();
    if (size == static_cast<const arrow::FixedSizeListType&>(*right).list_size()) {
      return arrow::fixed_size_list(element, size);
    }
  }
  return arrow::list(element);
}

TypePtr Common(const TypePtr& left, const TypePtr& right, Purpose purpose) {
  if (left->Equals(right)) return left;
  if (TypePtr type = CommonNumeric(left, right)) return type;
  if (left->id() == Type::DICTIONARY) {
    return Common(static_cast<const arrow::DictionaryType&>(*left).value_type(), right, purpose);
  }
  if (right->id() == Type::DICTIONARY) {
    return Common(left, static_cast<const arrow::DictionaryType&>(*right).value_type(), purpose);
  }
  if (TypePtr type = CommonTemporal(left, right)) return type;
  if (TypePtr type = CommonText(left, right)) return type;
  if (TypePtr type = CommonList(left, right, purpose)) return type;
  if (left->id() == Type::NA) return right;
  if (right->id() == Type::NA) return left;
  if (IsNumeric(*left) && IsText(*right)) return purpose == Purpose::kCompare ? left : right;
  if (IsNumeric(*right) && IsText(*left)) return purpose == Purpose::kCompare ? right : left;
  if (TypePtr type = TemporalBesideText(left, right)) return type;
  return CommonBytes(left, right);
}

}  // namespace

bool IsText(const arrow::DataType& type) {
  return type.id() == Type::STRING || type.id() == Type::LARGE_STRING ||
         type.id() == Type::STRING_VIEW;
}
bool IsBytes(const arrow::DataType& type) {
  return type.id() == Type::BINARY || type.id() == Type::LARGE_BINARY ||
         type.id() == Type::BINARY_VIEW || type.id() == Type::FIXED_SIZE_BINARY;
}
bool IsInteger(const arrow::DataType& type) { return SignedWidth(type) + UnsignedWidth(type) > 0; }
bool IsFloat(const arrow::DataType& type) {
  return type.id() == Type::HALF_FLOAT || type.id() == Type::FLOAT || type.id() == Type::DOUBLE;
}
bool IsDecimal(const arrow::DataType& type) { return arrow::is_decimal(type.id()); }
bool IsNumeric(const arrow::DataType& type) {
  return IsInteger(type) || IsFloat(type) || IsDecimal(type);
}
bool IsDate(const arrow::DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::DATE64;
}
bool IsList(const arrow::DataType& type) {
  return type.id() == Type::LIST || type.id() == Type::LARGE_LIST ||
         type.id() == Type::FIXED_SIZE_LIST;
}
bool IsTemporal(const arrow::DataType& type) { return arrow::is_temporal(type.id()); }

TypePtr ValueType(const TypePtr& type) {
  return type->id() == arrow::Type::DICTIONARY
             ? static_cast<const arrow::DictionaryType&>(*type).value_type()
             : type;
}

TypePtr ElementType(const arrow::DataType& list) { return list.field(0)->type(); }

TypePtr ComparisonType(const TypePtr& left, const TypePtr& right) {
  return Common(left, right, Purpose::kCompare);
}
TypePtr UnionType(const TypePtr& left, const TypePtr& right) {
  return Common(left, right, Purpose::kUnite);
}

TypePtr ArgumentType(const TypePtr& left, const TypePtr& right) {
  const bool text_beside_temporal =
      (IsText(*left) && IsTemporal(*right)) || (IsText(*right) && IsTemporal(*left));
  return text_beside_temporal ? nullptr : Common(left, right, Purpose::kCompare);
}

TypePtr MakeDecimal(int bit_width, int precision, int scale) {
  const int most =
      bit_width > 128 ? arrow::Decimal256Type::kMaxPrecision : arrow::Decimal128Type::kMaxPrecision;
  precision = std::clamp(precision, 1, most);
  scale = std::min(scale, most);
  return bit_width > 128 ? arrow::decimal256(precision, scale)
                         : arrow::decimal128(precision, scale);
}

ArithmeticTypes NumericArithmetic(char operation, const TypePtr& left, const TypePtr& right) {
  if (left->id() == Type::NA && right->id() == Type::NA)
    return {arrow::int64(), arrow::int64(), arrow::int64()};
  if (left->id() == Type::DICTIONARY) {
    return NumericArithmetic(operation,
                             static_cast<const arrow::DictionaryType&>(*left).value_type(), right);
  }
  if (right->id() == Type::DICTIONARY) {
    return NumericArithmetic(operation, left,
                             static_cast<const arrow::DictionaryType&>(*right).value_type());
  }
  if (left->id() == Type::NA && IsNumeric(*right))
    return NumericArithmetic(operation, right, right);
  if (right->id() == Type::NA && IsNumeric(*left)) return NumericArithmetic(operation, left, left);
  if (!IsNumeric(*left) || !IsNumeric(*right)) return {};
  TypePtr a = left, b = right;
  if (!IsDecimal(*a) && !IsDecimal(*b)) {
    const TypePtr common = a->Equals(b) ? a : CommonNumber(a, b);
    if (!IsDecimal(*common)) return {common, common, common};
    a = b = common;
  }
  // A float beside a decimal makes floating-point arithmetic; an integer becomes a decimal.
  if (IsFloat(*a) || IsFloat(*b)) return {arrow::float64(), arrow::float64(), arrow::float64()};
  const int width = std::max(ShapeOf(*a).width, ShapeOf(*b).width);
  const auto as_decimal = [&](const TypePtr& type) {
    const DecimalShape shape = ShapeOf(*type);
    return MakeDecimal(width, shape.precision, shape.scale);
  };
  a = as_decimal(a);
  b = as_decimal(b);
  const DecimalShape l = ShapeOf(*a), r = ShapeOf(*b);
  const int most =
      width > 128 ? arrow::Decimal256Type::kMaxPrecision : arrow::Decimal128Type::kMaxPrecision;
  const int scale = std::max(l.scale, r.scale);
  switch (operation) {
    case '*':
      if (l.scale + r.scale > most) return {};
      return {a, b, MakeDecimal(width, l.precision + r.precision + 1, l.scale + r.scale)};
    case '/': {
      const int result_scale = std::min(l.scale + 4, most);
      return {a, b,
              MakeDecimal(width, result_scale - l.scale + r.scale + l.precision, result_scale)};
    }
    case '%':
      return {a, b,
              MakeDecimal(width, scale + std::min(l.precision - l.scale, r.precision - r.scale),
                          scale)};
    default:
      return {a, b,
              MakeDecimal(width, scale + std::max(l.precision - l.scale, r.precision - r.scale) + 1,
                          scale)};
  }
}

TypePtr BitwiseType(const TypePtr& left, const TypePtr& right) {
  if (!IsInteger(*left) || !IsInteger(*right)) return nullptr;
  if (left->Equals(right)) return left;
  if (left->id() == Type::UINT64 || right->id() == Type::UINT64) return arrow::uint64();
  return CommonNumber(left, right);
}

std::string TypeName(const arrow::DataType& type) { return type.ToString(); }

}  // namespace pennon
