#include "dataset/filter_time.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "dataset/filter_text_values.h"

namespace pennon {
namespace {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

constexpr int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

std::string LowerAscii(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// Monday is 0.
int64_t WeekDay(int64_t days) { return ((days + 3) % 7 + 7) % 7; }

struct IsoWeek {
  int64_t year;
  int64_t week;
};
IsoWeek IsoWeekOf(int64_t days) {
  const int64_t thursday = days - WeekDay(days) + 3;
  const int64_t year = CivilFromDays(thursday).year;
  return {year, (thursday - DaysFromCivil({year, 1, 1})) / 7 + 1};
}

}  // namespace

std::optional<DatePart> FindDatePart(std::string_view name) {
  static const std::pair<const char*, DatePart> kNames[] = {
      {"y", DatePart::kYear},
      {"yr", DatePart::kYear},
      {"yrs", DatePart::kYear},
      {"year", DatePart::kYear},
      {"years", DatePart::kYear},
      {"isoyear", DatePart::kIsoYear},
      {"quarter", DatePart::kQuarter},
      {"qtr", DatePart::kQuarter},
      {"mon", DatePart::kMonth},
      {"mons", DatePart::kMonth},
      {"month", DatePart::kMonth},
      {"months", DatePart::kMonth},
      {"w", DatePart::kWeek},
      {"week", DatePart::kWeek},
      {"weeks", DatePart::kWeek},
      {"d", DatePart::kDay},
      {"day", DatePart::kDay},
      {"days", DatePart::kDay},
      {"h", DatePart::kHour},
      {"hr", DatePart::kHour},
      {"hrs", DatePart::kHour},
      {"hour", DatePart::kHour},
      {"hours", DatePart::kHour},
      {"m", DatePart::kMinute},
      {"min", DatePart::kMinute},
      {"mins", DatePart::kMinute},
      {"minute", DatePart::kMinute},
      {"minutes", DatePart::kMinute},
      {"s", DatePart::kSecond},
      {"sec", DatePart::kSecond},
      {"secs", DatePart::kSecond},
      {"second", DatePart::kSecond},
      {"seconds", DatePart::kSecond},
      {"ms", DatePart::kMillisecond},
      {"msec", DatePart::kMillisecond},
      {"msecs", DatePart::kMillisecond},
      {"millisecond", DatePart::kMillisecond},
      {"milliseconds", DatePart::kMillisecond},
      {"us", DatePart::kMicrosecond},
      {"usec", DatePart::kMicrosecond},
      {"usecs", DatePart::kMicrosecond},
      {"microsecond", DatePart::kMicrosecond},
      {"microseconds", DatePart::kMicrosecond},
      {"nanosecond", DatePart::kNanosecond},
      {"nanoseconds", DatePart::kNanosecond},
      {"dow", DatePart::kDayOfWeek},
      {"isodow", DatePart::kIsoDayOfWeek},
      {"doy", DatePart::kDayOfYear},
      {"epoch", DatePart::kEpoch}};
  const std::string lower = LowerAscii(name);
  for (const auto& [known, part] : kNames) {
    if (lower == known) return part;
  }
  return std::nullopt;
}

int64_t PartOf(DatePart part, LocalInstant instant) {
  const int64_t days = FloorDivide(instant.seconds, kSecondsPerDay);
  const int64_t second_of_day = instant.seconds - days * kSecondsPerDay;
  const int64_t nanos_of_minute = second_of_day % 60 * kNanosPerSecond + instant.nanos;
  const CivilDate date = CivilFromDays(days);
  switch (part) {
    case DatePart::kYear:
      return date.year;
    case DatePart::kIsoYear:
      return IsoWeekOf(days).year;
    case DatePart::kQuarter:
      return (date.month + 2) / 3;
    case DatePart::kMonth:
      return date.month;
    case DatePart::kWeek:
      return IsoWeekOf(days).week;
    case DatePart::kDay:
      return date.day;
    case DatePart::kHour:
      return second_of_day / 3600;
    case DatePart::kMinute:
      return second_of_day / 60 % 60;
    case DatePart::kSecond:
      return second_of_day % 60;
    case DatePart::kMillisecond:
      return nanos_of_minute / 1'000'000;
    case DatePart::kMicrosecond:
      return nanos_of_minute / 1000;
    case DatePart::kNanosecond:
      return nanos_of_minute;
    case DatePart::kDayOfWeek:
      return (WeekDay(days) + 1) % 7;
    case DatePart::kIsoDayOfWeek:
      return WeekDay(days) + 1;
    case DatePart::kDayOfYear:
      return days - DaysFromCivil({date.year, 1, 1}) + 1;
    case DatePart::kEpoch:
      break;
  }
  return 0;
}

LocalInstant TruncateTo(DatePart part, LocalInstant instant) {
  const int64_t days = FloorDivide(instant.seconds, kSecondsPerDay);
  const CivilDate date = CivilFromDays(days);
  switch (part) {
    case DatePart::kYear:
      return {DaysFromCivil({date.year, 1, 1}) * kSecondsPerDay, 0};
    case DatePart::kQuarter:
      return {DaysFromCivil({date.year, (date.month - 1) / 3 * 3 + 1, 1}) * kSecondsPerDay, 0};
    case DatePart::kMonth:
      return {DaysFromCivil({date.year, date.month, 1}) * kSecondsPerDay, 0};
    case DatePart::kWeek:
      return {(days - WeekDay(days)) * kSecondsPerDay, 0};
    case DatePart::kDay:
      return {days * kSecondsPerDay, 0};
    case DatePart::kHour:
      return {FloorDivide(instant.seconds, 3600) * 3600, 0};
    case DatePart::kMinute:
      return {FloorDivide(instant.seconds, 60) * 60, 0};
    case DatePart::kSecond:
      return {instant.seconds, 0};
    case DatePart::kMillisecond:
      return {instant.seconds, instant.nanos / 1'000'000 * 1'000'000};
    case DatePart::kMicrosecond:
      return {instant.seconds, instant.nanos / 1000 * 1000};
    default:
      return instant;
  }
}

std::optional<SqlInterval> ParseInterval(std::string_view text) {
  // Totals as doubles would lose nanoseconds; a month and a day are kept whole, their fractions
  // move down.
  SqlInterval interval;
  double months = 0, days = 0, nanos = 0;
  bool has_part = false;
  size_t i = 0;
  const auto skip_blanks = [&] {
    while (i < text.size() && text[i] == ' ') ++i;
  };
  for (skip_blanks(); i < text.size(); skip_blanks()) {
    const size_t begin = i;
    while (i < text.size() && (text[i] == '-' || text[i] == '+' || text[i] == '.' ||
                               text[i] == ':' || (text[i] >= '0' && text[i] <= '9')))
      ++i;
    std::string_view number = text.substr(begin, i - begin);
    if (number.empty()) return std::nullopt;
    if (number.find(':') != std::string_view::npos) {
      const double sign = number[0] == '-' ? -1 : 1;
      if (number[0] == '-' || number[0] == '+') number.remove_prefix(1);
      const auto time = ParseTimeOfDay(number);
      if (!time) return std::nullopt;
      nanos += sign * static_cast<double>(*time);
      has_part = true;
      continue;
    }
    skip_blanks();
    const size_t unit_begin = i;
    while (i < text.size() && ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z')) ++i;
    const auto amount = ParseDouble(number);
    const auto part = FindDatePart(text.substr(unit_begin, i - unit_begin));
    if (!amount || !part || !std::isfinite(*amount)) return std::nullopt;
    has_part = true;
    switch (*part) {
      case DatePart::kYear:
        months += 12 * *amount;
        break;
      case DatePart::kQuarter:
        months += 3 * *amount;
        break;
      case DatePart::kMonth:
        months += *amount;
        break;
      case DatePart::kWeek:
        days += 7 * *amount;
        break;
      case DatePart::kDay:
        days += *amount;
        break;
      case DatePart::kHour:
        nanos += *amount * 3600e9;
        break;
      case DatePart::kMinute:
        nanos += *amount * 60e9;
        break;
      case DatePart::kSecond:
        nanos += *amount * 1e9;
        break;
      case DatePart::kMillisecond:
        nanos += *amount * 1e6;
        break;
      case DatePart::kMicrosecond:
        nanos += *amount * 1e3;
        break;
      case DatePart::kNanosecond:
        nanos += *amount;
        break;
      default:
        return std::nullopt;
    }
  }
  if (!has_part) return std::nullopt;
  days += (months - std::trunc(months)) * 30;
  nanos += (days - std::trunc(days)) * 86400e9;
  if (std::fabs(months) > 1e9 || std::fabs(days) > 1e9 || std::fabs(nanos) > 9e18)
    return std::nullopt;
  interval.months = static_cast<int32_t>(std::trunc(months));
  interval.days = static_cast<int32_t>(std::trunc(days));
  interval.nanos = static_cast<int64_t>(std::round(nanos));
  return interval;
}

LocalInstant AddInterval(LocalInstant instant, const SqlInterval& interval, int sign) {
  int64_t days = FloorDivide(instant.seconds, kSecondsPerDay);
  const int64_t second_of_day = instant.seconds - days * kSecondsPerDay;
  if (interval.months != 0) {
    CivilDate date = CivilFromDays(days);
    const int64_t month = date.year * 12 + date.month - 1 + int64_t{sign} * interval.months;
    date.year = FloorDivide(month, 12);
    date.month = static_cast<unsigned>(month - date.year * 12) + 1;
    while (!IsValidCivil(date.year, date.month, date.day)) --date.day;
    days = DaysFromCivil(date);
  }
  days += int64_t{sign} * interval.days;
  const int64_t nanos = instant.nanos + sign * (interval.nanos % kNanosPerSecond);
  const int64_t carry = FloorDivide(nanos, kNanosPerSecond);
  return {days * kSecondsPerDay + second_of_day + sign * (interval.nanos / kNanosPerSecond) + carry,
          static_cast<int32_t>(nanos - carry * kNanosPerSecond)};
}

}  // namespace pennon
