#include "output_value.h"

#include <arrow/array/array_dict.h>
#include <arrow/array/array_nested.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/extension_type.h>
#include <arrow/type_traits.h>
#include <arrow/util/base64.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/arrow_functions.h"
#include "pennon/base/error.h"

namespace pennon::cli {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  constexpr int64_t kUnits[] = {1, 1000, 1'000'000, kNanosPerSecond};
  return kUnits[static_cast<int>(unit)];
}

/// Quotient rounded down, and the remainder, which is not negative.
std::pair<int64_t, int64_t> FloorDivide(int64_t value, int64_t divisor) {
  const int64_t remainder = value % divisor;
  const bool borrows = remainder < 0;
  return {value / divisor - (borrows ? 1 : 0), remainder + (borrows ? divisor : 0)};
}

/// Text of a simple value; JSON puts it in quotes.
template <typename Append>
CellWriter QuotedInJson(ValueStyle style, Append append) {
  if (style != ValueStyle::kJson) return append;
  return [append](int64_t row, std::string* out) {
    *out += '"';
    append(row, out);
    *out += '"';
  };
}

template <typename T>
void AppendReal(T value, ValueStyle style, std::string* out) {
  if (std::isnan(value) || std::isinf(value)) {
    const char* word = std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
    *out += style == ValueStyle::kJson ? fmt::format("\"{}\"", word) : word;
    return;
  }
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  const std::string_view shortest(digits, static_cast<size_t>(end - digits));
  *out += shortest;
  // Whole numbers keep a point, so that they read back as floats.
  if (shortest.find_first_of(".e") == std::string_view::npos) *out += ".0";
}

/// Fractions in groups of three digits, as many as it takes.
void AppendFraction(int64_t nanos, std::string* out) {
  if (nanos == 0) return;
  if (nanos % 1'000'000 == 0) {
    fmt::format_to(std::back_inserter(*out), ".{:03}", nanos / 1'000'000);
  } else if (nanos % 1000 == 0) {
    fmt::format_to(std::back_inserter(*out), ".{:06}", nanos / 1000);
  } else {
    fmt::format_to(std::back_inserter(*out), ".{:09}", nanos);
  }
}

void AppendDate(int64_t days, std::string* out) {
  // <chrono>'s calendar ends with the year 32767; beyond it the days are counted.
  constexpr int64_t kDaysMax = 11'248'737;
  if (days > kDaysMax || days < -kDaysMax) {
    *out += fmt::format("1970-01-01{:+}d", days);
    return;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  fmt::format_to(std::back_inserter(*out), "{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

void AppendTimeOfDay(int64_t seconds, int64_t nanos, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60,
                 seconds % 60);
  AppendFraction(nanos, out);
}

/// Local time of each value of a column with a zone: the system's zone database, by way of Arrow.
arrow::Result<ArrayPtr> LocalTimes(const ArrayPtr& column) {
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum local, arrow::compute::LocalTimestamp(column));
  return local.make_array();
}

/// Whether values are shown in the local time of a zone.
bool HasLocalTimes(const arrow::DataType& type) {
  if (type.id() == Type::EXTENSION) {
    return HasLocalTimes(*static_cast<const arrow::ExtensionType&>(type).storage_type());
  }
  if (type.id() == Type::DICTIONARY)
    return HasLocalTimes(*static_cast<const arrow::DictionaryType&>(type).value_type());
  if (type.id() == Type::TIMESTAMP) {
    const std::string& zone = static_cast<const arrow::TimestampType&>(type).timezone();
    return !zone.empty() && zone != "UTC";
  }
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return HasLocalTimes(*field->type()); });
}

CellWriter TimestampWriter(const ArrayPtr& column, ValueStyle style) {
  const auto& type = static_cast<const arrow::TimestampType&>(*column->type());
  const int64_t per_second = UnitsPerSecond(type.unit());
  ArrayPtr local = column;
  const bool has_zone = !type.timezone().empty();
  if (has_zone && type.timezone() != "UTC") {
    if (const auto times = LocalTimes(column); times.ok()) local = *times;
  }
  const char separator = style == ValueStyle::kTable ? ' ' : 'T';
  return QuotedInJson(style, [=](int64_t row, std::string* out) {
    const int64_t instant = static_cast<const arrow::TimestampArray&>(*column).Value(row);
    const int64_t value = static_cast<const arrow::TimestampArray&>(*local).Value(row);
    const auto [seconds, units] = FloorDivide(value, per_second);
    const auto [days, second_of_day] = FloorDivide(seconds, 86400);
    AppendDate(days, out);
    *out += separator;
    AppendTimeOfDay(second_of_day, units * (kNanosPerSecond / per_second), out);
    if (!has_zone) return;
    const int64_t offset = (value - instant) / per_second;
    if (offset == 0) {
      *out += 'Z';
    } else {
      fmt::format_to(std::back_inserter(*out), "{}{:02}:{:02}", offset < 0 ? '-' : '+',
                     std::abs(offset) / 3600, std::abs(offset) / 60 % 60);
    }
  });
}

