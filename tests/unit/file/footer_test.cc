#include "file/footer.h"

#include <gtest/gtest.h>

#include "memory_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Result<Footer> Parse(const std::string& bytes) {
  return ParseFooter({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, bytes.size(),
                     "x.lance");
}

TEST(FooterTest, KnowsTheVersions) {
  FileMaker maker;
  maker.AddColumn({1, 2, 3}, 3);
  const struct {
    uint16_t major, minor;
    FileVersion version;
  } readable[] = {{0, 3, FileVersion::kV2_0},
                  {2, 0, FileVersion::kV2_0},
                  {2, 1, FileVersion::kV2_1},
                  {2, 2, FileVersion::kV2_2}};
  for (const auto& c : readable) {
    const Footer footer = Parse(maker.Finish(c.major, c.minor)).ValueOrDie();
    EXPECT_EQ(footer.version, c.version);
    EXPECT_EQ(footer.num_columns, 1u);
    EXPECT_EQ(footer.num_global_buffers, 1u);
    EXPECT_EQ(footer.column_table.size(), 16u);
  }
  for (const auto& [major, minor] : std::vector<std::pair<uint16_t, uint16_t>>{
           {0, 0}, {0, 1}, {0, 2}, {0, 4}, {2, 3}, {2, 4}, {3, 0}}) {
    EXPECT_EQ(KindOf(Parse(maker.Finish(major, minor)).status()), ErrorKind::kUnsupportedFeature);
  }
  EXPECT_NE(MessageOf(Parse(maker.Finish(0, 2)).status()).find("legacy Lance file of version 0.1"),
            std::string::npos);
  EXPECT_NE(MessageOf(Parse(maker.Finish(2, 3)).status()).find("2.3, rewrite the table"),
            std::string::npos);
}

TEST(FooterTest, RecognisesAShortLegacyFile) {
  std::string bytes(8, '\0');
  bytes += std::string("\0\0\2\0LANC", 8);
  EXPECT_EQ(KindOf(Parse(bytes).status()), ErrorKind::kUnsupportedFeature);
}

TEST(FooterTest, RefusesDamage) {
  FileMaker maker;
  maker.AddColumn({1, 2, 3}, 3);
  const std::string good = maker.Finish();
  EXPECT_EQ(KindOf(Parse("").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(Parse("LANC").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(Parse("PAR1PAR1PAR1PAR1").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(Parse(good.substr(good.size() - 20)).status()), ErrorKind::kCorrupt);
  for (const size_t from_end : {size_t{40}, size_t{32}, size_t{24}, size_t{16}, size_t{12}}) {
    std::string bad = good;
    StoreLittleEndian<uint32_t>(bad.data() + bad.size() - from_end + (from_end >= 24 ? 4 : 0),
                                0x7FFFFFFF);
    EXPECT_EQ(KindOf(Parse(bad).status()), ErrorKind::kCorrupt) << from_end;
  }
}

TEST(FooterTest, TableEntriesLieInTheFile) {
  std::string entry;
  AppendLittleEndian<uint64_t>(entry, 10);
  AppendLittleEndian<uint64_t>(entry, 20);
  const auto* bytes = reinterpret_cast<const uint8_t*>(entry.data());
  EXPECT_EQ(ParseTableEntry(bytes, 30).ValueOrDie(), (ByteRange{10, 30}));
  EXPECT_EQ(KindOf(ParseTableEntry(bytes, 29).status()), ErrorKind::kCorrupt);
  StoreLittleEndian<uint64_t>(entry.data() + 8, UINT64_MAX);
  EXPECT_EQ(KindOf(ParseTableEntry(bytes, 30).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
