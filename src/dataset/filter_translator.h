/// \file
/// From the syntax tree to a typed Arrow expression: looks up columns, finds common types, inserts
/// casts, folds constants. Spec: docs/filters.md; docs/decisions/020-filter-functions.md.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <string>
#include <string_view>
#include <vector>

#include "dataset/filter_literal.h"
#include "dataset/filter_syntax.h"
#include "dataset/filter_types.h"

namespace pennon {

/// An expression with its type and where it stands in the text.
struct TypedExpression {
  arrow::compute::Expression expression;
  TypePtr type;
  SqlPlace place;
  bool is_plain_literal = false;  ///< Written as a literal: it may take a column's type.
  bool is_regexp_match = false;   ///< A list that counts as true unless null.
};

/// Translates one filter. Not for use by several threads.
class FilterTranslator {
 public:
  FilterTranslator(std::string_view text, const arrow::Schema& schema)
      : text_(text), schema_(schema) {}

  /// Returns the filter as a boolean expression, not yet bound. Errors: kInvalidArgument with the
  /// place.
  arrow::Result<arrow::compute::Expression> TranslateFilter(const SqlNode& node);

 private:
  using Typed = TypedExpression;
  using Handler = arrow::Result<Typed> (FilterTranslator::*)(const SqlNode&, std::vector<Typed>);
  struct Function;
  static const std::vector<Function>& Functions();

  // filter_translate.cc: expressions.
  arrow::Result<Typed> Translate(const SqlNode& node, bool is_top = false);
  arrow::Result<std::vector<Typed>> TranslateAll(const std::vector<SqlNode>& nodes);
  arrow::Result<Typed> Number(const SqlNode& node) const;
  arrow::Result<Typed> Column(const SqlNode& node) const;
  arrow::Result<Typed> Field(const SqlNode& node);
  arrow::Result<Typed> Subscript(const SqlNode& node);
  arrow::Result<Typed> Negate(const SqlNode& node);
  arrow::Result<Typed> Logic(const SqlNode& node, bool is_top);
  arrow::Result<Typed> Not(const SqlNode& node);
  arrow::Result<Typed> IsTrue(const SqlNode& node);
  arrow::Result<Typed> In(const SqlNode& node, bool is_top);
  arrow::Result<Typed> Between(const SqlNode& node, bool is_top);
  arrow::Result<Typed> LikeTest(const SqlNode& node);
  arrow::Result<Typed> Case(const SqlNode& node);
  arrow::Result<Typed> CastTo(const SqlNode& node);
  arrow::Result<Typed> Array(const SqlNode& node);
  arrow::Result<TypePtr> ParseType(const SqlNode& node) const;
  arrow::Result<Typed> Binary(const SqlNode& node, bool is_top);

  // filter_translate_operators.cc
  arrow::Result<Typed> Compare(const std::string& operation, Typed left, Typed right, bool is_top,
                               SqlPlace place);
  /// Brings constants to the operand's type if that gives the same rows, and takes a cast off the
  /// operand if they can be cast the other way instead. Returns false if the operand has to be
  /// cast.
  bool UnwrapCasts(Typed* operand, std::vector<ScalarPtr>* constants) const;
  arrow::Result<Typed> Distinct(Typed left, Typed right, bool is_top, SqlPlace place);
  arrow::Result<Typed> Arithmetic(const SqlNode& node, Typed left, Typed right);
  /// Arithmetic of number literals in the type of the float column beside it.
  arrow::Result<Typed> NarrowArithmetic(const SqlNode& node, const TypePtr& type);
  arrow::Result<Typed> TimeArithmetic(char operation, const Typed& left, const Typed& right,
                                      SqlPlace place);
  arrow::Result<Typed> Concat(const SqlNode& node, Typed left, Typed right);
  arrow::Result<Typed> RegexOperator(const SqlNode& node, Typed left, Typed right);
  arrow::Result<Typed> Cast(const Typed& from, const TypePtr& to, SqlPlace place,
                            bool is_try = false) const;
  arrow::Result<Typed> AsBoolean(Typed operand) const;
  arrow::Result<Typed> IfElse(Typed condition, Typed yes, Typed no, SqlPlace place) const;

  /// Calls a function of ours (`word` and `flag` are its constant arguments) or Arrow's; folds
  /// constants.
  arrow::Result<Typed> Call(const std::string& name, std::vector<Typed> arguments, TypePtr type,
                            SqlPlace place, std::string word = {}, bool flag = false) const;
  arrow::Result<Typed> CallArrow(
      const std::string& name, std::vector<Typed> arguments, TypePtr type, SqlPlace place,
      std::shared_ptr<arrow::compute::FunctionOptions> options = nullptr) const;
  static Typed Literal(ScalarPtr value, SqlPlace place);
  static const arrow::Scalar* LiteralOf(const Typed& typed);
  static ScalarPtr SharedLiteralOf(const Typed& typed);
  arrow::Status Error(SqlPlace place, std::string_view message) const;

  // filter_translate_functions.cc: one a family.
  arrow::Result<Typed> CallFunction(const SqlNode& node);
  arrow::Status UnknownFunction(const SqlNode& node) const;
  arrow::Result<Typed> TextTest(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> TextToText(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> TextToNumber(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> TextAndNumbers(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ConcatAll(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> NumberToText(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> Regex(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> RealFunction(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> RoundNumber(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> PowerOf(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> AbsOf(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> DivisorOf(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> RealTest(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> Coalesce(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> NullIf(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> Nvl2(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> Extreme(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> IsValid(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> PartOfDate(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> TruncateDate(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ToTime(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> PresentTime(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> DateOf(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ListAndElement(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ListAndList(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ListToNumber(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ListElement(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ListToText(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> MakeList(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> GetField(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> ArrowCastTo(const SqlNode& node, std::vector<Typed> arguments);
  arrow::Result<Typed> AsText(Typed argument, const SqlNode& node) const;
  arrow::Result<Typed> AsReal(Typed argument, const SqlNode& node) const;
  arrow::Result<Typed> AsInt64(Typed argument, const SqlNode& node) const;
  arrow::Result<std::string> ConstantText(const Typed& argument, std::string_view what) const;

  std::string_view text_;
  const arrow::Schema& schema_;
};

}  // namespace pennon
