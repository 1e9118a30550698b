#include "encoding/structure_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

uint16_t Largest(std::span<const uint16_t> levels) {
  uint16_t largest = 0;
  for (const uint16_t level : levels) largest = std::max(largest, level);
  return largest;
}

/// What a slot that starts a list means, by its definition level.
enum ListAction : uint8_t {
  kOfOuterList = 0,  // the slot stands for a list farther out
  kRecorded = 1,     // a list starts here
  kHasItem = 2,      // and its first item
  kIsValid = 4,      // and it is not null
};

/// Levels of the layer after `below`, and of the item layers behind it up to the next list.
std::array<uint8_t, 256> MakeActions(LayerKind kind, uint16_t below, uint16_t limit) {
  const bool may_be_null = kind == LayerKind::kNullableList || kind == LayerKind::kNullAndEmptyList;
  const uint16_t upper = static_cast<uint16_t>(below + NumDefLevels(kind));
  std::array<uint8_t, 256> actions{};
  for (unsigned level = 0; level < actions.size(); ++level) {
    if (level <= below) {
      actions[level] = kRecorded | kHasItem | kIsValid;
    } else if (level > limit) {
      actions[level] = kOfOuterList;
    } else if (level > upper || (may_be_null && level == below + 1u)) {
      actions[level] = kRecorded;
    } else {
      actions[level] = kRecorded | kIsValid;
    }
  }
  return actions;
}

}  // namespace

arrow::Status CheckLevels(const Layers& layers, const Levels& levels) {
  if (levels.has_rep && Largest(levels.rep) > MaxRep(layers)) {
    return Corrupt(fmt::format("repetition level is too high: {}, the page has {} list layers",
                               Largest(levels.rep), MaxRep(layers)));
  }
  if (levels.has_def && Largest(levels.def) > MaxDef(layers)) {
    return Corrupt(fmt::format("definition level is too high: {}, the page's layers use {}",
                               Largest(levels.def), MaxDef(layers)));
  }
  return arrow::Status::OK();
}

uint64_t CountVisible(const Layers& layers, std::span<const uint16_t> def) {
  const uint16_t highest = MaxVisibleDef(layers);
  if (highest == MaxDef(layers)) return def.size();
  uint64_t visible = 0;
  for (const uint16_t level : def) visible += level <= highest ? 1 : 0;
  return visible;
}

StructureBuilder::StructureBuilder(std::vector<StructureNode> nodes, size_t num_built,
                                   BufferBudget budget)
    : num_built_(num_built) {
  states_.reserve(nodes.size());
  for (const StructureNode& node : nodes) {
    states_.emplace_back(node, budget);
    has_lists_ |= node.is_list;
  }
}

void StructureBuilder::Expect(uint64_t num_rows) {
  if (states_.size() == 1) states_[0].validity.Expect(num_rows);
}

arrow::Result<uint64_t> StructureBuilder::Append(const Layers& layers, Levels levels,
                                                 uint64_t num_rows) {
  ARROW_RETURN_NOT_OK(CheckLayers(layers));
  if (levels.has_rep && levels.num_slots != 0 && levels.rep[0] != MaxRep(layers)) {
    return Corrupt("rows do not start with the highest repetition level");
  }
  uint16_t below = 0;  // levels of the layers further in
  uint64_t num_values = 0;
  uint64_t num_inner = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const LayerKind kind = layers[i];
    State& state = states_[i];
    const uint64_t length_before = state.length;
    const auto own = static_cast<uint16_t>(below + NumDefLevels(kind));
    uint16_t limit = own;
    for (size_t j = i + 1; j < layers.size() && !IsList(layers[j]); ++j) {
      limit = static_cast<uint16_t>(limit + NumDefLevels(layers[j]));
    }
    if (!IsList(kind)) {
      ARROW_RETURN_NOT_OK(AppendItems(&state, kind, below, limit, &levels));
    } else if (state.shape.is_large) {
      ARROW_RETURN_NOT_OK(
          levels.has_def
              ? (AppendLists<int64_t, true>(&state, kind, below, limit, num_inner, &levels))
              : (AppendLists<int64_t, false>(&state, kind, below, limit, num_inner, &levels)));
    } else {
      ARROW_RETURN_NOT_OK(
          levels.has_def
              ? (AppendLists<int32_t, true>(&state, kind, below, limit, num_inner, &levels))
              : (AppendLists<int32_t, false>(&state, kind, below, limit, num_inner, &levels)));
    }
    below = own;
    num_inner = state.length - length_before;
    if (i == 0) num_values = num_inner;
    if (i + 1 == num_built_ && num_built_ < layers.size()) return num_values;
  }
  // Below fixed-size lists of structs the page counts items for rows.
  uint64_t num_page_rows = num_inner;
  for (const State& state : states_) num_page_rows *= state.shape.dimension;
  if (num_page_rows != num_rows) {
    return Corrupt(fmt::format("levels have the wrong number of rows: expected {}, got {}",
                               num_rows, num_page_rows));
  }
  return num_values;
}

arrow::Status StructureBuilder::CheckLayers(const Layers& layers) const {
  bool agrees = layers.size() == states_.size();
  for (size_t i = 0; agrees && i < layers.size(); ++i)
    agrees = IsList(layers[i]) == states_[i].shape.is_list;
  if (agrees) return arrow::Status::OK();
  return Corrupt(
      fmt::format("page has other layers than the field: {} of them, the field has {} nodes",
                  layers.size(), states_.size()));
}

