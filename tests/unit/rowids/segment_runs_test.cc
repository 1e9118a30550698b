#include "rowids/segment_runs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

std::string AllOnes(size_t size) { return std::string(size, '\xFF'); }

// Runs of every length up to 60, one after the other and some of them touching: longer than what is
// unpacked at once.
std::string ManyRuns() {
  std::string words;
  for (uint32_t run = 1, next = 0; run <= 60; ++run, next += run % 4) {
    for (uint32_t i = 0; i < run; ++i, ++next)
      words.append(reinterpret_cast<const char*>(&next), sizeof(next));
  }
  return Field(2, Scalar(1, 8) + Field(2, words));
}

class SegmentRunsTest : public testing::TestWithParam<std::string> {};

TEST_P(SegmentRunsTest, RunsEqualValues) {
  std::vector<Segment> segments;
  const std::string bytes = GetParam();
  ASSERT_TRUE(ReadSegments(bytes, &segments).ok());
  ASSERT_EQ(segments.size(), 1u);
  const Segment& segment = segments[0];
  const SegmentIndex index = MakeSegmentIndex(segment);
  const uint64_t rows = CountRows(segment, &index);
  EXPECT_EQ(rows, CountRows(segment, nullptr));
  std::vector<uint64_t> values(rows);
  for (uint64_t i = 0; i < rows; ++i) values[i] = ValueInSegment(segment, index, i);
  for (const uint64_t begin : {uint64_t{0}, rows / 3, rows - 1}) {
    for (const uint64_t count : {uint64_t{1}, (rows - begin) / 2, rows - begin}) {
      if (count == 0) continue;
      std::vector<uint64_t> walked;
      EXPECT_EQ(ForEachRun(segment, index, begin, count,
                           [&](uint64_t first, uint64_t length) {
                             ASSERT_GT(length, 0u);
                             for (uint64_t i = 0; i < length; ++i) walked.push_back(first + i);
                           }),
                count);
      const auto from = values.begin() + static_cast<ptrdiff_t>(begin);
      EXPECT_EQ(walked, std::vector<uint64_t>(from, from + static_cast<ptrdiff_t>(count)));
      std::vector<uint64_t> read(count);
      EXPECT_EQ(ReadSegmentValues(segment, index, begin, read), count);
      EXPECT_EQ(read, walked);
    }
  }
}

TEST_P(SegmentRunsTest, ExceptLeavesOutPositions) {
  std::vector<Segment> segments;
  const std::string bytes = GetParam();
  ASSERT_TRUE(ReadSegments(bytes, &segments).ok());
  const SegmentIndex index = MakeSegmentIndex(segments[0]);
  const uint64_t rows = CountRows(segments[0], &index);
  std::vector<uint32_t> positions;
  std::vector<uint64_t> expected;
  for (uint32_t i = 0; i < rows; ++i) {
    if (i % 3 == 0 || i + 1 == rows) {
      positions.push_back(i + 50);
    } else {
      expected.push_back(ValueInSegment(segments[0], index, i));
    }
  }
  std::vector<uint64_t> walked;
  EXPECT_EQ(ForEachRunExcept(segments[0], index, 0, rows, positions, 50,
                             [&](uint64_t first, uint64_t length) {
                               for (uint64_t i = 0; i < length; ++i) walked.push_back(first + i);
                             }),
            expected.size());
  EXPECT_EQ(walked, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, SegmentRunsTest,
    testing::Values(Sequence(RangeSegment(5, 300)),
                    Sequence(HolesSegment(4, 300, U16(4, {0, 1, 2, 90, 91, 295}))),
                    Sequence(HolesSegment(4, 9, U16(6, {0}))),
                    Sequence(BitmapSegment(9, 9 + 256, AllOnes(32))),
                    Sequence(BitmapSegment(9, 9 + 257, AllOnes(32) + "\x01")),
                    Sequence(BitmapSegment(1, 20, "\xDB\xB6\x05")),
                    Sequence(SortedSegment(U32(3, {0, 1, 2, 70000, 70001, 99999}))),
                    Sequence(SortedSegment(ManyRuns())), Sequence(ArraySegment(ManyRuns())),
                    Sequence(ArraySegment(U64({9, 10, 11, 4, 5, 1, uint64_t{1} << 60}))),
                    Sequence(RangeSegment(3, 8)) + Sequence(RangeSegment(9, 90)) +
                        Sequence(RangeSegment(91, 92))));

}  // namespace
}  // namespace pennon
