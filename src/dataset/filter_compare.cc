#include "dataset/filter_compare.h"

#include <arrow/type_traits.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace pennon {
namespace {

using arrow::Type;

enum class ValueClass { kNone, kSigned, kUnsigned, kFloat };

ValueClass ClassOf(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIME32:
    case Type::TIME64:
    case Type::TIMESTAMP:
    case Type::DURATION:
      return ValueClass::kSigned;
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
      return ValueClass::kUnsigned;
    case Type::FLOAT:
    case Type::DOUBLE:
      return ValueClass::kFloat;
    default:
      return ValueClass::kNone;
  }
}

int BitWidth(const arrow::DataType& type) {
  return static_cast<const arrow::FixedWidthType&>(type).bit_width();
}

/// Eight bytes that are 0 or 1 become eight bits.
inline uint64_t PackBytes(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return (word * 0x0102040810204080u) >> 56;
}

template <typename Value, bool kIsFloat>
void Select(const Value* values, int64_t length, Value first, std::make_unsigned_t<Value> span,
            bool is_outside, uint64_t* words) {
  using Key = std::make_unsigned_t<Value>;
  const uint8_t flip = is_outside ? 1 : 0;
  const auto key = [](Value value) {
    if constexpr (kIsFloat) {
      return TotalOrderKey(value);
    } else {
      return value;
    }
  };
  alignas(64) uint8_t passes[64];
  for (int64_t begin = 0; begin < length; begin += 64) {
    const int64_t count = std::min<int64_t>(64, length - begin);
    const Value* block = values + begin;
    if (count == 64) {
      for (int i = 0; i < 64; ++i) {
        const Key distance =
            static_cast<Key>(static_cast<Key>(key(block[i])) - static_cast<Key>(first));
        passes[i] = static_cast<uint8_t>((distance <= span) ^ flip);
      }
    } else {
      std::memset(passes, 0, sizeof(passes));
      for (int64_t i = 0; i < count; ++i) {
        const Key distance =
            static_cast<Key>(static_cast<Key>(key(block[i])) - static_cast<Key>(first));
        passes[i] = static_cast<uint8_t>((distance <= span) ^ flip);
      }
    }
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word |= PackBytes(passes + 8 * i) << (8 * i);
    words[begin / 64] = word;
  }
}

template <typename Value, bool kIsFloat>
void SelectAs(const arrow::ArraySpan& values, const ValueRange& range, uint64_t* words) {
  using Key = std::make_unsigned_t<Value>;
  const auto first = static_cast<Value>(range.first);
  const auto span = static_cast<Key>(static_cast<Key>(range.last) - static_cast<Key>(range.first));
  Select<Value, kIsFloat>(values.GetValues<Value>(1), values.length, first, span, range.is_outside,
                          words);
}

/// The constant as ValueRange counts, with the smallest and largest value of its type.
struct Ordered {
  int64_t value = 0;
  int64_t least = 0;
  int64_t greatest = 0;
};

template <typename T>
constexpr int64_t FlipTop(T value) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) ^ (uint64_t{1} << 63));
}

std::optional<Ordered> OrderedValue(const arrow::Scalar& constant) {
  const auto& primitive = static_cast<const arrow::internal::PrimitiveScalarBase&>(constant);
  const std::string_view bytes = primitive.view();
  const int width = BitWidth(*constant.type);
  int64_t raw = 0;
  std::memcpy(&raw, bytes.data(), bytes.size());
  switch (ClassOf(*constant.type)) {
    case ValueClass::kSigned:
      raw = raw << (64 - width) >> (64 - width);
      return Ordered{raw, INT64_MIN >> (64 - width), INT64_MAX >> (64 - width)};
    case ValueClass::kUnsigned: {
      const uint64_t most = UINT64_MAX >> (64 - width);
      return Ordered{FlipTop(raw), FlipTop(uint64_t{0}), FlipTop(most)};
    }
    case ValueClass::kFloat:
      if (width == 64) return Ordered{TotalOrderKey(raw), INT64_MIN, INT64_MAX};
      return Ordered{TotalOrderKey(static_cast<int32_t>(raw)), INT32_MIN, INT32_MAX};
    case ValueClass::kNone:
      break;
  }
  return std::nullopt;
}

