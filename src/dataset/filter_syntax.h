/// \file
/// The syntax tree of a filter: what PostgreSQL's grammar found, reduced to the expressions that
/// filters have. Spec: docs/filters.md, heading "Expressions".
#pragma once

#include <arrow/result.h>

#include <string>
#include <string_view>
#include <vector>

#include "dataset/filter_text.h"

namespace pennon {

enum class SqlKind {
  kNull,
  kBoolean,     ///< `text` is "true" or "false".
  kNumber,      ///< `text` is the literal with its sign.
  kText,        ///< `text` is the value.
  kBytes,       ///< `text` is the value.
  kArray,       ///< Elements.
  kColumn,      ///< `names` is the path, outermost first.
  kField,       ///< (struct); `text` names the field.
  kSubscript,   ///< (list or struct, index)
  kNegate,      ///< (operand)
  kBinary,      ///< (left, right); `text` is the operator.
  kAnd,         ///< Two or more.
  kOr,          ///< Two or more.
  kNot,         ///< (operand)
  kIsNull,      ///< (operand)
  kIsTrue,      ///< (operand); also `is false` and `is unknown`: `text` is the word.
  kIsDistinct,  ///< (left, right)
  kIn,          ///< (operand, elements...)
  kBetween,     ///< (operand, low, high)
  kLike,        ///< (operand, pattern, escape?); `text` is "like" or "ilike".
  kCase,        ///< (subject?, condition, value, ..., otherwise?); see SqlNode::has_subject,
                ///< has_otherwise.
  kCast,        ///< (operand); `text` is the type, `is_try` for try_cast.
  kCall,        ///< Arguments; `text` is the function in lower case.
};

struct SqlNode {
  SqlKind kind = SqlKind::kNull;
  std::string text;
  std::vector<std::string> names;
  std::vector<SqlNode> children;
  bool is_negated = false;  ///< not in, is not null, not like, ...
  bool is_try = false;
  bool has_subject = false;
  bool has_otherwise = false;
  SqlPlace place;
};

/// Parses one boolean expression with PostgreSQL's grammar (libpg_query, version 15). Names keep
/// their spelling; functions and types come in lower case. Nothing is looked up. The tree is at
/// most kFilterDepthMax deep. Errors: as RewriteFilter; kInvalidArgument with the place for what
/// the grammar refuses and for what it accepts but no filter has (subqueries, aggregates,
/// parameters, row constructors, ...).
arrow::Result<SqlNode> ParseFilterSyntax(std::string_view text);

}  // namespace pennon
