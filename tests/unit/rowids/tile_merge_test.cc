#include "rowids/tile_merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "rowids/row_id_sequence.h"
#include "rowids/segment_encoder.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

// The only segment of a sequence and what merging needs of it.
struct Part {
  explicit Part(std::string bytes)
      : sequence(DecodeRowIdSequence(std::move(bytes)).ValueOrDie()),
        index(MakeSegmentIndex(sequence.segments()[0])) {}
  const Segment& segment() const { return sequence.segments()[0]; }

  RowIdSequence sequence;
  SegmentIndex index;
};

// The bytes of ids that ascend in a form of the test's choice.
std::string InForm(int form, const std::vector<uint64_t>& ids) {
  const uint64_t start = ids.front();
  const uint64_t end = ids.back() + 1;
  if (form == 0) return EncodeRowIdSequence(ids, FormChoice::kSmallest);
  if (form == 1) {
    std::string bits((end - start + 7) / 8, '\0');
    for (const uint64_t id : ids) {
      char& byte = bits[(id - start) / 8];
      byte = static_cast<char>(byte | 1 << ((id - start) % 8));
    }
    return Sequence(BitmapSegment(start, end, bits));
  }
  std::string words;
  for (const uint64_t id : ids) {
    const uint64_t offset = form == 4 ? id : id - start;
    words.append(reinterpret_cast<const char*>(&offset), form == 2 ? 2 : form == 3 ? 4 : 8);
  }
  if (form == 4) return Sequence(SortedSegment(Field(3, Field(2, words))));
  return Sequence(SortedSegment(Field(form == 2 ? 1 : 2, Scalar(1, start) + Field(2, words))));
}

// The slots of every id of [begin, begin + span).
std::vector<std::vector<Slot>> Merge(uint64_t begin, uint64_t span,
                                     const std::vector<std::unique_ptr<Part>>& parts,
                                     uint32_t offset_max, uint64_t num_slots) {
  std::vector<AscendingRows> rows;
  for (const auto& part : parts) {
    const auto fragment = static_cast<uint32_t>(rows.size());
    rows.push_back({&part->segment(), &part->index, Slot{fragment, 7 * fragment}});
  }
  std::map<uint64_t, std::vector<Slot>> kept;
  DenseSlots slots(span, static_cast<uint32_t>(rows.size()), offset_max);
  const auto keep = [&](uint64_t id, Slot slot) {
    kept[id].push_back(slot);
    return true;
  };
  EXPECT_TRUE(MergeTiles({begin, span, num_slots, rows}, keep, &slots));
  std::vector<std::vector<Slot>> merged(span);
  for (uint64_t place = 0; place < span; ++place) {
    Slot slot;
    const uint32_t count = slots.view().Find(place, &slot);
    if (count == 1) merged[place] = {slot};
    if (count == 2) merged[place] = kept.at(begin + place);
    EXPECT_EQ(kept.count(begin + place), count == 2 ? 1u : 0u);
  }
  for (const auto& [id, several] : kept) {
    EXPECT_GE(id, begin);
    EXPECT_LT(id - begin, span);
  }
  return merged;
}

class TileMergeTest : public testing::TestWithParam<int> {};

