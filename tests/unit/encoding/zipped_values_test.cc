#include "encoding/zipped_values.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

std::span<const uint8_t> AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Message VariablePacked(const std::vector<Message>& children) {
  Message out;
  for (const Message& child : children) out += Wrap(1, child);
  return Wrap(13, out);
}
Message FixedChild(const Message& values, uint64_t bits) {
  return Wrap(1, values) + Varint(2, bits);
}
Message VariableChild(const Message& values, uint64_t bits) {
  return Wrap(1, values) + Varint(3, bits);
}

TEST(ZippedValuesTest, KnowsTheWidthOfFixedValues) {
  const auto bytes = [](const Message& encoding, const std::shared_ptr<arrow::DataType>& type) {
    return ZippedBytes(ParseValueEncoding(encoding).ValueOrDie(),
                       MakeLeafType(type, true).ValueOrDie());
  };
  EXPECT_EQ(bytes(Flat(64), arrow::int64()).ValueOrDie(), 8u);
  EXPECT_EQ(bytes(Flat(8), arrow::boolean()).ValueOrDie(), 1u);
  EXPECT_EQ(
      bytes(ListOf(10, true, Flat(32)), arrow::fixed_size_list(arrow::float32(), 10)).ValueOrDie(),
      42u);
  EXPECT_EQ(bytes(ListOf(2, true, ListOf(5, true, Constant())),
                  arrow::fixed_size_list(arrow::fixed_size_list(arrow::int8(), 5), 2))
                .ValueOrDie(),
            3u);
  EXPECT_EQ(
      bytes(ListOf(16, false, Flat(1)), arrow::fixed_size_list(arrow::boolean(), 16)).ValueOrDie(),
      2u);
  for (const auto& [encoding, type] :
       std::vector<std::pair<Message, std::shared_ptr<arrow::DataType>>>{
           {Flat(32), arrow::int64()},
           {Flat(1), arrow::boolean()},
           {Variable(32), arrow::int64()},
           {ListOf(4, false, Flat(32)), arrow::fixed_size_list(arrow::float32(), 5)},
           {ListOf(3, false, Flat(1)), arrow::fixed_size_list(arrow::boolean(), 3)},
           {ListOf(4, false, Constant()), arrow::fixed_size_list(arrow::float32(), 4)},
           {Packed({32, 32}), arrow::struct_({arrow::field("a", arrow::int32())})}}) {
    EXPECT_EQ(KindOf(bytes(encoding, type).status()), ErrorKind::kCorrupt) << type->ToString();
  }
}

TEST(ZippedValuesTest, AppendsStridedValues) {
  // A control byte before each value, and item validity inside.
  const auto type = arrow::fixed_size_list(arrow::int16(), 3);
  const LeafType leaf = MakeLeafType(type).ValueOrDie();
  const ValueEncoding encoding = ParseValueEncoding(ListOf(3, true, Flat(16))).ValueOrDie();
  std::string rows;
  for (int16_t i = 0; i < 4; ++i) {
    rows += "C";
    rows.push_back(static_cast<char>(0xF8 | (i + 1)));
    for (int16_t item = 0; item < 3; ++item)
      AppendLittleEndian(rows, static_cast<int16_t>(10 * i + item));
  }
  ValueBuilder out(leaf, {});
  ASSERT_TRUE(AppendZipped(encoding, AsBytes(rows).data() + 1, 8, 4, &out).ok());
  const auto array = arrow::MakeArray(out.Finish(nullptr, 0).ValueOrDie());
  ASSERT_TRUE(array->ValidateFull().ok());
  EXPECT_EQ(array->data()->child_data[0]->GetNullCount(), 12 - 5);
  EXPECT_EQ(array->data()->child_data[0]->GetValues<int16_t>(1)[7], 21);
}

TEST(ZippedValuesTest, WidenedBooleans) {
  const LeafType leaf = MakeLeafType(arrow::boolean()).ValueOrDie();
  const std::string bytes("\1\0\1\1", 4);
  ValueBuilder out(leaf, {});
  ASSERT_TRUE(
      AppendZipped(ParseValueEncoding(Flat(8)).ValueOrDie(), AsBytes(bytes).data(), 1, 4, &out)
          .ok());
  EXPECT_EQ(out.bits.Finish().ValueOrDie()->data()[0], 0b1101);
}

