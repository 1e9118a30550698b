#include "dataset/filter_syntax.h"

#include <fmt/format.h>
#include <pg_query.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "dataset/filter_lexer.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using Json = nlohmann::json;

/// Turns the grammar's tree into ours. Node names and fields are those of PostgreSQL 15's parse
/// tree.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const RewrittenFilter& rewritten)
      : text_(text), rewritten_(rewritten) {}

  arrow::Result<SqlNode> Expression(const Json& node) const {
    if (!node.is_object() || node.size() != 1) {
      return MakeError(ErrorKind::kInternal, "unexpected node in the grammar's tree");
    }
    const std::string& type = node.begin().key();
    const Json& body = node.begin().value();
    if (type == "A_Const") return Constant(body);
    if (type == "ColumnRef") return ColumnReference(body);
    if (type == "A_Expr") return Operation(body);
    if (type == "BoolExpr") return Logic(body);
    if (type == "NullTest") return Test(body, SqlKind::kIsNull);
    if (type == "BooleanTest") return Test(body, SqlKind::kIsTrue);
    if (type == "TypeCast") return Cast(body);
    if (type == "FuncCall") return Call(body);
    if (type == "CoalesceExpr") return NamedCall(body, "coalesce");
    if (type == "MinMaxExpr")
      return NamedCall(body, Text(body, "op") == "IS_LEAST" ? "least" : "greatest");
    if (type == "SQLValueFunction") return ValueFunction(body);
    if (type == "CaseExpr") return Case(body);
    if (type == "A_ArrayExpr") return NamedList(body, SqlKind::kArray, "elements");
    if (type == "A_Indirection") return Indirection(body);
    if (type == "SubLink") return Refuse(body, "subqueries are not supported in a filter");
    if (type == "ParamRef") return Refuse(body, "parameters are not supported in a filter");
    if (type == "RowExpr") return Refuse(body, "expected one expression, not a row of several");
    if (type == "CollateClause") return Refuse(body, "collations are not supported");
    return Refuse(body, fmt::format("this kind of expression ({}) is not supported", type));
  }

 private:
  static std::string Text(const Json& body, const char* field) {
    const auto found = body.find(field);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
  }
  static bool Flag(const Json& body, const char* field) {
    const auto found = body.find(field);
    return found != body.end() && found->is_boolean() && found->get<bool>();
  }
  static const Json& Child(const Json& body, const char* field) {
    static const Json kNone;
    const auto found = body.find(field);
    return found == body.end() ? kNone : *found;
  }
  static std::string StringNode(const Json& node) { return Text(Child(node, "String"), "sval"); }

  size_t TokenOf(const Json& body) const {
    // A location of zero is left out of the tree, but none of ours is zero: the text follows SELECT
    // 1 WHERE.
    const auto found = body.find("location");
    if (found == body.end() || !found->is_number_integer() || found->get<int64_t>() < 0)
      return rewritten_.tokens.size();
    return rewritten_.TokenAt(found->get<size_t>());
  }
  SqlPlace PlaceOfToken(size_t token) const {
    return token < rewritten_.tokens.size() ? rewritten_.tokens[token].place
                                            : SqlPlace{text_.size(), text_.size()};
  }
  SqlPlace PlaceOf(const Json& body) const { return PlaceOfToken(TokenOf(body)); }

  arrow::Status Refuse(const Json& body, std::string_view message) const {
    return FilterError(text_, PlaceOf(body), message);
  }

  std::string RealName(const std::string& name) const {
    const std::string* real = rewritten_.NameOf(name);
    return real != nullptr ? *real : name;
  }

  arrow::Result<std::vector<SqlNode>> Expressions(const Json& list) const {
    std::vector<SqlNode> nodes;
    for (const Json& element : list) {
      ARROW_ASSIGN_OR_RAISE(SqlNode node, Expression(element));
      nodes.push_back(std::move(node));
    }
    return nodes;
  }
  arrow::Result<SqlNode> Make(SqlKind kind, const Json& body,
                              std::initializer_list<const Json*> children) const {
    SqlNode node;
    node.kind = kind;
    node.place = PlaceOf(body);
    for (const Json* child : children) {
      ARROW_ASSIGN_OR_RAISE(SqlNode built, Expression(*child));
      node.children.push_back(std::move(built));
    }
    return node;
  }
  arrow::Result<SqlNode> NamedList(const Json& body, SqlKind kind, const char* field) const {
    SqlNode node;
    node.kind = kind;
    node.place = PlaceOf(body);
    ARROW_ASSIGN_OR_RAISE(node.children, Expressions(Child(body, field)));
    return node;
  }
  arrow::Result<SqlNode> NamedCall(const Json& body, std::string name) const {
    ARROW_ASSIGN_OR_RAISE(SqlNode node, NamedList(body, SqlKind::kCall, "args"));
    node.text = std::move(name);
    return node;
  }

  arrow::Result<SqlNode> Constant(const Json& body) const {
    SqlNode node;
    node.place = PlaceOf(body);
    if (Flag(body, "isnull")) return node;
    if (body.contains("boolval")) {
      node.kind = SqlKind::kBoolean;
      node.text = Flag(Child(body, "boolval"), "boolval") ? "true" : "false";
    } else if (body.contains("sval")) {
      node.kind = SqlKind::kText;
      node.text = Text(Child(body, "sval"), "sval");
    } else if (body.contains("bsval")) {
      return BinaryConstant(body, std::move(node));
    } else if (body.contains("ival") || body.contains("fval")) {
      return Number(body, std::move(node));
    } else {
      return Refuse(body, "this literal is not supported");
    }
    return node;
  }

  /// The tree does not keep negative integers, and folds signs and parentheses: the tokens know.
  arrow::Result<SqlNode> Number(const Json& body, SqlNode node) const {
    node.kind = SqlKind::kNumber;
    bool is_negative = false;
    for (size_t token = TokenOf(body); token < rewritten_.tokens.size(); ++token) {
      const SqlToken& at = rewritten_.tokens[token];
      if (at.kind == SqlTokenKind::kNumber) {
        node.text = (is_negative ? "-" : "") + at.emitted;
        node.place.end = at.place.end;
        return node;
      }
      if (at.kind == SqlTokenKind::kOperator && at.emitted == "-") {
        is_negative = !is_negative;
      } else if (at.kind != SqlTokenKind::kPunctuation && at.emitted != "+") {
        break;
      }
    }
    return Refuse(body, "this number is not supported");
  }

  arrow::Result<SqlNode> BinaryConstant(const Json& body, SqlNode node) const {
    const std::string digits = Text(Child(body, "bsval"), "bsval");
    if (digits.empty() || digits[0] != 'x')
      return Refuse(body, "bit strings are not supported, only X'..'");
    node.kind = SqlKind::kBytes;
    // An odd first digit stands for a byte of its own.
    if (digits.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos) {
      return Refuse(body, "X'..' takes hexadecimal digits only");
    }
    for (size_t i = 1; i < digits.size();) {
      const size_t width = (digits.size() - i) % 2 == 0 ? 2 : 1;
      node.text += static_cast<char>(std::stoi(digits.substr(i, width), nullptr, 16));
      i += width;
    }
    return node;
  }

  arrow::Result<SqlNode> ColumnReference(const Json& body) const {
    SqlNode node;
    node.kind = SqlKind::kColumn;
    node.place = PlaceOf(body);
    for (const Json& field : Child(body, "fields")) {
      if (!field.contains("String")) return Refuse(body, "\"*\" is not supported in a filter");
      node.names.push_back(RealName(StringNode(field)));
    }
    // The place spans the whole path.
    size_t last = TokenOf(body) + 2 * (node.names.size() - 1);
    if (last < rewritten_.tokens.size()) node.place.end = rewritten_.tokens[last].place.end;
    return node;
  }

  arrow::Result<SqlNode> Logic(const Json& body) const {
    const std::string op = Text(body, "boolop");
    const SqlKind kind = op == "AND_EXPR"  ? SqlKind::kAnd
                         : op == "OR_EXPR" ? SqlKind::kOr
                                           : SqlKind::kNot;
    return NamedList(body, kind, "args");
  }

  arrow::Result<SqlNode> Test(const Json& body, SqlKind kind) const {
    ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(kind, body, {&Child(body, "arg")}));
    if (kind == SqlKind::kIsNull) {
      node.is_negated = Text(body, "nulltesttype") == "IS_NOT_NULL";
      return node;
    }
    const std::string test = Text(body, "booltesttype");
    node.is_negated = test.rfind("IS_NOT_", 0) == 0;
    node.text = test.find("TRUE") != std::string::npos    ? "true"
                : test.find("FALSE") != std::string::npos ? "false"
                                                          : "unknown";
    return node;
  }

  arrow::Result<SqlNode> Operation(const Json& body) const {
    const std::string kind = Text(body, "kind");
    const Json& names = Child(body, "name");
    const std::string op = names.is_array() && !names.empty() ? StringNode(names.back()) : "";
    const Json& left = Child(body, "lexpr");
    const Json& right = Child(body, "rexpr");
    if (kind == "AEXPR_OP") {
      if (left.is_null()) {
        if (op != "-" && op != "+")
          return Refuse(body, fmt::format("operator \"{}\" is not supported", op));
        if (op == "+") return Expression(right);
        return Make(SqlKind::kNegate, body, {&right});
      }
      ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(SqlKind::kBinary, body, {&left, &right}));
      node.text = op == "!=" ? "<>" : op;
      return node;
    }
    if (kind == "AEXPR_IN") {
      ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(SqlKind::kIn, body, {&left}));
      ARROW_ASSIGN_OR_RAISE(auto elements, Expressions(Child(Child(right, "List"), "items")));
      std::move(elements.begin(), elements.end(), std::back_inserter(node.children));
      node.is_negated = op == "<>";
      return node;
    }
    if (kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
      const Json& bounds = Child(Child(right, "List"), "items");
      if (!bounds.is_array() || bounds.size() != 2) return Refuse(body, "malformed between");
      ARROW_ASSIGN_OR_RAISE(SqlNode node,
                            Make(SqlKind::kBetween, body, {&left, &bounds[0], &bounds[1]}));
      node.is_negated = kind == "AEXPR_NOT_BETWEEN";
      return node;
    }
    if (kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT") {
      ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(SqlKind::kIsDistinct, body, {&left, &right}));
      node.is_negated = kind == "AEXPR_NOT_DISTINCT";
      return node;
    }
    if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") return Like(body, left, right, op);
    if (kind == "AEXPR_NULLIF") {
      ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(SqlKind::kCall, body, {&left, &right}));
      node.text = "nullif";
      return node;
    }
    if (kind == "AEXPR_SIMILAR")
      return Refuse(body, "\"similar to\" is not supported, use regexp_like");
    if (kind == "AEXPR_OP_ANY" || kind == "AEXPR_OP_ALL") {
      return Refuse(body, "\"any\" and \"all\" are not supported, use array_has");
    }
    return Refuse(body, "this operator is not supported");
  }

  arrow::Result<SqlNode> Like(const Json& body, const Json& left, const Json& right,
                              const std::string& op) const {
    const Json* pattern = &right;
    const Json* escape = nullptr;
    const Json& call = Child(right, "FuncCall");
    if (call.is_object() && Child(call, "funcname").size() == 2 &&
        StringNode(call["funcname"][1]) == "like_escape" && Child(call, "args").size() == 2) {
      pattern = &call["args"][0];
      escape = &call["args"][1];
    }
    ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(SqlKind::kLike, body, {&left, pattern}));
    if (escape != nullptr) {
      ARROW_ASSIGN_OR_RAISE(SqlNode built, Expression(*escape));
      node.children.push_back(std::move(built));
    }
    node.text = !op.empty() && op.back() == '*' ? "ilike" : "like";
    node.is_negated = !op.empty() && op.front() == '!';
    return node;
  }

  arrow::Result<SqlNode> Cast(const Json& body) const {
    const Json& type = Child(body, "typeName");
    ARROW_ASSIGN_OR_RAISE(SqlNode node, Make(SqlKind::kCast, body, {&Child(body, "arg")}));
    if (node.place.begin == text_.size()) node.place = PlaceOf(type);
    const size_t token = TokenOf(body);
    node.is_try = token < rewritten_.tokens.size() && rewritten_.tokens[token].name == "try_cast";
    if (Child(type, "arrayBounds").size() > 0)
      return Refuse(type, "array types are not supported in a cast");
    const Json& names = Child(type, "names");
    if (!names.is_array() || names.empty()) return Refuse(type, "malformed type");
    node.text = RealName(StringNode(names.back()));
    for (const Json& modifier : Child(type, "typmods")) {
      ARROW_ASSIGN_OR_RAISE(SqlNode number, Expression(modifier));
      if (number.kind != SqlKind::kNumber) return Refuse(type, "malformed type");
      node.names.push_back(number.text);
    }
    return node;
  }

  arrow::Result<SqlNode> Call(const Json& body) const {
    for (const char* extra : {"agg_order", "agg_filter", "over", "agg_distinct", "agg_star",
                              "agg_within_group", "func_variadic"}) {
      if (body.contains(extra))
        return Refuse(body, "aggregates and window functions are not supported in a filter");
    }
    const Json& names = Child(body, "funcname");
    if (!names.is_array() || names.empty()) return Refuse(body, "malformed call");
    const bool is_builtin = names.size() == 2 && StringNode(names[0]) == "pg_catalog";
    if (names.size() > 1 && !is_builtin) return Refuse(body, "unknown function");
    ARROW_ASSIGN_OR_RAISE(SqlNode call, NamedCall(body, RealName(StringNode(names.back()))));
    // The field of extract(year from x) comes as text, by its place-holder.
    if (is_builtin && call.text == "extract" && !call.children.empty()) {
      call.children[0].text = RealName(call.children[0].text);
    }
    return call;
  }

  arrow::Result<SqlNode> ValueFunction(const Json& body) const {
    const std::string op = Text(body, "op");
    SqlNode node;
    node.kind = SqlKind::kCall;
    node.place = PlaceOf(body);
    if (op == "SVFOP_CURRENT_DATE") {
      node.text = "current_date";
    } else if (op.rfind("SVFOP_CURRENT_TIMESTAMP", 0) == 0) {
      node.text = "now";
    } else {
      return Refuse(body, "this value is not supported in a filter");
    }
    return node;
  }

  arrow::Result<SqlNode> Case(const Json& body) const {
    SqlNode node;
    node.kind = SqlKind::kCase;
    node.place = PlaceOf(body);
    const auto add = [&](const Json& child) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(SqlNode built, Expression(child));
      node.children.push_back(std::move(built));
      return arrow::Status::OK();
    };
    if (body.contains("arg")) {
      node.has_subject = true;
      ARROW_RETURN_NOT_OK(add(body["arg"]));
    }
    for (const Json& when : Child(body, "args")) {
      const Json& branch = Child(when, "CaseWhen");
      ARROW_RETURN_NOT_OK(add(Child(branch, "expr")));
      ARROW_RETURN_NOT_OK(add(Child(branch, "result")));
    }
    if (body.contains("defresult")) {
      node.has_otherwise = true;
      ARROW_RETURN_NOT_OK(add(body["defresult"]));
    }
    return node;
  }

  arrow::Result<SqlNode> Indirection(const Json& body) const {
    ARROW_ASSIGN_OR_RAISE(SqlNode node, Expression(Child(body, "arg")));
    for (const Json& step : Child(body, "indirection")) {
      SqlNode outer;
      outer.place = node.place;
      if (step.contains("String")) {
        outer.kind = SqlKind::kField;
        outer.text = RealName(StringNode(step));
      } else if (step.contains("A_Indices")) {
        const Json& indices = step["A_Indices"];
        if (Flag(indices, "is_slice"))
          return FilterError(text_, node.place, "slices are not supported");
        outer.kind = SqlKind::kSubscript;
        ARROW_ASSIGN_OR_RAISE(SqlNode index, Expression(Child(indices, "uidx")));
        outer.children.push_back(std::move(node));
        outer.children.push_back(std::move(index));
        node = std::move(outer);
        continue;
      } else {
        return FilterError(text_, node.place, "\"*\" is not supported in a filter");
      }
      outer.children.push_back(std::move(node));
      node = std::move(outer);
    }
    return node;
  }

  std::string_view text_;
  const RewrittenFilter& rewritten_;
};

