// Functions on dates and times. A timestamp with a zone is taken in its local time.
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>

#include <optional>

#include "dataset/filter_kernel.h"
#include "dataset/filter_text_values.h"
#include "dataset/filter_time.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

constexpr int64_t kNanosPerSecond = 1'000'000'000;
/// The year 262142, as far as the reference engine's calendar goes. Only seconds and milliseconds
/// reach it.
constexpr int64_t kCalendarSecondsMax = 8'210'266'876'799;

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  constexpr int64_t kUnits[] = {1, 1000, 1'000'000, kNanosPerSecond};
  return kUnits[static_cast<int>(unit)];
}

/// Reads any date, time or timestamp as a local instant, and writes instants back as such values.
class InstantColumn {
 public:
  static arrow::Result<InstantColumn> Make(const KernelCall& call, const arrow::Datum& datum) {
    InstantColumn column;
    ARROW_ASSIGN_OR_RAISE(column.values_, AsArray(datum, call.length, call.pool));
    const arrow::DataType& type = *column.values_->type();
    column.id_ = type.id();
    switch (type.id()) {
      case Type::DATE32:
        column.days_ = column.values_->data()->GetValues<int32_t>(1);
        return column;
      case Type::DATE64:
        column.per_second_ = 1000;
        break;
      case Type::TIME32:
        column.per_second_ = UnitsPerSecond(static_cast<const arrow::Time32Type&>(type).unit());
        column.days_ = column.values_->data()->GetValues<int32_t>(1);
        return column;
      case Type::TIME64:
        column.per_second_ = UnitsPerSecond(static_cast<const arrow::Time64Type&>(type).unit());
        break;
      case Type::TIMESTAMP: {
        const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
        column.per_second_ = UnitsPerSecond(timestamp.unit());
        if (!timestamp.timezone().empty()) {
          const auto offset = ParseZoneOffset(timestamp.timezone());
          column.offset_ = offset.value_or(0);
          if (!offset) {
            ARROW_ASSIGN_OR_RAISE(column.values_,
                                  CallArrow(call, "local_timestamp", {column.values_}));
          }
        }
        break;
      }
      default:
        return MakeError(ErrorKind::kInternal, "not a time: " + TypeName(type));
    }
    column.units_ = column.values_->data()->GetValues<int64_t>(1);
    return column;
  }

  bool IsNull(int64_t row) const { return values_->IsNull(row); }
  LocalInstant At(int64_t row) const {
    if (id_ == Type::DATE32) return {int64_t{days_[row]} * 86400, 0};
    const int64_t value = units_ != nullptr ? units_[row] : days_[row];
    const bool borrows = value % per_second_ < 0;
    const int64_t units = value % per_second_ + (borrows ? per_second_ : 0);
    return {value / per_second_ - (borrows ? 1 : 0) + offset_,
            static_cast<int32_t>(units * (kNanosPerSecond / per_second_))};
  }
  /// Whether the instant is within the calendar that parts are taken from.
  bool IsInCalendar(int64_t row) const {
    if (units_ == nullptr) return true;
    const int64_t seconds = units_[row] / per_second_;
    return seconds >= -kCalendarSecondsMax && seconds <= kCalendarSecondsMax;
  }

  /// As a value of the same type; nothing when it does not fit.
  std::optional<int64_t> ToUnits(LocalInstant instant) const {
    int64_t value = 0;
    if (id_ == Type::DATE32) return instant.seconds / 86400 - (instant.seconds % 86400 < 0 ? 1 : 0);
    if (__builtin_mul_overflow(instant.seconds - offset_, per_second_, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, instant.nanos / (kNanosPerSecond / per_second_), &value))
      return std::nullopt;
    return value;
  }

 private:
  ArrayPtr values_;
  Type::type id_ = Type::NA;
  const int32_t* days_ = nullptr;
  const int64_t* units_ = nullptr;
  int64_t per_second_ = 1;
  int64_t offset_ = 0;
};

/// The word is the part. Returns int32, int64 for nanoseconds, double for the epoch.
arrow::Result<ArrayPtr> DatePartOf(const KernelCall& call) {
  const auto part = FindDatePart(call.options.word);
  if (!part) return MakeError(ErrorKind::kInternal, "unknown part of a date: " + call.options.word);
  ARROW_ASSIGN_OR_RAISE(const InstantColumn column, InstantColumn::Make(call, call.arguments[0]));
  const auto run = [&](auto builder, auto&& make) -> arrow::Result<ArrayPtr> {
    ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
    for (int64_t row = 0; row < call.length; ++row) {
      if (column.IsNull(row) || !column.IsInCalendar(row)) {
        builder.UnsafeAppendNull();

      } else {
        builder.UnsafeAppend(make(column.At(row)));
      }
    }
    return builder.Finish();
  };
  if (*part == DatePart::kEpoch) {
    return run(arrow::DoubleBuilder(call.pool), [](LocalInstant instant) {
      return static_cast<double>(instant.seconds) + static_cast<double>(instant.nanos) / 1e9;
    });
  }
  if (*part == DatePart::kNanosecond) {
    return run(arrow::Int64Builder(call.pool),
               [&](LocalInstant instant) { return PartOf(*part, instant); });
  }
  return run(arrow::Int32Builder(call.pool),
             [&](LocalInstant instant) { return static_cast<int32_t>(PartOf(*part, instant)); });
}

