#include "rowids/merged_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <vector>

namespace pennon {
namespace {

struct Row {
  uint32_t fragment;
  uint64_t offset;
  uint64_t id;
};

std::vector<Slot> SlotsOf(const MergedRun& run, uint64_t id) {
  std::vector<Slot> slots;
  run.ForEachSlot(id, [&](Slot slot) { slots.push_back(slot); });
  std::sort(slots.begin(), slots.end(), [](Slot a, Slot b) {
    return std::pair(a.fragment, a.offset) < std::pair(b.fragment, b.offset);
  });
  return slots;
}

struct Shape {
  uint64_t begin;
  uint64_t span;
  uint64_t num_rows;
  bool in_any_order;
};

class MergedRunTest : public testing::TestWithParam<Shape> {};

TEST_P(MergedRunTest, AnswersLikeAMultimap) {
  const auto [begin, span, num_rows, in_any_order] = GetParam();
  std::mt19937_64 random(span + num_rows);
  std::vector<Row> rows;
  std::map<uint64_t, std::vector<Slot>> expected;
  for (uint32_t fragment = 0; fragment < 5; ++fragment) {
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < num_rows / 5; ++i) ids.push_back(begin + random() % span);
    if (!in_any_order) std::sort(ids.begin(), ids.end());
    for (uint64_t i = 0; i < ids.size(); ++i) {
      rows.push_back({fragment, i, ids[i]});
      expected[ids[i]].push_back({fragment, static_cast<uint32_t>(i)});
    }
  }
  const MergePlan plan{begin, span, num_rows, 5, static_cast<uint32_t>(num_rows / 5), in_any_order};
  const auto run = MergedRun::Build(plan, [&](const MergedRun::Taker& take) {
    for (const Row& row : rows) take(row.fragment, row.offset, std::span(&row.id, 1));
  });
  for (const auto& [id, slots] : expected) ASSERT_EQ(SlotsOf(run, id), slots) << id;
  for (int i = 0; i < 2000; ++i) {
    const uint64_t id = begin - 10 + random() % (span + 20);
    ASSERT_EQ(SlotsOf(run, id).empty(), expected.find(id) == expected.end()) << id;
  }
  EXPECT_GT(run.memory_bytes(), num_rows);
}

// Dense, with gaps, sparse and very sparse; at both ends of the id space; large enough to be dealt.
INSTANTIATE_TEST_SUITE_P(
    Shapes, MergedRunTest,
    testing::Values(Shape{1000, 3000, 3000, false}, Shape{1000, 3000, 3000, true},
                    Shape{7, 20000, 3000, false}, Shape{7, 20000, 3000, true},
                    Shape{50, 1000000, 3000, false}, Shape{50, uint64_t{1} << 40, 3000, true},
                    Shape{~uint64_t{0} - 5000, 5000, 4000, true}, Shape{0, 300000, 300000, true},
                    Shape{0, 1400000, 300000, true}, Shape{3, 1, 5, false}));

// Whole spans of ids, as a walk gives them, so that rows are fetched ahead.
TEST(MergedRun, TakesSpansOfIdsInAnyOrder) {
  std::mt19937_64 random(8);
  for (const uint64_t step : {1u, 9u, 1000u}) {
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < 20000; ++i) ids.push_back(100 + i * step);
    std::shuffle(ids.begin(), ids.end(), random);
    ids[7] = ids[19];  // listed twice
    const MergePlan plan{100, 20000 * step, 20000, 3, 9999, true};
    const auto run = MergedRun::Build(plan, [&](const MergedRun::Taker& take) {
      take(0, 0, std::span(ids).first(9990));
      take(0, 9990, std::span(ids).subspan(9990, 10));
      take(2, 0, std::span(ids).subspan(10000));
    });
    for (uint32_t i = 0; i < ids.size(); ++i) {
      Slot slot{};
      const uint32_t num_slots = run.FindOnly(ids[i], &slot);
      const Slot expected{i < 10000 ? 0u : 2u, i % 10000};
      if (i == 7 || i == 19) {
        ASSERT_EQ(num_slots, 2u);
        ASSERT_EQ(SlotsOf(run, ids[i]), (std::vector<Slot>{{0, 7}, {0, 19}}));
      } else {
        ASSERT_EQ(num_slots, 1u);
        ASSERT_EQ(slot, expected);
      }
    }
    Slot slot{};
    ASSERT_EQ(run.FindOnly(99, &slot), 0u);
    ASSERT_EQ(run.FindOnly(100 + 20000 * step, &slot), 0u);
  }
}

TEST(MergedRun, LeavesOutWhatThePlanDoesNotCover) {
  const MergePlan plan{100, 50, 4, 1, 9, false};
  const std::vector<uint64_t> ids = {99, 100, 149, 150};
  const auto run = MergedRun::Build(plan, [&](const MergedRun::Taker& take) {
    take(0, 6, ids);
    take(0, 7, ids);  // its last row lies behind offset_max
    take(1, 0, ids);  // no such fragment
  });
  EXPECT_TRUE(SlotsOf(run, 99).empty());
  EXPECT_EQ(SlotsOf(run, 100), (std::vector<Slot>{{0, 7}}));
  EXPECT_EQ(SlotsOf(run, 149), (std::vector<Slot>{{0, 8}}));
  EXPECT_TRUE(SlotsOf(run, 150).empty());
}

TEST(MergedRun, TakesAtMostTwelveBytesAnId) {
  std::mt19937_64 random(1);
  for (const uint64_t places_per_id : {1u, 2u, 10u, 20u, 1000u, 100000u}) {
    constexpr uint64_t kIds = 100000;
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < kIds; ++i) ids.push_back(i * places_per_id + random() % places_per_id);
    const MergePlan plan{0, kIds * places_per_id, kIds, 300, 1u << 20, false};
    const auto run =
        MergedRun::Build(plan, [&](const MergedRun::Taker& take) { take(299, 0, ids); });
    EXPECT_LT(run.memory_bytes(), kIds * 12 + 4096) << places_per_id;
    EXPECT_EQ(SlotsOf(run, ids[777]), (std::vector<Slot>{{299, 777}}));
  }
}

}  // namespace
}  // namespace pennon
