/// \file
/// Turns repetition and definition levels into Arrow's structure: validity of every node and
/// offsets of every list on the way from a leaf to the root. Spec: format/data-file.md, heading 5.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/growing_buffer.h"
#include "encoding/page_layout.h"

namespace pennon {

/// One node of the schema between a leaf and the root, the leaf itself included.
struct StructureNode {
  bool is_list = false;
  /// Lists: 64-bit offsets.
  bool is_large = false;
  /// Fixed-size list of structs: how many slots make one of its own; 1 for everything else.
  uint64_t dimension = 1;
};

/// Levels of some whole rows of one page. An absent stream is all zero.
struct Levels {
  bool has_rep = false;
  bool has_def = false;
  /// Of equal length where present. Used up by StructureBuilder::Append.
  std::span<uint16_t> rep;
  std::span<uint16_t> def;
  /// Slots; the length of the streams that are present.
  uint64_t num_slots = 0;
};

/// Checks that every level is one that the layers have. Errors: kCorrupt.
arrow::Status CheckLevels(const Layers& layers, const Levels& levels);

/// Returns how many slots own a value. The levels have been checked.
uint64_t CountVisible(const Layers& layers, std::span<const uint16_t> def);

class StructureBuilder {
 public:
  /// `nodes`: leaf first, root last. Only the first `num_built` of them (at least the leaf) are
  /// built here; the outer ones come from another leaf.
  StructureBuilder(std::vector<StructureNode> nodes, size_t num_built, BufferBudget budget);

  /// Whether rows may have more or fewer values than one.
  bool has_lists() const { return has_lists_; }

  /// Tells how many rows will follow.
  void Expect(uint64_t num_rows);

  /// Appends checked levels of `num_rows` rows, as the page counts them, and returns the number of
  /// values they own. Cost: a pass over the slots for each list layer. Errors: kCorrupt: the layers
  /// are not those of the nodes, or the levels contradict themselves; kTooLarge: more list items
  /// than 32-bit offsets reach.
  arrow::Result<uint64_t> Append(const Layers& layers, Levels levels, uint64_t num_rows);

  /// What one node has become. Starts it anew.
  struct Node {
    uint64_t length = 0;
    uint64_t null_count = 0;
    std::shared_ptr<arrow::Buffer> validity;  ///< Null when there are no nulls.
    std::shared_ptr<arrow::Buffer> offsets;   ///< Lists only.
    uint64_t num_items = 0;                   ///< Lists only: the last offset.
  };
  arrow::Result<Node> Finish(size_t node);

 private:
  struct State {
    State(StructureNode node, BufferBudget budget)
        : shape(node), validity(budget), offsets(budget) {}
    StructureNode shape;
    uint64_t length = 0;
    GrowingValidity validity;
    GrowingBuffer offsets;   // starts of the lists so far
    uint64_t num_items = 0;  // items of the lists so far
  };

  arrow::Status CheckLayers(const Layers& layers) const;
  arrow::Status AppendItems(State* state, LayerKind kind, uint16_t below, uint16_t limit,
                            Levels* levels);
  template <typename Offset, bool kHasDef>
  arrow::Status AppendLists(State* state, LayerKind kind, uint16_t below, uint16_t limit,
                            uint64_t num_inner, Levels* levels);

  std::vector<State> states_;
  size_t num_built_;
  bool has_lists_ = false;
  std::vector<uint16_t> kept_;
  std::vector<uint8_t> flags_;
};

}  // namespace pennon
