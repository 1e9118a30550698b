#include "encoding/page_layout.h"

#include <gtest/gtest.h>

#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

TEST(PageLayoutTest, CountsLevels) {
  using enum LayerKind;
  const Layers layers{kNullableItem, kNullableItem, kNullAndEmptyList, kAllValidItem,
                      kEmptyableList};
  EXPECT_EQ(MaxRep(layers), 2);
  EXPECT_EQ(MaxDef(layers), 5);
  EXPECT_EQ(MaxVisibleDef(layers), 2);
  EXPECT_EQ(MaxVisibleDef({kNullableItem, kNullableItem}), 2);
}

TEST(PageLayoutTest, ParsesMiniBlocks) {
  MiniBlock page;
  page.values = Inline(32);
  page.rep = OutOfLine(16, 1);
  page.def = Rle(16);
  page.dictionary = Variable(32);
  page.num_dictionary_items = 9;
  page.layers = {3, 6};
  page.num_items = 1234;
  const PageLayout layout = ParsePageLayout(page.Layout()).ValueOrDie();
  const auto& mini = std::get<MiniBlockLayout>(layout.layout);
  EXPECT_EQ(mini.num_items, 1234u);
  EXPECT_EQ(mini.num_dictionary_items, 9u);
  EXPECT_TRUE(mini.has_large_chunk);
  EXPECT_EQ(mini.repetition_index_depth, 1u);
  EXPECT_EQ(layout.layers, (Layers{LayerKind::kNullableItem, LayerKind::kNullAndEmptyList}));
  EXPECT_FALSE(layout.is_blob);
}

TEST(PageLayoutTest, RefusesWhatCannotBe) {
  const auto kind = [](const Message& message) {
    return KindOf(ParsePageLayout(message).status());
  };
  MiniBlock page;
  page.values = Flat(32);
  ASSERT_TRUE(ParsePageLayout(page.Layout()).ok());
  page.layers = {1, 2};
  EXPECT_EQ(kind(page.Layout()), ErrorKind::kCorrupt);  // lists without levels
  page.layers = {1};
  page.rep = Flat(16);
  EXPECT_EQ(kind(page.Layout()), ErrorKind::kCorrupt);  // levels without lists
  page.rep.clear();
  page.layers = {7};
  EXPECT_EQ(kind(page.Layout()), ErrorKind::kCorrupt);
  page.layers = {};
  EXPECT_EQ(kind(page.Layout()), ErrorKind::kCorrupt);
  page.layers = {1};
  page.num_buffers = 1000;
  EXPECT_EQ(kind(page.Layout()), ErrorKind::kCorrupt);
  page.num_buffers = 1;
  EXPECT_EQ(kind(Wrap(4, Wrap(1, Wrap(4, Wrap(1, page.Layout()))))), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Wrap(9, "")), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(""), ErrorKind::kCorrupt);
  const Message zip = LayersAt(8, {1}) + Wrap(7, Flat(64));
  EXPECT_TRUE(ParsePageLayout(Wrap(3, zip + Varint(3, 64))).ok());
  EXPECT_EQ(kind(Wrap(3, zip + Varint(3, 63))), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Wrap(3, zip + Varint(4, 16))), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Wrap(3, zip)), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Wrap(3, zip + Varint(3, 64) + Varint(1, 17))), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
