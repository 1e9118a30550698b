#include "rowids/stretch_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace pennon {
namespace {

struct Spread {
  std::string name;
  uint64_t base;
  uint64_t per_stretch;
  std::vector<uint32_t> values;
};

std::vector<uint32_t> Ascending(size_t count, uint64_t below, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint32_t> values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<uint32_t>(random() % below));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<Spread> Spreads() {
  std::vector<Spread> spreads;
  for (const uint64_t per_stretch : {1u, 3u, 32u, 100u}) {
    const std::string suffix = "_" + std::to_string(per_stretch);
    spreads.push_back({"even" + suffix, 1000, per_stretch, Ascending(5000, 100'000, 1)});
    spreads.push_back({"whole_width" + suffix, ~uint64_t{0} - 0xFFFFFFFFu, per_stretch,
                       Ascending(3000, uint64_t{1} << 32, 2)});
    auto skewed = Ascending(2000, 5000, 3);
    for (uint32_t i = 0; i < 10; ++i) skewed.push_back(4'000'000'000u + 7 * i);
    spreads.push_back({"skewed" + suffix, 5, per_stretch, skewed});
    spreads.push_back({"dense" + suffix, 0, per_stretch, Ascending(100'000, 1000, 4)});
    spreads.push_back({"two_ends" + suffix, 0, per_stretch, {0, 0xFFFFFFFFu}});
    spreads.push_back({"one" + suffix, 9, per_stretch, {4}});
  }
  return spreads;
}

TEST(StretchTable, BoundsHoldTheFirstElementThatIsNotLess) {
  for (const auto& [name, base, per_stretch, values] : Spreads()) {
    const StretchTable table(values.size(), per_stretch, base,
                             [&, &values = values](uint64_t i) { return values[i]; });
    std::vector<uint64_t> asked = {0, base, base + 1, ~uint64_t{0}};
    for (const uint32_t value : values) {
      for (const uint64_t near : {base + value - 1, base + value, base + value + 1})
        asked.push_back(near);
    }
    for (const uint64_t value : asked) {
      const auto expected = static_cast<uint64_t>(
          std::partition_point(values.begin(), values.end(),
                               [&, base = base](uint32_t v) { return base + v < value; }) -
          values.begin());
      const auto bounds = table.Find(value);
      ASSERT_LE(bounds.begin, expected) << name << ' ' << value;
      ASSERT_GE(bounds.end, expected) << name << ' ' << value;
      const auto guess = table.FindLikely(value);
      ASSERT_EQ(guess.bounds.begin, bounds.begin) << name << ' ' << value;
      ASSERT_EQ(guess.bounds.end, bounds.end) << name << ' ' << value;
      ASSERT_LE(guess.likely, bounds.end) << name << ' ' << value;
      ASSERT_GE(guess.likely, bounds.begin) << name << ' ' << value;
      if (value < base + values.front() || value > base + values.back()) continue;
      const uint64_t likely = table.LikelyWithin(value);
      ASSERT_LE(likely, std::max(bounds.end, expected)) << name << ' ' << value;
      ASSERT_GE(likely, std::min(bounds.begin, expected)) << name << ' ' << value;
    }
  }
}

TEST(StretchTable, ElementsSpreadEvenlyAreCloseToWhereTheyAreExpected) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 100'000; ++i) values.push_back(20 * i + i * i % 19);
  const StretchTable table(values.size(), 32, 0, [&](uint64_t i) { return values[i]; });
  for (uint64_t i = 0; i < values.size(); ++i) {
    const auto likely = static_cast<int64_t>(table.LikelyWithin(values[i]));
    ASSERT_LE(std::abs(likely - static_cast<int64_t>(i)), 2) << i;
  }
}

TEST(StretchTable, ValuesOutOfOrderLeaveBoundsInside) {
  std::mt19937_64 random(6);
  for (const uint64_t per_stretch : {1u, 32u}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<uint32_t> values;
      for (int i = 0; i < 500; ++i) values.push_back(static_cast<uint32_t>(random() % 10'000));
      const StretchTable table(values.size(), per_stretch, 3,
                               [&](uint64_t i) { return values[i]; });
      if (table.empty()) continue;
      for (uint64_t value = 0; value < 10'010; ++value) {
        const auto bounds = table.Find(value);
        ASSERT_LE(bounds.begin, bounds.end);
        ASSERT_LE(bounds.end, values.size());
      }
    }
  }
}

}  // namespace
}  // namespace pennon
