/// \file
/// Parts of dates and times by name, truncation, and intervals written as text.
/// Spec: docs/filters.md, heading "Dates and times".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pennon {

enum class DatePart {
  kYear,
  kIsoYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kEpoch,
};

/// Knows plurals and short forms ("mins", "y"), in any letter case.
std::optional<DatePart> FindDatePart(std::string_view name);

/// A local point in time.
struct LocalInstant {
  int64_t seconds = 0;  ///< Since 1970, may be negative.
  int32_t nanos = 0;    ///< In [0, 10^9).
};

/// Seconds, milliseconds, microseconds and nanoseconds count from the full minute. Not for kEpoch.
int64_t PartOf(DatePart part, LocalInstant instant);

/// Returns the start of the period that holds `instant`. For kYear, kQuarter, kMonth, kWeek
/// (Monday), kDay, kHour, kMinute, kSecond, kMillisecond, kMicrosecond; others come back as they
/// are.
LocalInstant TruncateTo(DatePart part, LocalInstant instant);

struct SqlInterval {
  int32_t months = 0;
  int32_t days = 0;
  int64_t nanos = 0;
};

/// Reads "1 day", "2 hours 30 minutes", "-1 year", "1.5 hours", "1 day 10:20:30".
std::optional<SqlInterval> ParseInterval(std::string_view text);

/// Adds months (the day kept within the month), then days, then nanoseconds.
LocalInstant AddInterval(LocalInstant instant, const SqlInterval& interval, int sign);

}  // namespace pennon
