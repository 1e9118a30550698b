/// \file
/// Values written as text: what the reference engine's casts from and to text accept and produce.
/// Spec: docs/filters.md, heading "Casts".
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pennon {

/// A point in time as seconds and nanoseconds since 1970, the latter in [0, 10^9).
struct TextInstant {
  int64_t seconds = 0;
  int32_t nanos = 0;
  bool has_zone = false;  ///< The text names its offset, which is already applied.
};

/// Days since 1970-01-01. Accepts 2020-01-31, 2020-1-31, 20200131, signed long years, and a
/// timestamp.
std::optional<int32_t> ParseDate(std::string_view text);
/// Accepts 2020-01-31 alone, and with T, t or a blank: 12:30:45, 12:30:45.123456789, 123045; then
/// nothing, Z, UTC or an offset (+02:00, +0200, +02).
std::optional<TextInstant> ParseInstant(std::string_view text);
/// Nanoseconds since midnight. Accepts 12:30, 12:30:45, 12:30:45.123, each also with AM or PM.
std::optional<int64_t> ParseTimeOfDay(std::string_view text);
/// Offset in seconds of "+02:00", "UTC" and the like; nothing for zones that need a database.
std::optional<int32_t> ParseZoneOffset(std::string_view text);
/// true, t, yes, y, on, 1 and their opposites in any case, blanks around ignored.
std::optional<bool> ParseBoolean(std::string_view text);
/// Decimal digits with an optional sign, nothing else.
std::optional<int64_t> ParseSigned(std::string_view text);
std::optional<uint64_t> ParseUnsigned(std::string_view text);
/// Also inf, infinity and nan in any case. Rounds to nearest.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
/// Digits with point and exponent at `scale`, rounded half away from zero. Nothing when there are
/// more than `precision` digits.
std::optional<arrow::Decimal256> ParseDecimal(std::string_view text, int precision, int scale);

/// Shortest text that reads back as the same number, always with a point or an exponent: 1.0, 0.1,
/// 1e20, NaN, inf.
std::string FormatDouble(double value);
std::string FormatFloat(float value);
/// All digits, no exponent.
std::string FormatDecimal(const arrow::Decimal256& value, int scale);
std::string FormatDate(int32_t days);
/// 2020-01-31T12:30:45.123456: fractions in groups of three, as many as are needed; then Z or the
/// offset if `zone` is given.
std::string FormatInstant(int64_t seconds, int32_t nanos,
                          std::optional<int32_t> zone_offset_seconds);
std::string FormatTimeOfDay(int64_t nanos);

/// Civil calendar, proleptic Gregorian.
struct CivilDate {
  int64_t year = 1970;
  unsigned month = 1;
  unsigned day = 1;
};
int64_t DaysFromCivil(CivilDate date);
CivilDate CivilFromDays(int64_t days);
bool IsValidCivil(int64_t year, unsigned month, unsigned day);

}  // namespace pennon
