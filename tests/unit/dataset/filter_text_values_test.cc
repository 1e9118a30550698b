#include "dataset/filter_text_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pennon {
namespace {

TEST(FilterTextValues, ReadsDates) {
  EXPECT_EQ(ParseDate("1970-01-01"), 0);
  EXPECT_EQ(ParseDate("2020-02-29"), 18321);
  EXPECT_EQ(ParseDate("2020-2-9"), 18301);
  EXPECT_EQ(ParseDate("20200101"), 18262);
  EXPECT_EQ(ParseDate("0001-01-01"), -719162);
  EXPECT_EQ(ParseDate("+10999-12-31"), 3298139);
  EXPECT_EQ(ParseDate("1969-12-31 23:59:59"), -1);
  for (const char* bad : {"", "2020", "2020-13-01", "2021-02-29", "2020-01-01x", "2020/01/01",
                          "20-01-01", "2020-1", "+1-1-1"}) {
    EXPECT_FALSE(ParseDate(bad)) << bad;
  }
}

TEST(FilterTextValues, ReadsInstants) {
  const auto nanos = [](const char* text) {
    const auto instant = ParseInstant(text);
    return instant ? instant->seconds * 1'000'000'000 + instant->nanos : -1;
  };
  EXPECT_EQ(nanos("1970-01-02"), 86400'000'000'000);
  EXPECT_EQ(nanos("1970-01-01T00:00:01.5"), 1'500'000'000);
  EXPECT_EQ(nanos("1970-01-01 00:00:00.1234567899"), 123'456'789);
  EXPECT_EQ(nanos("1970-01-01t010203"), 3723'000'000'000);
  EXPECT_EQ(nanos("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(nanos("1970-01-01T02:00:00 +0200"), 0);
  EXPECT_EQ(nanos("1970-01-01T02:00:00Z"), 7200'000'000'000);
  for (const char* bad :
       {"garbage", "1970-01-01 ", "1970-01-01 00:00", "1970-01-01x00:00:00", "1970-01-01 24:00:00",
        "1970-01-01 00:00:00.", "1970-01-01 00:00:00 PST", "1970-01-01 00:00:00+99:00"}) {
    EXPECT_FALSE(ParseInstant(bad)) << bad;
  }
}

TEST(FilterTextValues, ReadsTimesOfDay) {
  EXPECT_EQ(ParseTimeOfDay("01:02:03"), 3723'000'000'000);
  EXPECT_EQ(ParseTimeOfDay("1:02"), 3720'000'000'000);
  EXPECT_EQ(ParseTimeOfDay("12:00:00.5 AM"), 500'000'000);
  EXPECT_EQ(ParseTimeOfDay("1:00 pm"), 46800'000'000'000);
  for (const char* bad : {"", "1", "1:2", "24:00", "13:00 PM", "01:02:03.", "01:02:03x"})
    EXPECT_FALSE(ParseTimeOfDay(bad)) << bad;
}

TEST(FilterTextValues, ReadsNumbers) {
  EXPECT_EQ(ParseSigned("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseSigned("+7"), 7);
  EXPECT_EQ(ParseUnsigned("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  for (const char* bad : {"", " 1", "1 ", "1.0", "0x10", "+-1", "9223372036854775808"})
    EXPECT_FALSE(ParseSigned(bad)) << bad;
  EXPECT_FALSE(ParseUnsigned("-1"));
  EXPECT_EQ(ParseDouble("-1.5e3"), -1500);
  EXPECT_EQ(ParseDouble("1e999"), INFINITY);
  EXPECT_EQ(ParseDouble("-inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(*ParseDouble("NaN")));
  for (const char* bad : {"", "1x", "--1", "e5", "0x1p3"}) EXPECT_FALSE(ParseDouble(bad)) << bad;
  EXPECT_EQ(ParseBoolean(" TRUE "), true);
  EXPECT_EQ(ParseBoolean("off"), false);
  EXPECT_FALSE(ParseBoolean("maybe"));
}

TEST(FilterTextValues, ReadsAndWritesDecimals) {
  const auto digits = [](const char* text, int precision, int scale) {
    const auto value = ParseDecimal(text, precision, scale);
    return value ? FormatDecimal(*value, scale) : "none";
  };
  EXPECT_EQ(digits("1.5", 10, 2), "1.50");
  EXPECT_EQ(digits("-0.005", 10, 2), "-0.01");
  EXPECT_EQ(digits("0.0049", 10, 2), "0.00");
  EXPECT_EQ(digits("9.995", 3, 2), "none");
  EXPECT_EQ(digits("1e3", 10, 0), "1000");
  EXPECT_EQ(digits("12345e-3", 10, 4), "12.3450");
  EXPECT_EQ(digits("1234.5", 4, 1), "none");
  EXPECT_EQ(digits(".5", 3, 1), "0.5");
  for (const char* bad : {"", ".", "1.2.3", "x", "1e", "1e99999999999"})
    EXPECT_EQ(digits(bad, 10, 2), "none") << bad;
  EXPECT_EQ(FormatDecimal(arrow::Decimal256(1), 9), "0.000000001");
  EXPECT_EQ(FormatDecimal(arrow::Decimal256(-15), -2), "-1500");
}

TEST(FilterTextValues, WritesNumbersAndTimes) {
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(1), "1.0");
  EXPECT_EQ(FormatDouble(-0.0), "-0.0");
  EXPECT_EQ(FormatDouble(1e15), "1000000000000000.0");
  EXPECT_EQ(FormatDouble(1e16), "1e16");
  EXPECT_EQ(FormatDouble(1.5e300), "1.5e300");
  EXPECT_EQ(FormatDouble(0.000001), "1e-6");
  EXPECT_EQ(FormatDouble(0.0001), "0.0001");
  EXPECT_EQ(FormatFloat(1e30F), "1e30");
  EXPECT_EQ(FormatDouble(NAN), "NaN");
  EXPECT_EQ(FormatDouble(-INFINITY), "-inf");
  EXPECT_EQ(FormatDate(-719162), "0001-01-01");
  EXPECT_EQ(FormatDate(3298139), "+10999-12-31");
  EXPECT_EQ(FormatInstant(-1, 500'000'000, std::nullopt), "1969-12-31T23:59:59.500");
  EXPECT_EQ(FormatInstant(0, 0, 7200), "1970-01-01T02:00:00+02:00");
  EXPECT_EQ(FormatInstant(0, 1000, 0), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(FormatTimeOfDay(3723'000'000'001), "01:02:03.000000001");
}

}  // namespace
}  // namespace pennon
