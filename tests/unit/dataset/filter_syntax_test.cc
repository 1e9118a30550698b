#include "dataset/filter_syntax.h"

#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string Show(const SqlNode& node) {
  static const char* const kKinds[] = {"null",    "bool",  "num",    "text",   "bytes",    "array",
                                       "col",     "field", "sub",    "neg",    "bin",      "and",
                                       "or",      "not",   "isnull", "istrue", "distinct", "in",
                                       "between", "like",  "case",   "cast",   "call"};
  std::string shown = kKinds[static_cast<int>(node.kind)];
  if (node.is_negated) shown = "!" + shown;
  if (node.is_try) shown += "?";
  if (!node.text.empty()) shown += ":" + node.text;
  for (const std::string& name : node.names) shown += "." + name;
  if (node.children.empty()) return shown;
  shown += "(";
  for (size_t i = 0; i < node.children.size(); ++i)
    shown += (i == 0 ? "" : " ") + Show(node.children[i]);
  return shown + ")";
}

std::string Parse(std::string_view text) {
  const auto node = ParseFilterSyntax(text);
  return node.ok() ? Show(*node) : MessageOf(node.status());
}

TEST(FilterSyntax, BuildsTheTree) {
  EXPECT_EQ(Parse("a > 3.5 and not B = 'x' or c"),
            "or(and(bin:>(col.a num:3.5) not(bin:=(col.B text:x))) col.c)");
  EXPECT_EQ(Parse("a.`b.c`.D <> 1"), "bin:<>(col.a.b.c.D num:1)");
  EXPECT_EQ(Parse("a not in (1, null)"), "!in(col.a num:1 null)");
  EXPECT_EQ(Parse("a not between 1 and 2"), "!between(col.a num:1 num:2)");
  EXPECT_EQ(Parse("a not ilike 'x' escape '!'"), "!like:ilike(col.a text:x text:!)");
  EXPECT_EQ(Parse("a is not null"), "!isnull(col.a)");
  EXPECT_EQ(Parse("a is not false"), "!istrue:false(col.a)");
  EXPECT_EQ(Parse("a is unknown"), "istrue:unknown(col.a)");
  EXPECT_EQ(Parse("a is not distinct from b"), "!distinct(col.a col.b)");
  EXPECT_EQ(Parse("case a when 1 then 2 else 3 end"), "case(col.a num:1 num:2 num:3)");
  EXPECT_EQ(Parse("a[1]['b'].c"), "field:c(sub(sub(col.a num:1) text:b))");
  EXPECT_EQ(Parse("f(a)[1]"), "sub(call:f(col.a) num:1)");
  EXPECT_EQ(Parse("[1, 'a']"), "array(num:1 text:a)");
  EXPECT_EQ(Parse("a || 'x' ~* 'y'"), "bin:~*(bin:||(col.a text:x) text:y)");
  EXPECT_EQ(Parse("-a"), "neg(col.a)");
}

TEST(FilterSyntax, KeepsLiterals) {
  EXPECT_EQ(Parse("a = -2"), "bin:=(col.a num:-2)");
  EXPECT_EQ(Parse("a = - ( - 2.50)"), "bin:=(col.a num:2.50)");
  EXPECT_EQ(Parse("a = -9223372036854775808"), "bin:=(col.a num:-9223372036854775808)");
  EXPECT_EQ(Parse("a = 0"), "bin:=(col.a num:0)");
  EXPECT_EQ(Parse("a = X'4142'"), "bin:=(col.a bytes:AB)");
  EXPECT_EQ(Parse("a = x'142'"),
            "bin:=(col.a bytes:\x01"
            "B)");
  EXPECT_EQ(Parse("a = E'x\\ty'"), "bin:=(col.a text:x\ty)");
  EXPECT_EQ(Parse("a = $$it's$$"), "bin:=(col.a text:it's)");
  EXPECT_EQ(Parse("a = 'ünï'"), "bin:=(col.a text:ünï)");
  EXPECT_EQ(Parse("true <> false"), "bin:<>(bool:true bool:false)");
}

