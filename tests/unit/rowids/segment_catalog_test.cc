#include "rowids/segment_catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rowids/segment_encoder.h"

namespace pennon {
namespace {

struct Made {
  std::vector<std::string> bytes;
  std::vector<IndexedFragment> described;
  std::unique_ptr<FragmentTable> fragments;
  std::unique_ptr<SegmentCatalog> catalog;
};

Made MakeCatalog(const std::vector<std::vector<uint64_t>>& fragments) {
  Made made;
  for (const auto& ids : fragments)
    made.bytes.push_back(EncodeRowIdSequence(ids, FormChoice::kReference));
  SegmentCatalog::Parts parts;
  for (uint32_t i = 0; i < fragments.size(); ++i) {
    made.described.push_back(
        {.id = FragmentId{i}, .physical_rows = fragments[i].size(), .row_ids = made.bytes[i]});
    std::vector<Segment> segments;
    EXPECT_TRUE(ReadSegments(made.bytes[i], &segments).ok());
    parts.AddSequence(i, segments, fragments[i].size());
  }
  made.fragments = std::make_unique<FragmentTable>(made.described, nullptr, nullptr);
  made.catalog = std::make_unique<SegmentCatalog>(std::move(parts));
  return made;
}

using Slots = std::vector<std::pair<uint32_t, uint64_t>>;

Slots SlotsOf(const Made& made, MergeBudget* budget, uint64_t id) {
  Slots slots;
  SegmentCatalog::Place place;
  made.catalog->Prefetch(*made.fragments, id, &place);
  made.catalog->ForEachSlot(
      *made.fragments, budget, id, &place,
      [&](uint32_t ordinal, uint64_t offset) { slots.emplace_back(ordinal, offset); });
  std::sort(slots.begin(), slots.end());
  SegmentCatalog::Few few;
  if (made.catalog->FindFew(id, &place, &few)) {
    Slots at_a_glance;
    for (uint32_t i = 0; i < few.count; ++i)
      at_a_glance.emplace_back(few.slots[i].ordinal, few.slots[i].offset);
    std::sort(at_a_glance.begin(), at_a_glance.end());
    EXPECT_EQ(at_a_glance, slots) << id;
  }
  return slots;
}

bool IsToldAtAGlance(const Made& made, uint64_t id) {
  SegmentCatalog::Place place;
  SegmentCatalog::Few few;
  return made.catalog->FindFew(id, &place, &few);
}

std::vector<uint64_t> Shuffled(uint64_t begin, uint64_t end, std::mt19937_64& random) {
  std::vector<uint64_t> ids;
  for (uint64_t id = begin; id < end; ++id) ids.push_back(id);
  std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

// The search that makes an array's table may be one for an id that is not there: found in line it
// must be from then on all the same.
TEST(SegmentCatalog, AbsentIdsDoNotKeepAnArrayFromBeingFoundInLine) {
  std::vector<std::vector<uint64_t>> fragments(2);
  for (uint64_t i = 0; i < 2000; ++i) fragments[i / 1000].push_back(200 * i);
  const auto made = MakeCatalog(fragments);
  ASSERT_TRUE(made.catalog->is_plain());
  MergeBudget budget(1 << 20);
  RowAddress address{};
  EXPECT_EQ(SlotsOf(made, &budget, 200'200), (Slots{{1, 1}}));
  EXPECT_FALSE(made.catalog->FindLive(*made.fragments, 200'200, &address)) << "asked for once";
  for (uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(SlotsOf(made, &budget, 200'001 + 200 * i).empty());
  for (uint64_t i = 1000; i < 2000; ++i) {
    ASSERT_TRUE(made.catalog->FindLive(*made.fragments, 200 * i, &address)) << i;
    ASSERT_EQ(address, MakeRowAddress(FragmentId{1}, RowOffset{static_cast<uint32_t>(i - 1000)}));
    ASSERT_FALSE(made.catalog->FindLive(*made.fragments, 200 * i + 1, &address)) << i;
  }
}

TEST(SegmentCatalog, RangesNeedNoMoreThanTheDirectory) {
  const auto made = MakeCatalog({{0, 1, 2, 3}, {4, 5, 6}});
  MergeBudget budget(0);
  EXPECT_EQ(SlotsOf(made, &budget, 5), (Slots{{1, 1}}));
  EXPECT_TRUE(SlotsOf(made, &budget, 7).empty());
  EXPECT_EQ(made.catalog->num_entries(), 2u);
  EXPECT_EQ(made.catalog->num_singles(), 0u);
  EXPECT_EQ(made.catalog->num_groups(), 0u);
}

TEST(SegmentCatalog, AFewOverlapsStaySingle) {
  const auto made = MakeCatalog({{0, 2, 4, 6, 9}, {1, 3, 5, 8}, {2, 4, 7}});
  MergeBudget budget(1 << 20);
  EXPECT_EQ(made.catalog->num_groups(), 0u);
  EXPECT_EQ(made.catalog->num_singles(), 3u);
  EXPECT_EQ(made.catalog->OverlapDepth(), 3u);
  EXPECT_EQ(SlotsOf(made, &budget, 4), (Slots{{0, 2}, {2, 1}}));
}

TEST(SegmentCatalog, ManyOverlapsBecomeAGroup) {
  std::vector<std::vector<uint64_t>> fragments(6);
  for (uint64_t id = 0; id < 600; ++id) fragments[id % 6].push_back(id);
  for (uint64_t id = 1000; id < 1010; id += 2) fragments.push_back({id, id + 3});
  const auto made = MakeCatalog(fragments);
  MergeBudget budget(1 << 20);
  EXPECT_EQ(made.catalog->num_groups(), 1u);
  for (int round = 0; round < 3; ++round) {
    for (uint64_t id = 0; id < 600; ++id) {
      ASSERT_EQ(SlotsOf(made, &budget, id), (Slots{{static_cast<uint32_t>(id % 6), id / 6}}));
    }
  }
}

// Updates move rows from plain fragments to new ones, whose ids lie all over.
TEST(SegmentCatalog, AGroupThatCoversOthersIsAskedBesideThem) {
  std::vector<std::vector<uint64_t>> fragments(12);
  for (uint64_t id = 0; id < 6000; ++id) {
    fragments[id / 1000].push_back(id);
    if (id % 5 == 0) fragments[6 + id / 5 % 6].push_back(id);
  }
  const auto made = MakeCatalog(fragments);
  MergeBudget budget(1 << 24);
  EXPECT_EQ(made.catalog->num_groups(), 1u);
  EXPECT_EQ(made.catalog->num_entries(), 7u);
  EXPECT_EQ(made.catalog->OverlapDepth(), 6u);
  EXPECT_FALSE(IsToldAtAGlance(made, 5)) << "nothing is merged yet";
  for (int round = 0; round < 3; ++round) {
    for (uint64_t id = 0; id < 6000; ++id) {
      Slots expected = {{static_cast<uint32_t>(id / 1000), id % 1000}};
      if (id % 5 == 0) expected.emplace_back(static_cast<uint32_t>(6 + id / 5 % 6), id / 30);
      ASSERT_EQ(SlotsOf(made, &budget, id), expected) << id;
    }
  }
  EXPECT_TRUE(IsToldAtAGlance(made, 5));
  EXPECT_TRUE(IsToldAtAGlance(made, 6));
  EXPECT_TRUE(SlotsOf(made, &budget, 6000).empty());
}

TEST(SegmentCatalog, SegmentsAreToldAtAGlanceOnceTheyAreReady) {
  std::vector<std::vector<uint64_t>> fragments(3);
  for (uint64_t id = 0; id < 30000; ++id) {
    if (id % 7 != 3 && (id < 10000 || id % 2 == 0) && (id < 20000 || id % 40 == 0))
      fragments[id / 10000].push_back(id);
  }
  const auto made = MakeCatalog(fragments);
  MergeBudget budget(0);
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 3; ++i) {
      for (uint64_t at = 0; at < fragments[i].size(); ++at)
        ASSERT_EQ(SlotsOf(made, &budget, fragments[i][at]), (Slots{{i, at}}));
    }
    for (const uint64_t gone : {3u, 10003u, 10001u, 20001u, 29999u, 30000u})
      ASSERT_TRUE(SlotsOf(made, &budget, gone).empty());
  }
  for (const uint64_t id : {uint64_t{0}, fragments[1][5], fragments[2][5]})
    EXPECT_TRUE(IsToldAtAGlance(made, id)) << id;
}

// Unsorted arrays of wide numbers tell no bounds: the first look-up learns them and answers at
// once.
TEST(SegmentCatalog, LooseArraysAreReadOnce) {
  std::mt19937_64 random(4);
  const auto first = Shuffled(0, 100000, random);
  const auto second = Shuffled(100000, 200000, random);
  const auto made = MakeCatalog({first, second});
  MergeBudget budget(1 << 24);
  EXPECT_EQ(made.catalog->num_entries(), 0u);
  EXPECT_GE(made.catalog->num_loose_bytes(), 800000u);
  for (int round = 0; round < 40; ++round) {
    for (const size_t i : {size_t{0}, size_t{777}, size_t{99999}}) {
      ASSERT_EQ(SlotsOf(made, &budget, first[i]), (Slots{{0, i}}));
      ASSERT_EQ(SlotsOf(made, &budget, second[i]), (Slots{{1, i}}));
    }
    ASSERT_TRUE(SlotsOf(made, &budget, 200000).empty());
  }
  EXPECT_GT(made.catalog->memory_bytes(), 2 * 100000u);
}

TEST(SegmentCatalog, OffsetsBehindABitmapAreCounted) {
  const std::string bytes =
      EncodeRowIdSequence(std::vector<uint64_t>{0, 2, 3, 6}, FormChoice::kReference) +
      RangeRowIds(20, 30) + RangeRowIds(10, 15);
  std::vector<Segment> segments;
  ASSERT_TRUE(ReadSegments(bytes, &segments).ok());
  SegmentCatalog::Parts parts;
  parts.AddSequence(0, segments, 19);
  const std::vector<IndexedFragment> described = {
      {.id = FragmentId{0}, .physical_rows = 19, .row_ids = bytes}};
  const FragmentTable fragments(described, nullptr, nullptr);
  const SegmentCatalog catalog(std::move(parts));
  MergeBudget budget(0);
  SegmentCatalog::Place place;
  for (const auto& [id, offset] :
       std::vector<std::pair<uint64_t, uint64_t>>{{6, 3}, {20, 4}, {29, 13}, {14, 18}}) {
    Slots slots;
    catalog.ForEachSlot(fragments, &budget, id, &place,
                        [&](uint32_t ordinal, uint64_t at) { slots.emplace_back(ordinal, at); });
    EXPECT_EQ(slots, (Slots{{0, offset}}));
  }
}

}  // namespace
}  // namespace pennon
