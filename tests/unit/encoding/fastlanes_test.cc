#include "encoding/fastlanes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace pennon {
namespace {

/// Packs bit by bit, straight from the words of the sheet.
template <typename T>
std::vector<uint8_t> PackSlowly(const std::vector<T>& values, unsigned width) {
  constexpr unsigned kBits = sizeof(T) * 8;
  constexpr unsigned kLanes = 1024 / kBits;
  constexpr unsigned kOrder[] = {0, 4, 2, 6, 1, 5, 3, 7};
  std::vector<T> words(1024 * width / kBits, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned row = 0; row < kBits; ++row) {
      const T value = values[kOrder[row / 8] * 16 + (row % 8) * 128 + lane];
      for (unsigned b = 0; b < width; ++b) {
        const unsigned bit = row * width + b;
        if ((value >> b) & 1)
          words[bit / kBits * kLanes + lane] |= static_cast<T>(T{1} << (bit % kBits));
      }
    }
  }
  std::vector<uint8_t> bytes(words.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

template <typename T>
class FastLanesTest : public testing::Test {};
using Types = testing::Types<uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(FastLanesTest, Types);

TYPED_TEST(FastLanesTest, UnpacksEveryWidth) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  for (unsigned width = 0; width <= sizeof(T) * 8; ++width) {
    std::vector<T> values(1024);
    for (T& value : values) {
      value = width == 0 ? T{0} : static_cast<T>(random() >> (64 - width));
    }
    values[3] = width == 0 ? T{0} : static_cast<T>(~uint64_t{0} >> (64 - width));
    std::vector<uint8_t> packed = PackSlowly(values, width);
    ASSERT_EQ(packed.size(), FastLanesBytes(width));
    packed.insert(packed.begin(), 0xAA);  // unaligned on purpose
    std::vector<uint8_t> out(1 + 1024 * sizeof(T));
    UnpackFastLanes<T>(packed.data() + 1, width, out.data() + 1);
    EXPECT_EQ(std::memcmp(out.data() + 1, values.data(), 1024 * sizeof(T)), 0) << "width " << width;
    for (uint32_t i = 0; i < 1024; ++i) {
      ASSERT_EQ(FastLanesValue<T>(packed.data() + 1, width, i), values[i])
          << "width " << width << " at " << i;
    }
  }
}

}  // namespace
}  // namespace pennon
