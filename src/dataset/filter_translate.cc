#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_scalar.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dataset/filter_cast.h"
#include "dataset/filter_lexer.h"
#include "dataset/filter_pattern.h"
#include "dataset/filter_text_values.h"
#include "dataset/filter_time.h"
#include "dataset/filter_translator.h"
#include "pennon/base/error.h"

namespace pennon {

namespace compute = arrow::compute;
using arrow::Type;

namespace {

bool EqualIgnoringAsciiCase(std::string_view left, std::string_view right) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

/// The field of that name, or else the only one that differs in letter case.
template <typename Fields>
const arrow::Field* FindField(const Fields& fields, std::string_view name) {
  for (const auto& field : fields) {
    if (field->name() == name) return field.get();
  }
  for (const auto& field : fields) {
    if (EqualIgnoringAsciiCase(field->name(), name)) return field.get();
  }
  return nullptr;
}

/// A few names for a message.
template <typename Fields>
std::string ListNames(const Fields& fields) {
  constexpr size_t kNamesMax = 12;
  std::string names;
  for (size_t i = 0; i < fields.size() && i < kNamesMax; ++i)
    names += (i == 0 ? "" : ", ") + fields[i]->name();
  return names + (fields.size() > kNamesMax ? ", ..." : "");
}

/// Combines two by two, so that long lists stay shallow.
compute::Expression Balanced(const char* function, std::vector<compute::Expression> operands) {
  while (operands.size() > 1) {
    std::vector<compute::Expression> next;
    for (size_t i = 0; i < operands.size(); i += 2) {
      next.push_back(i + 1 < operands.size()
                         ? compute::call(function, {operands[i], operands[i + 1]})
                         : operands[i]);
    }
    operands = std::move(next);
  }
  return operands.front();
}

constexpr SqlPlace Span(SqlPlace left, SqlPlace right) {
  return {std::min(left.begin, right.begin), std::max(left.end, right.end)};
}

}  // namespace

arrow::Status FilterTranslator::Error(SqlPlace place, std::string_view message) const {
  return FilterError(text_, place, message);
}

TypedExpression FilterTranslator::Literal(ScalarPtr value, SqlPlace place) {
  const TypePtr type = value->type;
  return {compute::literal(arrow::Datum(std::move(value))), type, place, false, false};
}
ScalarPtr FilterTranslator::SharedLiteralOf(const Typed& typed) {
  const arrow::Datum* datum = typed.expression.literal();
  return datum != nullptr && datum->is_scalar() ? datum->scalar() : nullptr;
}
const arrow::Scalar* FilterTranslator::LiteralOf(const Typed& typed) {
  return SharedLiteralOf(typed).get();
}

arrow::Result<compute::Expression> FilterTranslator::TranslateFilter(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(Typed filter, Translate(node, /*is_top=*/true));
  const bool is_null_literal = filter.type->id() == Type::NA;
  if (filter.is_regexp_match) {
    ARROW_ASSIGN_OR_RAISE(filter, AsBoolean(std::move(filter)));
  }
  if (is_null_literal || filter.type->id() != Type::BOOL) {
    return Error(node.place,
                 fmt::format("the filter is of type {}, not boolean", TypeName(*filter.type)));
  }
  return filter.expression;
}

arrow::Result<std::vector<TypedExpression>> FilterTranslator::TranslateAll(
    const std::vector<SqlNode>& nodes) {
  std::vector<Typed> results;
  for (const SqlNode& node : nodes) {
    ARROW_ASSIGN_OR_RAISE(Typed typed, Translate(node));
    results.push_back(std::move(typed));
  }
  return results;
}

arrow::Result<TypedExpression> FilterTranslator::Translate(const SqlNode& node, bool is_top) {
  const auto literal = [&](ScalarPtr value) {
    Typed typed = Literal(std::move(value), node.place);
    typed.is_plain_literal = true;
    return typed;
  };
  switch (node.kind) {
    case SqlKind::kNull:
      return literal(std::make_shared<arrow::NullScalar>());
    case SqlKind::kBoolean:
      return literal(std::make_shared<arrow::BooleanScalar>(node.text == "true"));
    case SqlKind::kText:
      return literal(std::make_shared<arrow::StringScalar>(node.text));
    case SqlKind::kBytes:
      return literal(std::make_shared<arrow::BinaryScalar>(node.text));
    case SqlKind::kNumber:
      return Number(node);
    case SqlKind::kArray:
      return Array(node);
    case SqlKind::kColumn:
      return Column(node);
    case SqlKind::kField:
      return Field(node);
    case SqlKind::kSubscript:
      return Subscript(node);
    case SqlKind::kNegate:
      return Negate(node);
    case SqlKind::kBinary:
      return Binary(node, is_top);
    case SqlKind::kAnd:
    case SqlKind::kOr:
      return Logic(node, is_top);
    case SqlKind::kNot:
      return Not(node);
    case SqlKind::kIsNull: {
      ARROW_ASSIGN_OR_RAISE(auto operand, TranslateAll(node.children));
      if (node.is_negated)
        return CallArrow("is_valid", std::move(operand), arrow::boolean(), node.place);
      return CallArrow("is_null", std::move(operand), arrow::boolean(), node.place,
                       std::make_shared<compute::NullOptions>(false));
    }
    case SqlKind::kIsTrue:
      return IsTrue(node);
    case SqlKind::kIsDistinct: {
      ARROW_ASSIGN_OR_RAISE(auto operands, TranslateAll(node.children));
      ARROW_ASSIGN_OR_RAISE(Typed distinct, Distinct(std::move(operands[0]), std::move(operands[1]),
                                                     is_top, node.place));
      if (!node.is_negated) return distinct;
      return CallArrow("invert", {std::move(distinct)}, arrow::boolean(), node.place);
    }
    case SqlKind::kIn:
      return In(node, is_top);
    case SqlKind::kBetween:
      return Between(node, is_top);
    case SqlKind::kLike:
      return LikeTest(node);
    case SqlKind::kCase:
      return Case(node);
    case SqlKind::kCast:
      return CastTo(node);
    case SqlKind::kCall:
      return CallFunction(node);
  }
  return Error(node.place, "this kind of expression is not supported");
}

arrow::Result<TypedExpression> FilterTranslator::Number(const SqlNode& node) const {
  Typed typed;
  if (const auto integer = ParseSigned(node.text)) {
    typed = Literal(std::make_shared<arrow::Int64Scalar>(*integer), node.place);
  } else if (const auto large = ParseUnsigned(node.text)) {
    typed = Literal(std::make_shared<arrow::UInt64Scalar>(*large), node.place);
  } else if (const auto real = ParseDouble(node.text)) {
    typed = Literal(std::make_shared<arrow::DoubleScalar>(*real), node.place);
  } else {
    return Error(node.place, "malformed number");
  }
  typed.is_plain_literal = true;
  return typed;
}

arrow::Result<TypedExpression> FilterTranslator::Column(const SqlNode& node) const {
  const arrow::Field* field = FindField(schema_.fields(), node.names[0]);
  if (field == nullptr) {
    return Error(node.place, fmt::format("no column \"{}\" (there are {})", node.names[0],
                                         ListNames(schema_.fields())));
  }
  std::vector<arrow::FieldRef> path{arrow::FieldRef(field->name())};
  for (size_t i = 1; i < node.names.size(); ++i) {
    if (field->type()->id() != Type::STRUCT) {
      return Error(node.place, fmt::format("\"{}\" has no fields, it is of type {}", field->name(),
                                           TypeName(*field->type())));
    }
    const arrow::Field* child = FindField(field->type()->fields(), node.names[i]);
    if (child == nullptr) {
      return Error(node.place,
                   fmt::format("no field \"{}\" in \"{}\" (there are {})", node.names[i],
                               field->name(), ListNames(field->type()->fields())));
    }
    path.emplace_back(child->name());
    field = child;
  }
  const arrow::FieldRef reference = path.size() == 1 ? path[0] : arrow::FieldRef(std::move(path));
  return Typed{compute::field_ref(reference), field->type(), node.place, false, false};
}

arrow::Result<TypedExpression> FilterTranslator::Field(const SqlNode& node) {
  const SqlNode& child = node.children[0];
  if (child.kind == SqlKind::kColumn) {  // (a.b).c, a['b'].c
    SqlNode column = child;
    column.names.push_back(node.text);
    column.place = node.place;
    return Column(column);
  }
  ARROW_ASSIGN_OR_RAISE(Typed operand, Translate(child));
  const arrow::Field* field =
      operand.type->id() == Type::STRUCT ? FindField(operand.type->fields(), node.text) : nullptr;
  if (field == nullptr) {
    return Error(node.place, fmt::format("no field \"{}\" in a value of type {}", node.text,
                                         TypeName(*operand.type)));
  }
  if (const arrow::FieldRef* base = operand.expression.field_ref()) {
    std::vector<arrow::FieldRef> path =
        base->IsNested() ? *base->nested_refs() : std::vector<arrow::FieldRef>{*base};
    path.emplace_back(field->name());
    return Typed{compute::field_ref(arrow::FieldRef(std::move(path))), field->type(), node.place,
                 false, false};
  }
  return CallArrow("struct_field", {std::move(operand)}, field->type(), node.place,
                   std::make_shared<compute::StructFieldOptions>(arrow::FieldRef(field->name())));
}

arrow::Result<TypedExpression> FilterTranslator::Subscript(const SqlNode& node) {
  const SqlNode& index = node.children[1];
  if (index.kind == SqlKind::kText) {
    ARROW_ASSIGN_OR_RAISE(Typed operand, Translate(node.children[0]));
    if (operand.type->id() == Type::MAP) {
      const auto& map = static_cast<const arrow::MapType&>(*operand.type);
      ARROW_ASSIGN_OR_RAISE(Typed key, Translate(index));
      ARROW_ASSIGN_OR_RAISE(key, Cast(key, map.key_type(), index.place));
      return CallArrow("map_lookup", {std::move(operand)}, map.item_type(), node.place,
                       std::make_shared<compute::MapLookupOptions>(
                           SharedLiteralOf(key), compute::MapLookupOptions::FIRST));
    }
    SqlNode field;
    field.kind = SqlKind::kField;
    field.text = index.text;
    field.place = Span(node.place, index.place);
    field.children.push_back(node.children[0]);
    return Field(field);
  }
  ARROW_ASSIGN_OR_RAISE(auto operands, TranslateAll(node.children));
  return ListElement(node, std::move(operands));
}

arrow::Result<TypedExpression> FilterTranslator::Negate(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(Typed operand, Translate(node.children[0]));
  if (operand.type->id() == Type::NA) return operand;
  if (!IsNumeric(*operand.type) || arrow::is_unsigned_integer(operand.type->id())) {
    return Error(node.place,
                 fmt::format("cannot negate a value of type {}", TypeName(*operand.type)));
  }
  if (operand.type->id() == Type::HALF_FLOAT) {
    ARROW_ASSIGN_OR_RAISE(operand, Cast(operand, arrow::float32(), node.place));
  }
  const TypePtr type = operand.type;
  return CallArrow("negate", {std::move(operand)}, type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::AsBoolean(Typed operand) const {
  if (operand.type->id() == Type::BOOL) return operand;
  if (operand.type->id() == Type::NA)
    return Literal(arrow::MakeNullScalar(arrow::boolean()), operand.place);
  if (operand.is_regexp_match) {
    const SqlPlace place = operand.place;
    return CallArrow("is_valid", {std::move(operand)}, arrow::boolean(), place);
  }
  return Error(operand.place,
               fmt::format("expected a boolean, not a value of type {}", TypeName(*operand.type)));
}

arrow::Result<TypedExpression> FilterTranslator::Logic(const SqlNode& node, bool is_top) {
  std::vector<compute::Expression> operands;
  for (const SqlNode& child : node.children) {
    ARROW_ASSIGN_OR_RAISE(Typed operand, Translate(child, is_top));
    ARROW_ASSIGN_OR_RAISE(operand, AsBoolean(std::move(operand)));
    operands.push_back(operand.expression);
  }
  const char* function = node.kind == SqlKind::kAnd ? "and_kleene" : "or_kleene";
  return Typed{Balanced(function, std::move(operands)), arrow::boolean(), node.place, false, false};
}

arrow::Result<TypedExpression> FilterTranslator::Not(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(Typed operand, Translate(node.children[0]));
  ARROW_ASSIGN_OR_RAISE(operand, AsBoolean(std::move(operand)));
  return CallArrow("invert", {std::move(operand)}, arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::IsTrue(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(Typed operand, Translate(node.children[0]));
  operand.is_regexp_match = false;
  ARROW_ASSIGN_OR_RAISE(operand, AsBoolean(std::move(operand)));
  Typed result;
  if (node.text == "unknown") {
    return CallArrow(node.is_negated ? "is_valid" : "is_null", {std::move(operand)},
                     arrow::boolean(), node.place);
  }
  // A null counts as the opposite of what is asked for.
  const bool wants_true = node.text == "true";
  Typed otherwise = Literal(std::make_shared<arrow::BooleanScalar>(!wants_true), node.place);
  ARROW_ASSIGN_OR_RAISE(result, CallArrow("coalesce", {std::move(operand), std::move(otherwise)},
                                          arrow::boolean(), node.place));
  if (wants_true != node.is_negated) return result;
  return CallArrow("invert", {std::move(result)}, arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::Between(const SqlNode& node, bool is_top) {
  ARROW_ASSIGN_OR_RAISE(auto operands, TranslateAll(node.children));
  const char* first = node.is_negated ? "less" : "greater_equal";
  const char* second = node.is_negated ? "greater" : "less_equal";
  ARROW_ASSIGN_OR_RAISE(Typed low, Compare(first, operands[0], operands[1], is_top, node.place));
  ARROW_ASSIGN_OR_RAISE(Typed high, Compare(second, operands[0], operands[2], is_top, node.place));
  return CallArrow(node.is_negated ? "or_kleene" : "and_kleene", {std::move(low), std::move(high)},
                   arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::In(const SqlNode& node, bool is_top) {
  ARROW_ASSIGN_OR_RAISE(auto operands, TranslateAll(node.children));
  Typed operand = std::move(operands.front());
  operands.erase(operands.begin());
  const bool has_only_literals =
      std::all_of(operands.begin(), operands.end(),
                  [](const Typed& element) { return LiteralOf(element) != nullptr; });
  TypePtr type = operand.type;
  for (Typed& element : operands) {
    if (is_top && operand.expression.field_ref() != nullptr && IsFloat(*operand.type) &&
        element.is_plain_literal) {
      if (ScalarPtr narrow = NarrowToFloat(*LiteralOf(element), operand.type))
        element = Literal(narrow, element.place);
    }
    const TypePtr common = ComparisonType(type, element.type);
    if (common == nullptr || !CanCast(*operand.type, *common) || !CanCast(*element.type, *common)) {
      return Error(element.place, fmt::format("cannot compare {} with {}", TypeName(*type),
                                              TypeName(*element.type)));
    }
    type = common;
  }
  if (type->id() == Type::NA) return Literal(arrow::MakeNullScalar(arrow::boolean()), node.place);
  if (type->id() == Type::HALF_FLOAT) type = arrow::float32();
  std::vector<Typed> elements;
  for (const Typed& element : operands) {
    ARROW_ASSIGN_OR_RAISE(Typed cast, Cast(element, type, element.place));
    elements.push_back(std::move(cast));
  }
  Typed result;
  if (!has_only_literals || type->num_fields() > 0) {
    std::vector<compute::Expression> tests;
    ARROW_ASSIGN_OR_RAISE(operand, Cast(operand, type, node.place));
    for (Typed& element : elements) {
      ARROW_ASSIGN_OR_RAISE(Typed test, CallArrow("equal", {operand, std::move(element)},
                                                  arrow::boolean(), node.place));
      tests.push_back(test.expression);
    }
    result =
        Typed{Balanced("or_kleene", std::move(tests)), arrow::boolean(), node.place, false, false};
  } else {
    std::vector<ScalarPtr> values;
    for (const Typed& element : elements) values.push_back(SharedLiteralOf(element));
    if (!UnwrapCasts(&operand, &values)) {
      ARROW_ASSIGN_OR_RAISE(operand, Cast(operand, type, node.place));
    }
    arrow::ArrayVector arrays;
    for (const ScalarPtr& value : values) {
      ARROW_ASSIGN_OR_RAISE(auto one, arrow::MakeArrayFromScalar(*value, 1));
      arrays.push_back(std::move(one));
      // Both zeros count for either.
      const bool is_zero = IsFloat(*value->type) && value->is_valid &&
                           (value->ToString() == "0" || value->ToString() == "-0");
      if (!is_zero) continue;
      for (const double zero : {0.0, -0.0}) {
        ARROW_ASSIGN_OR_RAISE(const auto cast,
                              CastScalar(std::make_shared<arrow::DoubleScalar>(zero), value->type));
        ARROW_ASSIGN_OR_RAISE(auto both, arrow::MakeArrayFromScalar(*cast, 1));
        arrays.push_back(std::move(both));
      }
    }
    ARROW_ASSIGN_OR_RAISE(const auto value_set, arrow::Concatenate(arrays));
    ARROW_ASSIGN_OR_RAISE(result,
                          CallArrow("is_in", {std::move(operand)}, arrow::boolean(), node.place,
                                    std::make_shared<compute::SetLookupOptions>(
                                        value_set, compute::SetLookupOptions::INCONCLUSIVE)));
  }
  if (!node.is_negated) return result;
  return CallArrow("invert", {std::move(result)}, arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::LikeTest(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(auto operands, TranslateAll(node.children));
  for (size_t i = 0; i < 2; ++i) {
    if (operands[i].type->id() == Type::NA)
      return Literal(arrow::MakeNullScalar(arrow::boolean()), node.place);
    TypePtr type = operands[i].type;
    if (type->id() == Type::DICTIONARY)
      type = static_cast<const arrow::DictionaryType&>(*type).value_type();
    if (!IsText(*type) && !IsBytes(*type)) {
      return Error(operands[i].place, fmt::format("like takes text, not {}", TypeName(*type)));
    }
    ARROW_ASSIGN_OR_RAISE(
        operands[i],
        Cast(operands[i], type->id() == Type::LARGE_STRING ? type : arrow::utf8(), node.place));
  }
  if (operands.size() > 2) {
    ARROW_ASSIGN_OR_RAISE(const std::string escape,
                          ConstantText(operands[2], "the escape of like"));
    ARROW_ASSIGN_OR_RAISE(const std::string pattern,
                          ConstantText(operands[1], "a pattern with an escape"));
    const auto rewritten = WithBackslashEscape(pattern, escape);
    if (!rewritten.ok()) return Error(operands[2].place, MessageOf(rewritten.status()));
    operands[1] = Literal(std::make_shared<arrow::StringScalar>(*rewritten), operands[1].place);
  }
  operands.resize(2);
  return Call("sql_like", std::move(operands), arrow::boolean(), node.place, node.text,
              node.is_negated);
}

arrow::Result<TypedExpression> FilterTranslator::Case(const SqlNode& node) {
  size_t next = 0;
  Typed subject;
  if (node.has_subject) {
    ARROW_ASSIGN_OR_RAISE(subject, Translate(node.children[next++]));
  }
  std::vector<Typed> conditions, values;
  for (; next + 1 < node.children.size() + (node.has_otherwise ? 0 : 1); next += 2) {
    ARROW_ASSIGN_OR_RAISE(Typed condition, Translate(node.children[next]));
    if (node.has_subject) {
      ARROW_ASSIGN_OR_RAISE(condition,
                            Compare("equal", subject, std::move(condition), false, node.place));
    } else {
      ARROW_ASSIGN_OR_RAISE(condition, AsBoolean(std::move(condition)));
    }
    conditions.push_back(std::move(condition));
    ARROW_ASSIGN_OR_RAISE(Typed value, Translate(node.children[next + 1]));
    values.push_back(std::move(value));
  }
  Typed result = Literal(std::make_shared<arrow::NullScalar>(), node.place);
  if (node.has_otherwise) {
    ARROW_ASSIGN_OR_RAISE(result, Translate(node.children.back()));
  }
  TypePtr type = result.type;
  for (const Typed& value : values) {
    const TypePtr common = UnionType(type, value.type);
    if (common == nullptr) {
      return Error(value.place, fmt::format("the branches of case are of types {} and {}",
                                            TypeName(*type), TypeName(*value.type)));
    }
    type = common;
  }
  ARROW_ASSIGN_OR_RAISE(result, Cast(result, type, node.place));
  for (size_t i = values.size(); i-- > 0;) {
    ARROW_ASSIGN_OR_RAISE(Typed value, Cast(values[i], type, values[i].place));
    ARROW_ASSIGN_OR_RAISE(
        result, IfElse(std::move(conditions[i]), std::move(value), std::move(result), node.place));
  }
  return result;
}

arrow::Result<TypedExpression> FilterTranslator::Array(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(auto elements, TranslateAll(node.children));
  return MakeList(node, std::move(elements));
}

arrow::Result<TypedExpression> FilterTranslator::CastTo(const SqlNode& node) {
  ARROW_ASSIGN_OR_RAISE(const Typed operand, Translate(node.children[0]));
  if (node.text == "interval") {
    ARROW_ASSIGN_OR_RAISE(std::string text, ConstantText(operand, "an interval"));
    static const std::pair<const char*, const char*> kFields[] = {
        {"4", "year"},    {"2", "month"},     {"8", "day"},
        {"1024", "hour"}, {"2048", "minute"}, {"4096", "second"}};
    for (const auto& [mask, unit] : kFields) {
      if (node.names.size() == 1 && node.names[0] == mask) text += std::string(" ") + unit;
    }
    const auto interval = ParseInterval(text);
    if (!interval) return Error(operand.place, "malformed interval");
    return Literal(std::make_shared<arrow::MonthDayNanoIntervalScalar>(
                       arrow::MonthDayNanoIntervalType::MonthDayNanos{
                           interval->months, interval->days, interval->nanos}),
                   node.place);
  }
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, ParseType(node));
  return Cast(operand, type, node.place, node.is_try);
}

arrow::Result<TypePtr> FilterTranslator::ParseType(const SqlNode& node) const {
  static const std::pair<const char*, TypePtr (*)()> kTypes[] = {
      {"bool", [] { return TypePtr(arrow::boolean()); }},
      {"boolean", [] { return TypePtr(arrow::boolean()); }},
      {"tinyint", [] { return TypePtr(arrow::int8()); }},
      {"smallint", [] { return TypePtr(arrow::int16()); }},
      {"int2", [] { return TypePtr(arrow::int16()); }},
      {"int", [] { return TypePtr(arrow::int32()); }},
      {"integer", [] { return TypePtr(arrow::int32()); }},
      {"int4", [] { return TypePtr(arrow::int32()); }},
      {"bigint", [] { return TypePtr(arrow::int64()); }},
      {"int8", [] { return TypePtr(arrow::int64()); }},
      {"tinyint unsigned", [] { return TypePtr(arrow::uint8()); }},
      {"smallint unsigned", [] { return TypePtr(arrow::uint16()); }},
      {"int unsigned", [] { return TypePtr(arrow::uint32()); }},
      {"integer unsigned", [] { return TypePtr(arrow::uint32()); }},
      {"bigint unsigned", [] { return TypePtr(arrow::uint64()); }},
      {"float4", [] { return TypePtr(arrow::float32()); }},
      {"real", [] { return TypePtr(arrow::float32()); }},
      {"float", [] { return TypePtr(arrow::float32()); }},
      {"float8", [] { return TypePtr(arrow::float64()); }},
      {"double", [] { return TypePtr(arrow::float64()); }},
      {"string", [] { return TypePtr(arrow::utf8()); }},
      {"text", [] { return TypePtr(arrow::utf8()); }},
      {"varchar", [] { return TypePtr(arrow::utf8()); }},
      {"bpchar", [] { return TypePtr(arrow::utf8()); }},
      {"binary", [] { return TypePtr(arrow::binary()); }},
      {"bytea", [] { return TypePtr(arrow::binary()); }},
      {"varbinary", [] { return TypePtr(arrow::binary()); }},
      {"date", [] { return TypePtr(arrow::date32()); }},
      {"time", [] { return TypePtr(arrow::time64(arrow::TimeUnit::NANO)); }}};
  const auto number = [&](size_t index) -> int {
    int value = -1;
    const std::string& text = node.names[index];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
  };
  std::string name = node.text;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name == "timestamp" || name == "datetime" || name == "timestamptz") {
    const int digits = node.names.empty() ? 6 : number(0);
    if (digits != 0 && digits != 3 && digits != 6 && digits != 9) {
      return Error(node.place, "a timestamp has 0, 3, 6 or 9 digits behind the second");
    }
    return arrow::timestamp(static_cast<arrow::TimeUnit::type>(digits / 3),
                            name == "timestamptz" ? "UTC" : "");
  }
  if (name == "decimal" || name == "numeric" || name == "dec") {
    if (node.names.size() != 2)
      return Error(node.place, "a decimal needs precision and scale, as in decimal(10, 2)");
    const int precision = number(0), scale = number(1);
    if (precision < 1 || precision > 76 || scale < 0 || scale > precision) {
      return Error(node.place,
                   "a decimal has a precision from 1 to 76 and a scale from 0 to the precision");
    }
    return MakeDecimal(precision > 38 ? 256 : 128, precision, scale);
  }
  for (const auto& [known, make] : kTypes) {
    if (name == known) return make();
  }
  return Error(node.place, fmt::format("unknown type \"{}\"", name));
}

}  // namespace pennon
