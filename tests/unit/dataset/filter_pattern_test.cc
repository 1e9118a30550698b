#include "dataset/filter_pattern.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

TEST(FilterPattern, MatchesLike) {
  struct Case {
    const char* pattern;
    const char* text;
    bool matches;
  };
  for (const Case& c : {Case{"", "", true},
                        {"", "a", false},
                        {"%", "", true},
                        {"abc", "abc", true},
                        {"abc", "abcd", false},
                        {"a%", "abc", true},
                        {"%c", "abc", true},
                        {"%b%", "abc", true},
                        {"%d%", "abc", false},
                        {"a_c", "abc", true},
                        {"a_c", "aüc", true},
                        {"_", "ü", true},
                        {"__", "ü", false},
                        {"a%b%c", "axxbyyc", true},
                        {"a%b%c", "axxcyyb", false},
                        {"%a%a%a%a%b", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
                        {"a\\%c", "a%c", true},
                        {"a\\%c", "abc", false},
                        {"a\\\\%", "a\\x", true},
                        {"a\\", "a\\", true},
                        {"%%", "x", true},
                        {"_%", "", false},
                        {"%_", "ü", true},
                        {"ab%ab", "ab", false},
                        {"ab%ab", "abab", true}}) {
    EXPECT_EQ(LikePattern(c.pattern).Matches(c.text), c.matches) << c.pattern << " " << c.text;
  }
  EXPECT_TRUE(LikePattern("A_c%", true).Matches("aBCd"));
  EXPECT_TRUE(LikePattern("%BC%", true).Matches("abcd"));
  EXPECT_FALSE(LikePattern("A_c%").Matches("aBCd"));
}

TEST(FilterPattern, RewritesEscapes) {
  EXPECT_EQ(*WithBackslashEscape("a!%b!!c\\d", "!"), "a\\%b\\!c\\\\d");
  EXPECT_EQ(*WithBackslashEscape("aü%", "ü"), "a\\%");
  EXPECT_EQ(*WithBackslashEscape("a\\%", "\\"), "a\\%");
  EXPECT_FALSE(WithBackslashEscape("a", "").ok());
  EXPECT_FALSE(WithBackslashEscape("a", "!!").ok());
}

TEST(FilterPattern, TranslatesToRegex) {
  EXPECT_EQ(LikeToRegex("a.%_\\%", true), "(?is)\\Aa\\..*.%\\z");
  EXPECT_EQ(*TranslateRegex("^\\d+[\\w-]\\.", "is"),
            "(?is)^\\p{Nd}+[\\p{L}\\p{M}\\p{Nd}\\p{Pc}\\p{Nl}-]\\.");
  EXPECT_FALSE(TranslateRegex("a", "q").ok());
  int groups = 0;
  EXPECT_EQ(NameRegexGroups("a.c", &groups), "(?P<g1>a.c)");
  EXPECT_EQ(groups, 0);
  EXPECT_EQ(NameRegexGroups("(a)(?:b)(?P<x>c)\\([(]", &groups), "(?P<g1>a)(?:b)(?P<g2>c)\\([(]");
  EXPECT_EQ(groups, 2);
  EXPECT_EQ(TranslateReplacement("$1-${2}\\3\\n$$"), "\\1-\\2\\3\\\\n$");
}

}  // namespace
}  // namespace pennon