arrow::Status StructureBuilder::AppendItems(State* state, LayerKind kind, uint16_t below,
                                            uint16_t limit, Levels* levels) {
  const uint64_t dimension = state->shape.dimension;
  if (dimension != 1) {
    if (dimension == 0 || levels->num_slots % dimension != 0) {
      return Corrupt(fmt::format("slots do not fill fixed-size lists: {} slots, {} each",
                                 levels->num_slots, dimension));
    }
    levels->num_slots /= dimension;
    if (levels->has_def) {
      for (uint64_t i = 0; i < levels->num_slots; ++i) levels->def[i] = levels->def[i * dimension];
      levels->def = levels->def.first(levels->num_slots);
    }
  }
  if (!levels->has_def) {
    state->validity.AppendValid(levels->num_slots);
    state->length += levels->num_slots;
    return arrow::Status::OK();
  }
  std::span<const uint16_t> def = levels->def;
  if (Largest(def) > limit) {
    // Slots of lists farther out do not belong to this layer.
    kept_.resize(def.size());
    size_t num_kept = 0;
    for (const uint16_t level : def) {
      kept_[num_kept] = level;
      num_kept += level <= limit ? 1 : 0;
    }
    def = std::span<const uint16_t>(kept_).first(num_kept);
  }
  if (NumDefLevels(kind) == 0) {
    state->validity.AppendValid(def.size());
  } else {
    ARROW_RETURN_NOT_OK(state->validity.AppendLevels(def, below));
  }
  state->length += def.size();
  return arrow::Status::OK();
}

template <typename Offset, bool kHasDef>
arrow::Status StructureBuilder::AppendLists(State* state, LayerKind kind, uint16_t below,
                                            uint16_t limit, uint64_t num_inner, Levels* levels) {
  if (!levels->has_rep) return Corrupt("list layer has no repetition levels");
  const std::array<uint8_t, 256> actions = MakeActions(kind, below, limit);
  const uint64_t num_slots = levels->num_slots;
  ARROW_RETURN_NOT_OK(state->offsets.Reserve((num_slots + 1) * sizeof(Offset)));
  flags_.resize(num_slots + 1);
  uint16_t* rep = levels->rep.data();
  uint16_t* def = levels->def.data();
  uint8_t* const starts = state->offsets.end();
  uint64_t at = state->num_items;  // items so far
  uint64_t num_lists = 0;
  uint64_t num_kept = 0;
  for (uint64_t i = 0; i < num_slots; ++i) {
    const uint16_t level = rep[i];
    const bool is_start = level != 0;
    unsigned action = kRecorded | kHasItem | kIsValid;
    if constexpr (kHasDef) {
      action = actions[def[i]];
      def[num_kept] = def[i];
    }
    StoreLittleEndian(starts + num_lists * sizeof(Offset), static_cast<Offset>(at));
    flags_[num_lists] = static_cast<uint8_t>(action & kIsValid);
    num_lists += is_start ? (action & kRecorded) : 0;
    at += is_start ? (action & kHasItem) / kHasItem : 1;
    rep[num_kept] = static_cast<uint16_t>(level - 1);
    num_kept += is_start ? 1 : 0;
  }
  if (at - state->num_items != num_inner) {
    return Corrupt(fmt::format("levels contradict themselves: lists of {} items, {} items",
                               at - state->num_items, num_inner));
  }
  if (at > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
    return MakeError(
        ErrorKind::kTooLarge,
        fmt::format("batch has more list items than 32-bit offsets reach: {}, ask for fewer rows",
                    at));
  }
  state->offsets.Advance(num_lists * sizeof(Offset));
  state->num_items = at;
  state->length += num_lists;
  const std::span<const uint8_t> flags = std::span<const uint8_t>(flags_).first(num_lists);
  if (kHasDef && limit > below) {
    ARROW_RETURN_NOT_OK(state->validity.AppendFlags(flags));
  } else {
    state->validity.AppendValid(num_lists);
  }
  levels->rep = levels->rep.first(num_kept);
  if (kHasDef) levels->def = levels->def.first(num_kept);
  levels->num_slots = num_kept;
  return arrow::Status::OK();
}

arrow::Result<StructureBuilder::Node> StructureBuilder::Finish(size_t index) {
  State& state = states_[index];
  Node node;
  node.length = state.length;
  node.null_count = state.validity.null_count();
  ARROW_ASSIGN_OR_RAISE(node.validity, state.validity.Finish());
  if (state.shape.is_list) {
    node.num_items = state.num_items;
    ARROW_RETURN_NOT_OK(state.offsets.Reserve(8));
    if (state.shape.is_large) {
      StoreLittleEndian(state.offsets.end(), static_cast<int64_t>(state.num_items));
    } else {
      StoreLittleEndian(state.offsets.end(), static_cast<int32_t>(state.num_items));
    }
    state.offsets.Advance(state.shape.is_large ? 8 : 4);
    ARROW_ASSIGN_OR_RAISE(node.offsets, state.offsets.Finish());
  }
  state.length = state.num_items = 0;
  return node;
}

}  // namespace pennon