arrow::Status GrammarError(std::string_view text, const RewrittenFilter& rewritten,
                           const PgQueryError& error) {
  std::string message = error.message == nullptr ? "syntax error" : error.message;
  for (const char* tail : {" at or near ", " at end of input"}) {
    if (const size_t cut = message.find(tail); cut != std::string::npos) message.resize(cut);
  }
  // The position counts characters from 1; outside literals the rewritten text is ASCII.
  size_t byte = 0;
  for (int character = 1; character < error.cursorpos && byte < rewritten.sql.size(); ++character) {
    byte += Utf8CharacterSize(rewritten.sql, byte);
  }
  const size_t token = error.cursorpos > 0 ? rewritten.TokenAt(byte) : rewritten.tokens.size();
  const SqlPlace place = token < rewritten.tokens.size() ? rewritten.tokens[token].place
                                                         : SqlPlace{text.size(), text.size()};
  return FilterError(text, place, message);
}

}  // namespace

arrow::Result<SqlNode> ParseFilterSyntax(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const RewrittenFilter rewritten, RewriteFilter(text));
  if (rewritten.tokens.empty())
    return MakeError(ErrorKind::kInvalidArgument, "the filter is empty");
  PgQueryParseResult parsed = pg_query_parse(rewritten.sql.c_str());
  const std::unique_ptr<PgQueryParseResult, void (*)(PgQueryParseResult*)> guard(
      &parsed, [](PgQueryParseResult* result) { pg_query_free_parse_result(*result); });
  if (parsed.error != nullptr) return GrammarError(text, rewritten, *parsed.error);
  const Json tree = Json::parse(parsed.parse_tree, nullptr, /*allow_exceptions=*/false);
  const Json& statements =
      tree.is_object() && tree.contains("stmts") ? tree["stmts"] : Json::array();
  if (statements.size() != 1 || !statements[0].contains("stmt") ||
      !statements[0]["stmt"].contains("SelectStmt")) {
    return FilterError(text, {0, text.size()}, "expected one expression");
  }
  const Json& select = statements[0]["stmt"]["SelectStmt"];
  if (!select.contains("whereClause"))
    return FilterError(text, {0, text.size()}, "expected one expression");
  return TreeBuilder(text, rewritten).Expression(select["whereClause"]);
}

}  // namespace pennon
