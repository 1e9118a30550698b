#include "rowset/roaring_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace pennon {
namespace {

constexpr uint64_t kEnd = uint64_t{1} << 32;

std::vector<ValueRange> Runs(const RoaringSet& set, ValueRange within) {
  std::vector<ValueRange> runs;
  RoaringRunCursor cursor(set, within);
  for (ValueRange run; cursor.Next(&run);) runs.push_back(run);
  return runs;
}

TEST(RoaringSet, EmptySetAnswersEverything) {
  const RoaringSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.count(), 0u);
  EXPECT_FALSE(set.Contains(0));
  EXPECT_EQ(set.Rank(kEnd), 0u);
  EXPECT_EQ(set.SelectAbsent(17), 17u);
  EXPECT_TRUE(set.IsSubsetOf(set));
  EXPECT_EQ(set, RoaringSet::FromUnsorted({}));
  EXPECT_EQ(set, RoaringSet::FromRange({7, 7}));
  EXPECT_TRUE(Runs(set, {0, kEnd}).empty());
}

TEST(RoaringSet, SortsAndDropsDuplicates) {
  const RoaringSet set = RoaringSet::FromUnsorted({52, 3, 45, 17, 3, 10, 52});
  EXPECT_EQ(set.ToVector(), (std::vector<uint32_t>{3, 10, 17, 45, 52}));
  EXPECT_EQ(set.min(), 3u);
  EXPECT_EQ(set.max(), 52u);
}

TEST(RoaringSet, HoldsBothEndsOfTheNumberRange) {
  const RoaringSet set = RoaringSet::FromUnsorted({0xFFFFFFFF, 0});
  EXPECT_EQ(set.min(), 0u);
  EXPECT_EQ(set.max(), 0xFFFFFFFFu);
  EXPECT_EQ(set.Rank(0xFFFFFFFF), 1u);
  EXPECT_EQ(set.Rank(kEnd), 2u);
  EXPECT_EQ(set.SelectAbsent(0), 1u);
  EXPECT_EQ(set.SelectAbsent(kEnd - 3), kEnd - 2);
  EXPECT_GE(set.SelectAbsent(kEnd - 2), kEnd);
}

TEST(RoaringSet, HoldsEveryNumberInLittleMemory) {
  const RoaringSet all = RoaringSet::FromRange({0, kEnd});
  EXPECT_EQ(all.count(), kEnd);
  EXPECT_EQ(all.Rank(kEnd), kEnd);
  EXPECT_EQ(all.Rank(123456789), 123456789u);
  EXPECT_EQ(all.max(), 0xFFFFFFFFu);
  EXPECT_GE(all.SelectAbsent(0), kEnd);
  EXPECT_LT(all.memory_bytes(), 1300u << 10);
  EXPECT_EQ(Runs(all, {0, kEnd}), (std::vector<ValueRange>{{0, kEnd}}));
}

TEST(RoaringSet, NeverTakesMemoryBySpan) {
  const RoaringSet set = RoaringSet::FromUnsorted({0, 1u << 31, 0xFFFFFFFF});
  EXPECT_LT(set.memory_bytes(), 200u);
}

TEST(RoaringSet, MaxIsRightForEveryKindOfLastChunk) {
  std::vector<uint32_t> every_other;
  for (uint32_t value = 70000; value < 120000; value += 2) every_other.push_back(value);
  EXPECT_EQ(RoaringSet::FromSorted(every_other).max(), 119998u);
  EXPECT_EQ(RoaringSet::FromRange({65000, 90000}).max(), 89999u);
  EXPECT_EQ(RoaringSet::FromRange({65000, 90000}).min(), 65000u);
}

TEST(RoaringSet, RunsJoinOverChunkBordersAndAreCutByTheRange) {
  const RoaringSet set = RoaringSet::FromRange({65000, 200000});
  EXPECT_EQ(Runs(set, {0, kEnd}), (std::vector<ValueRange>{{65000, 200000}}));
  EXPECT_EQ(Runs(set, {65536, 65537}), (std::vector<ValueRange>{{65536, 65537}}));
  EXPECT_EQ(Runs(set, {70000, 131072}), (std::vector<ValueRange>{{70000, 131072}}));
  EXPECT_TRUE(Runs(set, {0, 65000}).empty());
  EXPECT_TRUE(Runs(set, {200000, kEnd}).empty());
  EXPECT_TRUE(Runs(set, {9, 9}).empty());
}

TEST(RoaringSet, RunsThatOnlyMeetAtABorderByKeyStayApart) {
  const RoaringSet set = RoaringSet::FromUnsorted({65535, 131072});
  EXPECT_EQ(Runs(set, {0, kEnd}), (std::vector<ValueRange>{{65535, 65536}, {131072, 131073}}));
  EXPECT_EQ(Runs(set, {0, 131072}), (std::vector<ValueRange>{{65535, 65536}}));
}

TEST(RoaringSet, SubsetNeedsEveryValue) {
  const RoaringSet small = RoaringSet::FromUnsorted({5, 70000});
  EXPECT_TRUE(small.IsSubsetOf(RoaringSet::FromRange({0, 70001})));
  EXPECT_FALSE(small.IsSubsetOf(RoaringSet::FromRange({0, 70000})));
  EXPECT_FALSE(small.IsSubsetOf(RoaringSet::FromUnsorted({5})));
}

}  // namespace
}  // namespace pennon
