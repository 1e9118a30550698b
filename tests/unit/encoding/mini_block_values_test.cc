#include "encoding/mini_block_values.h"

#include <arrow/array/array_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <random>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT: the tests' own little language

ValueEncoding Encoding(const Message& message) { return ParseValueEncoding(message).ValueOrDie(); }

arrow::Result<std::shared_ptr<arrow::Array>> Decode(const Message& encoding,
                                                    const std::vector<std::string>& buffers,
                                                    const std::shared_ptr<arrow::DataType>& type,
                                                    uint64_t num_values, const RowRanges& keep) {
  const LeafType leaf = MakeLeafType(type, type->id() == arrow::Type::STRUCT).ValueOrDie();
  ValueBuilder out(leaf, {arrow::default_memory_pool(), 1 << 24});
  std::vector<std::span<const uint8_t>> spans;
  for (const std::string& buffer : buffers) {
    spans.emplace_back(reinterpret_cast<const uint8_t*>(buffer.data()), buffer.size());
  }
  DecodeScratch scratch;
  ARROW_RETURN_NOT_OK(DecodeMiniBlock(Encoding(encoding), spans, num_values, keep, &scratch, &out));
  ARROW_ASSIGN_OR_RAISE(auto data, out.Finish(nullptr, 0));
  auto array = arrow::MakeArray(std::move(data));
  ARROW_RETURN_NOT_OK(array->ValidateFull());
  return array;
}

/// Decodes whole and in many selections; every shorter buffer must be refused.
void Check(const Message& encoding, std::vector<std::string> buffers,
           const std::shared_ptr<arrow::Array>& expected) {
  const auto n = static_cast<uint64_t>(expected->length());
  const std::vector<RowRanges> selections = {
      {{0, n}}, {{0, 1}}, {{n - 1, n}}, {{0, n / 2}, {n / 2 + 1, n}}, {{n / 3, n / 2}}, {}};
  for (const RowRanges& keep : selections) {
    auto got = Decode(encoding, buffers, expected->type(), n, keep);
    ASSERT_TRUE(got.ok()) << got.status();
    arrow::ArrayVector parts{expected->Slice(0, 0)};
    for (const RowRange& range : keep) {
      parts.push_back(
          expected->Slice(static_cast<int64_t>(range.begin), static_cast<int64_t>(range.size())));
    }
    EXPECT_TRUE((*got)->Equals(*arrow::Concatenate(parts).ValueOrDie())) << (*got)->ToString();
  }
  for (size_t b = 0; b < buffers.size(); ++b) {
    const std::string whole = buffers[b];
    buffers[b].clear();
    EXPECT_FALSE(Decode(encoding, buffers, expected->type(), n, {{0, n}}).ok());
    buffers[b] = whole;
  }
  const auto other = Decode(encoding, buffers, arrow::fixed_size_binary(3), n, {{0, n}});
  EXPECT_EQ(KindOf(other.status()), ErrorKind::kCorrupt);
}

template <typename T>
std::vector<T> RandomWords(size_t count, unsigned width) {
  std::mt19937_64 random(width + 1);
  std::vector<T> values(count);
  for (T& value : values) value = width == 0 ? T{0} : static_cast<T>(random() >> (64 - width));
  return values;
}

