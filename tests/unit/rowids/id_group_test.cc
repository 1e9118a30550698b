#include "rowids/id_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rowids/segment_encoder.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using Slots = std::vector<std::pair<uint32_t, uint64_t>>;

// Groups whole sequences of one segment each.
struct Grouped {
  explicit Grouped(std::vector<std::string> encoded) : bytes(std::move(encoded)) {
    std::vector<IndexedFragment> described;
    std::vector<Member> members;
    for (uint32_t i = 0; i < bytes.size(); ++i) {
      const auto sequence = DecodeRowIdSequence(bytes[i], nullptr).ValueOrDie();
      described.push_back(
          {.id = FragmentId{i}, .physical_rows = sequence.size(), .row_ids = bytes[i]});
      const auto bounds = *sequence.Bounds();
      const Segment& segment = sequence.segments()[0];
      const uint64_t scanned = segment.is_ascending() ? 0 : segment.array.size_bytes();
      members.push_back({.ordinal = i,
                         .segment = 0,
                         .smallest = bounds.smallest,
                         .largest = bounds.largest,
                         .num_rows = sequence.size(),
                         .scan_bytes = scanned});
    }
    fragments = std::make_unique<FragmentTable>(described, nullptr, nullptr);
    group = std::make_unique<IdGroup>(std::move(members));
  }
  Slots Ask(MergeBudget* budget, uint64_t id) const {
    Slots slots;
    group->Prefetch(id);
    group->ForEachSlot(*fragments, budget, id, [&](uint32_t ordinal, uint64_t offset) {
      slots.emplace_back(ordinal, offset);
    });
    std::sort(slots.begin(), slots.end());
    return slots;
  }

  std::vector<std::string> bytes;
  std::unique_ptr<FragmentTable> fragments;
  std::unique_ptr<IdGroup> group;
};

Grouped Dealt(uint64_t num_ids, size_t num_fragments, uint64_t step, bool shuffle) {
  std::mt19937_64 random(num_ids + num_fragments);
  std::vector<std::vector<uint64_t>> hands(num_fragments);
  for (uint64_t i = 0; i < num_ids; ++i) hands[i % num_fragments].push_back(i * step);
  std::vector<std::string> bytes;
  for (auto& ids : hands) {
    if (shuffle) std::shuffle(ids.begin(), ids.end(), random);
    bytes.push_back(EncodeRowIdSequence(ids, FormChoice::kReference));
  }
  return Grouped(std::move(bytes));
}

TEST(IdGroup, AnswersAreTheSameBeforeAndAfterMerging) {
  for (const bool shuffle : {false, true}) {
    for (const uint64_t step : {uint64_t{1}, uint64_t{7}, uint64_t{100}, uint64_t{1} << 33}) {
      const auto grouped = Dealt(6000, 6, step, shuffle);
      MergeBudget none(0);
      MergeBudget plenty(1 << 24);
      std::vector<Slots> before;
      for (uint64_t i = 0; i < 6000; ++i) before.push_back(grouped.Ask(&none, i * step));
      for (uint64_t i = 0; i < 6000; ++i) ASSERT_EQ(before[i].size(), 1u);
      const auto merging = Dealt(6000, 6, step, shuffle);
      for (int round = 0; round < 3; ++round) {
        for (uint64_t i = 0; i < 6000; ++i) ASSERT_EQ(merging.Ask(&plenty, i * step), before[i]);
      }
      for (uint64_t i = 0; i < 6000; ++i) {
        uint32_t ordinal = 0;
        uint64_t offset = 0;
        const uint32_t found = merging.group->FindDense(i * step, &ordinal, &offset);
        if (found == 1) {
          ASSERT_EQ(before[i], (Slots{{ordinal, offset}}));
        }
        ASSERT_EQ(found, step == 1 && !shuffle ? 1u : 2u);
      }
      ASSERT_TRUE(step == 1 || merging.Ask(&plenty, 1).empty());
    }
  }
}

TEST(IdGroup, MergesOnlyWhatWasPaidFor) {
  const auto grouped = Dealt(1 << 21, 8, 1, false);
  MergeBudget plenty(1 << 28);
  const uint64_t before = grouped.group->memory_bytes();
  grouped.Ask(&plenty, 5);
  EXPECT_EQ(grouped.group->memory_bytes(), before) << "the first answer must not wait for a merge";
  for (int i = 0; i < 20000; ++i) grouped.Ask(&plenty, 5);
  const uint64_t after = grouped.group->memory_bytes();
  EXPECT_GT(after, before);
  EXPECT_LT(after, before + (uint64_t{1} << 21) * 4 / 2) << "only the stretch that was asked for";
}

