#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <random>

#include "encoded_bytes.h"
#include "layered_page_file.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

/// A column of int32 with nulls: chunks of 64 values and a rest.
void AddNullablePage(PageFile* file, size_t count, int32_t first, arrow::Int32Builder* expected) {
  MiniBlock page;
  page.values = Flat(32);
  page.def = Flat(16);
  page.layers = {3};
  page.num_items = count;
  std::vector<std::pair<std::string, unsigned>> chunks;
  std::string data;
  for (size_t at = 0; at < count; at += 64) {
    const size_t end = std::min(count, at + 64);
    std::vector<int32_t> values;
    std::vector<uint16_t> def;
    for (size_t i = at; i < end; ++i) {
      const bool is_null = i % 5 == 2;
      values.push_back(is_null ? 0 : first + static_cast<int32_t>(i));
      def.push_back(is_null ? 1 : 0);
      ASSERT_TRUE((is_null ? expected->AppendNull() : expected->Append(values.back())).ok());
    }
    chunks.emplace_back(
        Chunk(page, static_cast<uint16_t>(def.size()), "", Bytes(def), {Bytes(values)}),
        end - at == 64 ? 6 : 0);
    data += chunks.back().first;
  }
  file->AddPage(0, count, page.Layout(), {Words(page, chunks), data});
}

TEST(MiniBlockCursorTest, NullableValuesOverPages) {
  PageFile file;
  arrow::Int32Builder expected;
  AddNullablePage(&file, 300, 0, &expected);
  AddNullablePage(&file, 64, 1000, &expected);
  AddNullablePage(&file, 1, 2000, &expected);
  ExpectReads(file, Leaf(arrow::int32(), 0), *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, Leaf(arrow::int32(), 0), 365);
}

TEST(MiniBlockCursorTest, TakeFetchesOnlyTheChunksNeeded) {
  PageFile file;
  arrow::Int32Builder expected;
  AddNullablePage(&file, 6400, 0, &expected);
  PageFile::Cost cost;
  ASSERT_TRUE(
      file.Read(Leaf(arrow::int32(), 0), {{5, 6}, {70, 71}, {4000, 4001}}, 100, &cost).ok());
  EXPECT_EQ(cost.rounds, 2u);
  EXPECT_EQ(cost.ranges, 1u + 2u);  // chunk words; chunks 0 and 1 as one, chunk 62
  EXPECT_LT(cost.bytes, 100 * 4 + 3 * 400u);
  // With the index kept there is one round.
  file.keeps_indices = true;
  ASSERT_TRUE(file.Read(Leaf(arrow::int32(), 0), {{5, 6}}).ok());
  cost = {};
  ASSERT_TRUE(file.Read(Leaf(arrow::int32(), 0), {{4000, 4001}}, 100, &cost).ok());
  EXPECT_EQ(cost.rounds, 1u);
  EXPECT_EQ(cost.ranges, 1u);
}

/// Lists of int64 with null and empty ones; rows go over chunk boundaries, one over several.
void AddListPage(PageFile* file, unsigned seed, size_t values_per_chunk,
                 arrow::ListBuilder* expected) {
  std::mt19937 random(seed);
  auto* items = static_cast<arrow::Int64Builder*>(expected->value_builder());
  struct Slot {
    uint16_t rep, def;
    int64_t value;
  };
  std::vector<Slot> slots;
  const size_t num_rows = 120;
  for (size_t row = 0; row < num_rows; ++row) {
    const size_t length = row == 50 ? 3 * values_per_chunk + 1 : random() % 5;
    if (row % 7 == 3) {
      slots.push_back({1, 2, 0});
      ASSERT_TRUE(expected->AppendNull().ok());
      continue;
    }
    ASSERT_TRUE(expected->Append().ok());
    if (length == 0) slots.push_back({1, 3, 0});
    for (size_t i = 0; i < length; ++i) {
      const bool is_null = random() % 6 == 0;
      const auto value = static_cast<int64_t>(random());
      slots.push_back(
          {i == 0 ? uint16_t{1} : uint16_t{0}, is_null ? uint16_t{1} : uint16_t{0}, value});
      ASSERT_TRUE((is_null ? items->AppendNull() : items->Append(value)).ok());
    }
  }
  MiniBlock page;
  page.values = Flat(64);
  page.rep = Flat(16);
  page.def = Flat(16);
  page.layers = {3, 6};
  std::vector<std::pair<std::string, unsigned>> chunks;
  std::vector<uint64_t> index;
  std::string data;
  unsigned log_values = 0;
  while ((size_t{1} << log_values) < values_per_chunk) ++log_values;
  size_t at = 0;
  uint64_t total = 0;
  for (const Slot& slot : slots) total += slot.def <= 1 ? 1 : 0;
  page.num_items = total;
  uint64_t done = 0;
  while (at < slots.size()) {
    std::vector<uint16_t> rep, def;
    std::vector<int64_t> values;
    const bool is_last = total - done <= values_per_chunk;
    const size_t begin = at;
    while (at < slots.size() && (is_last || values.size() < values_per_chunk)) {
      rep.push_back(slots[at].rep);
      def.push_back(slots[at].def);
      if (slots[at].def <= 1) values.push_back(slots[at].value);
      ++at;
    }
    done += values.size();
    chunks.emplace_back(
        Chunk(page, static_cast<uint16_t>(rep.size()), Bytes(rep), Bytes(def), {Bytes(values)}),
        is_last ? 0 : log_values);
    data += chunks.back().first;
    // Rows that end here, and slots of one that does not.
    uint64_t finished = 0, leftover = 0;
    for (size_t s = begin; s < at; ++s) {
      ++leftover;
      if (s + 1 == slots.size() || slots[s + 1].rep == 1) {
        ++finished;
        leftover = 0;
      }
    }
    index.push_back(finished);
    index.push_back(leftover);
  }
  file->AddPage(0, num_rows, page.Layout(), {Words(page, chunks), data, Bytes(index)});
}

TEST(MiniBlockCursorTest, ListsOverChunksAndPages) {
  PageFile file;
  arrow::ListBuilder expected(arrow::default_memory_pool(),
                              std::make_shared<arrow::Int64Builder>());
  AddListPage(&file, 1, 16, &expected);
  AddListPage(&file, 2, 2, &expected);
  AddListPage(&file, 3, 512, &expected);
  const FieldShape shape = Node(arrow::list(arrow::int64()), {Leaf(arrow::int64(), 0)});
  ExpectReads(file, shape, *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, shape, 360);
}

TEST(MiniBlockCursorTest, DictionaryPages) {
  PageFile file;
  MiniBlock page;
  page.values = Inline(32);
  page.dictionary = Variable(32);
  page.num_dictionary_items = 3;
  page.num_items = 900;
  std::vector<uint32_t> keys;
  arrow::StringBuilder expected;
  const std::vector<std::string> words{"red", "",
                                       "a rather long dictionary value, longer than a step"};
  for (uint32_t i = 0; i < 900; ++i) {
    keys.push_back(i * i % 3);
    ASSERT_TRUE(expected.Append(words[keys.back()]).ok());
  }
  const std::string chunk = Chunk(page, 0, "", "", {PackInline(keys, 2)});
  file.AddPage(0, 900, page.Layout(), {Words(page, {{chunk, 0}}), chunk, VariableBlock(words)});
  ExpectReads(file, Leaf(arrow::utf8(), 0), *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, Leaf(arrow::utf8(), 0), 900);
}

}  // namespace
}  // namespace pennon
