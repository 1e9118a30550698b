/// \file
/// The schema of a table or of one data file: Lance fields as a tree, each with the Arrow type it
/// stands for. Spec: format/data-file.md, heading 2 (schema).
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/schema_field.h"

namespace pennon {

/// Keys in order, so that two equal schemas are written as equal bytes.
using FieldMetadata = std::map<std::string, std::string>;

inline constexpr char kExtensionNameKey[] = "ARROW:extension:name";
inline constexpr char kExtensionMetadataKey[] = "ARROW:extension:metadata";
inline constexpr char kBlobKey[] = "lance-encoding:blob";
inline constexpr char kPackedKey[] = "lance-encoding:packed";
inline constexpr char kOldPackedKey[] = "packed";
inline constexpr char kBlobV2ExtensionName[] = "lance.blob.v2";
inline constexpr char kStoredJsonExtensionName[] = "lance.json";
inline constexpr char kArrowJsonExtensionName[] = "arrow.json";

/// One field and the fields below it.
struct FieldTree {
  int32_t id = -1;  ///< -1: none given yet.
  std::string name;
  std::string logical_type;
  bool nullable = true;
  FieldMetadata metadata;
  /// What the logical type and the children say. A `json` field is large_binary here (its stored
  /// form), a blob is what the user declared. ToArrowField gives the other views.
  std::shared_ptr<arrow::DataType> type;
  std::vector<FieldTree> children;
  /// Position in the unenforced primary key, from 1; 0 means "by field id".
  std::optional<uint32_t> primary_key_position;
  std::optional<uint32_t> clustering_key_position;
  /// Without a meaning since 2.0, kept so that a rewritten manifest says what it said.
  int32_t encoding_hint = 0;
};

struct TableSchema {
  std::vector<FieldTree> fields;
  FieldMetadata metadata;
};

/// Fields may nest this deep; deeper ones are refused on every way in.
inline constexpr int kSchemaDepthMax = 64;

/// True for blob columns of either kind: they take one column of a data file, whatever their
/// children.
bool IsBlob(const FieldTree& field);
bool IsBlobV2(const FieldTree& field);
/// True for a struct whose children lie row by row in one column of the data file.
bool IsPackedStruct(const FieldTree& field);
/// True for a field stored as JSONB and shown as text.
bool IsJson(const FieldTree& field);

/// Makes a map type of its entries, a struct of key and value; names and metadata are kept.
arrow::Result<std::shared_ptr<arrow::DataType>> MakeMapType(const arrow::Field& entries);

/// Sets `field->type` from its logical type and its children, which have theirs.
/// Errors: kUnsupportedFeature (logical type not known), kCorrupt (children do not fit it); both
/// name the field.
arrow::Status ResolveType(FieldTree* field);

/// A field without its children, as files list them.
struct FlatField {
  FieldTree field;
  int32_t parent_id = -1;  ///< -1 at the top level.
};

/// Builds the tree from the flat depth-first list, with types. A parent comes before its children;
/// where an old manifest holds one id twice, the first field of that id is the parent. Errors:
/// kCorrupt (a parent that is not there, children that do not fit), kUnsupportedFeature (a type not
/// known, nesting too deep); the message names the field.
arrow::Result<TableSchema> BuildSchema(std::vector<FlatField> flat, FieldMetadata metadata);

/// The same from the fields of a manifest.
arrow::Result<TableSchema> BuildSchema(const std::vector<SchemaField>& fields,
                                       const FieldMetadata& metadata);

/// Gives ids in depth-first order to the fields that have none, beginning at `first_id`; returns
/// the next free id. Children of a stored blob descriptor keep -1.
int32_t AssignFieldIds(TableSchema* schema, int32_t first_id);

/// Returns the largest id, -1 when there is none.
int32_t MaxFieldId(const TableSchema& schema);

/// Returns the first field with this id in depth-first order, or nullptr.
const FieldTree* FindField(const TableSchema& schema, int32_t id);

/// Returns the field that `path` names and its ancestors, root first. Names are compared exactly; a
/// dot goes into a struct, a name with other characters than letters, digits and '_' may stand in
/// backticks ("a.`b.c`"). Errors: kInvalidArgument, naming the part that was not found or the
/// mistake in the path.
arrow::Result<std::vector<const FieldTree*>> FindPath(const TableSchema& schema,
                                                      std::string_view path);

/// Returns the part of `field` that holds the fields in `ids`, with all that lies below them and
/// the ancestors needed to reach them, or none. Maps and packed structs stay whole. Types are made
/// anew.
std::optional<FieldTree> KeepFields(const FieldTree& field, const std::set<int32_t>& ids);

}  // namespace pennon
