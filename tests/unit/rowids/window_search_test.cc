#include "rowids/window_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace pennon {
namespace {

template <typename T>
std::vector<T> Ascending(size_t count, uint64_t below, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(random() % below));
  std::sort(values.begin(), values.end());
  return values;
}

template <typename T>
const char* BytesOf(const std::vector<T>& values) {
  return reinterpret_cast<const char*>(values.data());
}

template <typename T>
class LowerBoundNearTest : public testing::Test {};
using Widths = testing::Types<uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(LowerBoundNearTest, Widths);

TYPED_TEST(LowerBoundNearTest, FindsTheFirstThatIsNotLessWhereverItIsExpected) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (const size_t count : {16u, 17u, 40u, 1000u}) {
    const auto values = Ascending<T>(count, 3000, count);
    for (int i = 0; i < 3000; ++i) {
      const auto value = static_cast<T>(random() % 3010);
      const auto expected = static_cast<uint64_t>(
          std::lower_bound(values.begin(), values.end(), value) - values.begin());
      // Any bounds that hold the answer, any guess inside of them.
      const uint64_t begin = expected - random() % (expected + 1);
      const uint64_t end = expected + random() % (count - expected + 1);
      const uint64_t likely = begin + random() % (end - begin + 1);
      ASSERT_EQ(LowerBoundNear<T>(BytesOf(values), count, {{begin, end}, likely}, value), expected)
          << count << ' ' << +value << ' ' << begin << ' ' << end << ' ' << likely;
    }
  }
}

TYPED_TEST(LowerBoundNearTest, AnArrayOutOfOrderGivesSomePlaceInside) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  std::vector<T> values;
  for (int i = 0; i < 400; ++i) values.push_back(static_cast<T>(random() % 1000));
  for (int i = 0; i < 5000; ++i) {
    const uint64_t begin = random() % values.size();
    const uint64_t end = begin + random() % (values.size() - begin + 1);
    const uint64_t likely = begin + random() % (end - begin + 1);
    const auto value = static_cast<T>(random() % 1010);
    ASSERT_LE(LowerBoundNear<T>(BytesOf(values), values.size(), {{begin, end}, likely}, value),
              values.size());
  }
}

TEST(FindNear, FindsWhatLiesInTheWindowAndNothingElse) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 100; ++i) values.push_back(0x7FFFFF00u + 5 * i);  // both signs
  for (uint64_t likely = 0; likely <= values.size(); ++likely) {
    const uint64_t from =
        std::min<uint64_t>(likely - std::min<uint64_t>(likely, 8), values.size() - kSearchWindow);
    for (uint64_t i = 0; i < values.size(); ++i) {
      const bool is_inside = i >= from && i < from + kSearchWindow;
      ASSERT_EQ(FindNear(BytesOf(values), values.size(), likely, values[i]),
                is_inside ? i : kNotNear);
      ASSERT_EQ(FindNear(BytesOf(values), values.size(), likely, values[i] + 1), kNotNear);
    }
  }
}

}  // namespace
}  // namespace pennon
