#include "rowset/roaring_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

namespace pennon {
namespace {

TEST(RoaringBuilder, GivesTheEmptySetWithoutChunks) {
  RoaringBuilder builder;
  EXPECT_TRUE(builder.Finish().empty());
}

TEST(RoaringBuilder, KeepsKeyKindAndRankOfEveryChunk) {
  const std::array<uint16_t, 2> few{1, 9};
  std::array<uint64_t, kChunkWords> every_other{};
  every_other.fill(0x5555555555555555);
  RoaringBuilder builder;
  builder.Add(3, few);
  builder.Add(4, ConstChunkWords(every_other));
  builder.Add(65535, few);
  const RoaringSet set = builder.Finish();

  ASSERT_EQ(set.chunks()->entries.size(), 3u);
  EXPECT_EQ(set.chunks()->entries[1], (ChunkEntry{2, 2, 4, ChunkKind::kBitmap}));
  EXPECT_EQ(set.chunks()->View(1).count, 32768u);
  EXPECT_EQ(set.chunks()->View(2).count, 2u);
  EXPECT_EQ(set.count(), 32772u);
}

TEST(RoaringBuilder, FindsChunksWithAndWithoutGapsInTheKeys) {
  const std::array<uint16_t, 1> one{5};
  RoaringBuilder builder;
  for (const uint16_t key : std::initializer_list<uint16_t>{0, 1, 2, 7, 900}) builder.Add(key, one);
  const RoaringSet set = builder.Finish();
  const struct {
    uint32_t key;
    size_t index;
  } cases[] = {{0, 0}, {1, 1}, {2, 2},   {3, 3},   {6, 3},
               {7, 3}, {8, 4}, {900, 4}, {901, 5}, {65535, 5}};
  for (const auto& [key, index] : cases) EXPECT_EQ(set.chunks()->LowerBound(key), index) << key;
}

}  // namespace
}  // namespace pennon
