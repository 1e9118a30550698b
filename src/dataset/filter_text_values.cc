#include "dataset/filter_text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace pennon {
namespace {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads exactly `count` digits.
std::optional<int> FixedDigits(std::string_view text, size_t position, size_t count) {
  if (position + count > text.size()) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[position + i])) return std::nullopt;
    value = value * 10 + (text[position + i] - '0');
  }
  return value;
}

/// Reads digits as a fraction of a second; those behind the ninth are read over.
int32_t FractionNanos(std::string_view digits) {
  int32_t nanos = 0;
  for (size_t i = 0; i < 9; ++i) nanos = nanos * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return nanos;
}

size_t CountDigits(std::string_view text, size_t position) {
  size_t end = position;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return end - position;
}

std::string LowerTrimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || (text.back() >= '\t' && text.back() <= '\r')))
    text.remove_suffix(1);
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

template <typename T>
std::optional<T> ParseReal(std::string_view text) {
  bool is_negative = false;
  std::string_view digits = text;
  if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) {
    is_negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  if (digits.empty() || digits[0] == '+' || digits[0] == '-') return std::nullopt;
  T value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say whether it is too large or too small.
    value = static_cast<T>(std::strtod(std::string(digits).c_str(), nullptr));
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  if (end != digits.data() + digits.size()) return std::nullopt;
  return is_negative ? -value : value;
}

/// Shortest digits as "d.ddde-X", laid out plainly while the point is within `digits_max` places.
template <typename T>
std::string FormatReal(T value, int digits_max, int zeros_max) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  std::string_view shortest(buffer, static_cast<size_t>(end - buffer));
  std::string sign;
  if (shortest[0] == '-') {
    sign = "-";
    shortest.remove_prefix(1);
  }
  const size_t e = shortest.find('e');
  int exponent = 0;
  const char* exponent_begin = shortest.data() + e + (shortest[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent_begin, shortest.data() + shortest.size(), exponent);
  std::string digits;
  for (char c : shortest.substr(0, e)) {
    if (c != '.') digits += c;
  }
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // Digits in front of the point.
  if (point > 0 && point <= digits_max) {
    if (count <= point)
      return sign + digits + std::string(static_cast<size_t>(point - count), '0') + ".0";
    return sign + digits.substr(0, static_cast<size_t>(point)) + "." +
           digits.substr(static_cast<size_t>(point));
  }
  if (point <= 0 && point > zeros_max)
    return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  std::string mantissa = digits.substr(0, 1);
  if (count > 1) mantissa += "." + digits.substr(1);
  return sign + mantissa + fmt::format("e{}", exponent);
}

}  // namespace

