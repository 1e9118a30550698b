#include "dataset/filter_lexer.h"

#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string Sql(std::string_view text) {
  const auto rewritten = RewriteFilter(text);
  if (!rewritten.ok()) return MessageOf(rewritten.status());
  // Without the frame and with place-holders shown as their names.
  std::string shown;
  for (const SqlToken& token : rewritten->tokens) {
    if (!shown.empty()) shown += ' ';
    shown += token.kind == SqlTokenKind::kName ? "<" + token.name + ">" : token.emitted;
  }
  return shown;
}

TEST(FilterLexer, TellsNamesFromKeywords) {
  EXPECT_EQ(Sql("Name = 'x' AND not b"), "<Name> = 'x' AND not <b>");
  EXPECT_EQ(Sql("order > 3 or user = 1"), "<order> > 3 or <user> = 1");
  EXPECT_EQ(Sql("end between 1 and to"), "<end> between 1 and <to>");
  EXPECT_EQ(Sql("case when a then b else end end"), "case when <a> then <b> else end end");
  EXPECT_EQ(Sql("a is not distinct from b"), "<a> is not distinct from <b>");
  EXPECT_EQ(Sql("x not in (1, null)"), "<x> not in ( 1 , null )");
  EXPECT_EQ(Sql("lower(s) like 'a%' escape '!'"), "lower ( <s> ) like 'a%' escape '!'");
}

TEST(FilterLexer, KnowsTypesBeforeLiteralsAndAsColumns) {
  EXPECT_EQ(Sql("date > date '2020-01-01'"), "<date> > date '2020-01-01'");
  EXPECT_EQ(Sql("timestamp >= timestamp(3) 'x'"), "<timestamp> >= timestamp ( 3 ) 'x'");
  EXPECT_EQ(Sql("a > timestamp with time zone 'x'"), "<a> > timestamp with time zone 'x'");
  EXPECT_EQ(Sql("cast(a as int unsigned) = 1"), "cast ( <a> as \"int unsigned\"  ) = 1");
  EXPECT_EQ(Sql("a::double precision > 1"), "<a> :: double precision > 1");
  EXPECT_EQ(Sql("current_date() > d"), "current_date   > <d>");
}

TEST(FilterLexer, KeepsOddNamesAsTheyAre) {
  EXPECT_EQ(Sql("`with space` = 1"), "<with space> = 1");
  EXPECT_EQ(Sql("`a``b` = 1"), "<a`b> = 1");
  EXPECT_EQ(Sql("ünï.`x.y`.Z = 1"), "<ünï> . <x.y> . <Z> = 1");
  EXPECT_EQ(Sql("a.select = 1"), "<a> . <select> = 1");
  const std::string longest(200, 'n');
  EXPECT_EQ(Sql(longest + " = 1"), "<" + longest + "> = 1");
}

TEST(FilterLexer, ReadsTextInDoubleQuotesAsText) {
  EXPECT_EQ(Sql("s = \"it's\""), "<s> = 'it''s'");
  EXPECT_EQ(Sql("s = \"a\"\"b\""), "<s> = 'a\"b'");
  EXPECT_EQ(Sql("st.\"a\" = 1"), "<st> . <a> = 1");
}

TEST(FilterLexer, BridgesArraysSubscriptsAndOperators) {
  EXPECT_EQ(Sql("a == 1"), "<a> = 1");
  EXPECT_EQ(Sql("has(l, [1, 2])"), "has ( <l> , ARRAY[ 1 , 2 ] )");
  EXPECT_EQ(Sql("l[1] = 2"), "<l> [ 1 ] = 2");
  EXPECT_EQ(Sql("f(a)[1] = 2"), "(f ( <a> )) [ 1 ] = 2");
  EXPECT_EQ(Sql("a=-1"), "<a> = - 1");
  EXPECT_EQ(Sql("a<>-1_000.5e-3"), "<a> <> - 1000.5e-3");
  EXPECT_EQ(Sql("try_cast(a as int) = 1"), "cast ( <a> as int ) = 1");
  EXPECT_EQ(Sql("a = 1 -- end\n/* x /* y */ */ and b;"), "<a> = 1 and <b>");
}

TEST(FilterLexer, FindsTheWayBack) {
  const auto rewritten = RewriteFilter("ünï >= lower(x)");
  ASSERT_TRUE(rewritten.ok());
  const std::string& sql = rewritten->sql;
  EXPECT_EQ(rewritten->TokenAt(sql.find(">=")), 1u);
  EXPECT_EQ(rewritten->TokenAt(sql.find("lower") + 2), 2u);
  EXPECT_EQ(rewritten->TokenAt(sql.size() - 1), rewritten->tokens.size());
  EXPECT_EQ(*rewritten->NameOf("#0"), "ünï");
  EXPECT_EQ(rewritten->NameOf("#1"), nullptr);
  EXPECT_EQ(rewritten->NameOf("#99"), nullptr);
  EXPECT_EQ(rewritten->NameOf("lower"), nullptr);
}

TEST(FilterLexer, RefusesWithThePlace) {
  EXPECT_EQ(Sql("a = 'x"), "text is not closed, it begins at character 5 near \"'x\"");
  EXPECT_EQ(Sql("ü = `x"), "name is not closed, it begins at character 5 near \"`x\"");
  EXPECT_EQ(Sql("a /* x"), "comment is not closed, it begins at character 3 near \"/* x\"");
  EXPECT_EQ(Sql("(a = 1"), "\"(\" is not closed, it stands at character 1 near \"(\"");
  EXPECT_EQ(Sql("a = 1)"), "nothing to close (\"(\") at character 6 near \")\"");
  EXPECT_EQ(Sql("a = 12x"), "malformed number at character 5 near \"12x\"");
  EXPECT_EQ(Sql("a = \\"), "unexpected character at character 5 near \"\\\"");
  EXPECT_EQ(Sql("a = \xff"), "filter is not valid UTF-8 at byte 4");
  EXPECT_EQ(Sql(std::string_view("a\0b", 3)), "filter has a NUL at byte 1");
}

TEST(FilterLexer, BoundsDepthAndLength) {
  const auto repeated = [](const char* piece, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += piece;
    return text;
  };
  const char* const kTooDeep = "expression is more than 200 levels deep";
  EXPECT_NE(Sql(repeated("(", 300) + "a" + repeated(")", 300)).find(kTooDeep), std::string::npos);
  EXPECT_NE(Sql(repeated("not ", 300) + "a").find(kTooDeep), std::string::npos);
  EXPECT_NE(Sql("1" + repeated("+1", 300) + " = 1").find(kTooDeep), std::string::npos);
  EXPECT_NE(Sql(repeated("(1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+", 11) + "1" + repeated(")", 11))
                .find(kTooDeep),
            std::string::npos);
  EXPECT_NE(Sql("a" + repeated("[1]", 300)).find(kTooDeep), std::string::npos);
  EXPECT_NE(Sql("a" + repeated("::int", 300)).find(kTooDeep), std::string::npos);
  // Lists and chains of and/or are wide, not deep.
  EXPECT_TRUE(RewriteFilter("a in (1" + repeated(",1", 20000) + ")").ok());
  EXPECT_TRUE(RewriteFilter("a = 1" + repeated(" or a + 1 = 1", 5000)).ok());
  EXPECT_EQ(KindOf(RewriteFilter(std::string(kFilterBytesMax + 1, ' ')).status()),
            ErrorKind::kTooLarge);
}

}  // namespace
}  // namespace pennon
