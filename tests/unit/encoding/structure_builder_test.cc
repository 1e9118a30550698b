#include "encoding/structure_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// One nested value, the slow and obvious way: node 0 is the root, the last node the leaf.
struct Value {
  bool is_null = false;
  std::vector<Value> items;  // lists: any number; others: one, but for leaves
};

using NodeKinds = std::vector<bool>;  // from the root: is it a list

Value MakeValue(const NodeKinds& kinds, size_t depth, const std::vector<bool>& nullable,
                std::mt19937& random) {
  Value value;
  value.is_null = nullable[depth] && random() % 4 == 0;
  if (value.is_null || depth + 1 == kinds.size()) return value;
  const size_t count = kinds[depth] ? random() % 4 : 1;
  for (size_t i = 0; i < count; ++i) {
    value.items.push_back(MakeValue(kinds, depth + 1, nullable, random));
  }
  return value;
}

/// Levels by the rules of heading 5.2.
struct Shredder {
  NodeKinds kinds;
  Layers layers;                              // leaf first
  std::vector<uint16_t> null_def, empty_def;  // by depth
  std::vector<uint16_t> rep_of;               // by depth, lists only
  std::vector<uint16_t> rep, def;
  uint64_t num_values = 0;

  Shredder(NodeKinds node_kinds, const std::vector<bool>& nullable,
           const std::vector<bool>& emptyable)
      : kinds(std::move(node_kinds)),
        null_def(kinds.size()),
        empty_def(kinds.size()),
        rep_of(kinds.size()) {
    uint16_t next = 1;
    uint16_t lists = 0;
    for (size_t d = kinds.size(); d-- > 0;) {
      if (nullable[d]) null_def[d] = next++;
      if (kinds[d] && emptyable[d]) empty_def[d] = next++;
      if (kinds[d]) rep_of[d] = ++lists;
      if (!kinds[d]) {
        layers.push_back(nullable[d] ? LayerKind::kNullableItem : LayerKind::kAllValidItem);
      } else if (nullable[d] && emptyable[d]) {
        layers.push_back(LayerKind::kNullAndEmptyList);
      } else if (nullable[d]) {
        layers.push_back(LayerKind::kNullableList);
      } else {
        layers.push_back(emptyable[d] ? LayerKind::kEmptyableList : LayerKind::kAllValidList);
      }
    }
  }

  void Emit(uint16_t r, uint16_t d) {
    rep.push_back(r);
    def.push_back(d);
    if (d <= MaxVisibleDef(layers)) ++num_values;
  }

  /// A null struct hides what lies below it: lists there are null with it, one slot in all.
  void Shred(const Value& value, size_t depth, uint16_t r) {
    // A slot without items stands for all the lists below that do not start for it.
    const auto first_list =
        std::find(kinds.begin() + static_cast<std::ptrdiff_t>(depth), kinds.end(), true);
    const uint16_t below = first_list == kinds.end()
                               ? uint16_t{0}
                               : rep_of[static_cast<size_t>(first_list - kinds.begin())];
    if (value.is_null) return Emit(std::max(r, below), null_def[depth]);
    if (depth + 1 == kinds.size()) return Emit(r, 0);
    if (!kinds[depth]) return Shred(value.items[0], depth + 1, r);
    if (value.items.empty()) return Emit(std::max(r, below), empty_def[depth]);
    for (size_t i = 0; i < value.items.size(); ++i) {
      // The number of the outer-most list that starts here; further items continue this one.
      const auto continues = static_cast<uint16_t>(rep_of[depth] - 1);
      Shred(value.items[i], depth + 1, i == 0 ? std::max(r, rep_of[depth]) : continues);
    }
  }
};

/// What the builder should make of node `depth`: validity flags and list ends.
struct Expected {
  std::vector<bool> valid;
  std::vector<int64_t> offsets{0};
};

