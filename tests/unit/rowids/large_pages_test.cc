#include "rowids/large_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace pennon {
namespace {

TEST(LargePages, ServesSmallAndLargeVectorsAlike) {
  for (const size_t count : {size_t{1}, size_t{1000}, (size_t{1} << 19) - 1, size_t{1} << 19,
                             (size_t{1} << 19) + 3, size_t{3} << 19}) {
    std::vector<uint32_t, LargePages<uint32_t>> values(count, 7);
    if (count * sizeof(uint32_t) >= LargePages<uint32_t>::kPageBytes) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(values.data()) % LargePages<uint32_t>::kPageBytes, 0u);
    }
    values.back() = 9;
    auto moved = std::move(values);
    moved.push_back(11);
    EXPECT_EQ(moved.size(), count + 1);
    EXPECT_EQ(moved[count - 1], 9u);
    EXPECT_EQ(moved[0], count == 1 ? 9u : 7u);
  }
}

TEST(LargePages, KeepsTheAlignmentOfItsElements) {
  struct alignas(64) Line {
    uint64_t words[8];
  };
  std::vector<Line, LargePages<Line>> lines(3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(lines.data()) % 64, 0u);
}

}  // namespace
}  // namespace pennon