/// Applies `change` to every instant; the result has the type of the first argument.
template <typename Change>
arrow::Result<ArrayPtr> MapInstants(const KernelCall& call, Change&& change) {
  ARROW_ASSIGN_OR_RAISE(const InstantColumn column, InstantColumn::Make(call, call.arguments[0]));
  const auto run = [&](auto builder) -> arrow::Result<ArrayPtr> {
    using Value = typename decltype(builder)::value_type;
    for (int64_t row = 0; row < call.length; ++row) {
      if (column.IsNull(row)) {
        ARROW_RETURN_NOT_OK(builder.AppendNull());
        continue;
      }
      const auto value =
          column.IsInCalendar(row) ? column.ToUnits(change(column.At(row))) : std::nullopt;

      if (!value || !std::in_range<Value>(*value)) {
        return MakeError(ErrorKind::kInvalidArgument,
                         "the result is outside of " + TypeName(*call.options.type));
      }
      ARROW_RETURN_NOT_OK(builder.Append(static_cast<Value>(*value)));
    }
    return builder.Finish();
  };
  switch (call.options.type->id()) {
    case Type::DATE32:
      return run(arrow::Date32Builder(call.options.type, call.pool));
    case Type::DATE64:
      return run(arrow::Date64Builder(call.options.type, call.pool));
    case Type::TIME32:
      return run(arrow::Time32Builder(call.options.type, call.pool));
    case Type::TIME64:
      return run(arrow::Time64Builder(call.options.type, call.pool));
    default:
      break;
  }
  const auto& type = static_cast<const arrow::TimestampType&>(*call.options.type);
  if (type.timezone().empty() || ParseZoneOffset(type.timezone())) {
    return run(arrow::TimestampBuilder(call.options.type, call.pool));
  }
  // The column was made local; back into its zone by the database.
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr local,
                        run(arrow::TimestampBuilder(arrow::timestamp(type.unit()), call.pool)));
  const arrow::compute::AssumeTimezoneOptions options(
      type.timezone(), arrow::compute::AssumeTimezoneOptions::AMBIGUOUS_EARLIEST,
      arrow::compute::AssumeTimezoneOptions::NONEXISTENT_EARLIEST);
  return CallArrow(call, "assume_timezone", {local}, &options);
}

arrow::Result<ArrayPtr> DateTrunc(const KernelCall& call) {
  const auto part = FindDatePart(call.options.word);
  if (!part) return MakeError(ErrorKind::kInternal, "unknown part of a date: " + call.options.word);
  return MapInstants(call, [&](LocalInstant instant) { return TruncateTo(*part, instant); });
}

/// The word is the interval's text; the flag subtracts.
arrow::Result<ArrayPtr> AddSqlInterval(const KernelCall& call) {
  const auto interval = ParseInterval(call.options.word);
  if (!interval) return MakeError(ErrorKind::kInternal, "malformed interval: " + call.options.word);
  return MapInstants(call, [&](LocalInstant instant) {
    return AddInterval(instant, *interval, call.options.flag ? -1 : 1);
  });
}

/// int64 columns of one unit; "-" or "+" by the word, overflow is an error. Serves times, durations
/// and days.
arrow::Result<ArrayPtr> AddUnits(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto left,
                        IntegerArgument::Make(call.arguments[0], call.length, call.pool));
  ARROW_ASSIGN_OR_RAISE(const auto right,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  arrow::Int64Builder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    if (left.IsNull(row) || right.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    int64_t value = 0;
    const bool overflows = call.options.word == "-"
                               ? __builtin_sub_overflow(left.At(row), right.At(row), &value)
                               : __builtin_add_overflow(left.At(row), right.At(row), &value);
    if (overflows)
      return MakeError(ErrorKind::kInvalidArgument,
                       "time arithmetic: the result does not fit its type");
    ARROW_RETURN_NOT_OK(builder.Append(value));
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr sums, builder.Finish());
  if (call.options.type->id() == Type::INT64) return sums;
  if (call.options.type->id() == Type::DATE32) {
    const auto options = arrow::compute::CastOptions::Safe(arrow::int32());
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr days, CallArrow(call, "cast", {sums}, &options));
    return days->View(call.options.type);
  }
  return sums->View(call.options.type);
}

arrow::Result<ArrayPtr> MakeDate(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto year,
                        IntegerArgument::Make(call.arguments[0], call.length, call.pool));
  ARROW_ASSIGN_OR_RAISE(const auto month,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  ARROW_ASSIGN_OR_RAISE(const auto day,
                        IntegerArgument::Make(call.arguments[2], call.length, call.pool));
  arrow::Date32Builder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {
    if (year.IsNull(row) || month.IsNull(row) || day.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    const int64_t m = month.At(row), d = day.At(row);
    const bool is_small = std::abs(year.At(row)) < 200'000 && m > 0 && m < 13 && d > 0 && d < 32;
    if (!is_small ||
        !IsValidCivil(year.At(row), static_cast<unsigned>(m), static_cast<unsigned>(d))) {
      return MakeError(ErrorKind::kInvalidArgument, "make_date: there is no such day");
    }
    ARROW_RETURN_NOT_OK(builder.Append(static_cast<int32_t>(
        DaysFromCivil({year.At(row), static_cast<unsigned>(m), static_cast<unsigned>(d)}))));
  }
  return builder.Finish();
}

}  // namespace

std::vector<NamedKernel> TimeKernels() {
  return {{"date_part", DatePartOf},
          {"date_trunc", DateTrunc},
          {"sql_add_interval", AddSqlInterval},
          {"sql_add_units", AddUnits},
          {"make_date", MakeDate}};
}

}  // namespace pennon
