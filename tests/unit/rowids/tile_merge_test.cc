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

struct Merged {
  std::vector<uint32_t> slots;
  std::map<uint64_t, std::vector<Slot>> more;
};

Merged Merge(uint64_t begin, uint64_t span, const std::vector<std::unique_ptr<Part>>& parts,
             uint32_t offset_bits, uint64_t num_slots) {
  std::vector<AscendingRows> rows;
  for (const auto& part : parts) {
    const auto fragment = static_cast<uint32_t>(rows.size());
    rows.push_back({&part->segment(), &part->index, Slot{fragment, 7 * fragment}});
  }
  Merged merged;
  merged.slots.assign(span, 12345);
  MergeTiles({begin, span, num_slots, rows},
             {reinterpret_cast<char*>(merged.slots.data()), offset_bits},
             [&](uint64_t id, Slot slot) { merged.more[id].push_back(slot); });
  return merged;
}

class TileMergeTest : public testing::TestWithParam<int> {};

TEST_P(TileMergeTest, WritesTheFirstSlotAndTellsOfTheOthers) {
  const int form = GetParam();
  constexpr uint32_t kOffsetBits = 20;
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
        const Merged merged = Merge(begin + from, span, parts, kOffsetBits, span);
        for (uint64_t place = 0; place < span; ++place) {
          std::vector<Slot> expected;
          for (uint32_t fragment = 0; fragment < 5; ++fragment) {
            const auto& ids = hands[fragment];
            const auto at = std::lower_bound(ids.begin(), ids.end(), begin + from + place);
            if (at == ids.end() || *at != begin + from + place) continue;
            expected.push_back({fragment, 7 * fragment + static_cast<uint32_t>(at - ids.begin())});
          }
          const auto more = merged.more.find(begin + from + place);
          const uint32_t slot = merged.slots[place];
          if (expected.empty()) {
            ASSERT_EQ(slot, FourByteSlots::kAbsent) << place;
            continue;
          }
          ASSERT_EQ(slot | 1u, FourByteSlots({nullptr, kOffsetBits}).Pack(expected[0]) | 1u)
              << place;
          ASSERT_EQ(slot % 2, expected.size() > 1 ? 1u : 0u) << place;
          expected.erase(expected.begin());
          ASSERT_EQ(more == merged.more.end() ? std::vector<Slot>{} : more->second, expected);
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
  const Merged merged = Merge(0, 25'000, parts, 20, 25'000);
  EXPECT_TRUE(merged.more.empty());
  EXPECT_EQ(merged.slots[9], FourByteSlots::kAbsent);
  EXPECT_EQ(merged.slots[10], 0u);
  EXPECT_EQ(merged.slots[19'999], 2 * 19'989u);
  const FourByteSlots slots{nullptr, 20};
  EXPECT_EQ(merged.slots[20'002], slots.Pack({1, 9}));
  EXPECT_EQ(merged.slots[20'003], FourByteSlots::kAbsent);
  EXPECT_EQ(merged.slots[20'005], slots.Pack({1, 10}));
  EXPECT_EQ(merged.slots[20'010], FourByteSlots::kAbsent);
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
    const Merged merged = Merge(100, 20'000, parts, 20, 900);
    for (const auto& [id, slots] : merged.more) {
      ASSERT_GE(id, 100u);
      ASSERT_LT(id, 20'100u);
    }
  }
}

}  // namespace
}  // namespace pennon