void Collect(const Value& value, const NodeKinds& kinds, size_t depth, bool parent_null,
             std::vector<Expected>& out) {
  const bool is_null = value.is_null || parent_null;
  out[depth].valid.push_back(!is_null);
  if (depth + 1 == kinds.size()) return;
  if (kinds[depth]) {
    out[depth].offsets.push_back(out[depth].offsets.back() +
                                 static_cast<int64_t>(value.items.size()));
    for (const Value& item : value.items) Collect(item, kinds, depth + 1, false, out);
    return;
  }
  if (value.items.empty()) {
    Collect(Value{true, {}}, kinds, depth + 1, true, out);
  } else {
    Collect(value.items[0], kinds, depth + 1, is_null, out);
  }
}

std::vector<bool> Flags(const StructureBuilder::Node& node) {
  std::vector<bool> flags(node.length, true);
  for (uint64_t i = 0; node.validity != nullptr && i < node.length; ++i) {
    flags[i] = (node.validity->data()[i / 8] >> (i % 8)) & 1;
  }
  return flags;
}

Levels LevelsOf(std::vector<uint16_t>& rep, std::vector<uint16_t>& def, const Layers& layers) {
  Levels levels;
  levels.has_rep = MaxRep(layers) != 0;
  levels.has_def = MaxDef(layers) != 0;
  if (levels.has_rep) levels.rep = rep;
  if (levels.has_def) levels.def = def;
  levels.num_slots = rep.size();
  return levels;
}

TEST(StructureBuilderTest, RebuildsRandomNesting) {
  std::mt19937 random(2024);
  for (int round = 0; round < 3000; ++round) {
    const size_t depth = 1 + random() % 5;
    NodeKinds kinds(depth);
    for (size_t d = 0; d + 1 < depth; ++d) kinds[d] = random() % 2 == 0;
    std::vector<StructureNode> nodes;
    for (size_t d = depth; d-- > 0;) nodes.push_back({kinds[d], kinds[d] && round % 2 == 0, 1});
    StructureBuilder builder(nodes, depth, {});
    std::vector<Expected> expected(depth);
    // Pages say different things about nulls; their rows follow each other.
    for (int page = 0; page < 3; ++page) {
      std::vector<bool> nullable(depth);
      std::vector<bool> emptyable(depth, true);
      for (size_t d = 0; d < depth; ++d) nullable[d] = random() % 2 == 0;
      Shredder shredder(kinds, nullable, emptyable);
      const uint64_t num_rows = random() % 20;
      for (uint64_t row = 0; row < num_rows; ++row) {
        const Value value = MakeValue(kinds, 0, nullable, random);
        shredder.Shred(value, 0, 0);
        Collect(value, kinds, 0, false, expected);
      }
      Levels levels = LevelsOf(shredder.rep, shredder.def, shredder.layers);
      ASSERT_TRUE(CheckLevels(shredder.layers, levels).ok());
      EXPECT_EQ(levels.has_def ? CountVisible(shredder.layers, levels.def) : levels.num_slots,
                shredder.num_values);
      const auto values = builder.Append(shredder.layers, levels, num_rows);
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_EQ(*values, shredder.num_values);
    }
    std::vector<bool> above;
    for (size_t d = 0; d < depth; ++d) {
      const auto node = builder.Finish(depth - 1 - d).ValueOrDie();
      // Below a null struct a page without nulls of its own says valid; it does not matter there.
      std::vector<bool> flags = Flags(node);
      ASSERT_EQ(flags.size(), expected[d].valid.size());
      if (d > 0 && !kinds[d - 1]) {
        for (size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] && above[i];
      }
      above = flags;
      ASSERT_EQ(flags, expected[d].valid) << "round " << round << " depth " << d;
      if (!kinds[d]) continue;
      std::vector<int64_t> offsets;
      for (uint64_t i = 0; i <= node.length; ++i) {
        offsets.push_back(round % 2 == 0
                              ? reinterpret_cast<const int64_t*>(node.offsets->data())[i]
                              : reinterpret_cast<const int32_t*>(node.offsets->data())[i]);
      }
      ASSERT_EQ(offsets, expected[d].offsets);
      ASSERT_EQ(node.num_items, static_cast<uint64_t>(offsets.back()));
    }
  }
}

