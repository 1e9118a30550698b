#include "format/jsonb.h"

#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr int kDepthMax = 1000;

constexpr uint32_t kContainerMask = 0xE0000000;
constexpr uint32_t kContainerArray = 0x80000000;
constexpr uint32_t kContainerObject = 0x40000000;
constexpr uint32_t kContainerScalar = 0x20000000;
constexpr uint32_t kContainerLength = 0x1FFFFFFF;

constexpr uint32_t kEntryMask = 0x70000000;
constexpr uint32_t kEntryLength = 0x0FFFFFFF;
constexpr uint32_t kNull = 0x00000000;
constexpr uint32_t kString = 0x10000000;
constexpr uint32_t kNumber = 0x20000000;
constexpr uint32_t kFalse = 0x30000000;
constexpr uint32_t kTrue = 0x40000000;
constexpr uint32_t kContainer = 0x50000000;
constexpr uint32_t kExtension = 0x60000000;

constexpr uint8_t kNumberZero = 0x00;
constexpr uint8_t kNumberNan = 0x10;
constexpr uint8_t kNumberInfinity = 0x20;
constexpr uint8_t kNumberNegativeInfinity = 0x30;
constexpr uint8_t kNumberSigned = 0x40;
constexpr uint8_t kNumberUnsigned = 0x50;
constexpr uint8_t kNumberFloat = 0x60;
constexpr uint8_t kNumberDecimal = 0x70;

arrow::Status Corrupt(const char* what) {
  return MakeError(ErrorKind::kCorrupt, fmt::format("stored JSON value {}", what));
}

/// Unsigned, most significant byte first; at most 8 bytes.
uint64_t LoadBigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

int64_t LoadSigned(std::string_view bytes) {
  const auto bits = static_cast<unsigned>(bytes.size() * 8);
  const uint64_t value = LoadBigEndian(bytes);
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

void AppendString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\b':
        *out += "\\b";
        break;
      case '\f':
        *out += "\\f";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20) {
          fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out->push_back(c);
        }
    }
  }
  out->push_back('"');
}

/// Shortest digits that read back; plain from 1e-5 up to 1e16, with an exponent beyond.
void AppendFloat(double value, std::string* out) {
  if (!std::isfinite(value)) {
    *out += "null";
    return;
  }
  std::array<char, 64> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<size_t>(written.ptr - buffer.data()));
  if (text.front() == '-') {
    out->push_back('-');
    text.remove_prefix(1);
  }
  const size_t mark = text.find('e');
  int exponent = 0;
  // to_chars writes a sign; from_chars takes none but '-'.
  const char* digits = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(digits, text.data() + text.size(), exponent);
  std::string number(text.substr(0, mark));
  if (exponent < -5 || exponent >= 16) {
    fmt::format_to(std::back_inserter(*out), "{}e{}{}", number, exponent < 0 ? '-' : '+',
                   std::abs(exponent));
    return;
  }
  number.erase(std::remove(number.begin(), number.end(), '.'), number.end());
  if (exponent < 0) {
    *out += "0.";
    out->append(static_cast<size_t>(-exponent - 1), '0');
    *out += number;
    return;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (number.size() <= whole) number.append(whole - number.size() + 1, '0');
  out->append(number, 0, whole);
  out->push_back('.');
  out->append(number, whole);
}

arrow::Status AppendDecimal(std::string_view bytes, std::string* out) {
  // Old writers put the precision before the scale of the two wide ones.
  constexpr std::array<std::pair<size_t, size_t>, 5> kWidths{
      {{9, 8}, {17, 16}, {18, 16}, {33, 32}, {34, 32}}};
  for (const auto& [length, width] : kWidths) {
    if (bytes.size() != length) continue;
    const int scale = static_cast<uint8_t>(bytes.back());
    // Sign-extended to 256 bits, least significant word first.
    std::array<uint64_t, 4> words;
    words.fill((static_cast<uint8_t>(bytes[0]) & 0x80) != 0 ? ~uint64_t{0} : 0);
    for (size_t i = 0; i < width / 8; ++i)
      words[i] = LoadBigEndian(bytes.substr(width - 8 * (i + 1), 8));
    std::string digits = arrow::Decimal256(words).ToIntegerString();
    const bool negative = digits[0] == '-';
    if (negative) digits.erase(0, 1);
    if (digits.size() <= static_cast<size_t>(scale))
      digits.insert(0, static_cast<size_t>(scale) + 1 - digits.size(), '0');
    if (negative) out->push_back('-');
    out->append(digits, 0, digits.size() - static_cast<size_t>(scale));
    if (scale > 0) {
      out->push_back('.');
      out->append(digits, digits.size() - static_cast<size_t>(scale));
    }
    return arrow::Status::OK();
  }
  return Corrupt("has a decimal of impossible length");
}

