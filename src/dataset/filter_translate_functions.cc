#include <arrow/array/util.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/util/formatting.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "dataset/filter_cast.h"
#include "dataset/filter_kernel.h"
#include "dataset/filter_time.h"
#include "dataset/filter_translator.h"
#include "pennon/base/error.h"

namespace pennon {

namespace compute = arrow::compute;
using arrow::Type;

/// Name in SQL, name of the kernel or word for it, numbers of arguments, who builds the call.
struct FilterTranslator::Function {
  const char* name;
  const char* kernel;
  size_t arguments_min;
  size_t arguments_max;
  Handler handler;
};

const std::vector<FilterTranslator::Function>& FilterTranslator::Functions() {
  using T = FilterTranslator;
  constexpr size_t kMany = 1000;
  static const std::vector<Function> functions = {
      {"starts_with", "starts_with", 2, 2, &T::TextTest},
      {"ends_with", "ends_with", 2, 2, &T::TextTest},
      {"contains", "contains", 2, 2, &T::TextTest},
      {"contains_tokens", "contains_tokens", 2, 2, &T::TextTest},
      {"lower", "lower", 1, 1, &T::TextToText},
      {"upper", "upper", 1, 1, &T::TextToText},
      {"btrim", "btrim", 1, 2, &T::TextToText},
      {"trim", "btrim", 1, 2, &T::TextToText},
      {"ltrim", "ltrim", 1, 2, &T::TextToText},
      {"rtrim", "rtrim", 1, 2, &T::TextToText},
      {"replace", "replace", 3, 3, &T::TextToText},
      {"reverse", "reverse", 1, 1, &T::TextToText},
      {"translate", "translate", 3, 3, &T::TextToText},
      {"length", "character_length", 1, 1, &T::TextToNumber},
      {"char_length", "character_length", 1, 1, &T::TextToNumber},
      {"character_length", "character_length", 1, 1, &T::TextToNumber},
      {"octet_length", "octet_length", 1, 1, &T::TextToNumber},
      {"bit_length", "bit_length", 1, 1, &T::TextToNumber},
      {"ascii", "ascii", 1, 1, &T::TextToNumber},
      {"strpos", "strpos", 2, 2, &T::TextToNumber},
      {"instr", "strpos", 2, 2, &T::TextToNumber},
      {"position", "strpos", 2, 2, &T::TextToNumber},
      {"substr", "substr", 2, 3, &T::TextAndNumbers},
      {"substring", "substr", 2, 3, &T::TextAndNumbers},
      {"left", "left", 2, 2, &T::TextAndNumbers},
      {"right", "right", 2, 2, &T::TextAndNumbers},
      {"repeat", "repeat", 2, 2, &T::TextAndNumbers},
      {"lpad", "lpad", 2, 3, &T::TextAndNumbers},
      {"rpad", "rpad", 2, 3, &T::TextAndNumbers},
      {"split_part", "split_part", 3, 3, &T::TextAndNumbers},
      {"concat", "", 1, kMany, &T::ConcatAll},
      {"concat_ws", "ws", 2, kMany, &T::ConcatAll},
      {"chr", "chr", 1, 1, &T::NumberToText},
      {"to_hex", "to_hex", 1, 1, &T::NumberToText},
      {"regexp_like", "regexp_like", 2, 3, &T::Regex},
      {"regexp_match", "regexp_match", 2, 3, &T::Regex},
      {"regexp_replace", "regexp_replace", 3, 4, &T::Regex},
      {"regexp_count", "regexp_count", 2, 2, &T::Regex},
      {"sqrt", "sqrt", 1, 1, &T::RealFunction},
      {"cbrt", "cbrt", 1, 1, &T::RealFunction},
      {"exp", "exp", 1, 1, &T::RealFunction},
      {"ln", "ln", 1, 1, &T::RealFunction},
      {"log10", "log10", 1, 1, &T::RealFunction},
      {"log2", "log2", 1, 1, &T::RealFunction},
      {"signum", "signum", 1, 1, &T::RealFunction},
      {"sin", "sin", 1, 1, &T::RealFunction},
      {"cos", "cos", 1, 1, &T::RealFunction},
      {"tan", "tan", 1, 1, &T::RealFunction},
      {"asin", "asin", 1, 1, &T::RealFunction},
      {"acos", "acos", 1, 1, &T::RealFunction},
      {"atan", "atan", 1, 1, &T::RealFunction},
      {"sinh", "sinh", 1, 1, &T::RealFunction},
      {"cosh", "cosh", 1, 1, &T::RealFunction},
      {"tanh", "tanh", 1, 1, &T::RealFunction},
      {"degrees", "degrees", 1, 1, &T::RealFunction},
      {"radians", "radians", 1, 1, &T::RealFunction},
      {"floor", "floor", 1, 1, &T::RoundNumber},
      {"ceil", "ceil", 1, 1, &T::RoundNumber},
      {"ceiling", "ceil", 1, 1, &T::RoundNumber},
      {"round", "sql_round", 1, 2, &T::RoundNumber},
      {"trunc", "sql_trunc", 1, 2, &T::RoundNumber},
      {"power", "power", 2, 2, &T::PowerOf},
      {"pow", "power", 2, 2, &T::PowerOf},
      {"log", "log", 1, 2, &T::PowerOf},
      {"abs", "", 1, 1, &T::AbsOf},
      {"gcd", "gcd", 2, 2, &T::DivisorOf},
      {"lcm", "lcm", 2, 2, &T::DivisorOf},
      {"isnan", "isnan", 1, 1, &T::RealTest},
      {"iszero", "iszero", 1, 1, &T::RealTest},
      {"nanvl", "nanvl", 2, 2, &T::RealTest},
      {"coalesce", "", 1, kMany, &T::Coalesce},
      {"nvl", "", 2, 2, &T::Coalesce},
      {"ifnull", "", 2, 2, &T::Coalesce},
      {"nullif", "", 2, 2, &T::NullIf},
      {"nvl2", "", 3, 3, &T::Nvl2},
      {"greatest", "max_element_wise", 1, kMany, &T::Extreme},
      {"least", "min_element_wise", 1, kMany, &T::Extreme},
      {"is_valid", "", 1, 1, &T::IsValid},
      {"date_part", "", 2, 2, &T::PartOfDate},
      {"datepart", "", 2, 2, &T::PartOfDate},
      {"extract", "", 2, 2, &T::PartOfDate},
      {"date_trunc", "", 2, 2, &T::TruncateDate},
      {"datetrunc", "", 2, 2, &T::TruncateDate},
      {"to_timestamp", "9", 1, 1, &T::ToTime},
      {"to_timestamp_seconds", "0", 1, 1, &T::ToTime},
      {"to_timestamp_millis", "3", 1, 1, &T::ToTime},
      {"to_timestamp_micros", "6", 1, 1, &T::ToTime},
      {"to_timestamp_nanos", "9", 1, 1, &T::ToTime},
      {"from_unixtime", "0", 1, 1, &T::ToTime},
      {"to_date", "date", 1, 1, &T::ToTime},
      {"now", "now", 0, 0, &T::PresentTime},
      {"current_date", "date", 0, 0, &T::PresentTime},
      {"today", "date", 0, 0, &T::PresentTime},
      {"make_date", "", 3, 3, &T::DateOf},
      {"array_has", "array_has", 2, 2, &T::ListAndElement},
      {"array_contains", "array_has", 2, 2, &T::ListAndElement},
      {"list_has", "array_has", 2, 2, &T::ListAndElement},
      {"list_contains", "array_has", 2, 2, &T::ListAndElement},
      {"array_position", "array_position", 2, 2, &T::ListAndElement},
      {"list_position", "array_position", 2, 2, &T::ListAndElement},
      {"array_has_any", "array_has_any", 2, 2, &T::ListAndList},
      {"list_has_any", "array_has_any", 2, 2, &T::ListAndList},
      {"arrays_overlap", "array_has_any", 2, 2, &T::ListAndList},
      {"array_has_all", "array_has_all", 2, 2, &T::ListAndList},
      {"list_has_all", "array_has_all", 2, 2, &T::ListAndList},
      {"array_length", "array_length", 1, 1, &T::ListToNumber},
      {"list_length", "array_length", 1, 1, &T::ListToNumber},
      {"cardinality", "array_length", 1, 1, &T::ListToNumber},
      {"array_empty", "array_empty", 1, 1, &T::ListToNumber},
      {"list_empty", "array_empty", 1, 1, &T::ListToNumber},
      {"empty", "array_empty", 1, 1, &T::ListToNumber},
      {"array_element", "array_element", 2, 2, &T::ListElement},
      {"list_element", "array_element", 2, 2, &T::ListElement},
      {"array_extract", "array_element", 2, 2, &T::ListElement},
      {"list_extract", "array_element", 2, 2, &T::ListElement},
      {"array_max", "max", 1, 1, &T::ListElement},
      {"list_max", "max", 1, 1, &T::ListElement},
      {"array_min", "min", 1, 1, &T::ListElement},
      {"list_min", "min", 1, 1, &T::ListElement},
      {"array_to_string", "array_to_string", 2, 2, &T::ListToText},
      {"list_to_string", "array_to_string", 2, 2, &T::ListToText},
      {"array_join", "array_to_string", 2, 2, &T::ListToText},
      {"list_join", "array_to_string", 2, 2, &T::ListToText},
      {"make_array", "", 1, kMany, &T::MakeList},
      {"make_list", "", 1, kMany, &T::MakeList},
      {"get_field", "", 2, 2, &T::GetField},
      {"arrow_cast", "", 2, 2, &T::ArrowCastTo},
  };
  return functions;
}

namespace {

/// Number of single-character changes between two words, for "did you mean".
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

TypePtr WidestText(const std::vector<TypedExpression>& arguments) {
  for (const TypedExpression& argument : arguments) {
    if (argument.type->id() == Type::LARGE_STRING) return arrow::large_utf8();
  }
  return arrow::utf8();
}

}  // namespace

arrow::Status FilterTranslator::UnknownFunction(const SqlNode& node) const {
  constexpr size_t kNameBytesMax = 40;
  std::string hint;
  size_t nearest = 3;
  for (const Function& function : Functions()) {
    const size_t distance =
        node.text.size() > kNameBytesMax ? nearest : EditDistance(node.text, function.name);
    if (distance >= nearest) continue;
    nearest = distance;
    hint = fmt::format(", did you mean \"{}\"?", function.name);
  }
  return Error(node.place, fmt::format("unknown function \"{}\"{}", node.text, hint));
}

arrow::Result<TypedExpression> FilterTranslator::CallFunction(const SqlNode& node) {
  const auto found =
      std::find_if(Functions().begin(), Functions().end(),
                   [&](const Function& function) { return node.text == function.name; });
  if (found == Functions().end()) return UnknownFunction(node);
  if (node.children.size() < found->arguments_min || node.children.size() > found->arguments_max) {
    return Error(
        node.place,
        fmt::format("{} takes {}{} arguments, not {}", node.text, found->arguments_min,
                    found->arguments_max == found->arguments_min ? ""
                    : found->arguments_max > 100                 ? " or more"
                                                 : fmt::format(" to {}", found->arguments_max),
                    node.children.size()));
  }
  ARROW_ASSIGN_OR_RAISE(auto arguments, TranslateAll(node.children));
  SqlNode call;  // The handler sees the kernel's name.
  call.kind = SqlKind::kCall;
  call.text = found->kernel;
  call.place = node.place;
  ARROW_ASSIGN_OR_RAISE(Typed result, (this->*found->handler)(call, std::move(arguments)));
  result.place = node.place;
  return result;
}

arrow::Result<TypedExpression> FilterTranslator::AsText(Typed argument, const SqlNode& node) const {
  const TypePtr type = ValueType(argument.type);
  if (!IsText(*type) && type->id() != Type::NA) {
    return Error(argument.place, fmt::format("expected text, not {}", TypeName(*type)));
  }
  return Cast(argument, type->id() == Type::LARGE_STRING ? type : arrow::utf8(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::AsReal(Typed argument, const SqlNode& node) const {
  const TypePtr type = ValueType(argument.type);
  if (!IsNumeric(*type) && type->id() != Type::NA) {
    return Error(argument.place, fmt::format("expected a number, not {}", TypeName(*type)));
  }
  const bool is_single = type->id() == Type::FLOAT || type->id() == Type::HALF_FLOAT;
  return Cast(argument, is_single ? arrow::float32() : arrow::float64(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::AsInt64(Typed argument,
                                                         const SqlNode& node) const {
  const TypePtr type = ValueType(argument.type);
  if (!IsInteger(*type) && type->id() != Type::NA) {
    return Error(argument.place, fmt::format("expected an integer, not {}", TypeName(*type)));
  }
  return Cast(argument, arrow::int64(), node.place);
}

arrow::Result<std::string> FilterTranslator::ConstantText(const Typed& argument,
                                                          std::string_view what) const {
  const arrow::Scalar* literal = LiteralOf(argument);
  if (literal == nullptr || !literal->is_valid || !IsText(*literal->type)) {
    return Error(argument.place, fmt::format("{} must be a text constant", what));
  }
  return std::string(static_cast<const arrow::BaseBinaryScalar&>(*literal).view());
}

arrow::Result<TypedExpression> FilterTranslator::TextTest(const SqlNode& node,
                                                          std::vector<Typed> arguments) {
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, AsText(std::move(argument), node));
  }
  return Call(node.text, std::move(arguments), arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::TextToText(const SqlNode& node,
                                                            std::vector<Typed> arguments) {
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, AsText(std::move(argument), node));
  }
  const TypePtr type = arguments[0].type;
  return Call(node.text, std::move(arguments), type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::TextToNumber(const SqlNode& node,
                                                              std::vector<Typed> arguments) {
  for (Typed& argument : arguments) {
    const TypePtr type = ValueType(argument.type);
    const bool is_length = node.text == "character_length";
    const bool is_bytes =
        (node.text == "octet_length" || node.text == "bit_length") && IsBytes(*type);
    // The length of a number or a date is that of its text.
    if (is_length && !IsText(*type) && CanCast(*type, *arrow::utf8())) {
      ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, arrow::utf8(), node.place));
    } else if (is_bytes) {
      ARROW_ASSIGN_OR_RAISE(
          argument,
          Cast(argument, type->id() == Type::LARGE_BINARY ? type : arrow::binary(), node.place));
    } else {
      ARROW_ASSIGN_OR_RAISE(argument, AsText(std::move(argument), node));
    }
  }
  const bool is_large = arguments[0].type->id() == Type::LARGE_STRING ||
                        arguments[0].type->id() == Type::LARGE_BINARY;
  return Call(node.text, std::move(arguments),
              is_large && node.text != "ascii" ? arrow::int64() : arrow::int32(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::TextAndNumbers(const SqlNode& node,
                                                                std::vector<Typed> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_text = i == 0 || (i == 1 && node.text == "split_part") ||
                         (i == 2 && node.text.find("pad") != std::string::npos);
    ARROW_ASSIGN_OR_RAISE(arguments[i], is_text ? AsText(std::move(arguments[i]), node)
                                                : AsInt64(std::move(arguments[i]), node));
  }
  const TypePtr type = arguments[0].type;
  return Call(node.text, std::move(arguments), type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::ConcatAll(const SqlNode& node,
                                                           std::vector<Typed> arguments) {
  const TypePtr type = WidestText(arguments);
  for (Typed& argument : arguments) {
    if (IsBytes(*argument.type)) return Error(argument.place, "expected text, not binary");
    ARROW_ASSIGN_OR_RAISE(
        argument,
        Cast(argument,
             IsText(*argument.type) && argument.type->id() != Type::STRING_VIEW ? argument.type
                                                                                : arrow::utf8(),
             node.place));
  }
  return Call("concat", std::move(arguments), type, node.place, node.text, /*flag=*/true);
}

arrow::Result<TypedExpression> FilterTranslator::NumberToText(const SqlNode& node,
                                                              std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(arguments[0], AsInt64(std::move(arguments[0]), node));
  return Call(node.text, std::move(arguments), arrow::utf8(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::Regex(const SqlNode& node,
                                                       std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(Typed text, AsText(std::move(arguments[0]), node));
  const TypePtr type = node.text == "regexp_match"     ? arrow::list(arrow::utf8())
                       : node.text == "regexp_replace" ? text.type
                       : node.text == "regexp_count"   ? arrow::int64()
                                                       : arrow::boolean();
  // Constants go into one word, parted by NUL: pattern, replacement if any, flags.
  std::string word;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].type->id() == Type::NA)
      return Literal(arrow::MakeNullScalar(type), node.place);
    ARROW_ASSIGN_OR_RAISE(const std::string constant,
                          ConstantText(arguments[i], "the pattern of a regular expression"));
    word += (i == 1 ? "" : std::string(1, '\0')) + constant;
  }
  const size_t wanted = node.text == "regexp_replace" ? 3 : 2;
  for (size_t have = arguments.size() - 1; have < wanted; ++have) word += '\0';
  // Try it on nothing, so that a mistake is found here and not at the first row.
  Typed probe = Literal(std::make_shared<arrow::StringScalar>(""), node.place);
  ARROW_ASSIGN_OR_RAISE(
      const Typed tried,
      Call(node.text, {std::move(probe)}, type->id() == Type::LARGE_STRING ? arrow::utf8() : type,
           node.place, word));
  if (tried.expression.literal() == nullptr) {
    return Error(arguments.size() > 1 ? arguments[1].place : node.place,
                 "not a valid regular expression");
  }
  ARROW_ASSIGN_OR_RAISE(Typed result, Call(node.text, {std::move(text)}, type, node.place, word));
  result.is_regexp_match = node.text == "regexp_match";
  return result;
}

arrow::Result<TypedExpression> FilterTranslator::RealFunction(const SqlNode& node,
                                                              std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(arguments[0], AsReal(std::move(arguments[0]), node));
  const TypePtr type = arguments[0].type;
  return Call("sql_real", std::move(arguments), type, node.place, node.text);
}

arrow::Result<TypedExpression> FilterTranslator::RoundNumber(const SqlNode& node,
                                                             std::vector<Typed> arguments) {
  const TypePtr type = ValueType(arguments[0].type);
  if (IsDecimal(*type) && node.text != "sql_trunc") {
    int places = 0;
    if (arguments.size() > 1) {
      ARROW_ASSIGN_OR_RAISE(const Typed given, AsInt64(arguments[1], node));
      const arrow::Scalar* constant = LiteralOf(given);
      if (constant == nullptr || !constant->is_valid)
        return Error(given.place, "the places of a decimal must be a constant");
      places = static_cast<int>(
          std::clamp<int64_t>(static_cast<const arrow::Int64Scalar&>(*constant).value, -76, 76));
    }
    const auto& decimal = static_cast<const arrow::DecimalType&>(*type);
    if (node.text == "sql_round" && places >= decimal.scale())
      return Cast(arguments[0], type, node.place);
    const auto mode = node.text == "floor"  ? compute::RoundMode::DOWN
                      : node.text == "ceil" ? compute::RoundMode::UP
                                            : compute::RoundMode::HALF_TOWARDS_INFINITY;
    return CallArrow("round", {arguments[0]}, type, node.place,
                     std::make_shared<compute::RoundOptions>(places, mode));
  }
  ARROW_ASSIGN_OR_RAISE(arguments[0], AsReal(std::move(arguments[0]), node));
  if (arguments.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(arguments[1], AsInt64(std::move(arguments[1]), node));
  }
  const TypePtr real = arguments[0].type;
  const bool is_rounding = node.text.rfind("sql_", 0) == 0;
  return is_rounding ? Call(node.text, std::move(arguments), real, node.place)
                     : Call("sql_real", std::move(arguments), real, node.place, node.text);
}

arrow::Result<TypedExpression> FilterTranslator::PowerOf(const SqlNode& node,
                                                         std::vector<Typed> arguments) {
  if (arguments.size() == 1) {  // log of base 10
    SqlNode call = node;
    call.text = "log10";
    return RealFunction(call, std::move(arguments));
  }
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, AsReal(std::move(argument), node));
    ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, arrow::float64(), node.place));
  }
  return Call("sql_power", std::move(arguments), arrow::float64(), node.place, node.text);
}

arrow::Result<TypedExpression> FilterTranslator::AbsOf(const SqlNode& node,
                                                       std::vector<Typed> arguments) {
  TypePtr type = ValueType(arguments[0].type);
  if (type->id() == Type::NA) type = arrow::float64();
  if (!IsNumeric(*type))
    return Error(arguments[0].place, fmt::format("expected a number, not {}", TypeName(*type)));
  if (type->id() == Type::HALF_FLOAT) type = arrow::float32();
  ARROW_ASSIGN_OR_RAISE(arguments[0], Cast(arguments[0], type, node.place));
  return Call("sql_abs", std::move(arguments), type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::DivisorOf(const SqlNode& node,
                                                           std::vector<Typed> arguments) {
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, AsInt64(std::move(argument), node));
  }
  return Call("sql_gcd", std::move(arguments), arrow::int64(), node.place, node.text);
}

arrow::Result<TypedExpression> FilterTranslator::RealTest(const SqlNode& node,
                                                          std::vector<Typed> arguments) {
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, AsReal(std::move(argument), node));
  }
  if (node.text != "nanvl")
    return Call("sql_test_real", std::move(arguments), arrow::boolean(), node.place, node.text);
  const TypePtr type = UnionType(arguments[0].type, arguments[1].type);
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, type, node.place));
  }
  ARROW_ASSIGN_OR_RAISE(
      Typed is_nan, Call("sql_test_real", {arguments[0]}, arrow::boolean(), node.place, "isnan"));
  return IfElse(std::move(is_nan), std::move(arguments[1]), std::move(arguments[0]), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::Coalesce(const SqlNode& node,
                                                          std::vector<Typed> arguments) {
  TypePtr type = ValueType(arguments[0].type);
  for (const Typed& argument : arguments) {
    const TypePtr common = ArgumentType(type, ValueType(argument.type));
    if (common == nullptr)
      return Error(argument.place, fmt::format("{} and {} have no common type", TypeName(*type),
                                               TypeName(*argument.type)));
    type = common;
  }
  if (type->id() == Type::HALF_FLOAT) type = arrow::float32();
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, type, argument.place));
  }
  return CallArrow("coalesce", std::move(arguments), type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::NullIf(const SqlNode& node,
                                                        std::vector<Typed> arguments) {
  const TypePtr type = ComparisonType(ValueType(arguments[0].type), ValueType(arguments[1].type));
  if (type == nullptr)
    return Error(node.place, fmt::format("cannot compare {} with {}", TypeName(*arguments[0].type),
                                         TypeName(*arguments[1].type)));
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, type, argument.place));
  }
  ARROW_ASSIGN_OR_RAISE(Typed equal,
                        Compare("equal", arguments[0], arguments[1], false, node.place));
  return IfElse(std::move(equal), Literal(arrow::MakeNullScalar(type), node.place),
                std::move(arguments[0]), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::Nvl2(const SqlNode& node,
                                                      std::vector<Typed> arguments) {
  const TypePtr type = UnionType(ValueType(arguments[1].type), ValueType(arguments[2].type));
  if (type == nullptr)
    return Error(node.place,
                 fmt::format("{} and {} have no common type", TypeName(*arguments[1].type),
                             TypeName(*arguments[2].type)));
  ARROW_ASSIGN_OR_RAISE(Typed is_valid,
                        CallArrow("is_valid", {arguments[0]}, arrow::boolean(), node.place));
  ARROW_ASSIGN_OR_RAISE(Typed yes, Cast(arguments[1], type, node.place));
  ARROW_ASSIGN_OR_RAISE(Typed no, Cast(arguments[2], type, node.place));
  return IfElse(std::move(is_valid), std::move(yes), std::move(no), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::Extreme(const SqlNode& node,
                                                         std::vector<Typed> arguments) {
  TypePtr type = ValueType(arguments[0].type);
  for (const Typed& argument : arguments) {
    const TypePtr common = ArgumentType(type, ValueType(argument.type));
    if (common == nullptr || common->num_fields() > 0) {
      return Error(argument.place, fmt::format("{} and {} have no common order", TypeName(*type),
                                               TypeName(*argument.type)));
    }
    type = common;
  }
  if (type->id() == Type::HALF_FLOAT) type = arrow::float32();
  if (type->id() == Type::NA) return Literal(std::make_shared<arrow::NullScalar>(), node.place);
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, type, argument.place));
  }
  // One after the other: the order is that of our comparisons, floats included; nulls lose.
  const bool wants_greatest = node.text == "max_element_wise";
  Typed best = std::move(arguments[0]);
  for (size_t i = 1; i < arguments.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(Typed keeps, Compare(wants_greatest ? "greater_equal" : "less_equal",
                                               best, arguments[i], false, node.place));
    ARROW_ASSIGN_OR_RAISE(Typed only,
                          CallArrow("is_null", {arguments[i]}, arrow::boolean(), node.place,
                                    std::make_shared<compute::NullOptions>(false)));
    ARROW_ASSIGN_OR_RAISE(keeps, CallArrow("coalesce", {std::move(keeps), std::move(only)},
                                           arrow::boolean(), node.place));
    ARROW_ASSIGN_OR_RAISE(
        best, IfElse(std::move(keeps), std::move(best), std::move(arguments[i]), node.place));
  }
  return best;
}

