#include "rowset/deletion_vector.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace pennon {
namespace {

std::vector<uint32_t> FirstN(uint32_t n) {
  std::vector<uint32_t> offsets(n);
  std::iota(offsets.begin(), offsets.end(), 0u);
  return offsets;
}

TEST(DeletionVector, KeepsPositionsGivenOutOfOrder) {
  const DeletionVector deletions = DeletionVector::FromOffsets({52, 3, 45, 17, 10});
  std::vector<uint32_t> live;
  for (const OffsetRange& range : deletions.LiveRanges({0, 60})) {
    for (uint64_t offset = range.begin; offset < range.end; ++offset) {
      live.push_back(static_cast<uint32_t>(offset));
    }
  }
  ASSERT_EQ(live.size(), 55u);
  for (uint64_t k = 0; k < live.size(); ++k) {
    EXPECT_FALSE(deletions.Contains(RowOffset{live[k]}));
    EXPECT_EQ(deletions.LiveOffset(k), RowOffset{live[k]});
    EXPECT_EQ(live[k] - deletions.Rank(live[k]), k);
  }
  for (const uint32_t offset : {52, 3, 45, 17, 10})
    EXPECT_TRUE(deletions.Contains(RowOffset{offset}));
  EXPECT_EQ(deletions.max(), RowOffset{52});
}

TEST(DeletionVector, LiveRangesStayInsideWhatWasAsked) {
  const DeletionVector deletions = DeletionVector::FromOffsets({0, 5, 6, 9});
  EXPECT_EQ(deletions.LiveRanges({0, 10}), (std::vector<OffsetRange>{{1, 5}, {7, 9}}));
  EXPECT_EQ(deletions.LiveRanges({3, 6}), (std::vector<OffsetRange>{{3, 5}}));
  EXPECT_EQ(deletions.LiveRanges({5, 7}), std::vector<OffsetRange>{});
  EXPECT_EQ(deletions.LiveRanges({9, 12}), (std::vector<OffsetRange>{{10, 12}}));
  EXPECT_EQ(DeletionVector().LiveRanges({2, 4}), (std::vector<OffsetRange>{{2, 4}}));
  EXPECT_EQ(deletions.CountLive({0, 10}), 6u);
  EXPECT_EQ(deletions.CountLive({5, 7}), 0u);
}

TEST(DeletionVector, FirstDeletionOf5000RowsIsABitmap) {
  EXPECT_EQ(DeletionVector::FromOffsets(FirstN(1)).form(), DeletionForm::kArray);
  EXPECT_EQ(DeletionVector::FromOffsets(FirstN(4999)).form(), DeletionForm::kArray);
  EXPECT_EQ(DeletionVector::FromOffsets(FirstN(5000)).form(), DeletionForm::kBitmap);
}

TEST(DeletionVector, GrowingBeyond5000RowsMakesABitmapAndItStaysOne) {
  const auto rows = [](ValueRange range) {
    return DeletionVector(RoaringSet::FromRange(range), DeletionForm::kArray);
  };
  EXPECT_EQ(rows({0, 4500}).Union(rows({4500, 5000})).form(), DeletionForm::kArray);
  EXPECT_EQ(rows({0, 4500}).Union(rows({4500, 5001})).form(), DeletionForm::kBitmap);
  EXPECT_EQ(rows({0, 4500}).Union(rows({0, 4000})).form(), DeletionForm::kArray);
  const DeletionVector bitmap(RoaringSet::FromRange({0, 3}), DeletionForm::kBitmap);
  EXPECT_EQ(bitmap.Union(rows({7, 8})).form(), DeletionForm::kBitmap);
  EXPECT_EQ(DeletionVector().Union(bitmap).form(), DeletionForm::kBitmap);
  EXPECT_EQ(DeletionVector().Union(rows({7, 8})).form(), DeletionForm::kArray);
}

TEST(DeletionVector, UniteKeepsWhatWasDeletedBefore) {
  const DeletionVector before = DeletionVector::FromOffsets({1, 2});
  const DeletionVector both = before.Union(DeletionVector::FromOffsets({2, 3}));
  EXPECT_EQ(both, DeletionVector::FromOffsets({1, 2, 3}));
  EXPECT_TRUE(before.IsSubsetOf(both));
  EXPECT_FALSE(both.IsSubsetOf(before));
}

TEST(DeletionVector, LiveOffsetEndsWithTheOffsets) {
  const DeletionVector deletions(RoaringSet::FromRange({0, (uint64_t{1} << 32) - 2}),
                                 DeletionForm::kBitmap);
  EXPECT_EQ(deletions.LiveOffset(1), RowOffset{0xFFFFFFFF});
  EXPECT_EQ(deletions.LiveOffset(2), std::nullopt);
  EXPECT_EQ(DeletionVector().LiveOffset(0xFFFFFFFF), RowOffset{0xFFFFFFFF});
  EXPECT_EQ(DeletionVector().LiveOffset(uint64_t{1} << 32), std::nullopt);
}

}  // namespace
}  // namespace pennon
