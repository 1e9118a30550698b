#include "encoding/v20_encoding.h"

#include <gtest/gtest.h>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

const std::vector<ByteRange> kPageBuffers = {{64, 128}, {192, 200}};
const std::vector<ByteRange> kColumnBuffers = {{512, 600}};

arrow::Result<V20Encoding> Parse(const Message& message) {
  PageInfo page;
  page.message = EncodingMessage::kArrayEncoding;
  page.buffers = kPageBuffers;
  page.encoding = message;
  return ParseV20Encoding(page, kColumnBuffers);
}

TEST(V20EncodingTest, BuffersOfPageAndColumn) {
  auto page = Parse(Wrap(1, Varint(1, 8) + Wrap(2, BufferAt(1)))).ValueOrDie();
  EXPECT_EQ(page.buffer.begin, 192u);
  auto column = Parse(Wrap(1, Varint(1, 8) + Wrap(2, BufferAt(0, 1)))).ValueOrDie();
  EXPECT_EQ(column.buffer.begin, 512u);
  // Absent fields mean the page's first buffer.
  EXPECT_EQ(Parse(Wrap(1, Varint(1, 8))).ValueOrDie().buffer.begin, 64u);
  EXPECT_EQ(KindOf(Parse(Wrap(1, Varint(1, 8) + Wrap(2, BufferAt(0, 2)))).status()),
            ErrorKind::kUnsupportedFeature);
}

TEST(V20EncodingTest, TreesKeepTheirNumbers) {
  auto list = Parse(List(NoNulls(Flat(64, 0)), 11, 10)).ValueOrDie();
  EXPECT_EQ(list.kind, V20Kind::kList);
  EXPECT_EQ(list.count, 10u);
  EXPECT_EQ(list.null_adjustment, 11u);
  EXPECT_EQ(list.children[0].children[0].bits, 64u);
  auto packed = Parse(Bitpacked(5, 32, 1, true)).ValueOrDie();
  EXPECT_TRUE(packed.is_signed);
  EXPECT_EQ(packed.plain_bits, 32u);
  auto fsst = Parse(Fsst(Binary(Flat(64, 0), Flat(8, 1), 3), "table")).ValueOrDie();
  EXPECT_EQ(fsst.symbol_table, "table");
}

TEST(V20EncodingTest, ImpossibleTreesAreCorrupt) {
  const Message cases[] = {Flat(0, 0),
                           Flat(7, 0),
                           Flat(8, 2),
                           Flat(uint64_t{1} << 40, 0),
                           Wrap(2, ""),
                           FixedSizeList(0, Flat(8, 0)),
                           List(Flat(64, 0), 0, 1),
                           Binary(Flat(64, 0), Flat(8, 1), ~uint64_t{0}),
                           Bitpacked(9, 8, 0, false),
                           Bitpacked(5, 12, 0, false),
                           "\x0A\x7F"};
  for (const Message& message : cases) {
    auto parsed = Parse(message);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(KindOf(parsed.status()), ErrorKind::kCorrupt) << parsed.status();
  }
  EXPECT_EQ(KindOf(Parse(FixedSizeList(2, "")).status()), ErrorKind::kUnsupportedFeature);
  PageInfo page;
  EXPECT_EQ(KindOf(ParseV20Encoding(page, {}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