arrow::Result<TypedExpression> FilterTranslator::IsValid(const SqlNode& node,
                                                         std::vector<Typed> arguments) {
  return CallArrow("is_valid", std::move(arguments), arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::ArrowCastTo(const SqlNode& node,
                                                             std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[1], "the type"));
  static const std::pair<const char*, TypePtr> kTypes[] = {{"Boolean", arrow::boolean()},
                                                           {"Int8", arrow::int8()},
                                                           {"Int16", arrow::int16()},
                                                           {"Int32", arrow::int32()},
                                                           {"Int64", arrow::int64()},
                                                           {"UInt8", arrow::uint8()},
                                                           {"UInt16", arrow::uint16()},
                                                           {"UInt32", arrow::uint32()},
                                                           {"UInt64", arrow::uint64()},
                                                           {"Float32", arrow::float32()},
                                                           {"Float64", arrow::float64()},
                                                           {"Utf8", arrow::utf8()},
                                                           {"LargeUtf8", arrow::large_utf8()},
                                                           {"Binary", arrow::binary()},
                                                           {"LargeBinary", arrow::large_binary()},
                                                           {"Date32", arrow::date32()},
                                                           {"Date64", arrow::date64()}};
  for (const auto& [known, type] : kTypes) {
    if (name == known) return Cast(arguments[0], type, node.place);
  }
  static const std::pair<const char*, arrow::TimeUnit::type> kUnits[] = {
      {"Second", arrow::TimeUnit::SECOND},
      {"Millisecond", arrow::TimeUnit::MILLI},
      {"Microsecond", arrow::TimeUnit::MICRO},
      {"Nanosecond", arrow::TimeUnit::NANO}};
  for (const auto& [word, unit] : kUnits) {
    TypePtr type;
    const bool is_coarse = unit == arrow::TimeUnit::SECOND || unit == arrow::TimeUnit::MILLI;
    if (name == fmt::format("Timestamp({}, None)", word)) type = arrow::timestamp(unit);
    if (name == fmt::format("Timestamp({}, Some(\"UTC\"))", word))
      type = arrow::timestamp(unit, "UTC");
    if (name == fmt::format("Time32({})", word) && is_coarse) type = arrow::time32(unit);
    if (name == fmt::format("Time64({})", word) && !is_coarse) type = arrow::time64(unit);
    if (name == fmt::format("Duration({})", word)) type = arrow::duration(unit);
    if (type != nullptr) return Cast(arguments[0], type, node.place);
  }
  return Error(arguments[1].place, fmt::format("unknown type \"{}\"", name));
}

}  // namespace pennon
