#include "dataset/filter_cast.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string Cast(const TypePtr& from, const char* json, const TypePtr& to,
                 CastFailure failure = CastFailure::kError) {
  const auto values = arrow::json::ArrayFromJSONString(from, json).ValueOrDie();
  const auto cast = CastArray(values, to, failure, arrow::default_memory_pool());
  if (!cast.ok()) return MessageOf(cast.status());
  EXPECT_TRUE((*cast)->type()->Equals(to));
  EXPECT_TRUE((*cast)->ValidateFull().ok());
  std::string shown;
  for (int64_t i = 0; i < (*cast)->length(); ++i) {
    const auto scalar = (*cast)->GetScalar(i).ValueOrDie();
    shown += (i == 0 ? "" : " ") + (scalar->is_valid ? scalar->ToString() : "null");
  }
  return shown;
}

const auto kMicros = arrow::timestamp(arrow::TimeUnit::MICRO);

TEST(FilterCast, CutsAndChecksNumbers) {
  EXPECT_EQ(Cast(arrow::float64(), "[1.9, -1.9, null]", arrow::int32()), "1 -1 null");
  EXPECT_EQ(Cast(arrow::float64(), "[2147483648]", arrow::int32()),
            "cannot cast \"2147483648\" from double to int32");
  EXPECT_EQ(Cast(arrow::float64(), "[NaN]", arrow::int32(), CastFailure::kNull), "null");
  EXPECT_EQ(Cast(arrow::float64(), "[-0.5, 255.9]", arrow::uint8()), "0 255");
  EXPECT_EQ(Cast(arrow::float64(), "[9223372036854775807]", arrow::int64(), CastFailure::kNull),
            "null");
  EXPECT_EQ(Cast(arrow::int64(), "[300, 5]", arrow::int8(), CastFailure::kNull), "null 5");
  EXPECT_EQ(KindOf(CastArray(arrow::json::ArrayFromJSONString(arrow::int64(), "[300]").ValueOrDie(),
                             arrow::int8(), CastFailure::kError, arrow::default_memory_pool())
                       .status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(Cast(arrow::int64(), "[9007199254740993]", arrow::float64()), "9.007199254740992e+15");
  EXPECT_EQ(Cast(arrow::int32(), "[0, -5]", arrow::boolean()), "false true");
  EXPECT_EQ(Cast(arrow::boolean(), "[true]", arrow::int8()), "1");
}

TEST(FilterCast, RoundsDecimals) {
  EXPECT_EQ(
      Cast(arrow::decimal128(10, 3), R"(["1.115", "-1.115", "1.114"])", arrow::decimal128(10, 2)),
      "1.12 -1.12 1.11");
  EXPECT_EQ(Cast(arrow::decimal128(10, 2), R"(["9.99"])", arrow::decimal128(3, 2)), "9.99");
  EXPECT_EQ(
      Cast(arrow::decimal128(10, 2), R"(["99.99"])", arrow::decimal128(3, 2), CastFailure::kNull),
      "null");
  EXPECT_EQ(Cast(arrow::decimal128(10, 2), R"(["2.99", "-2.99"])", arrow::int32()), "2 -2");
  EXPECT_EQ(Cast(arrow::int64(), "[-7]", arrow::decimal128(20, 0)), "-7");
  EXPECT_EQ(Cast(arrow::uint64(), "[18446744073709551615]", arrow::decimal128(20, 0)),
            "18446744073709551615");
  EXPECT_EQ(Cast(arrow::float64(), "[1.1]", arrow::decimal128(30, 15)), "1.100000000000000");
  EXPECT_EQ(Cast(arrow::decimal128(10, 2), R"(["1.10"])", arrow::float64()), "1.1");
  EXPECT_EQ(Cast(arrow::decimal256(50, 2), R"(["1.15"])", arrow::decimal128(10, 1)), "1.2");
}

TEST(FilterCast, ReadsAndWritesText) {
  EXPECT_EQ(Cast(arrow::utf8(), R"(["5", "x", null])", arrow::int32(), CastFailure::kNull),
            "5 null null");
  EXPECT_EQ(Cast(arrow::large_utf8(), R"(["1.5"])", arrow::float64()), "1.5");
  EXPECT_EQ(Cast(arrow::utf8(), R"(["2020-01-01"])", arrow::date32()), "2020-01-01");
  EXPECT_EQ(Cast(arrow::utf8(), R"(["2020-01-01 00:00:01"])", kMicros),
            "2020-01-01 00:00:01.000000");
  EXPECT_EQ(Cast(arrow::utf8(), R"(["1.005"])", arrow::decimal128(5, 2)), "1.01");
  EXPECT_EQ(Cast(arrow::utf8(), R"(["yes"])", arrow::boolean()), "true");
  EXPECT_EQ(Cast(arrow::float64(), "[1, 0.1]", arrow::utf8()), "1.0 0.1");
  EXPECT_EQ(Cast(kMicros, "[1]", arrow::utf8()), "1970-01-01T00:00:00.000001");
  EXPECT_EQ(Cast(arrow::binary(), R"(["ab"])", arrow::utf8()), "ab");
  EXPECT_EQ(Cast(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["7", null])", arrow::int32()),
            "7 null");
}

TEST(FilterCast, MovesBetweenTimes) {
  EXPECT_EQ(Cast(arrow::date32(), "[1]", kMicros), "1970-01-02 00:00:00.000000");
  EXPECT_EQ(Cast(kMicros, "[-1]", arrow::date32()), "1969-12-31");
  EXPECT_EQ(Cast(arrow::timestamp(arrow::TimeUnit::NANO), "[1999, -1999]", kMicros),
            "1970-01-01 00:00:00.000001 1969-12-31 23:59:59.999999");
  EXPECT_EQ(Cast(arrow::date32(), "[2147483647]", arrow::timestamp(arrow::TimeUnit::NANO),
                 CastFailure::kNull),
            "null");
  EXPECT_EQ(Cast(kMicros, "[7]", arrow::int64()), "7");
  EXPECT_EQ(Cast(arrow::int64(), "[86400000000]", kMicros), "1970-01-02 00:00:00.000000");
  EXPECT_EQ(Cast(kMicros, "[0]", arrow::timestamp(arrow::TimeUnit::MICRO, "+02:00")),
            "1969-12-31 22:00:00.000000Z");
}

TEST(FilterCast, CastsListsByElement) {
  EXPECT_EQ(Cast(arrow::list(arrow::int64()), "[[1, null], null]", arrow::list(arrow::float64())),
            "list<item: double>[1, null] null");
  EXPECT_EQ(
      Cast(arrow::fixed_size_list(arrow::float32(), 2), "[[1, 2]]", arrow::list(arrow::float64())),
      "list<item: double>[1, 2]");
  EXPECT_EQ(Cast(arrow::list(arrow::int32()), "[[1]]", arrow::large_list(arrow::int64())),
            "large_list<item: int64>[1]");
}

TEST(FilterCast, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(CanCast(*arrow::boolean(), *arrow::date32()));
  EXPECT_FALSE(CanCast(*arrow::list(arrow::int32()), *arrow::int32()));
  EXPECT_FALSE(CanCast(*arrow::int8(), *arrow::date32()));
  EXPECT_FALSE(CanCast(*arrow::float64(), *kMicros));
  EXPECT_TRUE(CanCast(*arrow::null(), *arrow::struct_({})));
  EXPECT_EQ(Cast(arrow::boolean(), "[true]", arrow::date32()), "cannot cast bool to date32[day]");
}

}  // namespace
}  // namespace pennon
