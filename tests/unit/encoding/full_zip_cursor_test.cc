#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

Message FullZip(unsigned bits_rep, unsigned bits_def, uint64_t bits_per_value,
                uint64_t bits_per_offset, const Message& values, const std::vector<int>& layers) {
  Message out;
  if (bits_rep != 0) out += Varint(1, bits_rep);
  if (bits_def != 0) out += Varint(2, bits_def);
  out += bits_per_offset != 0 ? Varint(4, bits_per_offset) : Varint(3, bits_per_value);
  return Wrap(3, out + Wrap(7, values) + LayersAt(8, layers));
}

TEST(FullZipCursorTest, FixedRowsAreSharedNotCopied) {
  PageFile file;
  std::vector<float> items;
  for (int i = 0; i < 40 * 32; ++i) items.push_back(static_cast<float>(i));
  file.AddPage(0, 40, FullZip(0, 0, 1024, 0, ListOf(32, false, Flat(32)), {1}), {Bytes(items)});
  const auto type = arrow::fixed_size_list(arrow::float32(), 32);
  arrow::FixedSizeListBuilder expected(arrow::default_memory_pool(),
                                       std::make_shared<arrow::FloatBuilder>(), type);
  ASSERT_TRUE(expected.AppendValues(40).ok());
  ASSERT_TRUE(
      static_cast<arrow::FloatBuilder*>(expected.value_builder())->AppendValues(items).ok());
  const auto array = expected.Finish().ValueOrDie();
  ExpectReads(file, Leaf(type, 0), *array);
  ExpectSurvivesDamage(file, Leaf(type, 0), 40);
  const auto whole = file.Read(Leaf(type, 0), {{0, 40}}).ValueOrDie();
  // The bytes of the file are the bytes of the array, if they are aligned well enough.
  const auto* values = whole->data()->child_data[0]->buffers[1]->data();
  if (reinterpret_cast<uintptr_t>(file.bytes().data()) % 16 == 0) {
    EXPECT_EQ(values, reinterpret_cast<const uint8_t*>(file.bytes().data()));
  }
}

TEST(FullZipCursorTest, FixedRowsWithNulls) {
  PageFile file;
  std::string data;
  arrow::Int64Builder expected;
  for (int64_t i = 0; i < 100; ++i) {
    data.push_back(i % 4 == 1 ? '\1' : '\0');
    AppendLittleEndian(data, i * i);
    ASSERT_TRUE((i % 4 == 1 ? expected.AppendNull() : expected.Append(i * i)).ok());
  }
  file.AddPage(0, 100, FullZip(0, 1, 64, 0, Flat(64), {3}), {data});
  ExpectReads(file, Leaf(arrow::int64(), 0), *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, Leaf(arrow::int64(), 0), 100);
}

TEST(FullZipCursorTest, StringsByTheirIndex) {
  PageFile file;
  std::string data;
  std::vector<uint16_t> index{0};
  arrow::StringBuilder expected;
  for (int i = 0; i < 60; ++i) {
    if (i % 5 == 3) {
      data.push_back('\1');
      ASSERT_TRUE(expected.AppendNull().ok());
    } else {
      const std::string value(static_cast<size_t>(i * 3 % 50), static_cast<char>('a' + i % 26));
      data.push_back('\0');
      AppendLittleEndian(data, static_cast<uint32_t>(value.size()));
      data += value;
      ASSERT_TRUE(expected.Append(value).ok());
    }
    index.push_back(static_cast<uint16_t>(data.size()));
  }
  file.AddPage(0, 60, FullZip(0, 1, 0, 32, Variable(32), {3}), {data, Bytes(index)});
  ExpectReads(file, Leaf(arrow::utf8(), 0), *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, Leaf(arrow::utf8(), 0), 60);
  // A whole page is read without the index, one row with two entries of it.
  PageFile::Cost cost;
  ASSERT_TRUE(file.Read(Leaf(arrow::utf8(), 0), {{0, 60}}, 100, &cost).ok());
  EXPECT_EQ(cost.rounds, 1u);
  EXPECT_EQ(cost.bytes, data.size());
  cost = {};
  ASSERT_TRUE(file.Read(Leaf(arrow::utf8(), 0), {{7, 8}}, 100, &cost).ok());
  EXPECT_EQ(cost.rounds, 2u);
  EXPECT_EQ(cost.bytes, 4u + index[8] - index[7]);
}

TEST(FullZipCursorTest, ListsOfFixedValues) {
  // Layers: nullable items, null and empty lists; control word: one bit rep, two bits def.
  PageFile file;
  std::string data;
  std::vector<uint32_t> index{0};
  auto items = std::make_shared<arrow::Int32Builder>();
  arrow::ListBuilder expected(arrow::default_memory_pool(), items);
  for (int32_t row = 0; row < 50; ++row) {
    if (row % 6 == 1) {
      data.push_back(1 << 2 | 2);
      ASSERT_TRUE(expected.AppendNull().ok());
    } else {
      ASSERT_TRUE(expected.Append().ok());
      const int32_t length = row % 4;
      if (length == 0) data.push_back(1 << 2 | 3);
      for (int32_t i = 0; i < length; ++i) {
        const bool is_null = (row + i) % 5 == 0;
        data.push_back(static_cast<char>((i == 0 ? 1 : 0) << 2 | (is_null ? 1 : 0)));
        AppendLittleEndian(data, row * 100 + i);
        ASSERT_TRUE((is_null ? items->AppendNull() : items->Append(row * 100 + i)).ok());
      }
    }
    index.push_back(static_cast<uint32_t>(data.size()));
  }
  file.AddPage(0, 50, FullZip(1, 2, 32, 0, Flat(32), {3, 6}), {data, Bytes(index)});
  const FieldShape shape = Node(arrow::list(arrow::int32()), {Leaf(arrow::int32(), 0)});
  ExpectReads(file, shape, *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, shape, 50);
}

}  // namespace
}  // namespace pennon
