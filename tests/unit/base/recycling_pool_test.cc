#include "base/recycling_pool.h"

#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace pennon {
namespace {

constexpr int64_t kAlignment = 64;

TEST(RecyclingPool, GivesTheLastFreedBlockOutAgain) {
  RecyclingPool pool(arrow::default_memory_pool(), 1 << 20);
  uint8_t* one = nullptr;
  uint8_t* other = nullptr;
  ASSERT_TRUE(pool.Allocate(100'000, kAlignment, &one).ok());
  pool.Free(one, 100'000, kAlignment);
  EXPECT_GE(pool.kept_bytes(), 100'000);
  EXPECT_LE(pool.kept_bytes(), 100'000 + 100'000 / 8);
  ASSERT_TRUE(pool.Allocate(99'000, kAlignment, &other).ok());
  EXPECT_EQ(one, other);
  EXPECT_EQ(pool.kept_bytes(), 0);
  EXPECT_EQ(pool.bytes_allocated(), 99'000);
  pool.Free(other, 99'000, kAlignment);
  pool.ReleaseUnused();
  EXPECT_EQ(pool.kept_bytes(), 0);
}

TEST(RecyclingPool, AThreadGetsBackWhatItHad) {
  constexpr int64_t kBytes = 100'000;
  RecyclingPool pool(arrow::default_memory_pool(), 1 << 20);
  uint8_t* mine = nullptr;
  uint8_t* theirs = nullptr;
  uint8_t* again = nullptr;
  ASSERT_TRUE(pool.Allocate(kBytes, kAlignment, &mine).ok());
  std::thread other([&] {
    ASSERT_TRUE(pool.Allocate(kBytes, kAlignment, &theirs).ok());
    // Both are freed here, its own last.
    pool.Free(mine, kBytes, kAlignment);
    pool.Free(theirs, kBytes, kAlignment);
  });
  other.join();
  ASSERT_TRUE(pool.Allocate(kBytes, kAlignment, &again).ok());
  EXPECT_EQ(again, mine);
  // What only others had is better than nothing, and is mine from then on.
  uint8_t* second = nullptr;
  ASSERT_TRUE(pool.Allocate(kBytes, kAlignment, &second).ok());
  EXPECT_EQ(second, theirs);
  pool.Free(second, kBytes, kAlignment);
  pool.Free(again, kBytes, kAlignment);
  EXPECT_GE(pool.kept_bytes(), 2 * kBytes);
}

TEST(RecyclingPool, KeepsNoMoreThanItMay) {
  RecyclingPool pool(arrow::default_memory_pool(), 300'000);
  std::vector<uint8_t*> blocks(8);
  for (auto& block : blocks) ASSERT_TRUE(pool.Allocate(100'000, kAlignment, &block).ok());
  for (auto* block : blocks) pool.Free(block, 100'000, kAlignment);
  EXPECT_LE(pool.kept_bytes(), 300'000);
  EXPECT_EQ(pool.bytes_allocated(), 0);
  EXPECT_EQ(pool.max_memory(), 800'000);
}

TEST(RecyclingPool, SizesThatNobodyAsksForMakeRoom) {
  RecyclingPool pool(arrow::default_memory_pool(), 1'000'000);
  std::vector<uint8_t*> old(8);
  for (auto& block : old) ASSERT_TRUE(pool.Allocate(120'000, kAlignment, &block).ok());
  for (auto* block : old) pool.Free(block, 120'000, kAlignment);
  const int64_t full = pool.kept_bytes();
  EXPECT_GT(full, 800'000);
  // A scan of another shape: its blocks are recycled although the pool was full.
  std::vector<uint8_t*> now(2);
  for (auto& block : now) ASSERT_TRUE(pool.Allocate(300'000, kAlignment, &block).ok());
  for (auto* block : now) pool.Free(block, 300'000, kAlignment);
  EXPECT_LE(pool.kept_bytes(), 1'000'000);
  std::vector<uint8_t*> again(2);
  for (auto& block : again) ASSERT_TRUE(pool.Allocate(300'000, kAlignment, &block).ok());
  EXPECT_EQ(again[0], now[1]);
  EXPECT_EQ(again[1], now[0]);
  for (auto* block : again) pool.Free(block, 300'000, kAlignment);
  EXPECT_EQ(pool.bytes_allocated(), 0);
}

TEST(RecyclingPool, KeepsContentsWhenABlockGrowsAndShrinks) {
  const auto below = arrow::MemoryPool::CreateDefault();
  {
    RecyclingPool pool(below.get(), 1 << 22);
    std::mt19937_64 random(3);
    for (int round = 0; round < 200; ++round) {
      auto size = static_cast<int64_t>(1 + random() % 300'000);
      uint8_t* block = nullptr;
      ASSERT_TRUE(pool.Allocate(size, kAlignment, &block).ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kAlignment, 0u);
      std::memset(block, round, static_cast<size_t>(size));
      for (int step = 0; step < 3; ++step) {
        const auto next = static_cast<int64_t>(1 + random() % 300'000);
        const auto same = std::min(size, next);
        ASSERT_TRUE(pool.Reallocate(size, next, kAlignment, &block).ok());
        for (int64_t i = 0; i < same; i += 97) ASSERT_EQ(block[i], static_cast<uint8_t>(round));
        std::memset(block, round, static_cast<size_t>(next));
        size = next;
      }
      pool.Free(block, size, kAlignment);
    }
    EXPECT_EQ(pool.bytes_allocated(), 0);
  }
  EXPECT_EQ(below->bytes_allocated(), 0);
}

TEST(RecyclingPool, ServesManyThreads) {
  const auto below = arrow::MemoryPool::CreateDefault();
  {
    RecyclingPool pool(below.get(), 1 << 20);
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
      threads.emplace_back([&pool, seed] {
        std::mt19937_64 random(seed);
        for (int round = 0; round < 2000; ++round) {
          const auto size = static_cast<int64_t>(20'000 + random() % 5 * 10'000);
          uint8_t* block = nullptr;
          ASSERT_TRUE(pool.Allocate(size, kAlignment, &block).ok());
          block[0] = block[size - 1] = static_cast<uint8_t>(seed);
          ASSERT_EQ(block[0], static_cast<uint8_t>(seed));
          pool.Free(block, size, kAlignment);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(pool.bytes_allocated(), 0);
  }
  EXPECT_EQ(below->bytes_allocated(), 0);
}

}  // namespace
}  // namespace pennon
