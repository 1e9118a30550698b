#include "format/logical_type.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <vector>

#include "format/schema.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr std::string_view kListPrefix = "fixed_size_list:";
constexpr std::string_view kBfloat16Name = "lance.bfloat16";
constexpr int kListNestingMax = 16;
/// Bytes of one value: a fixed-size list wider than this is refused rather than multiplied out.
constexpr int64_t kFixedSizeValuesMax = int64_t{1} << 30;

const std::map<std::string_view, TypePtr>& PlainTypes() {
  static const std::map<std::string_view, TypePtr> types = {
      {"null", arrow::null()},
      {"bool", arrow::boolean()},
      {"int8", arrow::int8()},
      {"uint8", arrow::uint8()},
      {"int16", arrow::int16()},
      {"uint16", arrow::uint16()},
      {"int32", arrow::int32()},
      {"uint32", arrow::uint32()},
      {"int64", arrow::int64()},
      {"uint64", arrow::uint64()},
      {"halffloat", arrow::float16()},
      {"float", arrow::float32()},
      {"double", arrow::float64()},
      {"string", arrow::utf8()},
      {"binary", arrow::binary()},
      {"large_string", arrow::large_utf8()},
      {"large_binary", arrow::large_binary()},
      {"blob", arrow::large_binary()},
      {"json", arrow::large_binary()},
      {"date32:day", arrow::date32()},
      {"date64:ms", arrow::date64()},
      {"time32:s", arrow::time32(arrow::TimeUnit::SECOND)},
      {"time32:ms", arrow::time32(arrow::TimeUnit::MILLI)},
      {"time64:us", arrow::time64(arrow::TimeUnit::MICRO)},
      {"time64:ns", arrow::time64(arrow::TimeUnit::NANO)},
      {"duration:s", arrow::duration(arrow::TimeUnit::SECOND)},
      {"duration:ms", arrow::duration(arrow::TimeUnit::MILLI)},
      {"duration:us", arrow::duration(arrow::TimeUnit::MICRO)},
      {"duration:ns", arrow::duration(arrow::TimeUnit::NANO)},
  };
  return types;
}

arrow::Status Unsupported(std::string_view logical_type) {
  return MakeError(ErrorKind::kUnsupportedFeature,
                   fmt::format("logical type is not supported: {}", logical_type));
}

bool ParseInteger(std::string_view text, int32_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t colon = text.find(':'); colon != text.npos; colon = text.find(':')) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  return parts;
}

bool ParseTimeUnit(std::string_view text, arrow::TimeUnit::type* unit) {
  if (text == "s") {
    *unit = arrow::TimeUnit::SECOND;
  } else if (text == "ms") {
    *unit = arrow::TimeUnit::MILLI;
  } else if (text == "us") {
    *unit = arrow::TimeUnit::MICRO;
  } else if (text == "ns") {
    *unit = arrow::TimeUnit::NANO;
  } else {
    return false;
  }
  return true;
}

const char* TimeUnitName(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return "s";
    case arrow::TimeUnit::MILLI:
      return "ms";
    case arrow::TimeUnit::MICRO:
      return "us";
    case arrow::TimeUnit::NANO:
      return "ns";
  }
  return "ns";
}

arrow::Result<TypePtr> Parse(std::string_view name, int depth, int64_t values);

// "fixed_size_list:<item>:<n>", where <item> may hold colons.
arrow::Result<TypePtr> ParseFixedSizeList(std::string_view name, int depth, int64_t values) {
  const std::string_view rest = name.substr(kListPrefix.size());
  const size_t colon = rest.rfind(':');
  int32_t size = 0;
  if (colon == rest.npos || !ParseInteger(rest.substr(colon + 1), &size)) return Unsupported(name);
  if (size <= 0 || depth >= kListNestingMax || values * size > kFixedSizeValuesMax)
    return Unsupported(name);
  const std::string_view item = rest.substr(0, colon);
  if (item == kBfloat16Name) {
    auto metadata = arrow::key_value_metadata({kExtensionMetadataKey, kExtensionNameKey},
                                              {"", std::string(kBfloat16Name)});
    return arrow::fixed_size_list(
        arrow::field("item", arrow::fixed_size_binary(2), true, std::move(metadata)), size);
  }
  ARROW_ASSIGN_OR_RAISE(auto type, Parse(item, depth + 1, values * size));
  return arrow::fixed_size_list(arrow::field("item", std::move(type)), size);
}

arrow::Result<TypePtr> Parse(std::string_view name, int depth, int64_t values) {
  if (const auto plain = PlainTypes().find(name); plain != PlainTypes().end()) return plain->second;
  if (name.starts_with(kListPrefix)) return ParseFixedSizeList(name, depth, values);
  const auto parts = Split(name);
  int32_t first = 0;
  int32_t second = 0;
  if (parts[0] == "fixed_size_binary" && parts.size() == 2 && ParseInteger(parts[1], &first) &&
      first >= 0 && values * first <= kFixedSizeValuesMax) {
    return arrow::fixed_size_binary(first);
  }
  if (parts[0] == "timestamp" && parts.size() >= 3) {
    arrow::TimeUnit::type unit{};
    if (!ParseTimeUnit(parts[1], &unit)) return Unsupported(name);
    // The zone is all that is left: "+08:00" has a colon of its own.
    const std::string_view zone = name.substr(static_cast<size_t>(parts[2].data() - name.data()));
    return zone == "-" ? arrow::timestamp(unit) : arrow::timestamp(unit, std::string(zone));
  }
  if (parts[0] == "decimal" && parts.size() == 4 && ParseInteger(parts[2], &first) &&
      ParseInteger(parts[3], &second)) {
    auto made = parts[1] == "128"   ? arrow::Decimal128Type::Make(first, second)
                : parts[1] == "256" ? arrow::Decimal256Type::Make(first, second)
                                    : arrow::Result<TypePtr>(Unsupported(name));
    if (!made.ok()) return Unsupported(name);
    return made;
  }
  if (parts[0] == "dict" && parts.size() == 4) {
    const auto value = PlainTypes().find(parts[1]);
    const auto index = PlainTypes().find(parts[2]);
    if (value == PlainTypes().end() || index == PlainTypes().end()) return Unsupported(name);
    if (!arrow::is_integer(index->second->id())) return Unsupported(name);
    return arrow::dictionary(index->second, value->second);
  }
  return Unsupported(name);
}

