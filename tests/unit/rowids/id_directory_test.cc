#include "rowids/id_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace pennon {
namespace {

std::vector<uint32_t> Holding(const IdDirectory& directory, uint64_t id) {
  std::vector<uint32_t> found;
  directory.ForEachHolding(id, directory.CountStartingAtOrBelow(id), [&](size_t i) {
    found.push_back(directory.entry(i).what);
    return true;
  });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(IdDirectory, FindsEveryIntervalThatHoldsAnId) {
  std::mt19937_64 random(2);
  for (const size_t count : {0u, 1u, 2u, 15u, 17u, 300u, 5000u}) {
    for (const uint64_t span : {uint64_t{50}, uint64_t{100000}, ~uint64_t{0}}) {
      for (const uint64_t length : {uint64_t{1}, span / 100 + 1, span / 3 + 1}) {
        std::vector<IdDirectory::Entry> entries;
        for (uint32_t i = 0; i < count; ++i) {
          const uint64_t smallest = random() % span;
          entries.push_back(
              {smallest, smallest + random() % std::min(length, span - smallest), i, 0});
        }
        const IdDirectory directory(entries);
        ASSERT_EQ(directory.size(), count);
        uint64_t depth = 0;
        for (int probe = 0; probe < 60; ++probe) {
          const uint64_t id =
              probe % 2 == 0 || count == 0 ? random() % span : entries[random() % count].smallest;
          std::vector<uint32_t> expected;
          for (const auto& entry : entries) {
            if (entry.smallest <= id && id <= entry.largest) expected.push_back(entry.what);
          }
          std::sort(expected.begin(), expected.end());
          depth = std::max<uint64_t>(depth, expected.size());
          ASSERT_EQ(Holding(directory, id), expected);
          const size_t starting = directory.CountStartingAtOrBelow(id);
          for (const size_t hint : {size_t{0}, starting, count, count / 2}) {
            ASSERT_EQ(directory.CountStartingAtOrBelow(id, hint), starting);
          }
        }
        EXPECT_GE(directory.OverlapDepth(), depth);
      }
    }
  }
}

TEST(IdDirectory, KnowsWhetherIntervalsOverlap) {
  EXPECT_TRUE(IdDirectory({{5, 9, 0, 0}, {0, 4, 1, 0}}).disjoint());
  EXPECT_FALSE(IdDirectory({{5, 9, 0, 0}, {0, 5, 1, 0}}).disjoint());
  EXPECT_EQ(IdDirectory({{5, 9, 0, 0}, {0, 5, 1, 0}}).OverlapDepth(), 2u);
  EXPECT_EQ(IdDirectory().OverlapDepth(), 0u);
}

// A few entries are compared all at once, among numbers that look negative to a processor too.
TEST(IdDirectory, CountsAFewEntriesOverTheWholeIdSpace) {
  constexpr uint64_t kLargest = ~uint64_t{0};
  const std::vector<uint64_t> starts = {0,
                                        1,
                                        5,
                                        (uint64_t{1} << 63) - 1,
                                        uint64_t{1} << 63,
                                        (uint64_t{1} << 63) + 1,
                                        kLargest - 1,
                                        kLargest};
  for (size_t count = 0; count <= starts.size(); ++count) {
    std::vector<IdDirectory::Entry> entries;
    for (size_t i = 0; i < count; ++i) entries.push_back({starts[i], starts[i], 0, 0});
    const IdDirectory directory(entries);
    for (const uint64_t id : starts) {
      const auto expected = static_cast<size_t>(
          std::count_if(starts.begin(), starts.begin() + static_cast<ptrdiff_t>(count),
                        [&](uint64_t start) { return start <= id; }));
      EXPECT_EQ(directory.CountStartingAtOrBelow(id), expected) << count << ' ' << id;
    }
  }
}

TEST(IdDirectory, StopsWhenToldTo) {
  const IdDirectory directory({{0, 9, 0, 0}, {1, 9, 1, 0}, {2, 9, 2, 0}});
  int calls = 0;
  directory.ForEachHolding(5, 3, [&](size_t) { return ++calls < 2; });
  EXPECT_EQ(calls, 2);
}

TEST(IdDirectory, CountsWhereManyStartTogether) {
  std::vector<IdDirectory::Entry> entries;
  for (uint32_t i = 0; i < 1000; ++i)
    entries.push_back({i < 400 ? 7 : uint64_t{i} * 1000000, ~uint64_t{0}, i, 0});
  const IdDirectory directory(entries);
  EXPECT_EQ(directory.CountStartingAtOrBelow(6), 0u);
  EXPECT_EQ(directory.CountStartingAtOrBelow(7), 400u);
  EXPECT_EQ(directory.CountStartingAtOrBelow(399999999), 400u);
  EXPECT_EQ(directory.CountStartingAtOrBelow(400000000), 401u);
  EXPECT_EQ(directory.CountStartingAtOrBelow(999000000), 1000u);
  EXPECT_EQ(directory.CountStartingAtOrBelow(~uint64_t{0}), 1000u);
  EXPECT_EQ(IdDirectory().CountStartingAtOrBelow(~uint64_t{0}), 0u);
  EXPECT_EQ(IdDirectory({{~uint64_t{0}, ~uint64_t{0}, 0, 0}}).CountStartingAtOrBelow(5), 0u);
}

TEST(IdDirectory, HoldsTheExtremes) {
  const uint64_t most = ~uint64_t{0};
  std::vector<IdDirectory::Entry> entries = {{0, most, 0, 0}, {most, most, 1, 0}};
  for (uint32_t i = 2; i < 40; ++i) entries.push_back({i, i, i, 0});
  const IdDirectory directory(entries);
  EXPECT_EQ(Holding(directory, most), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(Holding(directory, 0), (std::vector<uint32_t>{0}));
  EXPECT_EQ(Holding(directory, 39), (std::vector<uint32_t>{0, 39}));
  EXPECT_GT(directory.memory_bytes(), 0u);
}

}  // namespace
}  // namespace pennon
