/// \file
/// Patterns of like, and regular expressions translated from the reference engine's dialect (Rust's
/// regex crate) to Arrow's (RE2). Spec: docs/filters.md, heading "Patterns".
#pragma once

#include <arrow/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace pennon {

/// A pattern of like: % is any text, _ one character, a backslash takes the next character as it
/// is.
class LikePattern {
 public:
  explicit LikePattern(std::string_view pattern, bool ignores_ascii_case = false);
  bool Matches(std::string_view text) const;

 private:
  enum class Shape { kExact, kPrefix, kSuffix, kPart, kGeneral };
  struct Piece {
    enum class Kind { kText, kOne, kAny } kind;
    std::string text;
  };
  bool SameAt(std::string_view text, size_t position, std::string_view part) const;
  size_t Find(std::string_view text, std::string_view part) const;
  bool MatchesGeneral(std::string_view text) const;

  bool ignores_case_;
  Shape shape_ = Shape::kGeneral;
  std::vector<Piece> pieces_;
  std::string text_;  ///< Of the shapes other than kGeneral.
};

/// Rewrites a pattern with another escape character to one with the backslash. Errors:
/// kInvalidArgument when `escape` is not one character.
arrow::Result<std::string> WithBackslashEscape(std::string_view pattern, std::string_view escape);

/// A like pattern as a regular expression that matches whole texts.
std::string LikeToRegex(std::string_view pattern, bool ignores_case);

/// Classes such as \d and \w mean Unicode there and ASCII here; flags become a prefix "(?is)".
/// Errors: kInvalidArgument for an unknown flag. Whether the rest is a valid expression only Arrow
/// knows.
arrow::Result<std::string> TranslateRegex(std::string_view pattern, std::string_view flags);

/// Names every capturing group g1, g2, ... as Arrow's extraction asks for; a pattern without groups
/// becomes one. `num_groups` gets their number, 0 for a pattern without groups.
std::string NameRegexGroups(std::string_view pattern, int* num_groups);

/// Turns $1, ${1} and \1 into \1, and keeps other backslashes literal.
std::string TranslateReplacement(std::string_view replacement);

}  // namespace pennon
