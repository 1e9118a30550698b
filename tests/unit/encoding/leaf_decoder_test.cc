#include "encoding/leaf_decoder.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

void AddInts(PageFile* file, int32_t first, uint64_t count) {
  MiniBlock page;
  page.values = Flat(32);
  page.num_items = count;
  std::vector<int32_t> values(count);
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<int32_t>(i);
  const std::string chunk = Chunk(page, 0, "", "", {Bytes(values)});
  file->AddPage(0, count, page.Layout(), {Words(page, {{chunk, 0}}), chunk});
}

TEST(LeafDecoderTest, FindsThePagesOfItsRows) {
  PageFile file;
  for (int32_t page = 0; page < 10; ++page) AddInts(&file, page * 10, 10);
  PageFile::Cost cost;
  const FieldShape shape = Leaf(arrow::int32(), 0);
  const auto array = file.Read(shape, {{5, 6}, {9, 12}, {99, 100}}, 2, &cost).ValueOrDie();
  const auto* values = array->data()->GetValues<int32_t>(1);
  EXPECT_EQ(std::vector<int32_t>(values, values + 5), (std::vector<int32_t>{5, 9, 10, 11, 99}));
  EXPECT_EQ(cost.ranges, 7u);  // the words of three pages; flat values in four runs of rows
}

TEST(LeafDecoderTest, RefusesRowsBeyondTheEnd) {
  PageFile file;
  AddInts(&file, 0, 10);
  const FieldShape shape = Leaf(arrow::int32(), 0);
  EXPECT_EQ(KindOf(file.Read(shape, {{0, 11}}).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(file.Read(shape, {{UINT64_MAX - 1, UINT64_MAX}}).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 3), {{0, 1}}).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(file.Read(shape, {}).ValueOrDie()->length(), 0);
}

TEST(LeafDecoderTest, NamesColumnAndPage) {
  PageFile file;
  AddInts(&file, 0, 10);
  AddInts(&file, 0, 10);
  file.layout(1) = "\xff";
  file.RefreshLayouts();
  const auto status = file.Read(Leaf(arrow::int32(), 0), {{0, 20}}).status();
  EXPECT_EQ(MessageOf(status), "page description does not parse (column 0, page 1)");
  EXPECT_TRUE(file.Read(Leaf(arrow::int32(), 0), {{0, 10}}).ok());
}

}  // namespace
}  // namespace pennon
