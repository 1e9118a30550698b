#include "encoding/page_cursor.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

TEST(PageCursorTest, StructureAndValuesMustMatch) {
  const LeafType type = MakeLeafType(arrow::int8()).ValueOrDie();
  const Layers layers{LayerKind::kNullableItem};
  const auto append = [&](const std::vector<uint16_t>& def, uint64_t rows, uint64_t values) {
    LeafOutput out(type, {StructureNode{}}, 1, {});
    EXPECT_TRUE(out.def.AppendFixed(reinterpret_cast<const uint8_t*>(def.data()), def.size()).ok());
    return out.AppendStructure(layers, false, true, def.size(), rows, values);
  };
  EXPECT_TRUE(append({0, 1, 0}, 3, 3).ok());
  EXPECT_EQ(KindOf(append({0, 1, 0}, 3, 2)), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(append({0, 1, 0}, 2, 3)), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(append({0, 2, 0}, 3, 3)), ErrorKind::kCorrupt);
}

TEST(PageCursorTest, BlobsBelowListsAreRefused) {
  auto index = std::make_shared<LayoutPageIndex>();
  index->layout.is_blob = true;
  index->layout.layers = {LayerKind::kAllValidItem};
  index->layout.blob_layers = {LayerKind::kAllValidItem, LayerKind::kAllValidList};
  PageSelection selection;
  selection.index = index;
  EXPECT_EQ(KindOf(MakePageCursor(std::move(selection)).status()), ErrorKind::kUnsupportedFeature);
}

}  // namespace
}  // namespace pennon
