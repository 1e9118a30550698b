#include "rowids/bitmap_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pennon {
namespace {

class BitmapViewTest : public testing::TestWithParam<std::pair<uint64_t, int>> {};

TEST_P(BitmapViewTest, RankSelectAndRunsAgreeWithBits) {
  const auto [num_bits, ones_in_256] = GetParam();
  std::mt19937_64 random(num_bits);
  std::vector<bool> bits(num_bits);
  std::string bytes((num_bits + 7) / 8, '\0');
  for (uint64_t i = 0; i < num_bits; ++i) {
    bits[i] = static_cast<int>(random() % 256) < ones_in_256;
    if (bits[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | (1 << (i % 8)));
  }
  const BitmapView bitmap{bytes.data(), num_bits};
  const auto ranks = MakeRanks(bitmap);
  std::vector<uint64_t> ones;
  for (uint64_t i = 0; i < num_bits; ++i) {
    ASSERT_EQ(Rank(bitmap, ranks, i), ones.size());
    ASSERT_EQ(bitmap.Test(i), bits[i]);
    uint64_t word = 0;
    for (uint64_t k = i; k < std::min(num_bits, i + 64); ++k)
      word |= uint64_t{bits[k] ? 1u : 0u} << (k - i);
    ASSERT_EQ(bitmap.WordFrom(i), word) << i;
    if (bits[i]) ones.push_back(i);
  }
  EXPECT_EQ(Rank(bitmap, ranks, num_bits), ones.size());
  EXPECT_EQ(ranks.total, ones.size());
  EXPECT_EQ(CountOnes(bitmap), ones.size());
  for (uint64_t i = 0; i < ones.size(); ++i) ASSERT_EQ(Select(bitmap, ranks, i), ones[i]);
  for (const uint64_t from : {uint64_t{0}, num_bits / 2, num_bits / 3, num_bits}) {
    std::vector<uint64_t> walked;
    uint64_t last_end = 0;
    ForEachOneRun(bitmap, from, [&](uint64_t first, uint64_t length) {
      EXPECT_GT(length, 0u);
      EXPECT_TRUE(walked.empty() || first > last_end) << "runs must be maximal";
      for (uint64_t i = 0; i < length; ++i) walked.push_back(first + i);
      last_end = first + length;
      return true;
    });
    EXPECT_EQ(walked,
              std::vector<uint64_t>(std::lower_bound(ones.begin(), ones.end(), from), ones.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BitmapViewTest,
                         testing::Values(std::pair{0ul, 0}, std::pair{1ul, 256},
                                         std::pair{63ul, 128}, std::pair{64ul, 256},
                                         std::pair{128ul, 256}, std::pair{65ul, 200},
                                         std::pair{2048ul, 128}, std::pair{10000ul, 250},
                                         std::pair{9999ul, 3}, std::pair{8192ul, 256},
                                         std::pair{4096ul, 0}));

TEST(BitmapView, IsLeastSignificantBitFirst) {
  const char byte = 0x11;
  const BitmapView bitmap{&byte, 5};
  EXPECT_TRUE(bitmap.Test(0));
  EXPECT_FALSE(bitmap.Test(1));
  EXPECT_TRUE(bitmap.Test(4));
}

TEST(BitmapView, StopsWhenToldTo) {
  const std::string bytes = "\xAA\xAA";
  int calls = 0;
  ForEachOneRun(BitmapView{bytes.data(), 16}, 0, [&](uint64_t, uint64_t) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace pennon
