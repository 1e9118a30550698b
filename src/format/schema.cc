#include "format/schema.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "format/field_path.h"
#include "format/logical_type.h"
#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

bool IsTruthy(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return value == "1" || value == "true" || value == "on" || value == "yes" || value == "y";
}

bool HasValue(const FieldMetadata& metadata, const char* key, std::string_view value) {
  const auto entry = metadata.find(key);
  return entry != metadata.end() && entry->second == value;
}

// The stored form of a blob v2 column, as a scan shows it; a table may be declared that way too.
bool LooksLikeBlobDescriptor(const FieldTree& field) {
  constexpr std::pair<const char*, const char*> expected[] = {{"kind", "uint8"},
                                                              {"position", "uint64"},
                                                              {"size", "uint64"},
                                                              {"blob_id", "uint32"},
                                                              {"blob_uri", "string"}};
  if (field.logical_type != "struct" || field.children.size() != std::size(expected)) return false;
  for (size_t i = 0; i < std::size(expected); ++i) {
    if (field.children[i].name != expected[i].first) return false;
    if (field.children[i].logical_type != expected[i].second) return false;
  }
  return true;
}

arrow::Status WrongChildren(const FieldTree& field) {
  return MakeError(
      ErrorKind::kCorrupt,
      fmt::format("schema field has children that do not fit its type: {} ({}, {} children)",
                  field.name, field.logical_type, field.children.size()));
}

void AssignIds(FieldTree* field, int32_t* next) {
  if (field->id < 0) field->id = (*next)++;
  if (IsBlobV2(*field) && LooksLikeBlobDescriptor(*field)) return;
  for (FieldTree& child : field->children) AssignIds(&child, next);
}

int32_t MaxId(const std::vector<FieldTree>& fields) {
  int32_t largest = -1;
  for (const FieldTree& field : fields) {
    largest = std::max({largest, field.id, MaxId(field.children)});
  }
  return largest;
}

const FieldTree* FindById(const std::vector<FieldTree>& fields, int32_t id) {
  for (const FieldTree& field : fields) {
    if (field.id == id) return &field;
    if (const FieldTree* found = FindById(field.children, id)) return found;
  }
  return nullptr;
}

const FieldTree* FindByName(const std::vector<FieldTree>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const FieldTree& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// Moves the fields below `at` into it, which are given by position, and sets the types from the
// leaves up.
arrow::Status AdoptChildren(std::vector<FlatField>* flat,
                            const std::vector<std::vector<size_t>>& children, size_t at) {
  FieldTree& field = (*flat)[at].field;
  for (const size_t child : children[at]) {
    ARROW_RETURN_NOT_OK(AdoptChildren(flat, children, child));
    field.children.push_back(std::move((*flat)[child].field));
  }
  return ResolveType(&field);
}

}  // namespace

bool IsBlobV2(const FieldTree& field) {
  if (HasValue(field.metadata, kExtensionNameKey, kBlobV2ExtensionName)) return true;
  return field.metadata.contains(kBlobKey) && LooksLikeBlobDescriptor(field);
}

bool IsBlob(const FieldTree& field) { return field.metadata.contains(kBlobKey) || IsBlobV2(field); }

bool IsPackedStruct(const FieldTree& field) {
  for (const char* key : {kOldPackedKey, kPackedKey}) {
    const auto entry = field.metadata.find(key);
    if (entry != field.metadata.end() && IsTruthy(entry->second)) return true;
  }
  return false;
}

bool IsJson(const FieldTree& field) {
  return field.logical_type == "json" ||
         (field.logical_type == "large_binary" &&
          HasValue(field.metadata, kExtensionNameKey, kStoredJsonExtensionName));
}

arrow::Result<std::shared_ptr<arrow::DataType>> MakeMapType(const arrow::Field& entries) {
  const auto& pair = *entries.type();
  // Arrow insists on entries and keys without nulls; not every writer says so.
  return arrow::MapType::Make(arrow::field(
      entries.name(), arrow::struct_({pair.field(0)->WithNullable(false), pair.field(1)}), false,
      entries.metadata()));
}

