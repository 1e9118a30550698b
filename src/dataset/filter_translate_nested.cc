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

arrow::Result<TypedExpression> FilterTranslator::ListAndElement(const SqlNode& node,
                                                                std::vector<Typed> arguments) {
  const TypePtr result = node.text == "array_has" ? arrow::boolean() : arrow::uint64();
  if (arguments[0].type->id() == Type::NA)
    return Literal(arrow::MakeNullScalar(result), node.place);
  if (!IsList(*arguments[0].type))
    return Error(arguments[0].place,
                 fmt::format("expected a list, not {}", TypeName(*arguments[0].type)));
  const TypePtr own = ElementType(*arguments[0].type), other = ValueType(arguments[1].type);
  const bool mixes_text = (IsText(*own) || IsText(*other)) && IsText(*own) != IsText(*other) &&
                          own->id() != Type::NA && other->id() != Type::NA;
  const TypePtr element = mixes_text ? nullptr : ComparisonType(own, other);
  if (element == nullptr) {
    return Error(arguments[1].place,
                 fmt::format("a list of {} holds no {}", TypeName(*own), TypeName(*other)));
  }
  ARROW_ASSIGN_OR_RAISE(arguments[1], Cast(arguments[1], element, arguments[1].place));
  if (!element->Equals(own)) {
    ARROW_ASSIGN_OR_RAISE(arguments[0],
                          Cast(arguments[0], arrow::list(element), arguments[0].place));
  }
  return Call(node.text, std::move(arguments), result, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::ListAndList(const SqlNode& node,
                                                             std::vector<Typed> arguments) {
  for (const Typed& argument : arguments) {
    if (argument.type->id() == Type::NA)
      return Literal(arrow::MakeNullScalar(arrow::boolean()), node.place);
    if (!IsList(*argument.type))
      return Error(argument.place,
                   fmt::format("expected a list, not {}", TypeName(*argument.type)));
  }
  const TypePtr element =
      ComparisonType(ElementType(*arguments[0].type), ElementType(*arguments[1].type));
  if (element == nullptr) {
    return Error(node.place, fmt::format("cannot compare {} with {}", TypeName(*arguments[0].type),
                                         TypeName(*arguments[1].type)));
  }
  for (Typed& argument : arguments) {
    if (!ElementType(*argument.type)->Equals(element)) {
      ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, arrow::list(element), argument.place));
    }
  }
  return Call(node.text, std::move(arguments), arrow::boolean(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::ListToNumber(const SqlNode& node,
                                                              std::vector<Typed> arguments) {
  const TypePtr result = node.text == "array_length" ? arrow::uint64() : arrow::boolean();
  if (arguments[0].type->id() == Type::NA)
    return Literal(arrow::MakeNullScalar(result), node.place);
  if (!IsList(*arguments[0].type) && arguments[0].type->id() != Type::MAP) {
    return Error(arguments[0].place,
                 fmt::format("expected a list, not {}", TypeName(*arguments[0].type)));
  }
  return Call(node.text, std::move(arguments), result, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::ListElement(const SqlNode& node,
                                                             std::vector<Typed> arguments) {
  if (!IsList(*arguments[0].type)) {
    return Error(arguments[0].place,
                 fmt::format("expected a list, not {}", TypeName(*arguments[0].type)));
  }
  const TypePtr type = ElementType(*arguments[0].type);
  if (node.text == "max" || node.text == "min") {
    if (type->num_fields() > 0)
      return Error(arguments[0].place,
                   fmt::format("values of type {} have no order", TypeName(*type)));
    return Call("array_extreme", std::move(arguments), type, node.place, "", node.text == "min");
  }
  ARROW_ASSIGN_OR_RAISE(arguments[1], AsInt64(std::move(arguments[1]), node));
  return Call("array_element", std::move(arguments), type, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::ListToText(const SqlNode& node,
                                                            std::vector<Typed> arguments) {
  if (!IsList(*arguments[0].type) || !CanCast(*ElementType(*arguments[0].type), *arrow::utf8())) {
    return Error(arguments[0].place, fmt::format("expected a list of simple values, not {}",
                                                 TypeName(*arguments[0].type)));
  }
  ARROW_ASSIGN_OR_RAISE(arguments[1], AsText(std::move(arguments[1]), node));
  return Call(node.text, std::move(arguments), arrow::utf8(), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::MakeList(const SqlNode& node,
                                                          std::vector<Typed> arguments) {
  TypePtr type = arrow::null();
  for (const Typed& argument : arguments) {
    const TypePtr common = ArgumentType(type, ValueType(argument.type));
    if (common == nullptr)
      return Error(argument.place, fmt::format("{} and {} have no common type", TypeName(*type),
                                               TypeName(*argument.type)));
    type = common;
  }
  if (arguments.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto none, arrow::MakeEmptyArray(arrow::null()));
    return Literal(std::make_shared<arrow::ListScalar>(none, arrow::list(arrow::null())),
                   node.place);
  }
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, Cast(argument, type, argument.place));
  }
  return Call("make_array", std::move(arguments), arrow::list(type), node.place);
}

arrow::Result<TypedExpression> FilterTranslator::GetField(const SqlNode& node,
                                                          std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[1], "the name of a field"));
  const Typed& operand = arguments[0];
  if (operand.type->id() != Type::STRUCT)
    return Error(operand.place, fmt::format("expected a struct, not {}", TypeName(*operand.type)));
  const auto field = static_cast<const arrow::StructType&>(*operand.type).GetFieldByName(name);
  if (field == nullptr)
    return Error(arguments[1].place, fmt::format("no field \"{}\" in a value of type {}", name,
                                                 TypeName(*operand.type)));
  if (const arrow::FieldRef* base = operand.expression.field_ref()) {
    std::vector<arrow::FieldRef> path =
        base->IsNested() ? *base->nested_refs() : std::vector<arrow::FieldRef>{*base};
    path.emplace_back(name);
    return Typed{compute::field_ref(arrow::FieldRef(std::move(path))), field->type(), node.place,
                 false, false};
  }
  return CallArrow("struct_field", {operand}, field->type(), node.place,
                   std::make_shared<compute::StructFieldOptions>(arrow::FieldRef(name)));
}

}  // namespace pennon
