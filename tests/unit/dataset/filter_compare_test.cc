#include "dataset/filter_compare.h"

#include <arrow/array/builder_primitive.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace pennon {
namespace {

constexpr const char* kOperations[] = {"equal",      "not_equal", "less",
                                       "less_equal", "greater",   "greater_equal"};

bool Holds(int operation, int order) {
  switch (operation) {
    case 0:
      return order == 0;
    case 1:
      return order != 0;
    case 2:
      return order < 0;
    case 3:
      return order <= 0;
    case 4:
      return order > 0;
    default:
      return order >= 0;
  }
}

/// The order that the documents promise: total, with the zeros equal to a zero constant.
template <typename T>
int Order(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    if (right == 0 && left == 0) return 0;
    const auto rank = [](T value) {
      return std::isnan(value) ? (std::signbit(value) ? -2 : 2) : 0;
    };
    if (rank(left) != 0 || rank(right) != 0) return rank(left) - rank(right);
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

template <typename ArrowType>
void CheckAgainstPlainLoop(std::vector<typename ArrowType::c_type> edges) {
  using T = typename ArrowType::c_type;
  std::mt19937_64 random(7);
  for (int64_t length : {0, 1, 63, 64, 65, 200}) {
    arrow::NumericBuilder<ArrowType> builder;
    for (int64_t i = 0; i < length + 3; ++i) {
      if (random() % 5 == 0) {
        ASSERT_TRUE(builder.AppendNull().ok());
      } else {
        ASSERT_TRUE(builder.Append(edges[random() % edges.size()]).ok());
      }
    }
    const auto whole = *builder.Finish();
    const auto array = std::static_pointer_cast<arrow::NumericArray<ArrowType>>(whole->Slice(3));
    for (T constant : edges) {
      for (int operation = 0; operation < 6; ++operation) {
        const auto range =
            MakeValueRange(kOperations[operation], arrow::NumericScalar<ArrowType>(constant));
        ASSERT_TRUE(range);
        std::vector<uint64_t> words(static_cast<size_t>((length + 63) / 64), ~uint64_t{0});
        SelectInRange(arrow::ArraySpan(*array->data()), *range, words.data());
        for (int64_t i = 0; i < static_cast<int64_t>(words.size()) * 64; ++i) {
          const bool expected = i < length && array->IsValid(i) &&
                                Holds(operation, Order<T>(array->Value(i), constant));
          ASSERT_EQ((words[static_cast<size_t>(i / 64)] >> (i % 64) & 1) != 0, expected)
              << kOperations[operation] << " " << +constant << " row " << i;
        }
      }
    }
  }
}

TEST(FilterCompare, ComparesEveryWidth) {
  CheckAgainstPlainLoop<arrow::Int8Type>({-128, -1, 0, 1, 127});
  CheckAgainstPlainLoop<arrow::UInt8Type>({0, 1, 127, 128, 255});
  CheckAgainstPlainLoop<arrow::Int16Type>({-32768, -1, 0, 5, 32767});
  CheckAgainstPlainLoop<arrow::UInt16Type>({0, 1, 32768, 65535});
  CheckAgainstPlainLoop<arrow::Int32Type>({INT32_MIN, -1, 0, 7, INT32_MAX});
  CheckAgainstPlainLoop<arrow::UInt32Type>({0, 1, 0x80000000u, UINT32_MAX});
  CheckAgainstPlainLoop<arrow::Int64Type>({INT64_MIN, -1, 0, 7, INT64_MAX});
  CheckAgainstPlainLoop<arrow::UInt64Type>({0, 1, uint64_t{1} << 63, UINT64_MAX});
}

TEST(FilterCompare, OrdersFloatsTotally) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CheckAgainstPlainLoop<arrow::FloatType>(
      {-nan, -INFINITY, -1.5F, -0.0F, 0.0F, 1e-40F, 2.5F, INFINITY, nan});
  const double wide_nan = std::numeric_limits<double>::quiet_NaN();
  CheckAgainstPlainLoop<arrow::DoubleType>(
      {-wide_nan, -INFINITY, -1.5, -0.0, 0.0, 5e-324, 2.5, INFINITY, wide_nan});
}

TEST(FilterCompare, HasNoRangeForOthers) {
  EXPECT_FALSE(MakeValueRange("equal", arrow::StringScalar("x")));
  EXPECT_FALSE(MakeValueRange("equal", *arrow::MakeNullScalar(arrow::int32())));
  EXPECT_FALSE(MakeValueRange("starts_with", arrow::Int32Scalar(1)));
  EXPECT_TRUE(
      MakeValueRange("less", arrow::TimestampScalar(5, arrow::timestamp(arrow::TimeUnit::MICRO))));
}

}  // namespace
}  // namespace pennon
