#include "dataset/filter_unicode.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

TEST(FilterUnicode, ExpandsCase) {
  EXPECT_EQ(ExpandForUpper("straße ﬁ abc"), "straSSe FI abc");
  EXPECT_EQ(ExpandForUpper("\u0390"), "\u0399\u0308\u0301");
  EXPECT_EQ(ExpandForLower("İ"), "i̇");
  EXPECT_EQ(ExpandForLower("ΟΔΟΣ ΣΑ"), "ΟΔΟς σΑ");
  EXPECT_FALSE(MayExpand("plain"));
  EXPECT_TRUE(MayExpand("ß"));
}

TEST(FilterUnicode, RoundsTrip) {
  for (uint32_t code : {0x41u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string text;
    AppendUtf8(code, &text);
    size_t position = 0;
    EXPECT_EQ(DecodeUtf8(text, &position), code);
    EXPECT_EQ(position, text.size());
  }
}

}  // namespace
}  // namespace pennon
