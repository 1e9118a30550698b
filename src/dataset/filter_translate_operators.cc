#include <arrow/compute/api_scalar.h>
#include <fmt/format.h>

#include "dataset/filter_cast.h"
#include "dataset/filter_kernel.h"
#include "dataset/filter_translator.h"
#include "pennon/base/error.h"

namespace pennon {

namespace compute = arrow::compute;
using arrow::Type;

namespace {

/// The comparison with its sides exchanged.
std::string Mirrored(const std::string& operation) {
  if (operation == "less") return "greater";
  if (operation == "less_equal") return "greater_equal";
  if (operation == "greater") return "less";
  if (operation == "greater_equal") return "less_equal";
  return operation;
}

const char* ComparisonName(const std::string& op) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"=", "equal"},       {"<>", "not_equal"}, {"<", "less"},
      {"<=", "less_equal"}, {">", "greater"},    {">=", "greater_equal"}};
  for (const auto& [known, name] : kNames) {
    if (op == known) return name;
  }
  return nullptr;
}

/// Numbers joined by + - * / %.
bool IsLiteralArithmetic(const SqlNode& node) {
  if (node.kind == SqlKind::kNumber) return true;
  return node.kind == SqlKind::kBinary &&
         std::string_view("+-*/%").find(node.text) != std::string_view::npos &&
         IsLiteralArithmetic(node.children[0]) && IsLiteralArithmetic(node.children[1]);
}

/// Evaluates an expression without columns.
arrow::Result<ScalarPtr> Evaluate(const compute::Expression& expression) {
  ARROW_ASSIGN_OR_RAISE(compute::ExecContext * context, FilterExecContext());
  ARROW_ASSIGN_OR_RAISE(const compute::Expression bound,
                        expression.Bind(*arrow::schema({}), context));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum result, compute::ExecuteScalarExpression(
                                                       bound, compute::ExecBatch({}, 1), context));
  if (result.is_scalar()) return result.scalar();
  if (!result.is_array() || result.length() != 1)
    return MakeError(ErrorKind::kInternal, "a constant of several rows");
  return result.make_array()->GetScalar(0);
}

}  // namespace

arrow::Result<TypedExpression> FilterTranslator::Call(const std::string& name,
                                                      std::vector<Typed> arguments, TypePtr type,
                                                      SqlPlace place, std::string word,
                                                      bool flag) const {
  auto options = std::make_shared<FilterCallOptions>(type, std::move(word), flag);
  return CallArrow(name, std::move(arguments), std::move(type), place, std::move(options));
}

arrow::Result<TypedExpression> FilterTranslator::CallArrow(
    const std::string& name, std::vector<Typed> arguments, TypePtr type, SqlPlace place,
    std::shared_ptr<compute::FunctionOptions> options) const {
  std::vector<compute::Expression> expressions;
  bool is_constant = true;
  for (Typed& argument : arguments) {
    is_constant = is_constant && argument.expression.literal() != nullptr;
    expressions.push_back(std::move(argument.expression));
  }
  compute::Expression expression = compute::call(name, std::move(expressions), std::move(options));
  if (is_constant) {
    const auto value = Evaluate(expression);
    // What fails stays a call: it may be in a branch that no row takes.
    if (value.ok() && (*value)->type->Equals(type)) return Literal(*value, place);
    if (!value.ok() && KindOf(value.status()) != ErrorKind::kInvalidArgument) return value.status();
  }
  return Typed{std::move(expression), std::move(type), place, false, false};
}

arrow::Result<TypedExpression> FilterTranslator::Cast(const Typed& from, const TypePtr& to,
                                                      SqlPlace place, bool is_try) const {
  if (from.type->Equals(to)) {
    Typed same = from;
    same.is_plain_literal = false;
    return same;
  }
  if (!CanCast(*from.type, *to)) {
    return Error(place, fmt::format("cannot cast {} to {}", TypeName(*from.type), TypeName(*to)));
  }
  if (const ScalarPtr literal = SharedLiteralOf(from)) {
    const auto cast = CastScalar(literal, to, is_try ? CastFailure::kNull : CastFailure::kError);
    if (!cast.ok()) return Error(place, MessageOf(cast.status()));
    return Literal(*cast, from.place);
  }
  return Call("sql_cast", {from}, to, place, "", is_try);
}

