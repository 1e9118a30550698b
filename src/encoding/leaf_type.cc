#include "encoding/leaf_type.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <utility>

#include "base/checked_math.h"
#include "pennon/base/error.h"

namespace pennon {

uint64_t LeafType::FixedBits() const {
  switch (kind) {
    case LeafKind::kBits:
      return 1;
    case LeafKind::kFixed:
      return uint64_t{width_bytes} * 8;
    case LeafKind::kFixedSizeList:
      return SaturatingMultiply(children[0].FixedBits(), list_size);
    case LeafKind::kStruct: {
      uint64_t bits = 0;
      for (const LeafType& child : children) {
        const uint64_t child_bits = child.FixedBits();
        if (child_bits == 0) return 0;
        bits = SaturatingAdd(bits, child_bits);
      }
      return bits;
    }
    default:
      return 0;
  }
}

arrow::Result<LeafType> MakeLeafType(const std::shared_ptr<arrow::DataType>& type, bool is_packed) {
  LeafType leaf;
  leaf.type = type;
  const arrow::Type::type id = type->id();
  if (id == arrow::Type::NA) {
    leaf.kind = LeafKind::kNull;
  } else if (id == arrow::Type::BOOL) {
    leaf.kind = LeafKind::kBits;
  } else if (id == arrow::Type::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
    leaf.kind = LeafKind::kDictionary;
    leaf.width_bytes = static_cast<uint32_t>(dictionary.index_type()->byte_width());
    ARROW_ASSIGN_OR_RAISE(auto values, MakeLeafType(dictionary.value_type()));
    leaf.children.push_back(std::move(values));
  } else if (id == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*type);
    leaf.kind = LeafKind::kFixedSizeList;
    leaf.list_size = static_cast<uint64_t>(list.list_size());
    ARROW_ASSIGN_OR_RAISE(auto items, MakeLeafType(list.value_type()));
    if (items.FixedBits() == 0 && leaf.list_size != 0) {
      return MakeError(
          ErrorKind::kUnsupportedFeature,
          fmt::format("fixed-size list has items of no fixed width: {}", type->ToString()));
    }
    leaf.children.push_back(std::move(items));
  } else if (id == arrow::Type::STRUCT && is_packed) {
    leaf.kind = LeafKind::kStruct;
    for (const auto& field : type->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto child, MakeLeafType(field->type()));
      leaf.children.push_back(std::move(child));
    }
  } else if (arrow::is_binary_like(id) || arrow::is_large_binary_like(id)) {
    leaf.kind = LeafKind::kVariable;
    leaf.width_bytes = arrow::is_large_binary_like(id) ? 8 : 4;
  } else if (arrow::is_fixed_width(id)) {
    leaf.kind = LeafKind::kFixed;
    leaf.width_bytes = static_cast<uint32_t>(type->byte_width());
  } else {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     fmt::format("type cannot lie in one column: {}", type->ToString()));
  }
  return leaf;
}

LeafType MakeWordType(uint32_t width_bytes) {
  LeafType leaf;
  leaf.kind = LeafKind::kFixed;
  leaf.width_bytes = width_bytes;
  return leaf;
}

}  // namespace pennon
