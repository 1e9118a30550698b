#include "dataset/filter_time.h"

#include <gtest/gtest.h>

#include "dataset/filter_text_values.h"

namespace pennon {
namespace {

LocalInstant At(const char* text) {
  const auto instant = ParseInstant(text);
  return {instant->seconds, instant->nanos};
}
std::string Show(LocalInstant instant) {
  return FormatInstant(instant.seconds, instant.nanos, std::nullopt);
}

TEST(FilterTime, FindsParts) {
  EXPECT_EQ(FindDatePart("YEARS"), DatePart::kYear);
  EXPECT_EQ(FindDatePart("mins"), DatePart::kMinute);
  EXPECT_FALSE(FindDatePart("decade"));
  const LocalInstant instant = At("2021-06-15T12:30:45.123456789");
  EXPECT_EQ(PartOf(DatePart::kQuarter, instant), 2);
  EXPECT_EQ(PartOf(DatePart::kWeek, instant), 24);
  EXPECT_EQ(PartOf(DatePart::kDayOfWeek, instant), 2);
  EXPECT_EQ(PartOf(DatePart::kIsoDayOfWeek, At("2021-06-20")), 7);
  EXPECT_EQ(PartOf(DatePart::kDayOfWeek, At("2021-06-20")), 0);
  EXPECT_EQ(PartOf(DatePart::kDayOfYear, instant), 166);
  EXPECT_EQ(PartOf(DatePart::kMillisecond, instant), 45123);
  EXPECT_EQ(PartOf(DatePart::kNanosecond, instant), 45123456789);
  EXPECT_EQ(PartOf(DatePart::kIsoYear, At("1969-12-31")), 1970);
  EXPECT_EQ(PartOf(DatePart::kHour, At("1969-12-31T23:59:59")), 23);
}

TEST(FilterTime, Truncates) {
  const LocalInstant instant = At("2021-06-17T12:30:45.123456789");
  EXPECT_EQ(Show(TruncateTo(DatePart::kYear, instant)), "2021-01-01T00:00:00");
  EXPECT_EQ(Show(TruncateTo(DatePart::kQuarter, instant)), "2021-04-01T00:00:00");
  EXPECT_EQ(Show(TruncateTo(DatePart::kWeek, instant)), "2021-06-14T00:00:00");
  EXPECT_EQ(Show(TruncateTo(DatePart::kHour, instant)), "2021-06-17T12:00:00");
  EXPECT_EQ(Show(TruncateTo(DatePart::kMillisecond, instant)), "2021-06-17T12:30:45.123");
  EXPECT_EQ(Show(TruncateTo(DatePart::kDay, At("1969-12-31T23:59:59"))), "1969-12-31T00:00:00");
}

TEST(FilterTime, ReadsAndAddsIntervals) {
  const auto interval = ParseInterval("1 year 2 months -3 days 1.5 hours 00:00:01");
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->months, 14);
  EXPECT_EQ(interval->days, -3);
  EXPECT_EQ(interval->nanos, 5401'000'000'000);
  EXPECT_EQ(Show(AddInterval(At("2020-01-31"), *ParseInterval("1 month"), 1)),
            "2020-02-29T00:00:00");
  EXPECT_EQ(Show(AddInterval(At("2020-03-31"), *ParseInterval("1 month"), -1)),
            "2020-02-29T00:00:00");
  EXPECT_EQ(Show(AddInterval(At("2020-01-01"), *ParseInterval("1 nanosecond"), -1)),
            "2019-12-31T23:59:59.999999999");
  for (const char* bad : {"", "1", "day", "1 parsec", "x day", "1 day 2"})
    EXPECT_FALSE(ParseInterval(bad)) << bad;
}

}  // namespace
}  // namespace pennon
