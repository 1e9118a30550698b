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

arrow::Result<TypedExpression> FilterTranslator::PartOfDate(const SqlNode& node,
                                                            std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[0], "the part of a date"));
  const auto part = FindDatePart(name);
  if (!part) return Error(arguments[0].place, fmt::format("unknown part of a date \"{}\"", name));
  Typed& time = arguments[1];
  if (IsText(*ValueType(time.type)) || time.type->id() == Type::NA) {
    ARROW_ASSIGN_OR_RAISE(time, Cast(time, arrow::timestamp(arrow::TimeUnit::NANO), time.place));
  }
  if (!IsDate(*time.type) && time.type->id() != Type::TIMESTAMP &&
      !arrow::is_time(time.type->id())) {
    return Error(time.place, fmt::format("expected a date or time, not {}", TypeName(*time.type)));
  }
  const bool is_day_part = *part <= DatePart::kDay || *part == DatePart::kDayOfWeek ||
                           *part == DatePart::kIsoDayOfWeek || *part == DatePart::kDayOfYear;
  if (arrow::is_time(time.type->id()) && is_day_part) {
    return Error(time.place, fmt::format("a time of day has no {}", name));
  }
  const TypePtr type = *part == DatePart::kEpoch        ? arrow::float64()
                       : *part == DatePart::kNanosecond ? arrow::int64()
                                                        : arrow::int32();
  return Call("date_part", {std::move(time)}, type, node.place, name);
}

arrow::Result<TypedExpression> FilterTranslator::TruncateDate(const SqlNode& node,
                                                              std::vector<Typed> arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[0], "the part of a date"));
  static const char* const kParts[] = {"year", "quarter", "month",  "week",        "day",
                                       "hour", "minute",  "second", "millisecond", "microsecond"};
  std::string lower = name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool is_known = std::find(std::begin(kParts), std::end(kParts), lower) != std::end(kParts);
  if (!is_known)
    return Error(arguments[0].place, fmt::format("cannot truncate a date to \"{}\"", name));
  Typed& time = arguments[1];
  if (IsText(*ValueType(time.type)) || time.type->id() == Type::NA) {
    ARROW_ASSIGN_OR_RAISE(time, Cast(time, arrow::timestamp(arrow::TimeUnit::NANO), time.place));
  } else if (IsDate(*time.type)) {
    ARROW_ASSIGN_OR_RAISE(time, Cast(time, arrow::timestamp(arrow::TimeUnit::MICRO), time.place));
  }
  const bool is_day_part = *FindDatePart(lower) <= DatePart::kDay;
  if (time.type->id() != Type::TIMESTAMP && (!arrow::is_time(time.type->id()) || is_day_part)) {
    return Error(time.place, fmt::format("cannot truncate {} to {}", TypeName(*time.type), lower));
  }
  const TypePtr type = time.type;
  return Call("date_trunc", {std::move(time)}, type, node.place, lower);
}

arrow::Result<TypedExpression> FilterTranslator::ToTime(const SqlNode& node,
                                                        std::vector<Typed> arguments) {
  Typed& argument = arguments[0];
  const TypePtr type = ValueType(argument.type);
  if (node.text == "date") {
    const bool is_fit =
        IsText(*type) || IsTemporal(*type) || IsInteger(*type) || type->id() == Type::NA;
    if (!is_fit)
      return Error(argument.place, fmt::format("expected text or a time, not {}", TypeName(*type)));
    return Cast(argument, arrow::date32(), node.place);
  }
  const TypePtr timestamp =
      arrow::timestamp(static_cast<arrow::TimeUnit::type>((node.text[0] - '0') / 3));
  if (!IsText(*type) && !IsInteger(*type) && !IsDate(*type) && type->id() != Type::TIMESTAMP &&
      type->id() != Type::NA) {
    return Error(argument.place, fmt::format("expected text or a time, not {}", TypeName(*type)));
  }
  // to_timestamp counts integers in seconds, its siblings in their own unit.
  if (IsInteger(*type)) {
    ARROW_ASSIGN_OR_RAISE(
        argument,
        Cast(argument, node.text == "9" ? arrow::timestamp(arrow::TimeUnit::SECOND) : timestamp,
             node.place));
  }
  return Cast(argument, timestamp, node.place);
}

arrow::Result<TypedExpression> FilterTranslator::PresentTime(const SqlNode& node,
                                                             std::vector<Typed>) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const int64_t nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  if (node.text == "now") {
    return Literal(
        std::make_shared<arrow::TimestampScalar>(nanos, arrow::timestamp(arrow::TimeUnit::NANO)),
        node.place);
  }
  return Literal(
      std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(nanos / 1'000'000'000 / 86400)),
      node.place);
}

arrow::Result<TypedExpression> FilterTranslator::DateOf(const SqlNode& node,
                                                        std::vector<Typed> arguments) {
  for (Typed& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, AsInt64(std::move(argument), node));
  }
  return Call("make_date", std::move(arguments), arrow::date32(), node.place);
}

}  // namespace pennon
