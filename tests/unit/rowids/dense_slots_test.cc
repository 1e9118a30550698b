#include "rowids/dense_slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace pennon {
namespace {

struct Shape {
  uint32_t num_fragments;
  uint32_t offset_max;
  uint8_t bytes_per_slot;
};

class DenseSlotsTest : public testing::TestWithParam<Shape> {};

TEST_P(DenseSlotsTest, GivesBackWhatItWasFilledWith) {
  const auto [num_fragments, offset_max, bytes_per_slot] = GetParam();
  ASSERT_TRUE(DenseSlots::Fits(num_fragments, offset_max));
  std::mt19937_64 random(num_fragments);
  DenseSlots slots(1000, num_fragments, offset_max);
  std::vector<uint32_t> packed;
  const std::vector<Slot> ends = {{0, 0}, {num_fragments - 1, offset_max}};
  for (uint64_t i = 0; i < 1000; ++i) {
    const Slot slot = i < 2 ? ends[i]
                            : Slot{static_cast<uint32_t>(random() % num_fragments),
                                   static_cast<uint32_t>(random() % (uint64_t{offset_max} + 1))};
    packed.push_back(i % 7 == 5   ? DenseSlots::kAbsent
                     : i % 7 == 6 ? DenseSlots::kMany
                                  : slots.Pack(slot));
  }
  slots.Fill(0, std::span(packed).first(333));
  slots.Fill(333, std::span(packed).subspan(333));
  const auto view = slots.view();
  EXPECT_EQ(view.bytes_per_slot, bytes_per_slot);
  EXPECT_LE(slots.memory_bytes(), 1000u * bytes_per_slot + 1);
  for (uint64_t i = 0; i < 1000; ++i) {
    Slot slot;
    const uint32_t expected = i % 7 == 5 ? 0 : i % 7 == 6 ? 2 : 1;
    ASSERT_EQ(view.Find(i, &slot), expected) << i;
    if (expected == 1) {
      ASSERT_EQ(slot, slots.Unpack(packed[i])) << i;
    }
    if (i < 2) {
      ASSERT_EQ(slot, ends[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DenseSlotsTest,
                         testing::Values(Shape{1, 0, 3}, Shape{1, 9'000'000, 4},
                                         Shape{100, 101'000, 3}, Shape{15, (1 << 20) - 1, 3},
                                         Shape{16, (1 << 20) - 1, 4}, Shape{3, 0x3FFFFFFE, 4},
                                         Shape{1, 0x7FFFFFFF, 4}, Shape{0xFFFFFF, 0, 4}));

TEST(DenseSlots, SaysWhatDoesNotFit) {
  EXPECT_FALSE(DenseSlots::Fits(2, 0xFFFFFFFF));
  EXPECT_FALSE(DenseSlots::Fits(1, 0xFFFFFFFF));
  EXPECT_FALSE(DenseSlots::Fits(4, 0x7FFFFFFF));
  EXPECT_FALSE(DenseSlots::Fits(0xFFFFFFFF, 3));
  EXPECT_TRUE(DenseSlots::Fits(3, 0x3FFFFFFF));
}

}  // namespace
}  // namespace pennon
