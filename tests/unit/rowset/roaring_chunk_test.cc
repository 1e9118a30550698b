#include "rowset/roaring_chunk.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace pennon {
namespace {

struct Shape {
  const char* name;
  std::vector<uint16_t> values;
  ChunkKind kind;
};

std::vector<uint16_t> Every(uint32_t first, uint32_t step, uint32_t end) {
  std::vector<uint16_t> values;
  for (uint32_t value = first; value < end; value += step)
    values.push_back(static_cast<uint16_t>(value));
  return values;
}

std::vector<Shape> Shapes() {
  std::vector<uint16_t> all_but_one = Every(0, 1, 65536);
  all_but_one.erase(all_but_one.begin() + 300);
  std::vector<uint16_t> runs = Every(10, 1, 500);
  for (const uint16_t value : Every(60000, 1, 65536)) runs.push_back(value);
  return {
      {"first value", {0}, ChunkKind::kArray},
      {"last value", {65535}, ChunkKind::kArray},
      {"three in a row", {7, 8, 9}, ChunkKind::kArray},
      {"four in a row", {7, 8, 9, 10}, ChunkKind::kRuns},
      {"largest array", Every(0, 16, 65536), ChunkKind::kArray},
      {"smallest bitmap", Every(0, 15, 65536), ChunkKind::kBitmap},
      {"every other", Every(1, 2, 65536), ChunkKind::kBitmap},
      {"everything", Every(0, 1, 65536), ChunkKind::kRuns},
      {"all but one", all_but_one, ChunkKind::kRuns},
      {"two runs", runs, ChunkKind::kRuns},
  };
}

struct Chunk {
  explicit Chunk(const std::vector<uint16_t>& values)
      : count(static_cast<uint32_t>(values.size())) {
    kind = AppendChunk(values, &units);
  }
  ChunkView view() const { return {kind, count, units}; }

  uint32_t count;
  ChunkKind kind;
  std::vector<uint16_t> units;
};

TEST(RoaringChunk, TakesTheSmallestForm) {
  for (const Shape& shape : Shapes()) {
    EXPECT_EQ(Chunk(shape.values).kind, shape.kind) << shape.name;
  }
}

TEST(RoaringChunk, IsTheSameFromValuesBitsAndRuns) {
  for (const Shape& shape : Shapes()) {
    const Chunk chunk(shape.values);
    std::array<uint64_t, kChunkWords> words{};
    ChunkSetBits(chunk.view(), words);
    std::vector<uint16_t> units;
    uint32_t count = 0;
    EXPECT_EQ(AppendChunk(ConstChunkWords(words), &units, &count), shape.kind) << shape.name;
    EXPECT_EQ(count, shape.values.size()) << shape.name;
    EXPECT_EQ(units, chunk.units) << shape.name;

    std::vector<ChunkRun> runs;
    uint32_t begin = 0;
    uint32_t end = 0;
    ChunkRunCursor cursor(chunk.view(), 0);
    while (cursor.Next(&begin, &end)) {
      runs.push_back({static_cast<uint16_t>(begin), static_cast<uint16_t>(end - 1)});
    }
    std::vector<uint16_t> units_of_runs;
    EXPECT_EQ(AppendChunk(runs, &units_of_runs, &count), shape.kind) << shape.name;
    EXPECT_EQ(count, shape.values.size()) << shape.name;
    EXPECT_EQ(units_of_runs, chunk.units) << shape.name;
  }
}

TEST(RoaringChunk, AnswersMembershipRankAndSelectForEveryValue) {
  for (const Shape& shape : Shapes()) {
    const Chunk chunk(shape.values);
    uint32_t rank = 0;
    uint32_t absent = 0;
    for (uint32_t value = 0; value < kChunkValues; ++value) {
      const bool in = rank < shape.values.size() && shape.values[rank] == value;
      ASSERT_EQ(ChunkContains(chunk.view(), static_cast<uint16_t>(value)), in)
          << shape.name << " " << value;
      ASSERT_EQ(ChunkRank(chunk.view(), static_cast<uint16_t>(value)), rank)
          << shape.name << " " << value;
      if (in) {
        ++rank;
      } else {
        ASSERT_EQ(ChunkSelectAbsent(chunk.view(), absent++), value) << shape.name;
      }
    }
  }
}

TEST(RoaringChunk, WalksRunsFromAnyStart) {
  for (const Shape& shape : Shapes()) {
    const Chunk chunk(shape.values);
    for (const uint32_t from : {0u, 8u, 300u, 60001u, 65535u}) {
      std::vector<uint16_t> walked;
      ChunkRunCursor cursor(chunk.view(), from);
      uint32_t begin = 0;
      uint32_t end = 0;
      uint32_t before = 0;
      while (cursor.Next(&begin, &end)) {
        ASSERT_LT(begin, end);
        ASSERT_TRUE(walked.empty() || begin > before)
            << shape.name;  // maximal: never two that touch
        before = end;
        for (uint32_t value = begin; value < end; ++value)
          walked.push_back(static_cast<uint16_t>(value));
      }
      std::vector<uint16_t> expected;
      for (const uint16_t value : shape.values) {
        if (value >= from) expected.push_back(value);
      }
      EXPECT_EQ(walked, expected) << shape.name << " from " << from;
    }
  }
}

}  // namespace
}  // namespace pennon