arrow::Status ResolveType(FieldTree* field) {
  const std::string& name = field->logical_type;
  std::vector<std::shared_ptr<arrow::Field>> children;
  for (const FieldTree& child : field->children) {
    ARROW_ASSIGN_OR_RAISE(auto made, ToArrowField(child, ArrowView{BlobView::kDeclared, false}));
    children.push_back(std::move(made));
  }
  const bool one_child = children.size() == 1;
  if (name == "struct") {
    field->type = arrow::struct_(std::move(children));
  } else if (name == "list" || name == "list.struct") {
    if (!one_child) return WrongChildren(*field);
    field->type = arrow::list(children[0]);
  } else if (name == "large_list" || name == "large_list.struct") {
    if (!one_child) return WrongChildren(*field);
    field->type = arrow::large_list(children[0]);
  } else if (name == "map") {
    if (!one_child || children[0]->type()->id() != arrow::Type::STRUCT ||
        children[0]->type()->num_fields() != 2) {
      return WrongChildren(*field);
    }
    ARROW_ASSIGN_OR_RAISE(field->type, MakeMapType(*children[0]));
  } else if (const int32_t size = FixedSizeListOfStructSize(name); size > 0) {
    if (!one_child || children[0]->type()->id() != arrow::Type::STRUCT)
      return WrongChildren(*field);
    field->type = arrow::fixed_size_list(children[0], size);
  } else {
    auto made = ParseLogicalType(name);
    if (!made.ok()) return AddContext(made.status(), fmt::format(" (field '{}')", field->name));
    if (!children.empty()) return WrongChildren(*field);
    field->type = *made;
  }
  return arrow::Status::OK();
}

arrow::Result<TableSchema> BuildSchema(std::vector<FlatField> flat, FieldMetadata metadata) {
  TableSchema schema;
  schema.metadata = std::move(metadata);
  std::vector<std::vector<size_t>> children(flat.size());
  std::vector<int> depth(flat.size(), 0);
  std::vector<size_t> roots;
  std::unordered_map<int32_t, size_t> by_id;
  for (size_t i = 0; i < flat.size(); ++i) {
    const FieldTree& field = flat[i].field;
    if (flat[i].parent_id == -1) {
      roots.push_back(i);
    } else {
      const auto parent = by_id.find(flat[i].parent_id);
      if (parent == by_id.end()) {
        return MakeError(
            ErrorKind::kCorrupt,
            fmt::format("schema field comes before its parent: '{}' (id {}, parent {})", field.name,
                        field.id, flat[i].parent_id));
      }
      children[parent->second].push_back(i);
      depth[i] = depth[parent->second] + 1;
      if (depth[i] >= kSchemaDepthMax) {
        return MakeError(
            ErrorKind::kUnsupportedFeature,
            fmt::format("schema nests deeper than {} fields: {}", kSchemaDepthMax, field.name));
      }
    }
    by_id.emplace(field.id, i);
  }
  for (const size_t root : roots) {
    ARROW_RETURN_NOT_OK(AdoptChildren(&flat, children, root));
    schema.fields.push_back(std::move(flat[root].field));
  }
  return schema;
}

arrow::Result<TableSchema> BuildSchema(const std::vector<SchemaField>& fields,
                                       const FieldMetadata& metadata) {
  std::vector<FlatField> flat;
  flat.reserve(fields.size());
  for (const SchemaField& field : fields) {
    FlatField out;
    out.parent_id = field.parent_id;
    out.field.id = field.id;
    out.field.name = field.name;
    out.field.logical_type = field.logical_type;
    out.field.nullable = field.nullable;
    out.field.metadata = field.metadata;
    if (!field.extension_name.empty()) {
      out.field.metadata[kExtensionNameKey] = field.extension_name;
    }
    if (field.is_primary_key) out.field.primary_key_position = field.primary_key_position;
    flat.push_back(std::move(out));
  }
  return BuildSchema(std::move(flat), metadata);
}

int32_t AssignFieldIds(TableSchema* schema, int32_t first_id) {
  for (FieldTree& field : schema->fields) AssignIds(&field, &first_id);
  return first_id;
}

int32_t MaxFieldId(const TableSchema& schema) { return MaxId(schema.fields); }

const FieldTree* FindField(const TableSchema& schema, int32_t id) {
  return FindById(schema.fields, id);
}

arrow::Result<std::vector<const FieldTree*>> FindPath(const TableSchema& schema,
                                                      std::string_view path) {
  ARROW_ASSIGN_OR_RAISE(const auto names, ParseFieldPath(path));
  std::vector<const FieldTree*> found;
  const std::vector<FieldTree>* fields = &schema.fields;
  for (const std::string& name : names) {
    if (!found.empty() && found.back()->logical_type != "struct") {
      return MakeError(
          ErrorKind::kInvalidArgument,
          fmt::format("field is not a struct: '{}' in path {}", found.back()->name, path));
    }
    const FieldTree* field = FindByName(*fields, name);
    if (field == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("no field is called '{}': {}", name, path));
    }
    found.push_back(field);
    fields = &field->children;
  }
  return found;
}

std::optional<FieldTree> KeepFields(const FieldTree& field, const std::set<int32_t>& ids) {
  if (ids.contains(field.id)) return field;
  FieldTree kept = field;
  kept.children.clear();
  for (const FieldTree& child : field.children) {
    if (auto part = KeepFields(child, ids)) kept.children.push_back(std::move(*part));
  }
  if (kept.children.empty()) return std::nullopt;
  // A map without its key or its value is no map; a packed struct is read row by row. Both stay
  // whole.
  if (IsPackedStruct(field) || !ResolveType(&kept).ok()) return field;
  return kept;
}

}  // namespace pennon