bool FilterTranslator::UnwrapCasts(Typed* operand, std::vector<ScalarPtr>* constants) const {
  const auto unwrap_all = [&](const TypePtr& type) {
    std::vector<ScalarPtr> stored;
    for (const ScalarPtr& constant : *constants) {
      stored.push_back(constant->is_valid ? UnwrapConstant(constant, type)
                                          : arrow::MakeNullScalar(type));
      if (stored.back() == nullptr) return false;
    }
    *constants = std::move(stored);
    return true;
  };
  if (!unwrap_all(operand->type)) return false;
  const compute::Expression::Call* call = operand->expression.call();
  if (call == nullptr || call->function_name != "sql_cast") return true;
  const compute::Expression inner = call->arguments[0];
  const arrow::FieldRef* reference = inner.field_ref();
  if (reference == nullptr) return true;
  const auto field = reference->GetOne(schema_);
  if (!field.ok() || IsFloat(*operand->type) || IsFloat(*(*field)->type())) return true;
  if (unwrap_all((*field)->type()))
    *operand = Typed{inner, (*field)->type(), operand->place, false, false};
  return true;
}

arrow::Result<TypedExpression> FilterTranslator::Compare(const std::string& operation, Typed left,
                                                         Typed right, bool is_top, SqlPlace place) {
  if (LiteralOf(left) != nullptr && LiteralOf(right) == nullptr) {
    return Compare(Mirrored(operation), std::move(right), std::move(left), is_top, place);
  }
  if (is_top && left.expression.field_ref() != nullptr && IsFloat(*left.type) &&
      right.is_plain_literal) {
    if (ScalarPtr narrow = NarrowToFloat(*LiteralOf(right), left.type))
      right = Literal(narrow, right.place);
  }
  TypePtr type = ComparisonType(left.type, right.type);
  if (type == nullptr || !CanCast(*left.type, *type) || !CanCast(*right.type, *type)) {
    return Error(place, fmt::format("cannot compare {} with {}", TypeName(*left.type),
                                    TypeName(*right.type)));
  }
  if (type->id() == Type::NA) return Literal(arrow::MakeNullScalar(arrow::boolean()), place);
  if (type->id() == Type::HALF_FLOAT) type = arrow::float32();
  if (type->id() == Type::STRING_VIEW) type = arrow::utf8();
  if (type->id() == Type::BINARY_VIEW) type = arrow::binary();
  if (type->id() == Type::DICTIONARY)
    type = static_cast<const arrow::DictionaryType&>(*type).value_type();
  const bool is_ordering = operation != "equal" && operation != "not_equal";
  if (is_ordering && type->num_fields() > 0) {
    return Error(place, fmt::format("values of type {} have no order", TypeName(*type)));
  }
  ARROW_ASSIGN_OR_RAISE(right, Cast(right, type, right.place));
  if (const ScalarPtr constant = SharedLiteralOf(right)) {
    if (!constant->is_valid) return Literal(arrow::MakeNullScalar(arrow::boolean()), place);
    std::vector<ScalarPtr> constants{constant};
    if (Typed operand = left; UnwrapCasts(&operand, &constants)) {
      Typed stored = Literal(constants[0], right.place);
      return CallArrow(operation, {std::move(operand), std::move(stored)}, arrow::boolean(), place);
    }
  }
  ARROW_ASSIGN_OR_RAISE(left, Cast(left, type, left.place));
  return CallArrow(operation, {std::move(left), std::move(right)}, arrow::boolean(), place);
}

arrow::Result<TypedExpression> FilterTranslator::Distinct(Typed left, Typed right, bool is_top,
                                                          SqlPlace place) {
  if (LiteralOf(left) != nullptr && LiteralOf(right) == nullptr) std::swap(left, right);
  const Typed a = left, b = right;
  ARROW_ASSIGN_OR_RAISE(Typed differs,
                        Compare("not_equal", std::move(left), std::move(right), is_top, place));
  ARROW_ASSIGN_OR_RAISE(Typed a_null, CallArrow("is_null", {a}, arrow::boolean(), place,
                                                std::make_shared<compute::NullOptions>(false)));
  ARROW_ASSIGN_OR_RAISE(Typed b_null, CallArrow("is_null", {b}, arrow::boolean(), place,
                                                std::make_shared<compute::NullOptions>(false)));
  if (const arrow::Scalar* constant = LiteralOf(b)) {
    if (!constant->is_valid) return CallArrow("is_valid", {a}, arrow::boolean(), place);
    return CallArrow("or_kleene", {std::move(differs), std::move(a_null)}, arrow::boolean(), place);
  }
  ARROW_ASSIGN_OR_RAISE(Typed one_null, CallArrow("xor", {std::move(a_null), std::move(b_null)},
                                                  arrow::boolean(), place));
  return CallArrow("coalesce", {std::move(differs), std::move(one_null)}, arrow::boolean(), place);
}

