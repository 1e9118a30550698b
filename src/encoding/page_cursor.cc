#include "encoding/page_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "encoding/blob_cursor.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

const LeafType& LevelType() {
  static const LeafType type = MakeWordType(2);
  return type;
}

std::span<uint16_t> Words(ValueBuilder* levels) {
  return {reinterpret_cast<uint16_t*>(levels->values.data()), levels->length};
}

/// True for bytes, and for descriptors: two words.
bool MayHoldBlobs(const LeafType& leaf) {
  if (leaf.kind == LeafKind::kVariable) return true;
  const auto is_word = [](const LeafType& type) {
    return type.kind == LeafKind::kFixed && type.width_bytes == sizeof(uint64_t);
  };
  return leaf.kind == LeafKind::kStruct && leaf.children.size() == 2 && is_word(leaf.children[0]) &&
         is_word(leaf.children[1]);
}

std::unique_ptr<PageCursor> MakeValueCursor(PageSelection selection) {
  const auto& layout = selection.index->layout.layout;
  if (auto cursor = MakeFlatChunkCursor(&selection)) return cursor;
  if (std::holds_alternative<MiniBlockLayout>(layout))
    return MakeMiniBlockCursor(std::move(selection));
  if (std::holds_alternative<FullZipLayout>(layout)) return MakeFullZipCursor(std::move(selection));
  return MakeConstantCursor(std::move(selection));
}

}  // namespace

LeafOutput::LeafOutput(const LeafType& type, std::vector<StructureNode> nodes, size_t num_built,
                       BufferBudget budget)
    : values(type, budget),
      structure(std::move(nodes), num_built, budget),
      rep(LevelType(), budget),
      def(LevelType(), budget) {}

arrow::Status LeafOutput::AppendStructure(const Layers& layers, bool has_rep, bool has_def,
                                          uint64_t num_slots, uint64_t num_rows,
                                          uint64_t num_values) {
  Levels levels;
  levels.has_rep = has_rep;
  levels.has_def = has_def;
  levels.num_slots = num_slots;
  if (has_rep) levels.rep = Words(&rep);
  if (has_def) levels.def = Words(&def);
  ARROW_RETURN_NOT_OK(CheckLevels(layers, levels));
  ARROW_ASSIGN_OR_RAISE(const uint64_t expected, structure.Append(layers, levels, num_rows));
  rep.values.Truncate(0);
  def.values.Truncate(0);
  rep.length = def.length = 0;
  if (expected == num_values) return arrow::Status::OK();
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("levels and values do not match: {} values, the levels want {}",
                               num_values, expected));
}

arrow::Result<std::unique_ptr<PageCursor>> MakePageCursor(PageSelection selection) {
  if (!selection.index->layout.is_blob) return MakeValueCursor(std::move(selection));
  if (MaxRep(selection.index->layout.blob_layers) != 0) {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     "blobs below lists are not part of 2.1 or 2.2");
  }
  if (!MayHoldBlobs(*selection.leaf))
    return MakeError(ErrorKind::kCorrupt, "blob page in a column of another layout");
  PageSelection descriptors = selection;
  descriptors.leaf = &BlobDescriptorType();
  return MakeBlobCursor(std::move(selection), MakeValueCursor(std::move(descriptors)));
}

}  // namespace pennon
