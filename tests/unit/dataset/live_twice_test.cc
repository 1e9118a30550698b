#include "dataset/live_twice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rowids/segment_encoder.h"

namespace pennon {
namespace {

RowIdSequence Ids(const std::vector<uint64_t>& ids) {
  return DecodeRowIdSequence(EncodeRowIdSequence(ids, FormChoice::kReference)).ValueOrDie();
}

RowIdSequence Range(uint64_t begin, uint64_t end) {
  return DecodeRowIdSequence(RangeRowIds(begin, end)).ValueOrDie();
}

LiveIds Fragment(uint32_t id, RowIdSequence ids, std::vector<uint32_t> deleted = {}) {
  return {FragmentId{id}, std::move(ids), DeletionVector::FromOffsets(std::move(deleted))};
}

std::vector<std::string> Find(const std::vector<LiveIds>& fragments,
                              uint64_t ids_in_memory_max = 1 << 20) {
  std::vector<std::string> found;
  FindLiveTwice(fragments, ids_in_memory_max, [&](const LiveTwice& twice) {
    const auto show = [](RowAddress address) {
      return std::to_string(ToInteger(FragmentOf(address))) + ":" +
             std::to_string(ToInteger(OffsetOf(address)));
    };
    found.push_back(std::to_string(ToInteger(twice.first)) + "+" + std::to_string(twice.count) +
                    " " + show(twice.address) + " " + show(twice.other));
  });
  return found;
}

using Found = std::vector<std::string>;

TEST(LiveTwice, FindsNothingInTablesAsTheyShouldBe) {
  EXPECT_EQ(Find({}), Found{});
  EXPECT_EQ(Find({Fragment(0, Range(0, 10)), Fragment(1, Range(10, 20))}), Found{});
  EXPECT_EQ(Find({Fragment(5, Ids({7, 3, 5})), Fragment(2, Ids({0, 4, 6}))}), Found{});
  // An update: the rows moved, their old places are deleted.
  EXPECT_EQ(Find({Fragment(0, Range(0, 10), {1, 5}), Fragment(1, Ids({5, 1}))}), Found{});
  EXPECT_EQ(
      Find({Fragment(0, Range(0, 10), {1}), Fragment(1, Ids({1}), {0}), Fragment(2, Ids({1}))}),
      Found{});
}

TEST(LiveTwice, NamesBothPlacesOfAnId) {
  EXPECT_EQ(Find({Fragment(0, Range(0, 10)), Fragment(1, Range(9, 20))}), (Found{"9+1 0:9 1:0"}));
  EXPECT_EQ(Find({Fragment(0, Range(0, 10), {1}), Fragment(1, Ids({5, 1}))}),
            (Found{"5+1 0:5 1:0"}));
  EXPECT_EQ(Find({Fragment(3, Ids({40, 2, 40}))}), (Found{"40+1 3:0 3:2"}));
  EXPECT_EQ(Find({Fragment(3, Ids({40, 2, 40}), {0})}), Found{});
}

TEST(LiveTwice, NamesARunOfIdsOnce) {
  EXPECT_EQ(Find({Fragment(0, Range(0, 1000)), Fragment(1, Range(900, 2000))}),
            (Found{"900+100 0:900 1:0"}));
  EXPECT_EQ(Find({Fragment(0, Range(0, 100)), Fragment(1, Range(0, 100))}),
            (Found{"0+100 0:0 1:0"}));
}

TEST(LiveTwice, SeesEveryFormAgainstEveryOther) {
  // Each holds 600 live, in another form.
  std::vector<uint64_t> holes;
  for (uint64_t id = 0; id < 1000; ++id) {
    if (id % 50 != 7) holes.push_back(id);
  }
  std::vector<uint64_t> bits;
  for (uint64_t id = 0; id < 1000; id += 3) bits.push_back(id);
  const std::vector<std::pair<std::vector<uint64_t>, SegmentForm>> forms = {
      {{600, 1, 3}, SegmentForm::kArray},     {{600, 100000}, SegmentForm::kSortedArray},
      {holes, SegmentForm::kRangeWithHoles},  {bits, SegmentForm::kRangeWithBitmap},
      {{599, 600, 601}, SegmentForm::kRange},
  };
  for (const auto& [first, first_form] : forms) {
    const RowIdSequence a = Ids(first);
    ASSERT_EQ(a.segments()[0].form, first_form);
    for (const auto& [second, second_form] : forms) {
      const Found found = Find({Fragment(0, a), Fragment(1, Ids(second))});
      bool named = false;
      for (const auto& line : found) {
        const uint64_t begin = std::stoull(line);
        named |= begin <= 600 && 600 < begin + std::stoull(line.substr(line.find('+') + 1));
      }
      EXPECT_TRUE(named) << static_cast<int>(first_form) << " " << static_cast<int>(second_form);
    }
  }
}

TEST(LiveTwice, ReachesTheEndsOfTheIdSpace) {
  constexpr uint64_t kLast = ~uint64_t{0};
  EXPECT_EQ(Find({Fragment(0, Ids({kLast, 0})), Fragment(1, Ids({0, kLast}))}),
            (Found{"0+1 0:1 1:0", "18446744073709551615+1 0:0 1:1"}));
  EXPECT_EQ(Find({Fragment(0, Ids({kLast, 0})), Fragment(1, Ids({1, kLast - 1}))}, 1), Found{});
}

// Random tables, a few of their ids doubled, against a map from id to places, under every budget.
TEST(LiveTwice, AgreesWithAMapWhateverTheMemory) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return random() % n; };
    std::vector<uint64_t> ids(2000);
    const uint64_t stretch = seed % 4 == 0 ? uint64_t{1} << 40 : 1 + below(3);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = i * stretch;
    for (size_t i = 0; i < ids.size() / 2; ++i)
      std::swap(ids[below(ids.size())], ids[below(ids.size())]);
    for (uint64_t i = below(4); i > 0; --i) ids[below(ids.size())] = ids[below(ids.size())];

    std::vector<LiveIds> fragments;
    std::map<uint64_t, int> live;
    for (size_t begin = 0; begin < ids.size();) {
      const size_t end = std::min<size_t>(ids.size(), begin + 1 + below(400));
      std::vector<uint64_t> part(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                 ids.begin() + static_cast<std::ptrdiff_t>(end));
      const bool twice_inside = [&] {
        auto sorted = part;
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      }();
      if (seed % 2 == 0 && !twice_inside) std::sort(part.begin(), part.end());
      std::vector<uint32_t> deleted;
      for (uint32_t row = 0; row < part.size(); ++row) {
        if (below(8) == 0) {
          deleted.push_back(row);
        } else {
          ++live[part[row]];
        }
      }
      fragments.push_back(Fragment(static_cast<uint32_t>(fragments.size()), Ids(part), deleted));
      begin = end;
    }
    uint64_t expected = 0;
    for (const auto& [id, places] : live)
      expected += places > 1 ? static_cast<uint64_t>(places - 1) : 0;
    for (const uint64_t budget : {3u, 300u, 1u << 20}) {
      uint64_t found = 0;
      FindLiveTwice(fragments, budget, [&](const LiveTwice& twice) {
        for (uint64_t i = 0; i < twice.count; ++i) EXPECT_GT(live[ToInteger(twice.first) + i], 1);
        EXPECT_LT(twice.address, twice.other);
        found += twice.count;
      });
      ASSERT_EQ(found, expected) << "seed " << seed << " budget " << budget;
    }
  }
}

}  // namespace
}  // namespace pennon
