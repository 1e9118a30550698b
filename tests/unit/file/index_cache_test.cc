#include "file/index_cache.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

struct SizedIndex : PageIndex {
  explicit SizedIndex(uint64_t size) : bytes(size) {}
  uint64_t memory_bytes() const override { return bytes; }
  uint64_t bytes;
};

TEST(IndexCacheTest, KeepsWithinItsBudget) {
  IndexCache cache(100);
  EXPECT_EQ(cache.Find(1, 1), nullptr);
  const auto first = std::make_shared<SizedIndex>(40);
  cache.Keep(1, 1, first);
  cache.Keep(1, 2, std::make_shared<SizedIndex>(40));
  EXPECT_EQ(cache.Find(1, 1), first);
  EXPECT_EQ(cache.Find(2, 1), nullptr);
  EXPECT_EQ(cache.memory_bytes(), 80u);
  cache.Keep(2, 1, std::make_shared<SizedIndex>(30));  // the oldest goes
  EXPECT_EQ(cache.Find(1, 1), nullptr);
  EXPECT_NE(cache.Find(1, 2), nullptr);
  EXPECT_EQ(cache.memory_bytes(), 70u);
  cache.Keep(3, 1, std::make_shared<SizedIndex>(101));  // never fits
  EXPECT_EQ(cache.Find(3, 1), nullptr);
  EXPECT_EQ(cache.memory_bytes(), 70u);
  cache.Keep(1, 2, std::make_shared<SizedIndex>(5));  // there already
  EXPECT_EQ(cache.memory_bytes(), 70u);
}

}  // namespace
}  // namespace pennon