bool IsFloatZero(const arrow::Scalar& constant) {
  if (constant.type->id() == Type::DOUBLE)
    return static_cast<const arrow::NumericScalar<arrow::DoubleType>&>(constant).value == 0;
  if (constant.type->id() == Type::FLOAT)
    return static_cast<const arrow::NumericScalar<arrow::FloatType>&>(constant).value == 0;
  return false;
}

}  // namespace

bool HasValueRanges(const arrow::DataType& type) { return ClassOf(type) != ValueClass::kNone; }

std::optional<ValueRange> MakeValueRange(std::string_view operation,
                                         const arrow::Scalar& constant) {
  if (!constant.is_valid || !HasValueRanges(*constant.type)) return std::nullopt;
  const auto ordered = OrderedValue(constant);
  if (!ordered) return std::nullopt;
  // The keys of the two float zeros are neighbours: -1 and 0.
  const int64_t low = IsFloatZero(constant) ? -1 : ordered->value;
  const int64_t high = IsFloatZero(constant) ? 0 : ordered->value;
  const ValueRange nothing{1, 0, false};
  if (operation == "equal") return ValueRange{low, high, false};
  if (operation == "not_equal") return ValueRange{low, high, true};
  if (operation == "less")
    return low == ordered->least ? nothing : ValueRange{ordered->least, low - 1, false};
  if (operation == "less_equal") return ValueRange{ordered->least, high, false};
  if (operation == "greater")
    return high == ordered->greatest ? nothing : ValueRange{high + 1, ordered->greatest, false};
  if (operation == "greater_equal") return ValueRange{low, ordered->greatest, false};
  return std::nullopt;
}

void SelectInRange(const arrow::ArraySpan& values, const ValueRange& range, uint64_t* words) {
  const auto num_words = static_cast<size_t>((values.length + 63) / 64);
  if (range.first > range.last) {
    std::fill_n(words, num_words, range.is_outside ? ~uint64_t{0} : 0);
    if (range.is_outside && values.length % 64 != 0)
      words[num_words - 1] = (uint64_t{1} << (values.length % 64)) - 1;
  } else {
    ValueRange stored = range;
    if (ClassOf(*values.type) == ValueClass::kUnsigned) {
      stored.first = FlipTop(range.first);
      stored.last = FlipTop(range.last);
    }
    const bool is_float = ClassOf(*values.type) == ValueClass::kFloat;
    switch (BitWidth(*values.type)) {
      case 8:
        SelectAs<int8_t, false>(values, stored, words);
        break;
      case 16:
        SelectAs<int16_t, false>(values, stored, words);
        break;
      case 32:
        is_float ? SelectAs<int32_t, true>(values, stored, words)
                 : SelectAs<int32_t, false>(values, stored, words);
        break;
      default:
        is_float ? SelectAs<int64_t, true>(values, stored, words)
                 : SelectAs<int64_t, false>(values, stored, words);
    }
  }
  ClearNulls(values, words);
}

void ClearNulls(const arrow::ArraySpan& values, uint64_t* words) {
  if (values.type->id() == Type::NA) {
    std::fill_n(words, static_cast<size_t>((values.length + 63) / 64), uint64_t{0});
    return;
  }
  const uint8_t* validity = values.buffers[0].data;
  if (validity == nullptr || values.null_count == 0) return;
  const int64_t end = values.offset + values.length;
  for (int64_t begin = 0; begin < values.length; begin += 64) {
    const int64_t bit = values.offset + begin;
    const int64_t byte = bit / 8, shift = bit % 8;
    uint64_t word = 0;
    const int64_t available = std::min<int64_t>(8, (end + 7) / 8 - byte);
    std::memcpy(&word, validity + byte, static_cast<size_t>(available));
    word >>= shift;
    if (shift != 0 && byte + 8 < (end + 7) / 8)
      word |= uint64_t{validity[byte + 8]} << (64 - shift);
    words[begin / 64] &= word;
  }
}

}  // namespace pennon
