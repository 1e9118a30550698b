/// \file
/// What is to be decoded: a tree of fields with the Arrow type wanted and the column each part lies
/// in. Spec: format/data-file.md, headings 4 and 12.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace pennon {

enum class FieldStorage : uint8_t {
  kPlain,         ///< As its type says: primitive, string, list, struct, map, ...
  kPackedStruct,  ///< A struct that lies in one column; its children have no shapes.
  kBlob,     ///< A v1 blob column. Type struct<position, size>: the descriptors; large_binary: the
             ///< bytes.
  kMissing,  ///< In no column: reads as null.
};

/// One field. At 2.1 and newer only fields without children have a column; at 2.0 every field has
/// one.
struct FieldShape {
  static constexpr uint32_t kNoColumn = UINT32_MAX;

  /// The Arrow type of the array to be made, children included.
  std::shared_ptr<arrow::DataType> type;
  FieldStorage storage = FieldStorage::kPlain;
  uint32_t column = kNoColumn;
  /// One per child field of a struct, list, large list, map (one: the entries) and fixed-size list
  /// of structs; none for all others, also not for a fixed-size list of primitives.
  std::vector<FieldShape> children;
};

}  // namespace pennon