TEST(FilterSyntax, KnowsCastsAndSpecialCalls) {
  EXPECT_EQ(Parse("a > date '2020-01-01'"), "bin:>(col.a cast:date(text:2020-01-01))");
  EXPECT_EQ(Parse("a > timestamp(3) 'x'"), "bin:>(col.a cast:timestamp.3(text:x))");
  EXPECT_EQ(Parse("try_cast(a as decimal(10, 2))"), "cast?:numeric.10.2(col.a)");
  EXPECT_EQ(Parse("a::int unsigned"), "cast:int unsigned(col.a)");
  EXPECT_EQ(Parse("extract(year from a)"), "call:extract(text:year col.a)");
  EXPECT_EQ(Parse("substring(a from 2 for 3)"), "call:substring(col.a num:2 num:3)");
  EXPECT_EQ(Parse("position('x' in a)"), "call:position(col.a text:x)");
  EXPECT_EQ(Parse("trim(both 'x' from a)"), "call:btrim(col.a text:x)");
  EXPECT_EQ(Parse("coalesce(a, nullif(b, 1))"), "call:coalesce(col.a call:nullif(col.b num:1))");
  EXPECT_EQ(Parse("GREATEST(a, current_date)"), "call:greatest(col.a call:current_date)");
}

TEST(FilterSyntax, PointsAtMistakes) {
  EXPECT_EQ(Parse(""), "the filter is empty");
  EXPECT_EQ(Parse(" -- only a comment"), "the filter is empty");
  EXPECT_EQ(Parse("a >"), "syntax error at the end of the filter");
  EXPECT_EQ(Parse("ü = 1 group by x"), "syntax error at character 7 near \"group\"");
  EXPECT_EQ(Parse("a = 1 b"), "syntax error at character 7 near \"b\"");
  EXPECT_EQ(Parse("a = 1; b = 2"), "syntax error at character 6 near \";\"");
  EXPECT_EQ(Parse("a = 'ünï' and )"), "nothing to close (\"(\") at character 15 near \")\"");
  EXPECT_EQ(Parse("s = 'ünï' or > 3"), "syntax error at character 14 near \">\"");
  EXPECT_EQ(Parse("a in ()"), "syntax error at character 7 near \")\"");
  EXPECT_EQ(Parse("a = b = c"), "syntax error at character 7 near \"=\"");
}

TEST(FilterSyntax, RefusesWhatNoFilterHas) {
  EXPECT_EQ(Parse("a = (select 1)"),
            "subqueries are not supported in a filter at character 5 near \"(\"");
  EXPECT_EQ(Parse("exists (select 1)"),
            "subqueries are not supported in a filter at character 1 near \"exists\"");
  EXPECT_EQ(Parse("a = $1"), "unexpected character at character 5 near \"$1\"");
  EXPECT_EQ(Parse("count(*) > 1"),
            "aggregates and window functions are not supported in a filter at character 1 near "
            "\"count\"");
  EXPECT_EQ(
      Parse("sum(a) over () > 1"),
      "aggregates and window functions are not supported in a filter at character 1 near \"sum\"");
  EXPECT_EQ(Parse("a, b"),
            "expected one expression, not a row of several at character 1 near \"a\"");
  EXPECT_EQ(Parse("a = any([1])"),
            "\"any\" and \"all\" are not supported, use array_has at character 3 near \"=\"");
  EXPECT_EQ(Parse("a similar to 'x'"),
            "\"similar to\" is not supported, use regexp_like at character 3 near \"similar\"");
  EXPECT_EQ(Parse("a[1:2] = b"), "slices are not supported at character 1 near \"a\"");
  EXPECT_EQ(Parse("a = B'01'"),
            "bit strings are not supported, only X'..' at character 5 near \"B'01'\"");
}

}  // namespace
}  // namespace pennon
