#include "encoding/inflate_budget.h"

#include <gtest/gtest.h>

#include <string>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(InflateBudgetTest, RefusesClaimsBeforeAllocating) {
  std::string zstd;
  AppendLittleEndian<uint64_t>(zstd, uint64_t{1} << 60);
  zstd += "some bytes";
  EXPECT_EQ(KindOf(CheckedInflatedSize(CompressionScheme::kZstd, Bytes(zstd), {}).status()),
            ErrorKind::kCorrupt);
  std::string lz4;
  AppendLittleEndian<uint32_t>(lz4, 100'000);
  lz4 += "short";
  EXPECT_EQ(KindOf(CheckedInflatedSize(CompressionScheme::kLz4, Bytes(lz4), {}).status()),
            ErrorKind::kCorrupt);
  lz4 += std::string(1000, 'x');
  EXPECT_EQ(CheckedInflatedSize(CompressionScheme::kLz4, Bytes(lz4), {}).ValueOrDie(), 100'000u);
  const BufferBudget small{arrow::default_memory_pool(), 99'999};
  EXPECT_EQ(KindOf(CheckedInflatedSize(CompressionScheme::kLz4, Bytes(lz4), small).status()),
            ErrorKind::kTooLarge);
}

TEST(InflateBudgetTest, InflatesIntoASizedVector) {
  // One literal run of three bytes.
  std::string lz4;
  AppendLittleEndian<uint32_t>(lz4, 3);
  lz4 += std::string("\x30") + "abc";
  std::vector<uint8_t> out(77);
  ASSERT_TRUE(InflateChecked(CompressionScheme::kLz4, Bytes(lz4), {}, &out).ok());
  EXPECT_EQ(std::string(out.begin(), out.end()), "abc");
}

}  // namespace
}  // namespace pennon
