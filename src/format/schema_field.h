/// \file
/// One field of a table's schema as the manifest stores it: a flat list, parents before children.
/// Spec: format/table.md, heading 2 ("Field"); format/data-file.md, heading 2.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace pennon {

struct SchemaField {
  int32_t id = 0;
  int32_t parent_id = -1;  ///< -1 at the top level.
  std::string name;
  std::string logical_type;
  bool nullable = true;
  std::string extension_name;
  std::map<std::string, std::string> metadata;
  bool is_primary_key = false;
  uint32_t primary_key_position = 0;  ///< From 1; 0 with is_primary_key set means "ordered by id".
};

}  // namespace pennon