arrow::Result<TypedExpression> FilterTranslator::IfElse(Typed condition, Typed yes, Typed no,
                                                        SqlPlace place) const {
  Typed never = Literal(std::make_shared<arrow::BooleanScalar>(false), place);
  ARROW_ASSIGN_OR_RAISE(condition, CallArrow("coalesce", {std::move(condition), std::move(never)},
                                             arrow::boolean(), place));
  const TypePtr type = yes.type;
  return CallArrow("if_else", {std::move(condition), std::move(yes), std::move(no)}, type, place);
}

arrow::Result<TypedExpression> FilterTranslator::Binary(const SqlNode& node, bool is_top) {
  ARROW_ASSIGN_OR_RAISE(auto operands, TranslateAll(node.children));
  Typed& left = operands[0];
  Typed& right = operands[1];
  const bool is_narrowing =
      is_top && left.expression.field_ref() != nullptr && left.type->id() == Type::FLOAT &&
      node.children[1].kind == SqlKind::kBinary && IsLiteralArithmetic(node.children[1]);
  if (is_narrowing && ComparisonName(node.text) != nullptr) {
    ARROW_ASSIGN_OR_RAISE(right, NarrowArithmetic(node.children[1], left.type));
  }
  if (const char* comparison = ComparisonName(node.text)) {
    return Compare(comparison, std::move(left), std::move(right), is_top, node.place);
  }
  if (node.text == "+" || node.text == "-" || node.text == "*" || node.text == "/" ||
      node.text == "%") {
    return Arithmetic(node, std::move(left), std::move(right));
  }
  if (node.text == "||") return Concat(node, std::move(left), std::move(right));
  if (node.text == "~" || node.text == "~*" || node.text == "!~" || node.text == "!~*") {
    return RegexOperator(node, std::move(left), std::move(right));
  }
  if (node.text == "<<" || node.text == ">>") {
    const TypePtr type = BitwiseType(left.type, right.type);
    if (type == nullptr)
      return Error(node.place, fmt::format("cannot shift {} by {}", TypeName(*left.type),
                                           TypeName(*right.type)));
    ARROW_ASSIGN_OR_RAISE(left, Cast(left, type, left.place));
    ARROW_ASSIGN_OR_RAISE(right, Cast(right, type, right.place));
    return Call("sql_shift", {std::move(left), std::move(right)}, type, node.place, node.text);
  }
  return Error(node.place, fmt::format("operator \"{}\" is not supported", node.text));
}

arrow::Result<TypedExpression> FilterTranslator::NarrowArithmetic(const SqlNode& node,
                                                                  const TypePtr& type) {
  if (node.kind == SqlKind::kNumber) {
    ARROW_ASSIGN_OR_RAISE(const Typed number, Number(node));
    return Literal(NarrowToFloat(*LiteralOf(number), type), node.place);
  }
  ARROW_ASSIGN_OR_RAISE(Typed left, NarrowArithmetic(node.children[0], type));
  ARROW_ASSIGN_OR_RAISE(Typed right, NarrowArithmetic(node.children[1], type));
  return Arithmetic(node, std::move(left), std::move(right));
}