TEST(ZippedValuesTest, VariableValues) {
  const LeafType leaf = MakeLeafType(arrow::utf8()).ValueOrDie();
  ValueBuilder out(leaf, {});
  DecodeScratch scratch;
  const std::vector<std::string> symbols{"hello", " "};
  const auto fsst = ParseValueEncoding(Fsst(SymbolTable(symbols), Variable(32))).ValueOrDie();
  const auto plain = ParseValueEncoding(Variable(32)).ValueOrDie();
  const auto lz4 = ParseValueEncoding(General(1, Variable(32))).ValueOrDie();
  const auto both =
      ParseValueEncoding(General(1, Fsst(SymbolTable(symbols), Variable(32)))).ValueOrDie();
  const std::string text = "hello you hello";
  const std::string coded = EncodeSymbols(symbols, text);
  for (const auto& [encoding, bytes] : std::vector<std::pair<const ValueEncoding*, std::string>>{
           {&plain, text}, {&fsst, coded}, {&lz4, LiteralLz4(text)}, {&both, LiteralLz4(coded)}}) {
    ASSERT_TRUE(CheckZippedVariable(*encoding, leaf).ok());
    ASSERT_TRUE(AppendZippedVariable(*encoding, AsBytes(bytes), &scratch, &out).ok());
  }
  const auto array = arrow::MakeArray(out.Finish(nullptr, 0).ValueOrDie());
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(array->GetScalar(i).ValueOrDie()->ToString(), text);
  EXPECT_FALSE(CheckZippedVariable(ParseValueEncoding(Flat(8)).ValueOrDie(), leaf).ok());
}

TEST(ZippedValuesTest, VariablePackedStructs) {
  const auto type =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()),
                      arrow::field("c", arrow::large_binary())});
  const LeafType leaf = MakeLeafType(type, true).ValueOrDie();
  const ValueEncoding encoding =
      ParseValueEncoding(VariablePacked({FixedChild(Flat(32), 32), VariableChild(Variable(32), 32),
                                         VariableChild(Variable(64), 64)}))
          .ValueOrDie();
  ASSERT_TRUE(CheckZippedVariable(encoding, leaf).ok());
  std::string row;
  AppendLittleEndian<int32_t>(row, 77);
  AppendLittleEndian<uint32_t>(row, 3);
  row += "abc";
  AppendLittleEndian<uint64_t>(row, 2);
  row += "de";
  ValueBuilder out(leaf, {});
  DecodeScratch scratch;
  ASSERT_TRUE(AppendZippedVariable(encoding, AsBytes(row), &scratch, &out).ok());
  ASSERT_TRUE(AppendZippedVariable(encoding, {}, &scratch, &out).ok());
  const auto array = arrow::MakeArray(out.Finish(nullptr, 0).ValueOrDie());
  ASSERT_TRUE(array->ValidateFull().ok());
  EXPECT_EQ(array->GetScalar(0).ValueOrDie()->ToString(),
            "{a:int32 = 77, b:string = abc, c:large_binary = de}");
  for (size_t size = 1; size < row.size(); ++size) {
    ValueBuilder bad(leaf, {});
    EXPECT_EQ(KindOf(AppendZippedVariable(encoding, AsBytes(row).first(size), &scratch, &bad)),
              ErrorKind::kCorrupt);
  }
  const std::string longer = row + "x";
  ValueBuilder bad(leaf, {});
  EXPECT_EQ(KindOf(AppendZippedVariable(encoding, AsBytes(longer), &scratch, &bad)),
            ErrorKind::kCorrupt);
  const auto other = ParseValueEncoding(VariablePacked({FixedChild(Flat(32), 32)})).ValueOrDie();
  EXPECT_FALSE(CheckZippedVariable(other, leaf).ok());
}

}  // namespace
}  // namespace pennon
