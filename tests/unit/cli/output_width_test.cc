#include "output_width.h"

#include <gtest/gtest.h>

namespace pennon::cli {
namespace {

TEST(OutputWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("ünï"), 3u);
  EXPECT_EQ(DisplayWidth("日本語"), 6u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
  EXPECT_EQ(DisplayWidth("😀"), 2u);
  EXPECT_EQ(DisplayWidth("한글"), 4u);
  EXPECT_EQ(DisplayWidth("ａ"), 2u);
  EXPECT_EQ(DisplayWidth("a\u200Bb"), 2u);
  EXPECT_EQ(DisplayWidth("\xFF"), 1u);
}

TEST(OutputWidth, CutsWithAnEllipsis) {
  EXPECT_EQ(FitWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(FitWidth("abcdef", 5), "abcd…");
  EXPECT_EQ(FitWidth("abcdef", 1), "…");
  EXPECT_EQ(FitWidth("abcdef", 0), "");
  EXPECT_EQ(FitWidth("日本語", 6), "日本語");
  EXPECT_EQ(FitWidth("日本語", 5), "日本…");
  EXPECT_EQ(FitWidth("日本語", 4), "日…");
  EXPECT_EQ(FitWidth("e\u0301x", 1), "…");
  EXPECT_EQ(FitWidth("ae\u0301xy", 3), "ae\u0301…");
}

}  // namespace
}  // namespace pennon::cli