TEST(StructureBuilderTest, ExampleOfTheSheet) {
  // [NULLABLE_ITEM, NULL_AND_EMPTY_LIST]: 1 null item, 2 null list, 3 empty list.
  const Layers layers{LayerKind::kNullableItem, LayerKind::kNullAndEmptyList};
  std::vector<uint16_t> rep{1, 0, 1, 1, 1};
  std::vector<uint16_t> def{0, 1, 2, 3, 0};
  StructureBuilder builder({{}, {true, false, 1}}, 2, {});
  EXPECT_EQ(builder.Append(layers, LevelsOf(rep, def, layers), 4).ValueOrDie(), 3u);
  EXPECT_EQ(Flags(builder.Finish(0).ValueOrDie()), (std::vector<bool>{true, false, true}));
  const auto lists = builder.Finish(1).ValueOrDie();
  EXPECT_EQ(Flags(lists), (std::vector<bool>{true, false, true, true}));
  const auto* offsets = reinterpret_cast<const int32_t*>(lists.offsets->data());
  EXPECT_EQ(std::vector<int32_t>(offsets, offsets + 5), (std::vector<int32_t>{0, 2, 2, 2, 3}));
}

TEST(StructureBuilderTest, FixedSizeListsOfStructsRepeatTheirLevels) {
  // A leaf, its struct, a list of two of them: the list's null is on both of its slots.
  const Layers layers{LayerKind::kNullableItem, LayerKind::kAllValidItem, LayerKind::kNullableItem};
  std::vector<uint16_t> rep(6);
  std::vector<uint16_t> def{0, 1, 2, 2, 0, 0};
  StructureBuilder builder({{}, {}, {false, false, 2}}, 3, {});
  EXPECT_EQ(builder.Append(layers, LevelsOf(rep, def, layers), 6).ValueOrDie(), 6u);
  EXPECT_EQ(Flags(builder.Finish(0).ValueOrDie()),
            (std::vector<bool>{true, false, false, false, true, true}));
  EXPECT_EQ(builder.Finish(1).ValueOrDie().length, 6u);
  EXPECT_EQ(Flags(builder.Finish(2).ValueOrDie()), (std::vector<bool>{true, false, true}));
}

TEST(StructureBuilderTest, RefusesContradictions) {
  const Layers layers{LayerKind::kNullableItem, LayerKind::kNullAndEmptyList};
  const std::vector<StructureNode> nodes{{}, {true, false, 1}};
  const auto append = [&](std::vector<uint16_t> rep, std::vector<uint16_t> def, uint64_t rows) {
    StructureBuilder builder(nodes, 2, {});
    const Levels levels = LevelsOf(rep, def, layers);
    auto status = CheckLevels(layers, levels);
    if (!status.ok()) return KindOf(status);
    const auto result = builder.Append(layers, levels, rows);
    return result.ok() ? ErrorKind::kInternal : KindOf(result.status());
  };
  EXPECT_EQ(append({1, 0}, {0, 0}, 1), ErrorKind::kInternal);  // the one that is right
  EXPECT_EQ(append({1, 0}, {0, 0}, 2), ErrorKind::kCorrupt);   // rows
  EXPECT_EQ(append({0, 1}, {0, 0}, 1), ErrorKind::kCorrupt);   // does not start with a row
  EXPECT_EQ(append({2, 0}, {0, 0}, 1), ErrorKind::kCorrupt);   // no such repetition level
  EXPECT_EQ(append({1, 0}, {0, 4}, 1), ErrorKind::kCorrupt);   // no such definition level
  EXPECT_EQ(append({1, 0}, {0, 2}, 1), ErrorKind::kCorrupt);   // an item that is a null list
  StructureBuilder other({{}, {}}, 2, {});
  std::vector<uint16_t> rep{1}, def{0};
  EXPECT_EQ(KindOf(other.Append(layers, LevelsOf(rep, def, layers), 1).status()),
            ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