/// ISO 8601: PT1.5S.
CellWriter DurationWriter(const ArrayPtr& column, ValueStyle style) {
  const int64_t per_second =
      UnitsPerSecond(static_cast<const arrow::DurationType&>(*column->type()).unit());
  return QuotedInJson(style, [=](int64_t row, std::string* out) {
    const int64_t value = static_cast<const arrow::DurationArray&>(*column).Value(row);
    const auto magnitude =
        value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    const auto units = static_cast<uint64_t>(per_second);
    fmt::format_to(std::back_inserter(*out), "{}PT{}", value < 0 ? "-" : "", magnitude / units);
    AppendFraction(static_cast<int64_t>(magnitude % units) * (kNanosPerSecond / per_second), out);
    *out += 'S';
  });
}

CellWriter TimeWriter(const ArrayPtr& column, ValueStyle style) {
  const bool is_narrow = column->type_id() == Type::TIME32;
  const int64_t per_second =
      UnitsPerSecond(is_narrow ? static_cast<const arrow::Time32Type&>(*column->type()).unit()
                               : static_cast<const arrow::Time64Type&>(*column->type()).unit());
  return QuotedInJson(style, [=](int64_t row, std::string* out) {
    const int64_t value = is_narrow ? static_cast<const arrow::Time32Array&>(*column).Value(row)
                                    : static_cast<const arrow::Time64Array&>(*column).Value(row);
    AppendTimeOfDay(value / per_second, value % per_second * (kNanosPerSecond / per_second), out);
  });
}

/// Digits without an exponent. In JSON a string, so that no reader rounds it.
CellWriter DecimalWriter(const ArrayPtr& column, ValueStyle style) {
  const int scale = static_cast<const arrow::DecimalType&>(*column->type()).scale();
  const auto digits_of = [column](int64_t row) -> std::string {
    switch (column->type_id()) {
      case Type::DECIMAL32:
        return arrow::Decimal32(static_cast<const arrow::Decimal32Array&>(*column).GetValue(row))
            .ToIntegerString();
      case Type::DECIMAL64:
        return arrow::Decimal64(static_cast<const arrow::Decimal64Array&>(*column).GetValue(row))
            .ToIntegerString();
      case Type::DECIMAL128:
        return arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(*column).GetValue(row))
            .ToIntegerString();
      default:
        return arrow::Decimal256(static_cast<const arrow::Decimal256Array&>(*column).GetValue(row))
            .ToIntegerString();
    }
  };
  return QuotedInJson(style, [=](int64_t row, std::string* out) {
    std::string digits = digits_of(row);
    if (digits[0] == '-') {
      *out += '-';
      digits.erase(0, 1);
    }
    if (scale <= 0) {
      *out += digits == "0" ? digits : digits + std::string(static_cast<size_t>(-scale), '0');
      return;
    }
    const auto places = static_cast<size_t>(scale);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    *out += digits.substr(0, digits.size() - places) + "." + digits.substr(digits.size() - places);
  });
}

std::string_view BytesAt(const arrow::Array& column, int64_t row) {
  switch (column.type_id()) {
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return static_cast<const arrow::LargeBinaryArray&>(column).GetView(row);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return static_cast<const arrow::BinaryViewArray&>(column).GetView(row);
    case Type::FIXED_SIZE_BINARY:
      return static_cast<const arrow::FixedSizeBinaryArray&>(column).GetView(row);
    default:
      return static_cast<const arrow::BinaryArray&>(column).GetView(row);
  }
}

CellWriter TextWriter(const ArrayPtr& column, ValueStyle style) {
  return [=](int64_t row, std::string* out) {
    const std::string_view text = BytesAt(*column, row);
    if (style == ValueStyle::kJson) {
      AppendJsonText(text, out);
    } else if (style == ValueStyle::kTable) {
      AppendEscapedForPeople(text, out);
    } else {
      *out += text;
    }
  };
}

CellWriter BytesWriter(const ArrayPtr& column, ValueStyle style) {
  // A cell shows a few dozen characters; more hex would be made for nothing.
  constexpr size_t kTableBytesMax = 512;
  if (style == ValueStyle::kTable) {
    return [=](int64_t row, std::string* out) {
      const std::string_view bytes = BytesAt(*column, row);
      *out += "0x";
      for (char c : bytes.substr(0, kTableBytesMax)) {
        fmt::format_to(std::back_inserter(*out), "{:02x}", static_cast<unsigned char>(c));
      }
      if (bytes.size() > kTableBytesMax) *out += "...";
    };
  }
  return QuotedInJson(style, [=](int64_t row, std::string* out) {
    *out += arrow::util::base64_encode(BytesAt(*column, row));
  });
}

