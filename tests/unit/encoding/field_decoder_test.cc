#include "encoding/field_decoder.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

/// A page of one chunk of int32, raw levels.
void AddInts(PageFile* file, uint32_t column, const std::vector<int32_t>& values,
             const std::vector<uint16_t>& def, const std::vector<int>& layers, uint64_t num_rows) {
  MiniBlock page;
  page.values = Flat(32);
  if (!def.empty()) page.def = Flat(16);
  page.layers = layers;
  page.num_items = values.size();
  const std::string chunk =
      Chunk(page, static_cast<uint16_t>(def.size()), "", Bytes(def), {Bytes(values)});
  file->AddPage(column, num_rows, page.Layout(), {Words(page, {{chunk, 0}}), chunk});
}

std::shared_ptr<arrow::DataType> PairType() {
  return arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::int32())});
}

TEST(FieldDecoderTest, StructOfTwoColumns) {
  PageFile file;
  // Rows: {1, 10}, null, {null, 30}, {4, 40}.
  AddInts(&file, 0, {1, 0, 0, 4}, {0, 2, 1, 0}, {3, 3}, 4);
  AddInts(&file, 1, {10, 0, 30, 40}, {0, 1, 0, 0}, {1, 3}, 4);
  const FieldShape shape = Node(PairType(), {Leaf(arrow::int32(), 0), Leaf(arrow::int32(), 1)});
  arrow::StructBuilder expected(
      PairType(), arrow::default_memory_pool(),
      {std::make_shared<arrow::Int32Builder>(), std::make_shared<arrow::Int32Builder>()});
  auto* a = static_cast<arrow::Int32Builder*>(expected.field_builder(0));
  auto* b = static_cast<arrow::Int32Builder*>(expected.field_builder(1));
  ASSERT_TRUE(expected.Append().ok() && a->Append(1).ok() && b->Append(10).ok());
  ASSERT_TRUE(expected.AppendNull().ok());
  ASSERT_TRUE(expected.Append().ok() && a->AppendNull().ok() && b->Append(30).ok());
  ASSERT_TRUE(expected.Append().ok() && a->Append(4).ok() && b->Append(40).ok());
  ExpectReads(file, shape, *expected.Finish().ValueOrDie());
}

TEST(FieldDecoderTest, MissingFieldsAreNull) {
  PageFile file;
  AddInts(&file, 0, {1, 2, 3}, {}, {1, 1}, 3);
  FieldShape missing = Leaf(arrow::utf8(), FieldShape::kNoColumn, FieldStorage::kMissing);
  const auto type =
      arrow::struct_({arrow::field("m", arrow::utf8()), arrow::field("a", arrow::int32())});
  const auto array =
      file.Read(Node(type, {missing, Leaf(arrow::int32(), 0)}), {{0, 3}}).ValueOrDie();
  const auto& pair = static_cast<const arrow::StructArray&>(*array);
  EXPECT_EQ(pair.null_count(), 0);
  EXPECT_EQ(pair.field(0)->null_count(), 3);
  EXPECT_EQ(pair.field(1)->null_count(), 0);
  const auto nothing = file.Read(missing, {{0, 5}}).ValueOrDie();
  EXPECT_EQ(nothing->null_count(), 5);
  FieldShape empty = Leaf(arrow::struct_(arrow::FieldVector{}), 0);
  EXPECT_EQ(file.Read(empty, {{0, 3}}).ValueOrDie()->null_count(), 0);
}

TEST(FieldDecoderTest, FixedSizeListsOfStructs) {
  PageFile file;
  // Lists of two pairs; the second list is null. Levels and page lengths count items.
  const std::vector<uint16_t> def{0, 0, 1, 1, 0, 0};
  AddInts(&file, 0, {1, 2, 0, 0, 5, 6}, def, {1, 1, 3}, 6);
  AddInts(&file, 1, {10, 20, 0, 0, 50, 60}, def, {1, 1, 3}, 6);
  const auto type = arrow::fixed_size_list(PairType(), 2);
  const FieldShape shape =
      Node(type, {Node(PairType(), {Leaf(arrow::int32(), 0), Leaf(arrow::int32(), 1)})});
  const auto array = file.Read(shape, {{0, 3}}).ValueOrDie();
  EXPECT_EQ(array->length(), 3);
  EXPECT_TRUE(array->IsNull(1));
  const auto& pairs = array->data()->child_data[0];
  EXPECT_EQ(pairs->length, 6);
  EXPECT_EQ(pairs->child_data[1]->GetValues<int32_t>(1)[5], 60);
  ExpectReads(file, shape, *array);
}

TEST(FieldDecoderTest, SiblingsMustAgree) {
  PageFile file;
  AddInts(&file, 0, {1, 2, 3}, {}, {1, 1}, 3);
  AddInts(&file, 1, {1, 2}, {}, {1, 1}, 2);
  AddInts(&file, 2, {1, 2, 3}, {}, {1}, 3);
  const auto status = [&](uint32_t second) {
    return file
        .Read(Node(PairType(), {Leaf(arrow::int32(), 0), Leaf(arrow::int32(), second)}), {{0, 3}})
        .status();
  };
  EXPECT_TRUE(status(0).ok());
  EXPECT_EQ(KindOf(status(1)), ErrorKind::kInvalidArgument);  // rows beyond the end
  EXPECT_EQ(KindOf(status(2)), ErrorKind::kCorrupt);          // layers of a top-level field
  EXPECT_NE(MessageOf(status(2)).find("(column 2, page 0)"), std::string::npos) << status(2);
}

}  // namespace
}  // namespace pennon
