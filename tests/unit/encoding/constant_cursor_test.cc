#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

TEST(ConstantCursorTest, NullsOfEveryType) {
  const auto packed =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  for (const auto& type : {arrow::null(), arrow::boolean(), arrow::int64(), arrow::utf8(),
                           arrow::fixed_size_list(arrow::int8(), 3), packed,
                           arrow::dictionary(arrow::int16(), arrow::utf8())}) {
    PageFile file;
    file.AddPage(0, 40, Wrap(2, LayersAt(5, {3})), {});
    const FieldStorage storage =
        type == packed ? FieldStorage::kPackedStruct : FieldStorage::kPlain;
    ExpectReads(file, Leaf(type, 0, storage), *arrow::MakeArrayOfNull(type, 40).ValueOrDie());
  }
}

TEST(ConstantCursorTest, Values) {
  PageFile file;
  file.AddPage(0, 30, Wrap(2, LayersAt(5, {1}) + Wrap(6, std::string("\5\0\0\0\0\0\0\0", 8))), {});
  ExpectReads(file, Leaf(arrow::int64(), 0),
              *arrow::MakeArrayFromScalar(arrow::Int64Scalar(5), 30).ValueOrDie());
  PageFile bits;
  bits.AddPage(0, 30, Wrap(2, LayersAt(5, {1}) + Wrap(6, "\1")), {});
  ExpectReads(bits, Leaf(arrow::boolean(), 0),
              *arrow::MakeArrayFromScalar(arrow::BooleanScalar(true), 30).ValueOrDie());
  PageFile text;
  const std::string value = Bytes<uint32_t>({2, 8, 5, 0, 5}) + "hello";
  text.AddPage(0, 30, Wrap(2, LayersAt(5, {1})), {value});
  ExpectReads(text, Leaf(arrow::utf8(), 0),
              *arrow::MakeArrayFromScalar(arrow::StringScalar("hello"), 30).ValueOrDie());
  ExpectSurvivesDamage(text, Leaf(arrow::utf8(), 0), 30);
}

TEST(ConstantCursorTest, ValuesWithStructure) {
  PageFile file;
  std::vector<uint16_t> rep, def;
  auto items = std::make_shared<arrow::Int32Builder>();
  arrow::ListBuilder expected(arrow::default_memory_pool(), items);
  for (int row = 0; row < 40; ++row) {
    if (row % 5 == 2) {
      rep.push_back(1);
      def.push_back(2);
      ASSERT_TRUE(expected.AppendNull().ok());
      continue;
    }
    ASSERT_TRUE(expected.Append().ok());
    if (row % 3 == 0) {
      rep.push_back(1);
      def.push_back(3);
      continue;
    }
    for (int i = 0; i < row % 4; ++i) {
      rep.push_back(i == 0 ? 1 : 0);
      def.push_back(i == 1 ? 1 : 0);
      ASSERT_TRUE((i == 1 ? items->AppendNull() : items->Append(9)).ok());
    }
    if (row % 4 == 0) {
      rep.push_back(1);
      def.push_back(3);
    }
  }
  file.AddPage(0, 40, Wrap(2, LayersAt(5, {3, 6}) + Wrap(6, std::string("\11\0\0\0", 4))),
               {Bytes(rep), Bytes(def)});
  const FieldShape shape = Node(arrow::list(arrow::int32()), {Leaf(arrow::int32(), 0)});
  ExpectReads(file, shape, *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, shape, 40);
}

TEST(ConstantCursorTest, CompressedLevelsOfNulls) {
  // All lists null or empty; the levels bit-packed.
  PageFile file;
  std::vector<uint16_t> rep(20, 1), def;
  arrow::ListBuilder expected(arrow::default_memory_pool(),
                              std::make_shared<arrow::Int32Builder>());
  for (int row = 0; row < 20; ++row) {
    def.push_back(row % 2 == 0 ? 1 : 2);
    ASSERT_TRUE((row % 2 == 0 ? expected.AppendNull() : expected.Append()).ok());
  }
  const Message levels = Wrap(7, Inline(16)) + Wrap(8, Inline(16)) + Varint(9, 20) + Varint(10, 20);
  file.AddPage(0, 20, Wrap(2, LayersAt(5, {1, 6}) + levels),
               {PackInline(rep, 1), PackInline(def, 2)});
  ExpectReads(file, Node(arrow::list(arrow::int32()), {Leaf(arrow::int32(), 0)}),
              *expected.Finish().ValueOrDie());
}

}  // namespace
}  // namespace pennon
