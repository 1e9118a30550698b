/// \file
/// Bridges the spelling of filters to PostgreSQL's grammar: names in backticks or in any letter
/// case, text in double quotes, `==`, `[1, 2]`, `try_cast`, `int unsigned`, columns called like
/// reserved words. The grammar then sees plain PostgreSQL in which every name is a numbered
/// place-holder, so that neither its case folding nor its limit of 63 bytes touches a name. Bounds
/// the depth of the expression before anything recursive runs. Spec: docs/filters.md, heading
/// "Spelling".
#pragma once

#include <arrow/result.h>

#include <string>
#include <string_view>
#include <vector>

#include "dataset/filter_text.h"

namespace pennon {

enum class SqlTokenKind {
  kWord,         ///< Keyword, function or type name, passed on as it is.
  kName,         ///< Column or field; `name` holds it without quotes.
  kText,         ///< String literal of any form.
  kBytes,        ///< X'..'
  kNumber,       ///< Digits, maybe with a point and an exponent.
  kPunctuation,  ///< ( ) [ ] , . ; ::
  kOperator,     ///< A run of operator characters.
};

struct SqlToken {
  SqlTokenKind kind = SqlTokenKind::kWord;
  SqlPlace place;
  std::string name;          ///< kName: the name; kWord: the word in lower case.
  std::string emitted;       ///< What PostgreSQL's grammar gets instead.
  size_t emitted_begin = 0;  ///< Where, in RewrittenFilter::sql.
};

/// A filter as text for PostgreSQL's grammar, and the way back.
struct RewrittenFilter {
  std::string sql;
  std::vector<SqlToken> tokens;

  /// Returns the index of the token that covers `sql_offset`, or tokens.size() behind the last one.
  size_t TokenAt(size_t sql_offset) const;
  /// Returns the name that a place-holder of the grammar's tree stands for, or nullptr if it is
  /// none.
  const std::string* NameOf(std::string_view placeholder) const;
};

/// Longest filter taken, in bytes, and deepest nesting of operators, parentheses and calls.
inline constexpr size_t kFilterBytesMax = size_t{1} << 20;
inline constexpr size_t kFilterDepthMax = 200;

/// Splits and rewrites `text`. One pass. Errors: kTooLarge above kFilterBytesMax; kInvalidArgument
/// with the place (invalid UTF-8, NUL, unterminated literal or comment, unbalanced parentheses,
/// nested too deeply).
arrow::Result<RewrittenFilter> RewriteFilter(std::string_view text);

}  // namespace pennon
