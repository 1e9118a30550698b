#include <arrow/array/array_nested.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoding/field_decoder.h"
#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

TEST(V20FieldDecoderTest, StructsWithMissingChildren) {
  PageFile file;
  file.AddPage(0, 6, Struct(), {});
  file.AddPage(1, 4, Flat(8, 0), {"abcd"});
  file.AddPage(1, 2, Flat(8, 0), {"ef"});
  FieldShape shape = Leaf(
      arrow::struct_({arrow::field("a", arrow::uint8()), arrow::field("b", arrow::utf8())}), 0);
  shape.children = {Leaf(arrow::uint8(), 1), Leaf(arrow::utf8(), FieldShape::kNoColumn)};
  shape.children[1].storage = FieldStorage::kMissing;
  auto array = file.Read(shape, {{0, 6}}).ValueOrDie();
  const auto& fields = static_cast<const arrow::StructArray&>(*array);
  EXPECT_EQ(fields.null_count(), 0);
  EXPECT_EQ(fields.field(0)->GetScalar(5).ValueOrDie()->ToString(), "102");
  EXPECT_EQ(fields.field(1)->null_count(), 6);
  ExpectReads(file, shape, *array);
}

TEST(V20FieldDecoderTest, EmptyStructsAndMissingFields) {
  PageFile file;
  file.AddPage(0, 5, Struct(), {});
  auto empty = file.Read(Leaf(arrow::struct_({}), 0), {{1, 4}}).ValueOrDie();
  EXPECT_EQ(empty->length(), 3);
  FieldShape missing = Leaf(arrow::int64(), FieldShape::kNoColumn);
  missing.storage = FieldStorage::kMissing;
  EXPECT_EQ(file.Read(missing, {{1, 4}}).ValueOrDie()->null_count(), 3);
}

TEST(V20FieldDecoderTest, ShapesThatA20FileCannotHold) {
  PageFile file;
  file.AddPage(0, 5, Struct(), {});
  FieldShape list = Leaf(arrow::fixed_size_list(arrow::struct_({}), 2), 0);
  list.children = {Leaf(arrow::struct_({}), 0)};
  EXPECT_EQ(KindOf(file.Read(list, {{0, 1}}).status()), ErrorKind::kUnsupportedFeature);
  FieldShape lost = Leaf(arrow::int8(), FieldShape::kNoColumn);
  EXPECT_EQ(KindOf(file.Read(lost, {{0, 1}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