TEST(IdGroup, DenseIdsAreFoundInLine) {
  for (const uint64_t num_fragments : {8u, 100u}) {
    const auto grouped = Dealt(1 << 20, num_fragments, 1, false);
    MergeBudget plenty(1 << 28);
    uint32_t ordinal = 0;
    uint64_t offset = 0;
    EXPECT_EQ(grouped.group->FindDense(5, &ordinal, &offset), 2u) << "nothing is merged yet";
    for (int i = 0; i < 20000; ++i) grouped.Ask(&plenty, 5);
    for (uint64_t id = 0; id < 5000; ++id) {
      ASSERT_EQ(grouped.group->FindDense(id, &ordinal, &offset), 1u);
      ASSERT_EQ(grouped.Ask(&plenty, id), (Slots{{ordinal, offset}}));
    }
  }
}

// Nearly every id has two or three slots: too many to be kept beside dense slots, and merged all
// the same.
TEST(IdGroup, ManyIdsOfSeveralSlotsAreMergedToo) {
  std::mt19937_64 random(9);
  std::vector<std::string> bytes;
  std::map<uint64_t, Slots> expected;
  for (uint32_t fragment = 0; fragment < 8; ++fragment) {
    std::vector<uint64_t> ids;
    for (uint64_t id = 0; id < 100'000; ++id) {
      if (random() % 3 != 0) continue;
      expected[id].emplace_back(fragment, ids.size());
      ids.push_back(id);
    }
    bytes.push_back(EncodeRowIdSequence(ids, FormChoice::kReference));
  }
  const Grouped grouped(std::move(bytes));
  MergeBudget plenty(1 << 28);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t id = 0; id < 100'000; ++id) ASSERT_EQ(grouped.Ask(&plenty, id), expected[id]);
  }
  EXPECT_GT(grouped.group->merged_bytes(), 100'000u);
}

TEST(IdGroup, ABudgetOfNothingIsKept) {
  const auto grouped = Dealt(40000, 8, 1, true);
  MergeBudget nothing(0);
  const uint64_t before = grouped.group->memory_bytes();
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(grouped.Ask(&nothing, 17).size(), 1u);
  EXPECT_EQ(grouped.group->memory_bytes(), before);
}

TEST(MergeBudget, TakesAndGivesBack) {
  MergeBudget budget(100);
  EXPECT_TRUE(budget.Take(60));
  EXPECT_FALSE(budget.Take(41));
  EXPECT_TRUE(budget.Take(40));
  EXPECT_FALSE(budget.Take(1));
  budget.GiveBack(1);
  EXPECT_TRUE(budget.Take(1));
  EXPECT_FALSE(MergeBudget(~uint64_t{0}).Take(~uint64_t{0}) && false);
}

// Bodies that are out of order give wrong answers or none, before and after merging, and nothing
// worse.
TEST(IdGroup, CorruptBodiesAreHarmless) {
  using namespace testing_support;  // NOLINT: a vocabulary of bytes
  std::vector<std::string> bytes;
  std::string holes;
  AppendVarintField(holes, 1, 0);
  std::mt19937_64 random(3);
  for (int i = 0; i < 6; ++i) {
    std::string words(4000, '\0');
    for (char& byte : words) byte = static_cast<char>(random());
    words.replace(0, 4, std::string(4, '\0'));
    words.replace(words.size() - 4, 4, std::string("\xFF\xFF\xFF\x00", 4));
    bytes.push_back(Sequence(SortedSegment(Field(2, Scalar(1, 5) + Field(2, words)))));
    bytes.push_back(
        Sequence(HolesSegment(0, 0x01000000, Field(2, Scalar(1, 0) + Field(2, words)))));
  }
  const Grouped grouped(std::move(bytes));
  MergeBudget plenty(1 << 30);
  for (uint64_t i = 0; i < 20000; ++i) {
    for (const auto& [ordinal, offset] : grouped.Ask(&plenty, random() % 0x01000005)) {
      ASSERT_LT(ordinal, 12u);
      ASSERT_LT(offset, uint64_t{1} << 32);
    }
  }
}

}  // namespace
}  // namespace pennon
