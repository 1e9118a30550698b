#include "rowids/packed_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace pennon {
namespace {

struct Packed {
  std::string bytes;
  PackedArray array;
};

Packed Pack(const std::vector<uint64_t>& values, uint8_t width, uint64_t base) {
  Packed packed;
  for (const uint64_t value : values) {
    const uint64_t offset = value - base;
    packed.bytes.append(reinterpret_cast<const char*>(&offset), width);
  }
  packed.array = {packed.bytes.data(), values.size(), base, width};
  return packed;
}

struct Shape {
  uint8_t width;
  uint64_t base;
  uint64_t spread;
};

class PackedArrayTest : public testing::TestWithParam<Shape> {};

TEST_P(PackedArrayTest, AnswersLikeAVector) {
  const auto [width, base, spread] = GetParam();
  std::mt19937_64 random(width + spread);
  for (const size_t count : {0u, 1u, 2u, 3u, 17u, 200u, 5000u}) {
    std::vector<uint64_t> values;
    for (size_t i = 0; i < count; ++i) values.push_back(base + random() % spread);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto packed = Pack(values, width, width == 8 ? 0 : base);
    const StretchTable table = MakeTable(packed.array);
    EXPECT_EQ(FirstDescent(packed.array), std::nullopt);
    for (int i = 0; i < 500; ++i) {
      const uint64_t probe = i % 2 == 0 && !values.empty() ? values[random() % values.size()]
                                                           : base - 2 + random() % (spread + 4);
      const auto at = std::lower_bound(values.begin(), values.end(), probe);
      EXPECT_EQ(LowerBound(packed.array, probe), static_cast<uint64_t>(at - values.begin()));
      EXPECT_EQ(LowerBound(packed.array, table, probe), static_cast<uint64_t>(at - values.begin()));
      const bool there = at != values.end() && *at == probe;
      EXPECT_EQ(FindAscending(packed.array, probe).has_value(), there);
      EXPECT_EQ(FindAnyOrder(packed.array, probe).has_value(), there);
    }
    std::vector<uint64_t> read(values.size());
    ReadPacked(packed.array, 0, read);
    EXPECT_EQ(read, values);
    if (values.empty()) continue;
    EXPECT_EQ(BoundsOf(packed.array).smallest, values.front());
    EXPECT_EQ(BoundsOf(packed.array).largest, values.back());
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, PackedArrayTest,
                         testing::Values(Shape{2, 1000, 60000}, Shape{2, 1u << 20, 100},
                                         Shape{4, 7, 4000000000},
                                         Shape{8, uint64_t{1} << 40, uint64_t{1} << 62},
                                         Shape{8, 5, 3000}));

TEST(PackedArray, FindsInAnyOrderTheFirst) {
  std::vector<uint64_t> values(3000, 9);
  values[1500] = 4;
  values[2500] = 4;
  const auto packed = Pack(values, 2, 0);
  EXPECT_EQ(FindAnyOrder(packed.array, 4), 1500u);
  EXPECT_EQ(FindAnyOrder(packed.array, 5), std::nullopt);
  EXPECT_EQ(FindAnyOrder(packed.array, 70000), std::nullopt);
}

TEST(PackedArray, FirstDescentSeesEqualAndFalling) {
  EXPECT_EQ(FirstDescent(Pack({1, 2, 2, 1}, 4, 0).array), 1u);
  EXPECT_EQ(FirstDescent(Pack({1, 5, 4}, 8, 0).array), 1u);
  std::vector<uint64_t> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i;
  values[4321] = 4320;
  EXPECT_EQ(FirstDescent(Pack(values, 2, 0).array), 4320u);
}

// Crowds with deserts between them: the likely place is far off, and stretches are full or empty.
TEST(PackedArray, TablesHelpWhereValuesAreNotSpreadEvenly) {
  std::mt19937_64 random(6);
  for (const uint64_t crowd : {1u, 3u, 40u, 500u, 3000u}) {
    std::vector<uint64_t> values;
    for (uint64_t at = 0; values.size() < 6000; at += random() % 1000000) {
      for (uint64_t i = 0; i < crowd; ++i) values.push_back(at += 1 + random() % 3);
    }
    const auto packed = Pack(values, 8, 0);
    const StretchTable table = MakeTable(packed.array);
    for (int i = 0; i < 6000; ++i) {
      const uint64_t probe = i % 2 == 0 ? values[random() % values.size()] + random() % 3
                                        : random() % (values.back() + 9);
      const auto at = std::lower_bound(values.begin(), values.end(), probe);
      ASSERT_EQ(LowerBound(packed.array, table, probe), static_cast<uint64_t>(at - values.begin()));
    }
  }
}

TEST(PackedArray, TablesTakeTheWidestSpan) {
  std::vector<uint64_t> values(100);
  for (uint64_t i = 0; i < 100; ++i) values[i] = i < 50 ? i : ~uint64_t{0} - 99 + i;
  const auto packed = Pack(values, 8, 0);
  const StretchTable table = MakeTable(packed.array);
  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(LowerBound(packed.array, table, values[i]), i);
  EXPECT_EQ(LowerBound(packed.array, table, uint64_t{1} << 60), 50u);
}

TEST(PackedArray, LowerBoundStaysInsideWhateverTheOrder) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> values(1000);
  for (auto& value : values) value = random() % 60000;
  std::sort(values.begin() + 300, values.begin() + 700);
  for (const uint64_t last : {uint64_t{0}, uint64_t{59999}}) {
    values.front() = 0;
    values.back() = last;
    const auto packed = Pack(values, 2, 0);
    const StretchTable table = MakeTable(packed.array);
    for (uint64_t probe = 0; probe < 70000; probe += 7) {
      EXPECT_LE(LowerBound(packed.array, probe), values.size());
      EXPECT_LE(LowerBound(packed.array, table, probe), values.size());
    }
  }
}

}  // namespace
}  // namespace pennon
