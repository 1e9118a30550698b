#include "format/field_path.h"

#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

using Names = std::vector<std::string>;

TEST(FieldPathTest, Splits) {
  EXPECT_EQ(*ParseFieldPath("a"), (Names{"a"}));
  EXPECT_EQ(*ParseFieldPath("a.b.c"), (Names{"a", "b", "c"}));
  EXPECT_EQ(*ParseFieldPath("`a.b`.c"), (Names{"a.b", "c"}));
  EXPECT_EQ(*ParseFieldPath("a.`b``c`"), (Names{"a", "b`c"}));
  EXPECT_EQ(*ParseFieldPath("with space"), (Names{"with space"}));
  EXPECT_EQ(*ParseFieldPath("déjà"), (Names{"déjà"}));
}

TEST(FieldPathTest, RefusesMistakes) {
  for (const char* path : {"", ".", "a.", ".a", "a..b", "`a", "`a`b", "a`b`", "``", "a.``"}) {
    SCOPED_TRACE(path);
    auto names = ParseFieldPath(path);
    ASSERT_FALSE(names.ok());
    EXPECT_EQ(KindOf(names.status()), ErrorKind::kInvalidArgument);
  }
}

TEST(FieldPathTest, FormatsWhatItSplits) {
  for (const Names& names : {Names{"a"}, Names{"a", "b"}, Names{"a.b", "c`d", "e f", "é"}}) {
    EXPECT_EQ(*ParseFieldPath(FormatFieldPath(names)), names);
  }
  EXPECT_EQ(FormatFieldPath({"meta-data", "id"}), "`meta-data`.id");
}

}  // namespace
}  // namespace pennon
