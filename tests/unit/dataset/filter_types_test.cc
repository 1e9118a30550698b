#include "dataset/filter_types.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

std::string Common(const TypePtr& left, const TypePtr& right) {
  const TypePtr type = ComparisonType(left, right), mirrored = ComparisonType(right, left);
  EXPECT_EQ(type == nullptr, mirrored == nullptr);
  if (type == nullptr) return "none";
  EXPECT_TRUE(type->Equals(mirrored)) << type->ToString() << " and " << mirrored->ToString();
  return type->ToString();
}

TEST(FilterTypes, FindsCommonNumbers) {
  EXPECT_EQ(Common(arrow::int8(), arrow::int64()), "int64");
  EXPECT_EQ(Common(arrow::int8(), arrow::uint8()), "int16");
  EXPECT_EQ(Common(arrow::uint32(), arrow::int8()), "int64");
  EXPECT_EQ(Common(arrow::uint64(), arrow::int8()), "decimal128(20, 0)");
  EXPECT_EQ(Common(arrow::uint64(), arrow::uint8()), "uint64");
  EXPECT_EQ(Common(arrow::int64(), arrow::float32()), "float");
  EXPECT_EQ(Common(arrow::float32(), arrow::float64()), "double");
  EXPECT_EQ(Common(arrow::decimal128(10, 2), arrow::int64()), "decimal128(22, 2)");
  EXPECT_EQ(Common(arrow::decimal128(10, 2), arrow::float64()), "decimal128(30, 15)");
  EXPECT_EQ(Common(arrow::decimal128(38, 0), arrow::decimal128(38, 38)), "decimal128(38, 38)");
  EXPECT_EQ(Common(arrow::decimal256(50, 0), arrow::decimal128(10, 2)), "decimal256(52, 2)");
}

TEST(FilterTypes, FindsCommonOthers) {
  EXPECT_EQ(Common(arrow::utf8(), arrow::large_utf8()), "large_string");
  EXPECT_EQ(Common(arrow::utf8(), arrow::int32()), "int32");
  EXPECT_EQ(Common(arrow::utf8(), arrow::date32()), "date32[day]");
  EXPECT_EQ(Common(arrow::utf8(), arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
            "timestamp[ns, tz=UTC]");
  EXPECT_EQ(Common(arrow::utf8(), arrow::binary()), "binary");
  EXPECT_EQ(Common(arrow::fixed_size_binary(2), arrow::binary()), "binary");
  EXPECT_EQ(Common(arrow::date32(), arrow::timestamp(arrow::TimeUnit::MILLI)), "timestamp[ms]");
  EXPECT_EQ(
      Common(arrow::timestamp(arrow::TimeUnit::NANO), arrow::timestamp(arrow::TimeUnit::MILLI)),
      "timestamp[ms]");
  EXPECT_EQ(Common(arrow::null(), arrow::utf8()), "string");
  EXPECT_EQ(Common(arrow::dictionary(arrow::int32(), arrow::utf8()), arrow::utf8()), "string");
  EXPECT_EQ(Common(arrow::list(arrow::int32()), arrow::large_list(arrow::int64())),
            "large_list<item: int64>");
  EXPECT_EQ(Common(arrow::boolean(), arrow::int32()), "none");
  EXPECT_EQ(Common(arrow::boolean(), arrow::utf8()), "none");
  EXPECT_EQ(Common(arrow::list(arrow::int32()), arrow::int32()), "none");
  EXPECT_EQ(UnionType(arrow::utf8(), arrow::int32())->ToString(), "string");
  EXPECT_EQ(ArgumentType(arrow::utf8(), arrow::date32()), nullptr);
}

TEST(FilterTypes, FindsArithmetic) {
  const auto shown = [](char operation, const TypePtr& left, const TypePtr& right) {
    const ArithmeticTypes types = NumericArithmetic(operation, left, right);
    return types.result == nullptr ? "none"
                                   : types.left->ToString() + " " + types.right->ToString() + " " +
                                         types.result->ToString();
  };
  EXPECT_EQ(shown('+', arrow::int8(), arrow::int8()), "int8 int8 int8");
  EXPECT_EQ(shown('+', arrow::int32(), arrow::float64()), "double double double");
  EXPECT_EQ(shown('+', arrow::uint64(), arrow::int64()),
            "decimal128(20, 0) decimal128(20, 0) decimal128(21, 0)");
  EXPECT_EQ(shown('*', arrow::decimal128(10, 2), arrow::int32()),
            "decimal128(10, 2) decimal128(10, 0) decimal128(21, 2)");
  EXPECT_EQ(shown('/', arrow::decimal128(10, 2), arrow::decimal128(5, 1)),
            "decimal128(10, 2) decimal128(5, 1) decimal128(15, 6)");
  EXPECT_EQ(shown('%', arrow::decimal128(10, 2), arrow::decimal128(5, 1)),
            "decimal128(10, 2) decimal128(5, 1) decimal128(6, 2)");
  EXPECT_EQ(shown('-', arrow::decimal128(10, 2), arrow::float32()), "double double double");
  EXPECT_EQ(shown('+', arrow::utf8(), arrow::int32()), "none");
  EXPECT_EQ(BitwiseType(arrow::int32(), arrow::int64())->ToString(), "int64");
  EXPECT_EQ(BitwiseType(arrow::float32(), arrow::int64()), nullptr);
}

}  // namespace
}  // namespace pennon
