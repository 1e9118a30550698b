/// \file
/// The description of one page of a 2.1 or 2.2 file: which layout, which layers, which encodings.
/// Spec: format/data-file.md, headings 5.1 and 6.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encoding/value_encoding.h"

namespace pennon {

/// One node of the way from a leaf to the root, as far as one page knows. Numbers of the wire.
enum class LayerKind : uint8_t {
  kAllValidItem = 1,
  kAllValidList = 2,
  kNullableItem = 3,
  kNullableList = 4,
  kEmptyableList = 5,
  kNullAndEmptyList = 6,
};

/// Inner-most first.
using Layers = std::vector<LayerKind>;

constexpr bool IsList(LayerKind kind) {
  return kind != LayerKind::kAllValidItem && kind != LayerKind::kNullableItem;
}
/// Returns how many definition levels the layer uses.
constexpr uint16_t NumDefLevels(LayerKind kind) {
  if (kind == LayerKind::kNullAndEmptyList) return 2;
  return kind == LayerKind::kAllValidItem || kind == LayerKind::kAllValidList ? 0 : 1;
}
/// Returns the number of list layers, which is the highest repetition level.
uint16_t MaxRep(const Layers& layers);
/// Returns the highest definition level.
uint16_t MaxDef(const Layers& layers);
/// Returns the highest definition level of a slot that owns a value.
uint16_t MaxVisibleDef(const Layers& layers);

struct MiniBlockLayout {
  std::optional<ValueEncoding> rep;
  std::optional<ValueEncoding> def;
  ValueEncoding values;
  std::optional<ValueEncoding> dictionary;
  uint64_t num_dictionary_items = 0;
  uint32_t num_buffers = 0;
  uint32_t repetition_index_depth = 0;
  uint64_t num_items = 0;
  bool has_large_chunk = false;
};

struct FullZipLayout {
  uint32_t bits_rep = 0;
  uint32_t bits_def = 0;
  /// Exactly one of the two is not 0.
  uint32_t bits_per_value = 0;
  uint32_t bits_per_offset = 0;
  uint64_t num_items = 0;
  uint64_t num_visible_items = 0;
  ValueEncoding values;
};

struct ConstantLayout {
  std::optional<std::string> inline_value;
  std::optional<ValueEncoding> rep;
  std::optional<ValueEncoding> def;
  uint64_t num_rep_values = 0;
  uint64_t num_def_values = 0;
};

struct PageLayout {
  std::variant<MiniBlockLayout, FullZipLayout, ConstantLayout> layout;
  /// Layers of the column; of a blob page those of the descriptors, which is one item layer without
  /// nulls.
  Layers layers;
  /// A blob page: the values are descriptors, and the column's layers are `blob_layers`.
  bool is_blob = false;
  Layers blob_layers;
};

/// Parses and checks the description of a page. Errors: kCorrupt, kUnsupportedFeature.
arrow::Result<PageLayout> ParsePageLayout(std::string_view message);

}  // namespace pennon