template <typename ArrayType>
CellWriter IntegerWriter(const ArrayPtr& column) {
  return [=](int64_t row, std::string* out) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits),
                                   static_cast<const ArrayType&>(*column).Value(row))
                         .ptr;
    out->append(digits, end);
  };
}

/// Nested values are JSON in CSV too.
ValueStyle Inside(ValueStyle style) {
  return style == ValueStyle::kCsv ? ValueStyle::kJson : style;
}

template <typename ListType>
arrow::Result<CellWriter> ListWriter(const ArrayPtr& column, ValueStyle style) {
  const auto& lists = static_cast<const ListType&>(*column);
  ARROW_ASSIGN_OR_RAISE(const CellWriter element, MakeCellWriter(lists.values(), Inside(style)));
  const char* separator = style == ValueStyle::kTable ? ", " : ",";
  return [=](int64_t row, std::string* out) {
    const auto& rows = static_cast<const ListType&>(*column);
    *out += '[';
    const int64_t begin = rows.value_offset(row), end = begin + rows.value_length(row);
    for (int64_t i = begin; i < end; ++i) {
      if (i > begin) *out += separator;
      element(i, out);
    }
    *out += ']';
  };
}

arrow::Result<CellWriter> StructWriter(const ArrayPtr& column, ValueStyle style) {
  const auto& structs = static_cast<const arrow::StructArray&>(*column);
  std::vector<std::pair<std::string, CellWriter>> fields;
  const bool is_table = style == ValueStyle::kTable;
  for (int i = 0; i < structs.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(CellWriter writer, MakeCellWriter(structs.field(i), Inside(style)));
    std::string name;
    if (is_table) {
      AppendEscapedForPeople(structs.type()->field(i)->name(), &name);
    } else {
      AppendJsonText(structs.type()->field(i)->name(), &name);
    }
    fields.emplace_back(name + (is_table ? ": " : ":"), std::move(writer));
  }
  return [column, fields, is_table](int64_t row, std::string* out) {
    *out += '{';
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) *out += is_table ? ", " : ",";
      *out += fields[i].first;
      fields[i].second(row, out);
    }
    *out += '}';
  };
}

/// With text keys an object, else a list of pairs.
arrow::Result<CellWriter> MapWriter(const ArrayPtr& column, ValueStyle style) {
  const auto& maps = static_cast<const arrow::MapArray&>(*column);
  const bool has_text_keys =
      maps.keys()->type_id() == Type::STRING || maps.keys()->type_id() == Type::LARGE_STRING;
  ARROW_ASSIGN_OR_RAISE(const CellWriter key, MakeCellWriter(maps.keys(), Inside(style)));
  ARROW_ASSIGN_OR_RAISE(const CellWriter item, MakeCellWriter(maps.items(), Inside(style)));
  const bool is_table = style == ValueStyle::kTable;
  return [=](int64_t row, std::string* out) {
    const auto& rows = static_cast<const arrow::MapArray&>(*column);
    const bool is_object = has_text_keys || is_table;
    *out += is_object ? '{' : '[';
    for (int64_t i = rows.value_offset(row); i < rows.value_offset(row + 1); ++i) {
      if (i > rows.value_offset(row)) *out += is_table ? ", " : ",";
      if (!is_object) *out += '[';
      key(i, out);
      *out += is_table ? ": " : is_object ? ":" : ",";
      item(i, out);
      if (!is_object) *out += ']';
    }
    *out += is_object ? '}' : ']';
  };
}

arrow::Result<CellWriter> DictionaryWriter(const ArrayPtr& column, ValueStyle style) {
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*column);
  ARROW_ASSIGN_OR_RAISE(const CellWriter value, MakeCellWriter(dictionary.dictionary(), style));
  return [=](int64_t row, std::string* out) {
    value(static_cast<const arrow::DictionaryArray&>(*column).GetValueIndex(row), out);
  };
}

