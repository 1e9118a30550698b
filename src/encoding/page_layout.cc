#include "encoding/page_layout.h"

#include <fmt/format.h>

#include <utility>

#include "encodings21.pb.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr int kLayersMax = 64;
constexpr uint32_t kBuffersMax = 64;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

template <typename Message>
arrow::Result<Layers> MakeLayers(const Message& message) {
  if (message.layers_size() == 0 || message.layers_size() > kLayersMax) {
    return Corrupt(
        fmt::format("page has an impossible number of layers: {}", message.layers_size()));
  }
  Layers layers;
  for (const int layer : message.layers()) {
    if (layer < 1 || layer > 6) return Corrupt(fmt::format("page has an unknown layer: {}", layer));
    layers.push_back(static_cast<LayerKind>(layer));
  }
  return layers;
}

template <typename Message>
arrow::Status MakeLevelEncodings(const Message& message, std::optional<ValueEncoding>* rep,
                                 std::optional<ValueEncoding>* def) {
  if (message.has_rep()) {
    ARROW_ASSIGN_OR_RAISE(*rep, MakeValueEncoding(message.rep()));
  }
  if (message.has_def()) {
    ARROW_ASSIGN_OR_RAISE(*def, MakeValueEncoding(message.def()));
  }
  return arrow::Status::OK();
}

arrow::Status MakeMiniBlock(const proto21::MiniBlockLayout& message, PageLayout* out) {
  MiniBlockLayout& layout = out->layout.emplace<MiniBlockLayout>();
  ARROW_ASSIGN_OR_RAISE(out->layers, MakeLayers(message));
  ARROW_RETURN_NOT_OK(MakeLevelEncodings(message, &layout.rep, &layout.def));
  ARROW_ASSIGN_OR_RAISE(layout.values, MakeValueEncoding(message.values()));
  if (message.has_dictionary()) {
    ARROW_ASSIGN_OR_RAISE(layout.dictionary, MakeValueEncoding(message.dictionary()));
    layout.num_dictionary_items = message.num_dictionary_items();
  }
  if (message.num_buffers() > kBuffersMax) {
    return Corrupt(fmt::format("page has too many value buffers: {}", message.num_buffers()));
  }
  layout.num_buffers = static_cast<uint32_t>(message.num_buffers());
  layout.repetition_index_depth = message.repetition_index_depth();
  layout.num_items = message.num_items();
  layout.has_large_chunk = message.has_large_chunk();
  const bool has_lists = MaxRep(out->layers) != 0;
  if (has_lists != layout.rep.has_value() || (has_lists && layout.repetition_index_depth == 0)) {
    return Corrupt("page has lists without repetition levels, or levels without lists");
  }
  if (layout.repetition_index_depth > kLayersMax)
    return Corrupt("page has a repetition index of impossible depth");
  return arrow::Status::OK();
}

arrow::Status MakeFullZip(const proto21::FullZipLayout& message, PageLayout* out) {
  FullZipLayout& layout = out->layout.emplace<FullZipLayout>();
  ARROW_ASSIGN_OR_RAISE(out->layers, MakeLayers(message));
  ARROW_ASSIGN_OR_RAISE(layout.values, MakeValueEncoding(message.values()));
  layout.bits_rep = message.bits_rep();
  layout.bits_def = message.bits_def();
  layout.bits_per_value = message.bits_per_value();
  layout.bits_per_offset = message.bits_per_offset();
  layout.num_items = message.num_items();
  layout.num_visible_items = message.num_visible_items();
  if (layout.bits_rep > 16 || layout.bits_def > 16)
    return Corrupt("page has control words that are too wide");
  if (message.width_case() == proto21::FullZipLayout::kBitsPerOffset) {
    if (layout.bits_per_offset != 32 && layout.bits_per_offset != 64) {
      return Corrupt(
          fmt::format("page has lengths of an impossible width: {} bits", layout.bits_per_offset));
    }
  } else if (layout.bits_per_value % 8 != 0 ||
             message.width_case() == proto21::FullZipLayout::WIDTH_NOT_SET) {
    return Corrupt(
        fmt::format("page has values of an impossible width: {} bits", layout.bits_per_value));
  }
  return arrow::Status::OK();
}

arrow::Status MakeConstant(const proto21::ConstantLayout& message, PageLayout* out) {
  ConstantLayout& layout = out->layout.emplace<ConstantLayout>();
  ARROW_ASSIGN_OR_RAISE(out->layers, MakeLayers(message));
  ARROW_RETURN_NOT_OK(MakeLevelEncodings(message, &layout.rep, &layout.def));
  if (message.has_inline_value()) layout.inline_value = message.inline_value();
  layout.num_rep_values = message.num_rep_values();
  layout.num_def_values = message.num_def_values();
  return arrow::Status::OK();
}

arrow::Status Make(const proto21::PageLayout& message, bool may_be_blob, PageLayout* out) {
  using Case = proto21::PageLayout::LayoutCase;
  switch (message.layout_case()) {
    case Case::kMiniBlock:
      return MakeMiniBlock(message.mini_block(), out);
    case Case::kFullZip:
      return MakeFullZip(message.full_zip(), out);
    case Case::kConstant:
      return MakeConstant(message.constant(), out);
    case Case::kBlob: {
      if (!may_be_blob) return Corrupt("blob page inside a blob page");
      ARROW_RETURN_NOT_OK(Make(message.blob().inner(), false, out));
      if (out->layers != Layers{LayerKind::kAllValidItem})
        return Corrupt("blob descriptors have layers of their own");
      ARROW_ASSIGN_OR_RAISE(out->blob_layers, MakeLayers(message.blob()));
      out->is_blob = true;
      return arrow::Status::OK();
    }
    case Case::LAYOUT_NOT_SET:
      break;
  }
  return Corrupt("page has no layout, or one that is not part of 2.1 or 2.2");
}

}  // namespace

uint16_t MaxRep(const Layers& layers) {
  uint16_t lists = 0;
  for (const LayerKind layer : layers)
    lists = static_cast<uint16_t>(lists + (IsList(layer) ? 1 : 0));
  return lists;
}

uint16_t MaxDef(const Layers& layers) {
  uint16_t levels = 0;
  for (const LayerKind layer : layers) levels = static_cast<uint16_t>(levels + NumDefLevels(layer));
  return levels;
}

uint16_t MaxVisibleDef(const Layers& layers) {
  uint16_t levels = 0;
  for (const LayerKind layer : layers) {
    if (IsList(layer)) return levels;
    levels = static_cast<uint16_t>(levels + NumDefLevels(layer));
  }
  return levels;
}

arrow::Result<PageLayout> ParsePageLayout(std::string_view message) {
  proto21::PageLayout parsed;
  if (message.size() > INT32_MAX ||
      !parsed.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return Corrupt("page description does not parse");
  }
  PageLayout out;
  ARROW_RETURN_NOT_OK(Make(parsed, true, &out));
  return out;
}

}  // namespace pennon
