#include "encoding/value_encoding.h"

#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

TEST(ValueEncodingTest, ParsesEveryKind) {
  EXPECT_EQ(ParseValueEncoding(Flat(13)).ValueOrDie().bits, 13u);
  EXPECT_EQ(ParseValueEncoding(Variable(64)).ValueOrDie().bits, 64u);
  const auto packed = ParseValueEncoding(OutOfLine(32, 7)).ValueOrDie();
  EXPECT_EQ(packed.bits, 32u);
  EXPECT_EQ(packed.packed_bits, 7u);
  EXPECT_EQ(ParseValueEncoding(OutOfLine(16, 0)).ValueOrDie().packed_bits, 0u);
  EXPECT_EQ(ParseValueEncoding(Inline(8)).ValueOrDie().kind, EncodingKind::kInlineBitpacking);
  const auto fsst = ParseValueEncoding(Fsst(SymbolTable({"ab"}), Variable(32))).ValueOrDie();
  EXPECT_NE(fsst.symbols, nullptr);
  EXPECT_EQ(fsst.children[0].kind, EncodingKind::kVariable);
  const auto general = ParseValueEncoding(General(2, Split(32))).ValueOrDie();
  EXPECT_EQ(general.scheme, CompressionScheme::kZstd);
  EXPECT_EQ(general.children[0].bits, 32u);
  const auto lists = ParseValueEncoding(ListOf(3, true, ListOf(4, false, Flat(16)))).ValueOrDie();
  EXPECT_TRUE(lists.has_validity);
  EXPECT_EQ(lists.children[0].list_size, 4u);
  EXPECT_EQ(ParseValueEncoding(Packed({8, 64})).ValueOrDie().child_bits,
            (std::vector<uint64_t>{8, 64}));
  EXPECT_FALSE(ParseValueEncoding(Constant()).ValueOrDie().has_value);
  EXPECT_EQ(ParseValueEncoding(Rle(16)).ValueOrDie().bits, 16u);
}

TEST(ValueEncodingTest, RefusesWhatCannotBe) {
  const Message wrong[] = {Flat(0),
                           Variable(16),
                           Wrap(2, ""),
                           OutOfLine(12, 3),
                           OutOfLine(16, 17),
                           Inline(0),
                           Inline(128),
                           Fsst("short", Variable(32)),
                           Wrap(6, Wrap(1, SymbolTable({"a"}))),
                           Rle(12),
                           Wrap(8, Wrap(1, Flat(32)) + Wrap(2, Flat(16))),
                           Split(16),
                           General(3, Flat(8)),
                           General(1, ""),
                           Wrap(10, Wrap(1, Varint(1, 1))),
                           Wrap(13, Wrap(1, Wrap(1, Flat(8)) + Varint(2, 9))),
                           Wrap(13, Wrap(1, Wrap(1, Variable(32)) + Varint(3, 16))),
                           "",
                           "\xff\xff"};
  for (const Message& message : wrong) {
    EXPECT_EQ(KindOf(ParseValueEncoding(message).status()), ErrorKind::kCorrupt);
  }
  const Message later[] = {Wrap(7, ""), Wrap(1, Varint(1, 8) + Wrap(2, Varint(1, 1))),
                           Wrap(5, Varint(1, 8) + Wrap(2, Varint(1, 1)))};
  for (const Message& message : later) {
    EXPECT_EQ(KindOf(ParseValueEncoding(message).status()), ErrorKind::kUnsupportedFeature);
  }
}

TEST(ValueEncodingTest, RefusesDeepNesting) {
  Message nested = Flat(8);
  for (int i = 0; i < 15; ++i) nested = ListOf(1, false, nested);
  EXPECT_TRUE(ParseValueEncoding(nested).ok());
  for (int i = 0; i < 5; ++i) nested = ListOf(1, false, nested);
  EXPECT_EQ(KindOf(ParseValueEncoding(nested).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