arrow::Result<CellWriter> MakeValueWriter(const ArrayPtr& column, ValueStyle style) {
  switch (column->type_id()) {
    case Type::NA:
      return CellWriter([](int64_t, std::string*) {});
    case Type::BOOL:
      return CellWriter([=](int64_t row, std::string* out) {
        *out += static_cast<const arrow::BooleanArray&>(*column).Value(row) ? "true" : "false";
      });
    case Type::INT8:
      return IntegerWriter<arrow::Int8Array>(column);
    case Type::INT16:
      return IntegerWriter<arrow::Int16Array>(column);
    case Type::INT32:
      return IntegerWriter<arrow::Int32Array>(column);
    case Type::INT64:
      return IntegerWriter<arrow::Int64Array>(column);
    case Type::UINT8:
      return IntegerWriter<arrow::UInt8Array>(column);
    case Type::UINT16:
      return IntegerWriter<arrow::UInt16Array>(column);
    case Type::UINT32:
      return IntegerWriter<arrow::UInt32Array>(column);
    case Type::UINT64:
      return IntegerWriter<arrow::UInt64Array>(column);
    case Type::HALF_FLOAT:
      return CellWriter([=](int64_t row, std::string* out) {
        const auto bits = static_cast<const arrow::HalfFloatArray&>(*column).Value(row);
        AppendReal(arrow::util::Float16::FromBits(bits).ToFloat(), style, out);
      });
    case Type::FLOAT:
      return CellWriter([=](int64_t row, std::string* out) {
        AppendReal(static_cast<const arrow::FloatArray&>(*column).Value(row), style, out);
      });
    case Type::DOUBLE:
      return CellWriter([=](int64_t row, std::string* out) {
        AppendReal(static_cast<const arrow::DoubleArray&>(*column).Value(row), style, out);
      });
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return DecimalWriter(column, style);
    case Type::DATE32:
      return QuotedInJson(style, [=](int64_t row, std::string* out) {
        AppendDate(static_cast<const arrow::Date32Array&>(*column).Value(row), out);
      });
    case Type::DATE64:
      return QuotedInJson(style, [=](int64_t row, std::string* out) {
        AppendDate(static_cast<const arrow::Date64Array&>(*column).Value(row) / 86'400'000, out);
      });
    case Type::TIMESTAMP:
      return TimestampWriter(column, style);
    case Type::TIME32:
    case Type::TIME64:
      return TimeWriter(column, style);
    case Type::DURATION:
      return DurationWriter(column, style);
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      return TextWriter(column, style);
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
    case Type::FIXED_SIZE_BINARY:
      return BytesWriter(column, style);
    case Type::LIST:
      return ListWriter<arrow::ListArray>(column, style);
    case Type::LARGE_LIST:
      return ListWriter<arrow::LargeListArray>(column, style);
    case Type::FIXED_SIZE_LIST:
      return ListWriter<arrow::FixedSizeListArray>(column, style);
    case Type::STRUCT:
      return StructWriter(column, style);
    case Type::MAP:
      return MapWriter(column, style);
    case Type::DICTIONARY:
      return DictionaryWriter(column, style);
    default:
      return MakeError(ErrorKind::kUnsupportedFeature,
                       "values of this type have no text form: " + column->type()->ToString());
  }
}

/// Text that is no UTF-8, as damaged files may hold, with a replacement character for what is not.
void AppendRepairedJsonText(std::string_view text, std::string* out) {
  using nlohmann::json;
  *out += json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void AppendEscapedForPeople(std::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      // U+0080 to U+009F: terminals act on them too.
      fmt::format_to(std::back_inserter(*out), "\\x{:02x}", next);
      ++i;
    } else if (byte >= 0x20 && byte != 0x7F) {
      *out += c;
    } else if (c == '\n') {
      *out += "\\n";
    } else if (c == '\r') {
      *out += "\\r";
    } else if (c == '\t') {
      *out += "\\t";
    } else {
      fmt::format_to(std::back_inserter(*out), "\\x{:02x}", byte);
    }
  }
}

void AppendJsonText(std::string_view text, std::string* out) {
  static const bool kIsReady = (arrow::util::InitializeUTF8(), true);
  if (!kIsReady || !arrow::util::ValidateUTF8(text)) return AppendRepairedJsonText(text, out);
  *out += '"';
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (byte >= 0x20) {
      *out += c;
    } else if (c == '\n') {
      *out += "\\n";
    } else if (c == '\r') {
      *out += "\\r";
    } else if (c == '\t') {
      *out += "\\t";
    } else {
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", byte);
    }
  }
  *out += '"';
}

arrow::Status PrepareCellWriters(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (HasLocalTimes(*field->type())) return LoadArrowFunctions();
  }
  return arrow::Status::OK();
}

bool IsRightAligned(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id()) ||
         arrow::is_decimal(type.id());
}

arrow::Result<CellWriter> MakeCellWriter(const ArrayPtr& column, ValueStyle style) {
  if (column->type_id() == Type::EXTENSION) {
    return MakeCellWriter(static_cast<const arrow::ExtensionArray&>(*column).storage(), style);
  }
  ARROW_ASSIGN_OR_RAISE(const CellWriter value, MakeValueWriter(column, style));
  if (column->null_count() == 0) return value;
  const char* null = style == ValueStyle::kCsv ? "" : "null";
  return [=](int64_t row, std::string* out) {
    if (column->IsNull(row)) {
      *out += null;
    } else {
      value(row, out);
    }
  };
}

}  // namespace pennon::cli