int64_t DaysFromCivil(CivilDate date) {
  const int64_t year = date.year - (date.month <= 2);
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year =
      (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

CivilDate CivilFromDays(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * month_index + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(month_index < 10 ? month_index + 3 : month_index - 9);
  return {year_of_era + era * 400 + (month <= 2), month, day};
}

bool IsValidCivil(int64_t year, unsigned month, unsigned day) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

std::optional<int32_t> ParseZoneOffset(std::string_view text) {
  if (text == "UTC" || text == "Z" || text == "z" || text == "Etc/UTC" || text == "GMT") return 0;
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto hours = FixedDigits(text, 1, 2);
  std::optional<int> minutes = 0;
  if (text.size() == 5) {
    minutes = FixedDigits(text, 3, 2);
  } else if (text.size() == 6 && text[3] == ':') {
    minutes = FixedDigits(text, 4, 2);
  } else if (text.size() != 3) {
    return std::nullopt;
  }
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const int32_t seconds = *hours * 3600 + *minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

std::optional<TextInstant> ParseInstant(std::string_view text) {
  const auto year = FixedDigits(text, 0, 4), month = FixedDigits(text, 5, 2),
             day = FixedDigits(text, 8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') return std::nullopt;
  if (!IsValidCivil(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day)))
    return std::nullopt;
  TextInstant instant;
  instant.seconds = kSecondsPerDay * DaysFromCivil({*year, static_cast<unsigned>(*month),
                                                    static_cast<unsigned>(*day)});
  if (text.size() == 10) return instant;
  if (text[10] != 'T' && text[10] != 't' && text[10] != ' ') return std::nullopt;
  const auto hour = FixedDigits(text, 11, 2);
  const bool has_colons = text.size() > 13 && text[13] == ':';
  const auto minute = FixedDigits(text, has_colons ? 14 : 13, 2);
  auto second = FixedDigits(text, has_colons ? 17 : 15, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  if (has_colons && text[16] != ':') return std::nullopt;
  size_t position = has_colons ? 19 : 17;
  if (has_colons && position < text.size() && text[position] == '.') {
    const size_t count = CountDigits(text, position + 1);
    if (count == 0) return std::nullopt;
    instant.nanos = FractionNanos(text.substr(position + 1, count));
    position += 1 + count;
  }
  instant.seconds += *hour * 3600 + *minute * 60 + *second;
  if (position == text.size()) return instant;
  std::string_view zone = text.substr(position);
  while (!zone.empty() && zone[0] == ' ') zone.remove_prefix(1);
  const auto offset = ParseZoneOffset(zone);
  if (!offset) return std::nullopt;
  instant.seconds -= *offset;
  instant.has_zone = true;
  return instant;
}

std::optional<int32_t> ParseDate(std::string_view text) {
  int64_t year = 0;
  std::string_view rest;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    const size_t count = CountDigits(text, 1);
    if (count < 4 || count > 9) return std::nullopt;
    year = std::stoll(std::string(text.substr(0, count + 1)));
    rest = text.substr(count + 1);
  } else if (text.size() > 10) {
    const auto instant = ParseInstant(text);
    if (!instant) return std::nullopt;
    const int64_t days = instant->seconds >= 0
                             ? instant->seconds / kSecondsPerDay
                             : -((kSecondsPerDay - 1 - instant->seconds) / kSecondsPerDay);
    return static_cast<int32_t>(days);
  } else if (text.size() == 8 && CountDigits(text, 0) == 8) {
    const auto month = static_cast<unsigned>(*FixedDigits(text, 4, 2));
    const auto day = static_cast<unsigned>(*FixedDigits(text, 6, 2));
    year = *FixedDigits(text, 0, 4);
    if (!IsValidCivil(year, month, day)) return std::nullopt;
    return static_cast<int32_t>(DaysFromCivil({year, month, day}));
  } else {
    const auto digits = FixedDigits(text, 0, 4);
    if (!digits) return std::nullopt;
    year = *digits;
    rest = text.substr(4);
  }
  if (rest.size() < 4 || rest[0] != '-') return std::nullopt;
  const size_t month_digits = CountDigits(rest, 1);
  if (month_digits < 1 || month_digits > 2 || rest.size() <= month_digits + 2 ||
      rest[month_digits + 1] != '-') {
    return std::nullopt;
  }
  const size_t day_digits = CountDigits(rest, month_digits + 2);
  if (day_digits < 1 || day_digits > 2 || rest.size() != month_digits + 2 + day_digits)
    return std::nullopt;
  const auto month = static_cast<unsigned>(*FixedDigits(rest, 1, month_digits));
  const auto day = static_cast<unsigned>(*FixedDigits(rest, month_digits + 2, day_digits));
  if (!IsValidCivil(year, month, day)) return std::nullopt;
  const int64_t days = DaysFromCivil({year, month, day});
  if (days != static_cast<int32_t>(days)) return std::nullopt;
  return static_cast<int32_t>(days);
}

std::optional<int64_t> ParseTimeOfDay(std::string_view text) {
  std::optional<bool> is_morning;
  if (text.size() >= 3 && text[text.size() - 3] == ' ' &&
      (text.back() == 'M' || text.back() == 'm')) {
    const char half = text[text.size() - 2];
    if (half == 'A' || half == 'a') is_morning = true;
    if (half == 'P' || half == 'p') is_morning = false;
    if (!is_morning) return std::nullopt;
    text.remove_suffix(3);
  }
  const size_t hour_digits = CountDigits(text, 0);
  if (hour_digits < 1 || hour_digits > 2 || text.size() < hour_digits + 3 ||
      text[hour_digits] != ':') {
    return std::nullopt;
  }
  int hour = *FixedDigits(text, 0, hour_digits);
  const auto minute = FixedDigits(text, hour_digits + 1, 2);
  size_t position = hour_digits + 3;
  int second = 0;
  int64_t nanos = 0;
  if (position < text.size()) {
    const auto digits = text[position] == ':' ? FixedDigits(text, position + 1, 2) : std::nullopt;
    if (!digits) return std::nullopt;
    second = *digits;
    position += 3;
    if (position < text.size()) {
      const size_t count = CountDigits(text, position + 1);
      if (text[position] != '.' || count == 0 || position + 1 + count != text.size())
        return std::nullopt;
      nanos = FractionNanos(text.substr(position + 1, count));
    }
  }
  if (is_morning) {
    if (hour < 1 || hour > 12) return std::nullopt;
    hour = hour % 12 + (*is_morning ? 0 : 12);
  }
  if (!minute || hour > 23 || *minute > 59 || second > 60) return std::nullopt;
  return (int64_t{hour} * 3600 + *minute * 60 + second) * kNanosPerSecond + nanos;
}

std::optional<bool> ParseBoolean(std::string_view text) {
  const std::string word = LowerTrimmed(text);
  for (const char* yes : {"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

std::optional<int64_t> ParseSigned(std::string_view text) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseUnsigned(std::string_view text) {
  const bool is_negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '+' || is_negative)) text.remove_prefix(1);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (is_negative && value != 0) return std::nullopt;
  return value;
}

std::optional<double> ParseDouble(std::string_view text) { return ParseReal<double>(text); }
std::optional<float> ParseFloat(std::string_view text) { return ParseReal<float>(text); }

std::optional<arrow::Decimal256> ParseDecimal(std::string_view text, int precision, int scale) {
  constexpr int kExponentMax = 1000;
  bool is_negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::string digits;
  int point = -1;  // Digits in front of the point.
  size_t i = 0;
  for (; i < text.size() && (IsDigit(text[i]) || (text[i] == '.' && point < 0)); ++i) {
    if (text[i] == '.') {
      point = static_cast<int>(digits.size());
    } else {
      digits += text[i];
    }
    if (digits.size() > 10000) return std::nullopt;
  }
  if (digits.empty()) return std::nullopt;
  if (point < 0) point = static_cast<int>(digits.size());
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    const auto exponent = ParseSigned(text.substr(i + 1));
    if (!exponent || *exponent > kExponentMax || *exponent < -kExponentMax) return std::nullopt;
    point += static_cast<int>(*exponent);
  }
  const int wanted = point + scale;  // Digits that remain.
  const bool rounds_up = wanted >= 0 && wanted < static_cast<int>(digits.size()) &&
                         digits[static_cast<size_t>(wanted)] >= '5';
  digits.resize(static_cast<size_t>(std::max(wanted, 0)), '0');
  const size_t first = digits.find_first_not_of('0');
  digits = first == std::string::npos ? "" : digits.substr(first);
  if (static_cast<int>(digits.size()) > precision || digits.size() > 76) return std::nullopt;
  arrow::Decimal256 value(0);
  for (char digit : digits) value = value * arrow::Decimal256(10) + arrow::Decimal256(digit - '0');
  if (rounds_up) value += arrow::Decimal256(1);
  if (!value.FitsInPrecision(precision)) return std::nullopt;
  return is_negative ? -value : value;
}

std::string FormatDouble(double value) { return FormatReal(value, 16, -5); }
std::string FormatFloat(float value) { return FormatReal(value, 13, -6); }

std::string FormatDecimal(const arrow::Decimal256& value, int scale) {
  std::string digits = value.ToIntegerString();
  std::string sign;
  if (digits[0] == '-') {
    sign = "-";
    digits.erase(0, 1);
  }
  if (scale < 0)
    return sign + (digits == "0" ? digits : digits + std::string(static_cast<size_t>(-scale), '0'));
  if (scale == 0) return sign + digits;
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  return sign + digits.substr(0, digits.size() - places) + "." +
         digits.substr(digits.size() - places);
}

std::string FormatDate(int32_t days) {
  const CivilDate date = CivilFromDays(days);
  const bool is_plain = date.year >= 0 && date.year <= 9999;
  return fmt::format("{}{:04}-{:02}-{:02}",
                     is_plain        ? ""
                     : date.year < 0 ? "-"
                                     : "+",
                     std::abs(date.year), date.month, date.day);
}

std::string FormatTimeOfDay(int64_t nanos) {
  const int64_t seconds = nanos / kNanosPerSecond, fraction = nanos % kNanosPerSecond;
  std::string text =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (fraction % 1'000'000 != 0) {
    text += fraction % 1000 != 0 ? fmt::format(".{:09}", fraction)
                                 : fmt::format(".{:06}", fraction / 1000);
  } else if (fraction != 0) {
    text += fmt::format(".{:03}", fraction / 1'000'000);
  }
  return text;
}

std::string FormatInstant(int64_t seconds, int32_t nanos,
                          std::optional<int32_t> zone_offset_seconds) {
  seconds += zone_offset_seconds.value_or(0);
  int64_t days = seconds / kSecondsPerDay, rest = seconds % kSecondsPerDay;
  if (rest < 0) {
    --days;
    rest += kSecondsPerDay;
  }
  const CivilDate date = CivilFromDays(days);
  const bool is_plain = date.year >= 0 && date.year <= 9999;
  std::string text = fmt::format("{}{:04}-{:02}-{:02}T{}",
                                 is_plain        ? ""
                                 : date.year < 0 ? "-"
                                                 : "+",
                                 std::abs(date.year), date.month, date.day,
                                 FormatTimeOfDay(rest * kNanosPerSecond + nanos));
  if (zone_offset_seconds) {
    const int32_t offset = *zone_offset_seconds;
    text += offset == 0 ? "Z"
                        : fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+',
                                      std::abs(offset) / 3600, std::abs(offset) / 60 % 60);
  }
  return text;
}

}  // namespace pennon
