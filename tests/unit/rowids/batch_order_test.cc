#include "rowids/batch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "rowids/radix_sort.h"

namespace pennon {
namespace {

TEST(BatchOrder, GivesEveryIdOnceWithItsPlace) {
  std::mt19937_64 random(3);
  for (const uint64_t span : {uint64_t{1}, uint64_t{100}, uint64_t{1} << 24, ~uint64_t{0}}) {
    for (const size_t count : {0u, 1u, 2u, 3000u}) {
      std::vector<uint64_t> ids(count);
      for (uint64_t& id : ids) id = random() % span;
      std::vector<int> seen(count);
      uint64_t last_stretch = 0;
      const uint64_t smallest = count == 0 ? 0 : *std::min_element(ids.begin(), ids.end());
      BatchOrder(ids).ForEach([&](uint64_t id, size_t i) {
        ASSERT_LT(i, count);
        ASSERT_EQ(ids[i], id);
        ++seen[i];
        // Neighbours in the id space stay together: no more than a coarse stretch back and forth.
        const uint64_t stretch = (id - smallest) / (span / 100 + 1);
        ASSERT_GE(stretch + 1, last_stretch);
        last_stretch = stretch;
      });
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<ptrdiff_t>(count));
    }
  }
}

TEST(BatchOrder, AscendingIdsStayAsTheyAre) {
  const std::vector<uint64_t> ids = {1, 1, 4, 9};
  std::vector<size_t> places;
  BatchOrder(ids).ForEach([&](uint64_t, size_t i) { places.push_back(i); });
  EXPECT_EQ(places, (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(RadixSort, SortsLikeAStableSort) {
  struct Element {
    uint64_t key;
    size_t place;
  };
  std::mt19937_64 random(5);
  for (const uint64_t span : {uint64_t{2}, uint64_t{5000}, uint64_t{1} << 40, ~uint64_t{0}}) {
    for (const size_t count : {0u, 100u, 257u, 20000u}) {
      std::vector<Element> elements(count);
      for (size_t i = 0; i < count; ++i) elements[i] = {random() % span, i};
      auto expected = elements;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Element& a, const Element& b) { return a.key < b.key; });
      RadixSort(&elements, [](const Element& element) { return element.key; });
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(elements[i].place, expected[i].place);
    }
  }
}

}  // namespace
}  // namespace pennon
