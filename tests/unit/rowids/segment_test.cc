#include "rowids/segment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

Segment Only(const std::string& bytes) {
  std::vector<Segment> segments;
  EXPECT_TRUE(ReadSegments(bytes, &segments).ok());
  EXPECT_EQ(segments.size(), 1u);
  return segments.at(0);
}

TEST(Segment, HeaderBoundsHoldEveryId) {
  const auto bounds = [](const std::string& bytes) { return HeaderBounds(Only(bytes)); };
  const std::string bitmap = Sequence(BitmapSegment(10, 18, "\x3C"));
  EXPECT_EQ(bounds(bitmap)->smallest, 10u);
  EXPECT_EQ(bounds(bitmap)->largest, 17u);
  const std::string sorted = Sequence(SortedSegment(U16(5, {1, 4})));
  EXPECT_EQ(bounds(sorted)->smallest, 6u);
  EXPECT_EQ(bounds(sorted)->largest, 9u);
  const std::string u16 = Sequence(ArraySegment(U16(5, {4, 1})));
  EXPECT_EQ(bounds(u16)->smallest, 5u);
  EXPECT_EQ(bounds(u16)->largest, 5u + 0xFFFF);
  const std::string u32 = Sequence(ArraySegment(U32(~uint64_t{0} - 9, {4, 1})));
  EXPECT_EQ(bounds(u32)->largest, ~uint64_t{0});
  const std::string u64 = Sequence(ArraySegment(U64({4, 1})));
  EXPECT_EQ(bounds(u64)->smallest, 0u);
  EXPECT_EQ(bounds(u64)->largest, ~uint64_t{0});
  EXPECT_EQ(bounds(Sequence(RangeSegment(7, 7))), std::nullopt);
  EXPECT_EQ(bounds(Sequence(ArraySegment(U64({})))), std::nullopt);
}

TEST(Segment, NamesItsForm) {
  EXPECT_EQ(SegmentFormName(SegmentForm::kRange), "range");
  EXPECT_EQ(SegmentFormName(SegmentForm::kRangeRun), "range");
  EXPECT_EQ(SegmentFormName(SegmentForm::kRangeWithHoles), "range_with_holes");
  EXPECT_EQ(SegmentFormName(SegmentForm::kRangeWithBitmap), "range_with_bitmap");
  EXPECT_EQ(SegmentFormName(SegmentForm::kSortedArray), "sorted_array");
  EXPECT_EQ(SegmentFormName(SegmentForm::kArray), "array");
}

TEST(Segment, IndexIsMadeWhereNeeded) {
  const std::string run = Sequence(RangeSegment(3, 8)) + Sequence(RangeSegment(9, 90));
  const Segment segment = Only(run);
  EXPECT_TRUE(NeedsIndex(segment));
  const auto index = MakeSegmentIndex(segment);
  EXPECT_EQ(index.starts, (std::vector<uint32_t>{0, 6}));
  EXPECT_EQ(index.positions, (std::vector<uint32_t>{0, 5, 86}));
  EXPECT_GT(index.memory_bytes(), 0u);
  EXPECT_EQ(FindInSegment(segment, index, 8), std::nullopt);
  EXPECT_EQ(FindInSegment(segment, index, 9), 5u);
  EXPECT_EQ(FindInSegment(segment, index, 2), std::nullopt);
  EXPECT_EQ(FindInSegment(segment, index, 90), std::nullopt);
  const std::string range = Sequence(RangeSegment(3, 8));
  EXPECT_FALSE(NeedsIndex(Only(range)));
}

}  // namespace
}  // namespace pennon
