#include "format/schema_arrow.h"

#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "format/logical_type.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr char kFieldIdKey[] = "lance:field_id";
constexpr char kPrimaryKey[] = "lance-schema:unenforced-primary-key";
constexpr char kPrimaryKeyPosition[] = "lance-schema:unenforced-primary-key:position";
constexpr char kClusteringKeyPosition[] = "lance-schema:unenforced-clustering-key:position";

std::shared_ptr<const arrow::KeyValueMetadata> ToArrowMetadata(const FieldMetadata& metadata) {
  if (metadata.empty()) return nullptr;
  auto out = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : metadata) out->Append(key, value);
  return out;
}

FieldMetadata FromArrowMetadata(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  FieldMetadata out;
  if (metadata == nullptr) return out;
  for (int64_t i = 0; i < metadata->size(); ++i) out.emplace(metadata->key(i), metadata->value(i));
  return out;
}

std::shared_ptr<arrow::DataType> BlobDescriptorType(const FieldTree& field) {
  if (!IsBlobV2(field)) {
    return arrow::struct_(
        {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  }
  return arrow::struct_({arrow::field("kind", arrow::uint8(), false),
                         arrow::field("position", arrow::uint64(), false),
                         arrow::field("size", arrow::uint64(), false),
                         arrow::field("blob_id", arrow::uint32(), false),
                         arrow::field("blob_uri", arrow::utf8(), false)});
}

std::shared_ptr<arrow::Field> BlobField(const FieldTree& field, BlobView view) {
  FieldMetadata metadata;
  if (view == BlobView::kDescriptors) {
    metadata.emplace(kBlobKey, "true");
    if (IsBlobV2(field)) metadata.emplace(kPackedKey, "true");
    return arrow::field(field.name, BlobDescriptorType(field), field.nullable,
                        ToArrowMetadata(metadata));
  }
  metadata = field.metadata;
  if (IsBlobV2(field)) {
    for (const char* key : {kBlobKey, kPackedKey, kOldPackedKey, kExtensionNameKey})
      metadata.erase(key);
  }
  return arrow::field(field.name, arrow::large_binary(), field.nullable, ToArrowMetadata(metadata));
}

// Children are converted in the asked view, so the type is made from them, not taken from
// field.type.
arrow::Result<std::shared_ptr<arrow::DataType>> TypeInView(const FieldTree& field,
                                                           const ArrowView& view, int depth);

arrow::Result<std::shared_ptr<arrow::Field>> Convert(const FieldTree& field, const ArrowView& view,
                                                     int depth) {
  if (depth > kSchemaDepthMax) {
    return MakeError(
        ErrorKind::kUnsupportedFeature,
        fmt::format("schema nests deeper than {} fields: {}", kSchemaDepthMax, field.name));
  }
  if (view.blobs != BlobView::kDeclared && IsBlob(field)) return BlobField(field, view.blobs);
  FieldMetadata metadata = field.metadata;
  if (field.logical_type == "blob") metadata.emplace(kBlobKey, "true");
  if (IsJson(field)) {
    metadata[kExtensionNameKey] =
        view.json_as_text ? kArrowJsonExtensionName : kStoredJsonExtensionName;
  }
  ARROW_ASSIGN_OR_RAISE(auto type, TypeInView(field, view, depth));
  return arrow::field(field.name, std::move(type), field.nullable, ToArrowMetadata(metadata));
}

arrow::Result<std::shared_ptr<arrow::DataType>> TypeInView(const FieldTree& field,
                                                           const ArrowView& view, int depth) {
  if (IsJson(field) && view.json_as_text) return arrow::utf8();
  if (field.children.empty() && field.type != nullptr) return field.type;
  FieldTree shown = field;
  std::vector<std::shared_ptr<arrow::Field>> children;
  for (const FieldTree& child : field.children) {
    ARROW_ASSIGN_OR_RAISE(auto made, Convert(child, view, depth + 1));
    children.push_back(std::move(made));
  }
  if (field.logical_type == "struct") return arrow::struct_(std::move(children));
  // Checks the number and kind of children; the children of the result are replaced by those of the
  // view.
  ARROW_RETURN_NOT_OK(ResolveType(&shown));
  switch (shown.type->id()) {
    case arrow::Type::LIST:
      return arrow::list(children[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(children[0]);
    case arrow::Type::MAP:
      return MakeMapType(*children[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      if (children.empty()) return shown.type;
      return arrow::fixed_size_list(
          children[0], static_cast<const arrow::FixedSizeListType&>(*shown.type).list_size());
    default:
      return shown.type;
  }
}

int32_t EncodingHint(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
    case arrow::Type::STRUCT:
      return 0;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return 2;
    case arrow::Type::DICTIONARY:
      return 3;
    default:
      return 1;
  }
}

std::optional<uint32_t> PositionIn(const FieldMetadata& metadata, const char* key) {
  const auto entry = metadata.find(key);
  if (entry == metadata.end()) return std::nullopt;
  uint32_t value = 0;
  const std::string& text = entry->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void ReadKeys(FieldTree* field) {
  field->clustering_key_position = PositionIn(field->metadata, kClusteringKeyPosition);
  field->primary_key_position = PositionIn(field->metadata, kPrimaryKeyPosition);
  const auto flag = field->metadata.find(kPrimaryKey);
  if (field->primary_key_position || flag == field->metadata.end()) return;
  if (flag->second == "true" || flag->second == "1" || flag->second == "yes")
    field->primary_key_position = 0;
}

arrow::Result<FieldTree> FromArrow(const arrow::Field& source, int depth) {
  if (depth > kSchemaDepthMax) {
    return MakeError(
        ErrorKind::kUnsupportedFeature,
        fmt::format("schema nests deeper than {} fields: {}", kSchemaDepthMax, source.name()));
  }
  FieldTree field;
  field.name = source.name();
  field.nullable = source.nullable();
  field.metadata = FromArrowMetadata(source.metadata());
  std::shared_ptr<arrow::DataType> type = source.type();
  if (type->id() == arrow::Type::EXTENSION) {
    const auto& extension = static_cast<const arrow::ExtensionType&>(*type);
    field.metadata[kExtensionNameKey] = extension.extension_name();
    field.metadata[kExtensionMetadataKey] = extension.Serialize();
    type = extension.storage_type();
  }
  if (const auto id = PositionIn(field.metadata, kFieldIdKey)) field.id = static_cast<int32_t>(*id);
  field.metadata.erase(kFieldIdKey);
  field.encoding_hint = EncodingHint(*type);
  ReadKeys(&field);

  const auto name = field.metadata.find(kExtensionNameKey);
  if (name != field.metadata.end() &&
      (name->second == kArrowJsonExtensionName || name->second == kStoredJsonExtensionName)) {
    field.logical_type = "json";
    name->second = kStoredJsonExtensionName;
  } else {
    auto logical = FormatLogicalType(*type);
    if (!logical.ok())
      return AddContext(logical.status(), fmt::format(" (field '{}')", field.name));
    field.logical_type = *logical;
  }
  const bool has_children = type->id() == arrow::Type::STRUCT || type->id() == arrow::Type::LIST ||
                            type->id() == arrow::Type::LARGE_LIST ||
                            type->id() == arrow::Type::MAP ||
                            FixedSizeListOfStructSize(field.logical_type) > 0;
  if (has_children && field.logical_type != "json") {
    for (const auto& child : type->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto made, FromArrow(*child, depth + 1));
      field.children.push_back(std::move(made));
    }
  }
  ARROW_RETURN_NOT_OK(ResolveType(&field));
  return field;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Field>> ToArrowField(const FieldTree& field,
                                                          const ArrowView& view) {
  return Convert(field, view, 0);
}

arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const TableSchema& schema,
                                                            const ArrowView& view) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const FieldTree& field : schema.fields) {
    ARROW_ASSIGN_OR_RAISE(auto made, ToArrowField(field, view));
    fields.push_back(std::move(made));
  }
  return arrow::schema(std::move(fields), ToArrowMetadata(schema.metadata));
}

arrow::Result<TableSchema> FromArrowSchema(const arrow::Schema& schema) {
  TableSchema out;
  out.metadata = FromArrowMetadata(schema.metadata());
  for (const auto& field : schema.fields()) {
    ARROW_ASSIGN_OR_RAISE(auto made, FromArrow(*field, 1));
    out.fields.push_back(std::move(made));
  }
  return out;
}

}  // namespace pennon
