#include "rowset/roaring_algebra.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

TEST(RoaringAlgebra, JoinsMeetsAndSubtracts) {
  const RoaringSet left = RoaringSet::FromUnsorted({1, 2, 3, 70000, 200000});
  const RoaringSet right = RoaringSet::FromUnsorted({2, 3, 4, 140000, 200000});
  EXPECT_EQ(Union(left, right), RoaringSet::FromUnsorted({1, 2, 3, 4, 70000, 140000, 200000}));
  EXPECT_EQ(Intersect(left, right), RoaringSet::FromUnsorted({2, 3, 200000}));
  EXPECT_EQ(Subtract(left, right), RoaringSet::FromUnsorted({1, 70000}));
  EXPECT_EQ(Subtract(right, left), RoaringSet::FromUnsorted({4, 140000}));
}

TEST(RoaringAlgebra, EmptySetIsNeutral) {
  const RoaringSet set = RoaringSet::FromRange({10, 100000});
  EXPECT_EQ(Union(set, RoaringSet()), set);
  EXPECT_EQ(Union(RoaringSet(), set), set);
  EXPECT_TRUE(Intersect(set, RoaringSet()).empty());
  EXPECT_EQ(Subtract(set, RoaringSet()), set);
  EXPECT_TRUE(Subtract(RoaringSet(), set).empty());
  EXPECT_TRUE(Subtract(set, set).empty());
}

TEST(RoaringAlgebra, ResultTakesTheFormOfItsValues) {
  // Odd and even numbers are bitmaps; together they are one range.
  std::vector<uint32_t> odd;
  std::vector<uint32_t> even;
  for (uint32_t value = 0; value < 131072; value += 2) {
    even.push_back(value);
    odd.push_back(value + 1);
  }
  const RoaringSet both = Union(RoaringSet::FromSorted(odd), RoaringSet::FromSorted(even));
  EXPECT_EQ(both, RoaringSet::FromRange({0, 131072}));
  EXPECT_LT(both.memory_bytes(), 200u);
}

}  // namespace
}  // namespace pennon
