#include "dataset/filter_text.h"

#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

TEST(FilterText, NamesThePlace) {
  EXPECT_EQ(MessageOf(FilterError("ab cd", {3, 5}, "bad")), "bad at character 4 near \"cd\"");
  EXPECT_EQ(MessageOf(FilterError("üü cd", {5, 7}, "bad")), "bad at character 4 near \"cd\"");
  EXPECT_EQ(MessageOf(FilterError("ab", {2, 2}, "bad")), "bad at the end of the filter");
  EXPECT_EQ(MessageOf(FilterError("a\nb", {0, 3}, "bad")), "bad at character 1 near \"a b\"");
  EXPECT_EQ(MessageOf(FilterError(std::string(100, 'x'), {0, 100}, "bad")),
            "bad at character 1 near \"" + std::string(40, 'x') + "...\"");
  EXPECT_EQ(KindOf(FilterError("ab", {0, 1}, "bad")), ErrorKind::kInvalidArgument);
}

TEST(FilterText, FindsInvalidUtf8) {
  EXPECT_EQ(FindInvalidUtf8("aü€😀"), std::string_view::npos);
  EXPECT_EQ(FindInvalidUtf8("a\xC0\x80"), 1u);
  EXPECT_EQ(FindInvalidUtf8("a\xE2\x82"), 1u);
  EXPECT_EQ(FindInvalidUtf8("a\xED\xA0\x80"), 1u);
  EXPECT_EQ(FindInvalidUtf8("\xF4\x90\x80\x80"), 0u);
  EXPECT_EQ(CountUtf8Characters("aü€😀"), 4u);
}

}  // namespace
}  // namespace pennon
