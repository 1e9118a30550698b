#include "encoding/block_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

ValueEncoding Encoding(const Message& message) { return ParseValueEncoding(message).ValueOrDie(); }

arrow::Result<std::vector<uint16_t>> ReadLevels(const Message& encoding, const std::string& block,
                                                uint64_t count) {
  const LeafType type = MakeWordType(2);
  ValueBuilder out(type, {arrow::default_memory_pool(), 1 << 24});
  DecodeScratch scratch;
  ARROW_ASSIGN_OR_RAISE(const uint64_t got,
                        DecodeLevels(Encoding(encoding),
                                     {reinterpret_cast<const uint8_t*>(block.data()), block.size()},
                                     count, &scratch, &out));
  std::vector<uint16_t> levels(got);
  std::memcpy(levels.data(), out.values.data(), got * 2);
  return levels;
}

std::vector<uint16_t> SomeLevels(size_t count, unsigned limit) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<uint16_t> levels(count);
  for (uint16_t& level : levels) level = static_cast<uint16_t>(random() % limit);
  return levels;
}

std::vector<uint16_t> Part(const std::vector<uint16_t>& values, size_t begin, size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::string Runs(const std::vector<uint16_t>& levels) {
  std::string values, lengths, out;
  for (size_t i = 0; i < levels.size();) {
    size_t end = i;
    while (end < levels.size() && levels[end] == levels[i] && end - i < 255) ++end;
    AppendLittleEndian(values, levels[i]);
    lengths.push_back(static_cast<char>(end - i));
    i = end;
  }
  AppendLittleEndian<uint64_t>(out, values.size());
  return out + values + lengths;
}

TEST(BlockValuesTest, LevelsInEveryForm) {
  for (const size_t count : {size_t{1}, size_t{5}, size_t{1024}, size_t{1500}, size_t{4096}}) {
    const auto levels = SomeLevels(count, 4);
    EXPECT_EQ(ReadLevels(Flat(16), Bytes(levels), count).ValueOrDie(), levels);
    EXPECT_EQ(ReadLevels(Rle(16), Runs(levels), count).ValueOrDie(), levels);
    EXPECT_EQ(ReadLevels(General(1, Flat(16)), LiteralLz4(Bytes(levels)), count).ValueOrDie(),
              levels);
    if (count <= 1024) {
      EXPECT_EQ(ReadLevels(Inline(16), PackInline(levels, 2), count).ValueOrDie(), levels);
    }
    std::string full, raw_tail;
    for (size_t at = 0; at < count; at += 1024) {
      const auto group = Part(levels, at, std::min(count, at + 1024));
      full += PackGroup(group, 2);
      raw_tail += group.size() == 1024 ? PackGroup(group, 2) : Bytes(group);
    }
    EXPECT_EQ(ReadLevels(OutOfLine(16, 2), full, count).ValueOrDie(), levels);
    EXPECT_EQ(ReadLevels(OutOfLine(16, 2), raw_tail, count).ValueOrDie(), levels);
  }
}

TEST(BlockValuesTest, WidthZeroTakesNoBytes) {
  EXPECT_EQ(ReadLevels(OutOfLine(16, 0), "", 2000).ValueOrDie(), std::vector<uint16_t>(2000, 0));
}

TEST(BlockValuesTest, RunsBeyondSixteenBitsCountThemselves) {
  const std::vector<uint16_t> levels(70'000, 1);
  EXPECT_EQ(ReadLevels(Rle(16), Runs(levels), 70'000 - 65'536).ValueOrDie(), levels);
  EXPECT_EQ(KindOf(ReadLevels(Rle(16), Runs(levels), 70'001 - 65'536).status()),
            ErrorKind::kCorrupt);
}

TEST(BlockValuesTest, RefusesWrongSizes) {
  const auto levels = SomeLevels(1500, 4);
  for (const auto& [encoding, block] : std::vector<std::pair<Message, std::string>>{
           {Flat(16), Bytes(levels)},
           {Rle(16), Runs(levels)},
           {OutOfLine(16, 2),
            PackGroup(Part(levels, 0, 1024), 2) + Bytes(Part(levels, 1024, 1500))},
           {General(1, Flat(16)), LiteralLz4(Bytes(levels))}}) {
    ASSERT_TRUE(ReadLevels(encoding, block, 1500).ok());
    for (const size_t size : {size_t{0}, size_t{3}, block.size() / 2, block.size() - 1}) {
      EXPECT_EQ(KindOf(ReadLevels(encoding, block.substr(0, size), 1500).status()),
                ErrorKind::kCorrupt);
    }
    EXPECT_EQ(KindOf(ReadLevels(encoding, block + "x", 1500).status()), ErrorKind::kCorrupt);
  }
  EXPECT_EQ(KindOf(ReadLevels(Variable(32), "abcdefghijkl", 1).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