arrow::Status AppendNumber(std::string_view bytes, std::string* out) {
  if (bytes.empty()) return Corrupt("has a number without bytes");
  const auto kind = static_cast<uint8_t>(bytes[0]);
  const std::string_view value = bytes.substr(1);
  const bool is_integer_width =
      value.size() == 1 || value.size() == 2 || value.size() == 4 || value.size() == 8;
  switch (kind) {
    case kNumberZero:
      out->push_back('0');
      return arrow::Status::OK();
    case kNumberNan:
    case kNumberInfinity:
    case kNumberNegativeInfinity:
      *out += "null";
      return arrow::Status::OK();
    case kNumberSigned:
      if (!is_integer_width) break;
      *out += fmt::to_string(LoadSigned(value));
      return arrow::Status::OK();
    case kNumberUnsigned:
      if (!is_integer_width) break;
      *out += fmt::to_string(LoadBigEndian(value));
      return arrow::Status::OK();
    case kNumberFloat:
      if (value.size() != 8) break;
      AppendFloat(std::bit_cast<double>(LoadBigEndian(value)), out);
      return arrow::Status::OK();
    case kNumberDecimal:
      return AppendDecimal(value, out);
    default:
      break;
  }
  return Corrupt("has a number of unknown form");
}

/// Entries of one container and the payload behind them, taken from the front.
class Entries {
 public:
  Entries(std::string_view entries, std::string_view payload)
      : entries_(entries), payload_(payload) {}

  /// Takes the next entry and its bytes. False when the payload is too short.
  bool Next(uint32_t* kind, std::string_view* bytes) {
    const auto entry = static_cast<uint32_t>(LoadBigEndian(entries_.substr(0, 4)));
    entries_.remove_prefix(4);
    *kind = entry & kEntryMask;
    const uint32_t length = entry & kEntryLength;
    if (length > payload_.size()) return false;
    *bytes = payload_.substr(0, length);
    payload_.remove_prefix(length);
    return true;
  }

 private:
  std::string_view entries_;
  std::string_view payload_;
};

arrow::Status AppendContainer(std::string_view bytes, int depth, std::string* out);

arrow::Status AppendValue(Entries* entries, int depth, std::string* out) {
  uint32_t kind = 0;
  std::string_view bytes;
  if (!entries->Next(&kind, &bytes)) return Corrupt("is cut short");
  switch (kind) {
    case kNull:
      *out += "null";
      return arrow::Status::OK();
    case kFalse:
      *out += "false";
      return arrow::Status::OK();
    case kTrue:
      *out += "true";
      return arrow::Status::OK();
    case kString:
      AppendString(bytes, out);
      return arrow::Status::OK();
    case kNumber:
      return AppendNumber(bytes, out);
    case kContainer:
      return AppendContainer(bytes, depth + 1, out);
    case kExtension:
      return MakeError(ErrorKind::kUnsupportedFeature,
                       "stored JSON value is of a kind that JSON does not have");
    default:
      return Corrupt("has an entry of unknown kind");
  }
}

arrow::Status AppendContainer(std::string_view bytes, int depth, std::string* out) {
  if (depth > kDepthMax) return Corrupt("nests too deep");
  if (bytes.size() < 4) return Corrupt("is cut short");
  const auto header = static_cast<uint32_t>(LoadBigEndian(bytes.substr(0, 4)));
  const uint32_t kind = header & kContainerMask;
  const uint64_t length = kind == kContainerScalar ? 1 : header & kContainerLength;
  const uint64_t num_entries = kind == kContainerObject ? 2 * length : length;
  if (kind != kContainerArray && kind != kContainerObject && kind != kContainerScalar) {
    return Corrupt("has a container of unknown kind");
  }
  if (num_entries > (bytes.size() - 4) / 4) return Corrupt("is cut short");
  const std::string_view payload = bytes.substr(4 + num_entries * 4);
  if (kind == kContainerObject) {
    Entries keys(bytes.substr(4, length * 4), payload);
    // The values' bytes follow those of all keys.
    uint64_t key_bytes = 0;
    for (uint64_t i = 0; i < length; ++i)
      key_bytes += LoadBigEndian(bytes.substr(4 + i * 4, 4)) & kEntryLength;
    if (key_bytes > payload.size()) return Corrupt("is cut short");
    Entries values(bytes.substr(4 + length * 4, length * 4), payload.substr(key_bytes));
    out->push_back('{');
    for (uint64_t i = 0; i < length; ++i) {
      uint32_t key_kind = 0;
      std::string_view key;
      if (i > 0) out->push_back(',');
      if (!keys.Next(&key_kind, &key) || key_kind != kString)
        return Corrupt("has an object key that is no string");
      AppendString(key, out);
      out->push_back(':');
      ARROW_RETURN_NOT_OK(AppendValue(&values, depth, out));
    }
    out->push_back('}');
    return arrow::Status::OK();
  }
  Entries values(bytes.substr(4, length * 4), payload);
  if (kind == kContainerScalar) return AppendValue(&values, depth, out);
  out->push_back('[');
  for (uint64_t i = 0; i < length; ++i) {
    if (i > 0) out->push_back(',');
    ARROW_RETURN_NOT_OK(AppendValue(&values, depth, out));
  }
  out->push_back(']');
  return arrow::Status::OK();
}

}  // namespace

arrow::Status AppendJsonText(std::string_view stored, std::string* out) {
  return AppendContainer(stored, 0, out);
}

}  // namespace pennon
