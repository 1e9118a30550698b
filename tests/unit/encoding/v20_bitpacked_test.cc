#include "encoding/v20_bitpacked.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <random>

#include "encoding/fastlanes.h"
#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

/// `width` bits a value, low bits first, one after the other.
std::string PackStream(const std::vector<uint64_t>& values, unsigned width) {
  std::string out((values.size() * width + 7) / 8, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    for (unsigned bit = 0; bit < width; ++bit) {
      const size_t at = i * width + bit;
      if (((values[i] >> bit) & 1) != 0) out[at / 8] = static_cast<char>(out[at / 8] | 1 << at % 8);
    }
  }
  return out;
}

/// FastLanes by the book: row r of lane l holds value ORDER[r / 8] * 16 + r % 8 * 128 + l.
std::string PackFastLanes(std::vector<uint64_t> values, unsigned width, unsigned plain) {
  constexpr size_t order[] = {0, 4, 2, 6, 1, 5, 3, 7};
  values.resize((values.size() + 1023) / 1024 * 1024, 0);
  const size_t lanes = 1024 / plain;
  std::string out;
  for (size_t group = 0; group < values.size(); group += 1024) {
    std::vector<uint64_t> words(1024 * width / plain, 0);
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (size_t row = 0; row < plain; ++row) {
        const uint64_t value = values[group + order[row / 8] * 16 + row % 8 * 128 + lane];
        for (unsigned bit = 0; bit < width; ++bit) {
          const size_t at = row * width + bit;
          words[at / plain * lanes + lane] |= ((value >> bit) & 1) << at % plain;
        }
      }
    }
    for (const uint64_t word : words) {
      for (unsigned byte = 0; byte < plain / 8; ++byte)
        out.push_back(static_cast<char>(word >> byte * 8));
    }
  }
  return out;
}

template <typename Builder, typename T>
std::shared_ptr<arrow::Array> ArrayOf(const std::vector<uint64_t>& values) {
  Builder builder;
  for (const uint64_t value : values) EXPECT_TRUE(builder.Append(static_cast<T>(value)).ok());
  return builder.Finish().ValueOrDie();
}

std::vector<uint64_t> Random(size_t count, unsigned width, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> out(count);
  for (uint64_t& value : out) value = width == 0 ? 0 : random() >> (64 - width);
  return out;
}

TEST(V20BitpackedTest, StreamsOfEveryWidth) {
  for (unsigned width = 0; width <= 64; ++width) {
    SCOPED_TRACE(width);
    const auto values = Random(100, width, width);
    PageFile file;
    file.AddPage(0, 100, Bitpacked(width, 64, 0, false), {PackStream(values, width)});
    ExpectReads(file, Leaf(arrow::uint64(), 0), *ArrayOf<arrow::UInt64Builder, uint64_t>(values));
  }
}

TEST(V20BitpackedTest, SignedValuesAreExtended) {
  std::vector<uint64_t> values;
  for (int i = -16; i < 16; ++i) values.push_back(static_cast<uint64_t>(i));
  PageFile file;
  file.AddPage(0, 32, Bitpacked(5, 32, 0, true), {PackStream(values, 5)});
  ExpectReads(file, Leaf(arrow::int32(), 0), *ArrayOf<arrow::Int32Builder, int32_t>(values));
  ExpectSurvivesDamage(file, Leaf(arrow::int32(), 0), 32, 1);
}

TEST(V20BitpackedTest, FastLanesGroups) {
  for (const unsigned width : {0u, 1u, 5u, 11u, 16u}) {
    SCOPED_TRACE(width);
    const auto values = Random(2500, width, width);
    PageFile file;
    file.AddPage(0, 2500, FastLanes(width, 16, 0), {PackFastLanes(values, width, 16)});
    ExpectReads(file, Leaf(arrow::uint16(), 0), *ArrayOf<arrow::UInt16Builder, uint16_t>(values));
  }
  const auto values = Random(1500, 40, 1);
  PageFile file;
  file.AddPage(0, 1500, FastLanes(40, 64, 0), {PackFastLanes(values, 40, 64)});
  ExpectReads(file, Leaf(arrow::uint64(), 0), *ArrayOf<arrow::UInt64Builder, uint64_t>(values));
  uint64_t bytes = 0;
  ASSERT_TRUE(file.Read(Leaf(arrow::uint64(), 0), {{1030, 1040}}, 100, &bytes).ok());
  EXPECT_EQ(bytes, 40u * 1024 / 8);
}

TEST(V20BitpackedTest, ShortBuffersAndWrongWidths) {
  PageFile file;
  file.AddPage(0, 2500, FastLanes(5, 16, 0), {std::string(5 * 1024 / 8 * 2, 'x')});
  file.AddPage(1, 100, Bitpacked(5, 32, 0, false), {std::string(62, 'x')});
  file.AddPage(2, 10, Bitpacked(33, 32, 0, false), {std::string(62, 'x')});
  EXPECT_TRUE(file.Read(Leaf(arrow::uint16(), 0), {{0, 2048}}).ok());
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::uint16(), 0), {{0, 2500}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 1), {{0, 100}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int64(), 1), {{0, 10}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 2), {{0, 10}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