bool IsListItemSupported(const arrow::DataType& type, bool nested) {
  switch (type.id()) {
    case arrow::Type::STRUCT:
      return !nested;
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::DICTIONARY:
      return false;
    case arrow::Type::FIXED_SIZE_LIST:
      return IsListItemSupported(*static_cast<const arrow::FixedSizeListType&>(type).value_type(),
                                 true);
    default:
      return true;
  }
}

bool IsBfloat16(const arrow::Field& field) {
  const auto& metadata = field.metadata();
  if (metadata == nullptr) return false;
  const auto name = metadata->Get(kExtensionNameKey);
  return name.ok() && *name == kBfloat16Name;
}

arrow::Status UnsupportedArrow(const arrow::DataType& type) {
  return MakeError(
      ErrorKind::kUnsupportedFeature,
      fmt::format("Arrow type cannot be stored in a Lance table: {}", type.ToString()));
}

arrow::Result<std::string> FormatFixedSizeList(const arrow::FixedSizeListType& list) {
  if (list.list_size() <= 0) return UnsupportedArrow(list);
  if (IsBfloat16(*list.value_field())) {
    return fmt::format("{}{}:{}", kListPrefix, kBfloat16Name, list.list_size());
  }
  if (!IsListItemSupported(*list.value_type(), false)) return UnsupportedArrow(list);
  ARROW_ASSIGN_OR_RAISE(const std::string item, FormatLogicalType(*list.value_type()));
  return fmt::format("{}{}:{}", kListPrefix, item, list.list_size());
}

arrow::Result<std::string> FormatDictionary(const arrow::DictionaryType& dictionary) {
  ARROW_ASSIGN_OR_RAISE(const std::string value, FormatLogicalType(*dictionary.value_type()));
  ARROW_ASSIGN_OR_RAISE(const std::string index, FormatLogicalType(*dictionary.index_type()));
  // The name has no room for a value type with colons or children: it could not be read back.
  const std::string name = fmt::format("dict:{}:{}:false", value, index);
  if (!ParseLogicalType(name).ok()) return UnsupportedArrow(dictionary);
  return name;
}

}  // namespace

arrow::Result<TypePtr> ParseLogicalType(std::string_view logical_type) {
  auto type = Parse(logical_type, 0, 1);
  // An item's own name alone would not say where it was found.
  return type.ok() ? type : Unsupported(logical_type);
}

int32_t FixedSizeListOfStructSize(std::string_view logical_type) {
  constexpr std::string_view prefix = "fixed_size_list:struct:";
  int32_t size = 0;
  if (!logical_type.starts_with(prefix)) return 0;
  if (!ParseInteger(logical_type.substr(prefix.size()), &size) || size < 0) return 0;
  return size;
}

arrow::Result<std::string> FormatLogicalType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING_VIEW:
      return "string";
    case arrow::Type::BINARY_VIEW:
      return "binary";
    case arrow::Type::TIMESTAMP: {
      const auto& stamp = static_cast<const arrow::TimestampType&>(type);
      return fmt::format("timestamp:{}:{}", TimeUnitName(stamp.unit()),
                         stamp.timezone().empty() ? "-" : stamp.timezone());
    }
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return fmt::format("decimal:{}:{}:{}", decimal.bit_width(), decimal.precision(),
                         decimal.scale());
    }
    case arrow::Type::FIXED_SIZE_BINARY:
      return fmt::format("fixed_size_binary:{}",
                         static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case arrow::Type::FIXED_SIZE_LIST:
      return FormatFixedSizeList(static_cast<const arrow::FixedSizeListType&>(type));
    case arrow::Type::DICTIONARY:
      return FormatDictionary(static_cast<const arrow::DictionaryType&>(type));
    case arrow::Type::STRUCT:
      return "struct";
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST: {
      const auto& list = static_cast<const arrow::BaseListType&>(type);
      return fmt::format("{}{}", type.id() == arrow::Type::LIST ? "list" : "large_list",
                         list.value_type()->id() == arrow::Type::STRUCT ? ".struct" : "");
    }
    case arrow::Type::MAP:
      if (static_cast<const arrow::MapType&>(type).keys_sorted()) return UnsupportedArrow(type);
      return "map";
    default:
      for (const auto& [name, plain] : PlainTypes()) {
        if (name != "blob" && name != "json" && plain->Equals(type)) return std::string(name);
      }
      return UnsupportedArrow(type);
  }
}

}  // namespace pennon
