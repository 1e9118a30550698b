#include "encoding/v20_fixed_width.h"

#include <arrow/array/array_nested.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <numeric>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

TEST(V20FixedWidthTest, ListsOfLists) {
  std::vector<uint16_t> values(60);
  std::iota(values.begin(), values.end(), uint16_t{0});
  const auto type = arrow::fixed_size_list(arrow::fixed_size_list(arrow::uint16(), 3), 2);
  PageFile file;
  file.AddPage(0, 10, NoNulls(FixedSizeList(2, FixedSizeList(3, Flat(16, 0)))), {Bytes(values)});
  auto array = file.Read(Leaf(type, 0), {{0, 10}}).ValueOrDie();
  const auto& lists = static_cast<const arrow::FixedSizeListArray&>(*array);
  const auto& inner = static_cast<const arrow::FixedSizeListArray&>(*lists.values());
  EXPECT_EQ(inner.length(), 20);
  EXPECT_EQ(inner.values()->GetScalar(57).ValueOrDie()->ToString(), "57");
  ExpectReads(file, Leaf(type, 0), *array);
  ExpectSurvivesDamage(file, Leaf(type, 0), 10, 1);
  EXPECT_EQ(
      KindOf(file.Read(Leaf(arrow::fixed_size_list(arrow::uint16(), 6), 0), {{0, 1}}).status()),
      ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::uint16(), 0), {{0, 1}}).status()), ErrorKind::kCorrupt);
}

TEST(V20FixedWidthTest, PackedStructs) {
  std::string rows;
  for (uint8_t i = 0; i < 20; ++i) {
    rows.push_back(static_cast<char>(i));
    AppendLittleEndian(rows, static_cast<uint32_t>(i * 1000));
    AppendLittleEndian(rows, static_cast<uint16_t>(i));
    AppendLittleEndian(rows, static_cast<uint16_t>(i + 1));
  }
  const auto type =
      arrow::struct_({arrow::field("a", arrow::uint8()), arrow::field("b", arrow::uint32()),
                      arrow::field("c", arrow::fixed_size_list(arrow::uint16(), 2))});
  FieldShape shape = Leaf(type, 0);
  shape.storage = FieldStorage::kPackedStruct;
  PageFile file;
  file.AddPage(0, 20, PackedStruct({Flat(8, 0), Flat(32, 0), FixedSizeList(2, Flat(16, 0))}, 0),
               {rows});
  auto array = file.Read(shape, {{0, 20}}).ValueOrDie();
  const auto& fields = static_cast<const arrow::StructArray&>(*array);
  EXPECT_EQ(fields.field(1)->GetScalar(7).ValueOrDie()->ToString(), "7000");
  EXPECT_EQ(fields.field(2)->GetScalar(7).ValueOrDie()->ToString(),
            "fixed_size_list<item: uint16>[2][7, 8]");
  ExpectReads(file, shape, *array);
  ExpectSurvivesDamage(file, shape, 20, 1);

  file.AddPage(1, 20, PackedStruct({Flat(8, 0)}, 0), {rows});
  shape.column = 1;
  EXPECT_EQ(KindOf(file.Read(shape, {{0, 1}}).status()), ErrorKind::kCorrupt);
  shape.type = arrow::struct_({arrow::field("s", arrow::utf8())});
  EXPECT_EQ(KindOf(file.Read(shape, {{0, 1}}).status()), ErrorKind::kUnsupportedFeature);
}

}  // namespace
}  // namespace pennon::v20
