#include "dataset/filter_literal.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

std::string Unwrap(const ScalarPtr& value, const TypePtr& type) {
  const ScalarPtr unwrapped = UnwrapConstant(value, type);
  return unwrapped == nullptr ? "none" : unwrapped->ToString();
}
ScalarPtr Int(int64_t value) { return std::make_shared<arrow::Int64Scalar>(value); }
ScalarPtr Real(double value) { return std::make_shared<arrow::DoubleScalar>(value); }
ScalarPtr Decimal(int64_t value, int precision, int scale) {
  return std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(value),
                                                   arrow::decimal128(precision, scale));
}
ScalarPtr Time(int64_t value, arrow::TimeUnit::type unit) {
  return std::make_shared<arrow::TimestampScalar>(value, arrow::timestamp(unit));
}

TEST(FilterLiteral, UnwrapsWhatIsExact) {
  EXPECT_EQ(Unwrap(Int(5), arrow::int8()), "5");
  EXPECT_EQ(Unwrap(Int(300), arrow::int8()), "none");
  EXPECT_EQ(Unwrap(Int(-1), arrow::uint64()), "none");
  EXPECT_EQ(Unwrap(Decimal(500, 20, 2), arrow::int32()), "5");
  EXPECT_EQ(Unwrap(Decimal(550, 20, 2), arrow::int32()), "none");
  EXPECT_EQ(Unwrap(Decimal(1100000, 20, 6), arrow::decimal128(10, 2)), "1.10");
  EXPECT_EQ(Unwrap(Decimal(1, 20, 0), arrow::uint64()), "1");
  EXPECT_EQ(Unwrap(Int(7), arrow::decimal128(10, 2)), "7.00");
  EXPECT_EQ(Unwrap(Real(0.5), arrow::float32()), "0.5");
  EXPECT_EQ(Unwrap(Real(0.1), arrow::float32()), "none");
  EXPECT_EQ(Unwrap(Real(1), arrow::int32()), "none");
  EXPECT_EQ(Unwrap(Time(1, arrow::TimeUnit::SECOND), arrow::timestamp(arrow::TimeUnit::NANO)),
            "1970-01-01 00:00:01.000000000");
  EXPECT_EQ(Unwrap(Time(1999, arrow::TimeUnit::NANO), arrow::timestamp(arrow::TimeUnit::MICRO)),
            "1970-01-01 00:00:00.000001");
  EXPECT_EQ(Unwrap(Time(0, arrow::TimeUnit::MICRO), arrow::date32()), "none");
  EXPECT_EQ(Unwrap(std::make_shared<arrow::StringScalar>("x"), arrow::large_utf8()), "x");
  EXPECT_EQ(Unwrap(std::make_shared<arrow::BinaryScalar>("ab"), arrow::fixed_size_binary(2)), "ab");
  EXPECT_EQ(Unwrap(std::make_shared<arrow::BinaryScalar>("abc"), arrow::fixed_size_binary(2)),
            "none");
  EXPECT_EQ(Unwrap(arrow::MakeNullScalar(arrow::int64()), arrow::int8()), "none");
}

TEST(FilterLiteral, NarrowsBesideFloats) {
  EXPECT_EQ(NarrowToFloat(*Real(0.1), arrow::float32())->ToString(), "0.1");
  EXPECT_EQ(NarrowToFloat(*Int(16777217), arrow::float32())->ToString(), "16777216");
  EXPECT_EQ(NarrowToFloat(*Real(1e300), arrow::float32())->ToString(), "inf");
  EXPECT_EQ(NarrowToFloat(*Int(3), arrow::float64())->ToString(), "3");
  EXPECT_EQ(NarrowToFloat(arrow::StringScalar("x"), arrow::float32()), nullptr);
  EXPECT_EQ(NarrowToFloat(*Real(1), arrow::int32()), nullptr);
}

}  // namespace
}  // namespace pennon
