#include "encoding/growing_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

bool BitAt(const arrow::Buffer& bitmap, uint64_t i) {
  return (bitmap.data()[i / 8] >> (i % 8)) & 1;
}

TEST(GrowingBufferTest, KeepsWhatWasWrittenWhileGrowing) {
  GrowingBuffer buffer;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece(static_cast<size_t>(i % 13), static_cast<char>('a' + i % 26));
    expected += piece;
    ASSERT_TRUE(buffer.Append({reinterpret_cast<const uint8_t*>(piece.data()), piece.size()}).ok());
  }
  EXPECT_EQ(buffer.Finish().ValueOrDie()->ToString(), expected);
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.Finish().ValueOrDie()->size(), 0);
}

TEST(GrowingBufferTest, RefusesToPassItsBudget) {
  GrowingBuffer buffer({arrow::default_memory_pool(), 1000});
  ASSERT_TRUE(buffer.AppendZeros(1000).ok());
  EXPECT_EQ(KindOf(buffer.AppendZeros(1)), ErrorKind::kTooLarge);
  EXPECT_EQ(KindOf(buffer.Reserve(UINT64_MAX)), ErrorKind::kTooLarge);
  EXPECT_EQ(buffer.size(), 1000u);
}

TEST(GrowingBufferTest, SharesBytesOnlyWhileAlone) {
  std::shared_ptr<arrow::Buffer> owner = arrow::AllocateBuffer(64).ValueOrDie();
  std::fill_n(owner->mutable_data(), 64, uint8_t{7});
  GrowingBuffer buffer;
  ASSERT_TRUE(buffer.AppendShared({owner->data(), 32}, owner).ok());
  EXPECT_EQ(buffer.data(), owner->data());
  auto shared = buffer.Finish().ValueOrDie();
  EXPECT_EQ(shared->data(), owner->data());
  EXPECT_EQ(shared->size(), 32);

  ASSERT_TRUE(buffer.AppendShared({owner->data(), 32}, owner).ok());
  ASSERT_TRUE(buffer.AppendShared({owner->data() + 32, 32}, owner).ok());
  auto copied = buffer.Finish().ValueOrDie();
  EXPECT_NE(copied->data(), owner->data());
  EXPECT_EQ(copied->ToString(), owner->ToString());
  // Not aligned for every type: copied.
  ASSERT_TRUE(buffer.AppendShared({owner->data() + 1, 8}, owner).ok());
  EXPECT_NE(buffer.data(), owner->data() + 1);
}

TEST(GrowingBitsTest, AppendsAnyMixture) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    GrowingBits bits;
    std::vector<bool> expected;
    for (int step = 0; step < 12; ++step) {
      const uint64_t count = random() % (step % 3 == 0 ? 300 : 20);
      if (random() % 2 == 0) {
        const bool value = random() % 2 == 0;
        ASSERT_TRUE(bits.AppendRun(value, count).ok());
        expected.insert(expected.end(), count, value);
      } else {
        std::vector<uint8_t> bitmap(64);
        for (uint8_t& byte : bitmap) byte = static_cast<uint8_t>(random());
        const uint64_t begin = random() % 64;
        ASSERT_TRUE(bits.AppendBitmap(bitmap.data(), begin, count).ok());
        for (uint64_t i = begin; i < begin + count; ++i) {
          expected.push_back((bitmap[i / 8] >> (i % 8)) & 1);
        }
      }
    }
    ASSERT_EQ(bits.length(), expected.size());
    auto bitmap = bits.Finish().ValueOrDie();
    ASSERT_EQ(bitmap->size(), static_cast<int64_t>((expected.size() + 7) / 8));
    for (uint64_t i = 0; i < expected.size(); ++i) ASSERT_EQ(BitAt(*bitmap, i), expected[i]) << i;
  }
}

TEST(GrowingValidityTest, HasNoBitmapWithoutNulls) {
  GrowingValidity validity;
  validity.AppendValid(5);
  const std::vector<uint16_t> levels(70, 1);
  ASSERT_TRUE(validity.AppendLevels(levels, 1).ok());
  EXPECT_EQ(validity.null_count(), 0u);
  EXPECT_EQ(validity.length(), 75u);
  EXPECT_EQ(validity.Finish().ValueOrDie(), nullptr);
}

TEST(GrowingValidityTest, AppendsAnyMixture) {
  std::mt19937 random(5);
  GrowingValidity validity;
  for (int round = 0; round < 200; ++round) {
    std::vector<bool> expected;
    for (int step = 0; step < 8; ++step) {
      const uint64_t count = random() % 150;
      switch (random() % 5) {
        case 0:
          validity.AppendValid(count);
          expected.insert(expected.end(), count, true);
          break;
        case 1:
          ASSERT_TRUE(validity.AppendNull(count).ok());
          expected.insert(expected.end(), count, false);
          break;
        case 2: {
          std::vector<uint16_t> levels(count);
          for (uint16_t& level : levels) level = static_cast<uint16_t>(random() % 4);
          ASSERT_TRUE(validity.AppendLevels(levels, 2).ok());
          for (const uint16_t level : levels) expected.push_back(level <= 2);
          break;
        }
        case 3: {
          std::vector<uint8_t> flags(count);
          for (uint8_t& flag : flags) flag = random() % 3 == 0 ? 0 : 4;
          ASSERT_TRUE(validity.AppendFlags(flags).ok());
          for (const uint8_t flag : flags) expected.push_back(flag != 0);
          break;
        }
        default: {
          std::vector<uint8_t> bitmap(32);
          for (uint8_t& byte : bitmap) byte = static_cast<uint8_t>(random());
          ASSERT_TRUE(validity.AppendBitmap(bitmap.data(), 3, count).ok());
          for (uint64_t i = 3; i < 3 + count; ++i) {
            expected.push_back((bitmap[i / 8] >> (i % 8)) & 1);
          }
        }
      }
    }
    const auto nulls = std::count(expected.begin(), expected.end(), false);
    ASSERT_EQ(validity.length(), expected.size());
    ASSERT_EQ(validity.null_count(), static_cast<uint64_t>(nulls));
    auto bitmap = validity.Finish().ValueOrDie();
    ASSERT_EQ(bitmap == nullptr, nulls == 0);
    for (uint64_t i = 0; bitmap != nullptr && i < expected.size(); ++i) {
      ASSERT_EQ(BitAt(*bitmap, i), expected[i]) << i;
    }
  }
}

}  // namespace
}  // namespace pennon