TEST_P(TileMergeTest, KeepsEverySlotOfEveryId) {
  const int form = GetParam();
  std::mt19937_64 random(static_cast<uint64_t>(form) + 5);
  for (const uint64_t begin : {uint64_t{0}, uint64_t{1000}, ~uint64_t{0} - 30'000}) {
    for (const bool repeats : {false, true}) {
      std::vector<std::vector<uint64_t>> hands(5);
      for (uint64_t id = begin; id - begin < 30'000; ++id) {
        const uint64_t draw = random() % 16;
        // Some ids nobody holds, some hands get long runs, and with `repeats` some ids lie in two.
        const uint64_t hand = (id - begin) / 4000 % 2 == 0 ? draw % 5 : draw / 4;
        if (draw == 15) continue;
        hands[hand].push_back(id);
        if (repeats && id % 9000 < 20) hands[(hand + 1) % 5].push_back(id);
      }
      std::vector<std::unique_ptr<Part>> parts;
      for (const auto& ids : hands) {
        const bool fits = form != 2 || ids.back() - ids.front() <= 0xFFFF;
        ASSERT_TRUE(fits);
        parts.push_back(std::make_unique<Part>(InForm(form, ids)));
      }
      for (const auto& [from, span] : std::vector<std::pair<uint64_t, uint64_t>>{
               {0, 30'000}, {0, 1}, {77, 9000}, {8191, 8193}, {29'990, 10}, {12'345, 64}}) {
        // Slots of three bytes and of four.
        for (const uint32_t offset_max : {30'100u, 40'000'000u}) {
          const auto merged = Merge(begin + from, span, parts, offset_max, span);
          for (uint64_t place = 0; place < span; ++place) {
            std::vector<Slot> expected;
            for (uint32_t fragment = 0; fragment < 5; ++fragment) {
              const auto& ids = hands[fragment];
              const auto at = std::lower_bound(ids.begin(), ids.end(), begin + from + place);
              if (at == ids.end() || *at != begin + from + place) continue;
              const auto position = static_cast<uint32_t>(at - ids.begin());
              expected.push_back({fragment, 7 * fragment + position});
            }
            ASSERT_EQ(merged[place], expected) << place;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, TileMergeTest, testing::Range(0, 5));

TEST(TileMerge, RangesWithAndWithoutHoles) {
  std::vector<std::unique_ptr<Part>> parts;
  parts.push_back(std::make_unique<Part>(Sequence(RangeSegment(10, 20'000))));
  parts.push_back(
      std::make_unique<Part>(Sequence(HolesSegment(20'000, 20'010, U32(20'000, {3, 4})))));
  const auto merged = Merge(0, 25'000, parts, 1 << 20, 25'000);
  const auto none = std::vector<Slot>{};
  EXPECT_EQ(merged[9], none);
  EXPECT_EQ(merged[10], (std::vector<Slot>{{0, 0}}));
  EXPECT_EQ(merged[19'999], (std::vector<Slot>{{0, 19'989}}));
  EXPECT_EQ(merged[20'002], (std::vector<Slot>{{1, 9}}));
  EXPECT_EQ(merged[20'003], none);
  EXPECT_EQ(merged[20'005], (std::vector<Slot>{{1, 10}}));
  EXPECT_EQ(merged[20'010], none);
}

TEST(TileMerge, GivesUpWhenToldTo) {
  const Part one(Sequence(RangeSegment(0, 50'000)));
  const Part other(Sequence(RangeSegment(0, 50'000)));
  const std::vector<AscendingRows> rows = {{&one.segment(), &one.index, Slot{0, 0}},
                                           {&other.segment(), &other.index, Slot{1, 0}}};
  DenseSlots slots(50'000, 2, 50'000);
  uint64_t num_kept = 0;
  EXPECT_FALSE(MergeTiles(
      {0, 50'000, 100'000, rows}, [&](uint64_t, Slot) { return ++num_kept < 100; }, &slots));
  EXPECT_EQ(num_kept, 100u);
}

// Arrays out of order, and ids listed twice in one of them, must not write outside.
TEST(TileMerge, CorruptArraysStayInside) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::unique_ptr<Part>> parts;
    for (int part = 0; part < 3; ++part) {
      std::string words;
      for (int i = 0; i < 300; ++i) {
        // Only the ends are looked at when a sequence is opened.
        const auto value = i == 0     ? 0u
                           : i == 299 ? 30'000u
                                      : static_cast<uint32_t>(random() % 30'000);
        words.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
      parts.push_back(std::make_unique<Part>(
          Sequence(SortedSegment(Field(2, Scalar(1, 5) + Field(2, words))))));
    }
    Merge(100, 20'000, parts, 1 << 20, 900);
  }
}

}  // namespace
}  // namespace pennon
