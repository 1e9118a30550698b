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
  return slots;
}

std::vector<uint64_t> Shuffled(uint64_t begin, uint64_t end, std::mt19937_64& random) {
  std::vector<uint64_t> ids;
  for (uint64_t id = begin; id < end; ++id) ids.push_back(id);
  std::shuffle(ids.begin(), ids.end(), random);
  return ids;
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