template <typename T>
std::shared_ptr<arrow::Array> WordArray(const std::vector<T>& values) {
  typename arrow::CTypeTraits<T>::BuilderType builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> StringArray(const std::vector<std::string>& values, bool is_large) {
  if (is_large) {
    arrow::LargeStringBuilder builder;
    EXPECT_TRUE(builder.AppendValues(values).ok());
    return builder.Finish().ValueOrDie();
  }
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

std::vector<std::string> SomeStrings() {
  std::vector<std::string> values;
  for (int i = 0; i < 200; ++i) {
    values.push_back(i % 7 == 0 ? "" : "value-" + std::to_string(i * i) + std::string(i % 9, 'x'));
  }
  return values;
}

TEST(MiniBlockValuesTest, Flat) {
  const auto values = RandomWords<int32_t>(333, 31);
  Check(Flat(32), {Bytes(values)}, WordArray(values));
  std::string bits;
  arrow::BooleanBuilder builder;
  for (int i = 0; i < 77; ++i) {
    if (i % 8 == 0) bits.push_back('\0');
    if (i % 3 == 0) bits.back() = static_cast<char>(bits.back() | 1 << (i % 8));
    ASSERT_TRUE(builder.Append(i % 3 == 0).ok());
  }
  Check(Flat(1), {bits}, builder.Finish().ValueOrDie());
}

TEST(MiniBlockValuesTest, InlineBitpacking) {
  for (const size_t count : {size_t{1024}, size_t{1000}, size_t{2}}) {
    Check(Inline(8), {PackInline(RandomWords<uint8_t>(count, 3), 3)},
          WordArray(RandomWords<uint8_t>(count, 3)));
    Check(Inline(16), {PackInline(RandomWords<uint16_t>(count, 0), 0)},
          WordArray(RandomWords<uint16_t>(count, 0)));
    Check(Inline(32), {PackInline(RandomWords<uint32_t>(count, 17), 17)},
          WordArray(RandomWords<uint32_t>(count, 17)));
    Check(Inline(64), {PackInline(RandomWords<uint64_t>(count, 51), 51)},
          WordArray(RandomWords<uint64_t>(count, 51)));
  }
  std::string wide = PackInline(RandomWords<uint32_t>(1024, 32), 32);
  wide[0] = 33;
  EXPECT_EQ(KindOf(Decode(Inline(32), {wide}, arrow::uint32(), 1024, {{0, 1024}}).status()),
            ErrorKind::kCorrupt);
  const std::string packed = PackInline(RandomWords<uint32_t>(1024, 5), 5);
  EXPECT_EQ(KindOf(Decode(Inline(32), {packed}, arrow::uint32(), 1025, {{0, 1025}}).status()),
            ErrorKind::kCorrupt);
}

TEST(MiniBlockValuesTest, Strings) {
  const auto values = SomeStrings();
  Check(Variable(32), {VariableChunk<uint32_t>(values)}, StringArray(values, false));
  Check(Variable(64), {VariableChunk<uint64_t>(values)}, StringArray(values, true));
  // Offsets of another width than the type's.
  Check(Variable(32), {VariableChunk<uint32_t>(values)}, StringArray(values, true));
  Check(Variable(64), {VariableChunk<uint64_t>(values)}, StringArray(values, false));
  const std::vector<std::string> symbols{"value-", "x", "xxxx", "10", "2"};
  std::vector<std::string> coded;
  for (const std::string& value : values) coded.push_back(EncodeSymbols(symbols, value));
  Check(Fsst(SymbolTable(symbols), Variable(32)), {VariableChunk<uint32_t>(coded)},
        StringArray(values, false));
}

TEST(MiniBlockValuesTest, StringsRefuseOffsetsOutOfOrder) {
  const std::string good = VariableChunk<uint32_t>({"abc", "de", "f"});
  for (const auto& [at, value] : std::vector<std::pair<size_t, uint32_t>>{
           {0, 3}, {0, 200}, {4, 100}, {4, 15}, {12, 25}, {12, UINT32_MAX}}) {
    std::string bad = good;
    StoreLittleEndian(bad.data() + at, value);
    EXPECT_EQ(KindOf(Decode(Variable(32), {bad}, arrow::utf8(), 3, {{0, 3}}).status()),
              ErrorKind::kCorrupt)
        << at << " " << value;
  }
}

TEST(MiniBlockValuesTest, RunsAndSplitsAndGeneral) {
  std::vector<uint64_t> runs;
  for (int i = 0; i < 40; ++i) runs.insert(runs.end(), static_cast<size_t>(1 + i % 5), i / 3);
  std::vector<uint64_t> run_values;
  std::vector<uint8_t> run_lengths;
  for (int i = 0; i < 40; ++i) {
    run_values.push_back(static_cast<uint64_t>(i / 3));
    run_lengths.push_back(static_cast<uint8_t>(1 + i % 5));
  }
  Check(Rle(64), {Bytes(run_values), Bytes(run_lengths)}, WordArray(runs));

  const auto doubles = RandomWords<uint64_t>(100, 63);
  std::string split;
  for (size_t b = 0; b < 8; ++b) {
    for (const uint64_t value : doubles) split.push_back(static_cast<char>(value >> (8 * b)));
  }
  Check(Split(64), {split}, WordArray(doubles));
  Check(General(1, Split(64)), {LiteralLz4(split)}, WordArray(doubles));
  const auto strings = SomeStrings();
  Check(General(1, Variable(32)), {LiteralLz4(VariableChunk<uint32_t>(strings))},
        StringArray(strings, false));
}

TEST(MiniBlockValuesTest, FixedSizeListsWithTheirOwnNulls) {
  // Three lists of two lists of two int16; item nulls on both inner layers.
  const auto type = arrow::fixed_size_list(arrow::fixed_size_list(arrow::int16(), 2), 2);
  const std::vector<int16_t> items{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::string inner_lists(1, '\x2f');      // list 4 of 6 is null
  const std::string inner_items("\xfe\x0f", 2);  // item 0 of 12 is null
  const Message encoding = ListOf(2, true, ListOf(2, true, Flat(16)));
  const auto got = Decode(encoding, {inner_lists, inner_items, Bytes(items)}, type, 3, {{0, 3}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)->length(), 3);
  const auto& lists = (*got)->data()->child_data[0];
  EXPECT_EQ(lists->GetNullCount(), 1);
  EXPECT_EQ(lists->child_data[0]->GetNullCount(), 1);
  const auto last = Decode(encoding, {inner_lists, inner_items, Bytes(items)}, type, 3, {{2, 3}});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_TRUE((*last)->Equals((*got)->Slice(2)));
  EXPECT_EQ(KindOf(Decode(encoding, {inner_lists, inner_items, Bytes(items)},
                          arrow::fixed_size_list(arrow::int16(), 4), 3, {{0, 3}})
                       .status()),
            ErrorKind::kCorrupt);
}

TEST(MiniBlockValuesTest, PackedStructs) {
  const auto type = arrow::struct_({arrow::field("a", arrow::int16()),
                                    arrow::field("b", arrow::fixed_size_list(arrow::uint8(), 3)),
                                    arrow::field("c", arrow::float64())});
  std::string rows;
  for (int i = 0; i < 5; ++i) {
    AppendLittleEndian(rows, static_cast<int16_t>(i));
    rows += std::string(3, static_cast<char>('a' + i));
    AppendLittleEndian(rows, i * 0.5);
  }
  const Message encoding = Packed({16, 24, 64});
  const auto got = Decode(encoding, {rows}, type, 5, {{0, 5}});
  ASSERT_TRUE(got.ok()) << got.status();
  const auto part = Decode(encoding, {rows}, type, 5, {{1, 2}, {4, 5}});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_TRUE((*part)->Slice(1)->Equals((*got)->Slice(4)));
  const auto& doubles = (*got)->data()->child_data[2];
  EXPECT_EQ(doubles->GetValues<double>(1)[3], 1.5);
  EXPECT_EQ(KindOf(Decode(Packed({16, 32, 64}), {rows}, type, 5, {{0, 5}}).status()),
            ErrorKind::kCorrupt);
}

TEST(MiniBlockValuesTest, RefusesWhatHasNoMiniBlockForm) {
  for (const Message& encoding : {Constant(), OutOfLine(32, 3)}) {
    EXPECT_EQ(KindOf(Decode(encoding, {"abcd"}, arrow::int32(), 1, {{0, 1}}).status()),
              ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace pennon