arrow::Result<TypedExpression> FilterTranslator::Arithmetic(const SqlNode& node, Typed left,
                                                            Typed right) {
  const char operation = node.text[0];
  ArithmeticTypes types = NumericArithmetic(operation, left.type, right.type);
  if (types.result == nullptr) return TimeArithmetic(operation, left, right, node.place);
  if (types.result->id() == Type::HALF_FLOAT)
    types = {arrow::float32(), arrow::float32(), arrow::float32()};
  ARROW_ASSIGN_OR_RAISE(left, Cast(left, types.left, left.place));
  ARROW_ASSIGN_OR_RAISE(right, Cast(right, types.right, right.place));
  std::vector<Typed> operands{std::move(left), std::move(right)};
  const bool is_arrows =
      !IsDecimal(*types.result) && (operation == '+' || operation == '-' || operation == '*');
  if (!is_arrows)
    return Call("sql_arithmetic", std::move(operands), types.result, node.place, node.text);
  const char* name = operation == '+' ? "add" : operation == '-' ? "subtract" : "multiply";
  return CallArrow(name, std::move(operands), types.result, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::TimeArithmetic(char operation, const Typed& left,
                                                                const Typed& right,
                                                                SqlPlace place) {
  const auto refuse = [&] {
    return Error(place, fmt::format("no operator {} {} {}", TypeName(*left.type), operation,
                                    TypeName(*right.type)));
  };
  if (operation != '+' && operation != '-') return refuse();
  const bool left_time = IsDate(*left.type) || left.type->id() == Type::TIMESTAMP;
  const bool right_time = IsDate(*right.type) || right.type->id() == Type::TIMESTAMP;
  const std::string word(1, operation);
  if (right.type->id() == Type::INTERVAL_MONTH_DAY_NANO && left_time) {
    const arrow::Scalar* constant = LiteralOf(right);
    if (constant == nullptr) return refuse();
    const auto& value = static_cast<const arrow::MonthDayNanoIntervalScalar&>(*constant).value;
    const std::string text =
        fmt::format("{} months {} days {} seconds {} nanoseconds", value.months, value.days,
                    value.nanoseconds / 1'000'000'000, value.nanoseconds % 1'000'000'000);
    return Call("sql_add_interval", {left}, left.type, place, text, operation == '-');
  }
  if (left.type->id() == Type::INTERVAL_MONTH_DAY_NANO && right_time && operation == '+') {
    return TimeArithmetic(operation, right, left, place);
  }
  if (left.type->id() == Type::DATE32 && right.type->id() == Type::DATE32 && operation == '-') {
    return Call("sql_add_units", {left, right}, arrow::int64(), place, word);
  }
  if (left.type->id() == Type::DATE32 && IsInteger(*right.type)) {
    return Call("sql_add_units", {left, right}, left.type, place, word);
  }
  if (right.type->id() == Type::DATE32 && IsInteger(*left.type) && operation == '+') {
    return Call("sql_add_units", {right, left}, right.type, place, word);
  }
  if (left_time && right_time && operation == '-') {
    const TypePtr common = ComparisonType(left.type, right.type);
    if (common->id() != Type::TIMESTAMP) return refuse();
    ARROW_ASSIGN_OR_RAISE(Typed a, Cast(left, common, left.place));
    ARROW_ASSIGN_OR_RAISE(Typed b, Cast(right, common, right.place));
    const TypePtr duration =
        arrow::duration(static_cast<const arrow::TimestampType&>(*common).unit());
    return Call("sql_add_units", {std::move(a), std::move(b)}, duration, place, word);
  }
  if (left.type->id() == Type::TIMESTAMP && right.type->id() == Type::DURATION) {
    const TypePtr duration =
        arrow::duration(static_cast<const arrow::TimestampType&>(*left.type).unit());
    ARROW_ASSIGN_OR_RAISE(Typed cast, Cast(right, duration, right.place));
    return Call("sql_add_units", {left, std::move(cast)}, left.type, place, word);
  }
  return refuse();
}

arrow::Result<TypedExpression> FilterTranslator::Concat(const SqlNode& node, Typed left,
                                                        Typed right) {
  const bool is_bytes = IsBytes(*left.type) && IsBytes(*right.type);
  const bool has_text = IsText(*left.type) || IsText(*right.type);
  const bool has_bytes = IsBytes(*left.type) || IsBytes(*right.type);
  if (!is_bytes && (!has_text || has_bytes)) {
    return Error(node.place,
                 fmt::format("cannot join {} and {}", TypeName(*left.type), TypeName(*right.type)));
  }
  const bool is_large =
      left.type->id() == Type::LARGE_STRING || right.type->id() == Type::LARGE_STRING;
  const TypePtr type = is_bytes ? arrow::binary() : is_large ? arrow::large_utf8() : arrow::utf8();
  ARROW_ASSIGN_OR_RAISE(left, Cast(left, type, left.place));
  ARROW_ASSIGN_OR_RAISE(right, Cast(right, type, right.place));
  return Call("concat", {std::move(left), std::move(right)}, type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::RegexOperator(const SqlNode& node, Typed left,
                                                               Typed right) {
  SqlNode call = node;
  call.kind = SqlKind::kCall;
  call.text = "regexp_like";
  std::vector<Typed> arguments{std::move(left), std::move(right)};
  if (node.text.back() == '*')
    arguments.push_back(Literal(std::make_shared<arrow::StringScalar>("i"), node.place));
  ARROW_ASSIGN_OR_RAISE(Typed matches, Regex(call, std::move(arguments)));
  if (node.text.front() != '!') return matches;
  return CallArrow("invert", {std::move(matches)}, arrow::boolean(), node.place);
}

}  // namespace pennon
