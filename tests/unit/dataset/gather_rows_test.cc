#include "dataset/gather_rows.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_dict.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace pennon {
namespace {

/// Integers with nulls, strings, lists and a dictionary if wanted, `num_rows` of them.
std::shared_ptr<arrow::RecordBatch> MakeBatch(int64_t num_rows, bool with_dictionary) {
  arrow::Int32Builder numbers;
  arrow::StringBuilder texts;
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int64Builder>());
  arrow::StringDictionary32Builder words;
  for (int64_t i = 0; i < num_rows; ++i) {
    const auto number = static_cast<int32_t>(i);
    EXPECT_TRUE((i % 5 == 2 ? numbers.AppendNull() : numbers.Append(number)).ok());
    EXPECT_TRUE(texts.Append(std::string(static_cast<size_t>(i % 7), 'x')).ok());
    EXPECT_TRUE(lists.Append().ok());
    for (int64_t k = 0; k < i % 3; ++k)
      EXPECT_TRUE(static_cast<arrow::Int64Builder*>(lists.value_builder())->Append(i * k).ok());
    EXPECT_TRUE(words.Append(i % 2 == 0 ? "even" : "odd").ok());
  }
  arrow::ArrayVector columns = {numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie(),
                                lists.Finish().ValueOrDie()};
  arrow::FieldVector fields = {arrow::field("number", columns[0]->type()),
                               arrow::field("text", columns[1]->type()),
                               arrow::field("list", columns[2]->type())};
  if (with_dictionary) {
    columns.push_back(words.Finish().ValueOrDie());
    fields.push_back(arrow::field("word", columns.back()->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), num_rows, std::move(columns));
}

/// Compares every cell with the one it was taken from.
void Check(const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<int64_t>& sources) {
  const auto result = GatherRows(*batch, sources, batch->schema());
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& gathered = *result;
  ASSERT_TRUE(gathered->ValidateFull().ok());
  ASSERT_EQ(gathered->num_rows(), static_cast<int64_t>(sources.size()));
  for (int column = 0; column < batch->num_columns(); ++column) {
    ASSERT_TRUE(gathered->column(column)->type()->Equals(batch->column(column)->type()));
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto cell = gathered->column(column)->GetScalar(static_cast<int64_t>(i)).ValueOrDie();
      if (sources[i] == kNullRow) {
        ASSERT_FALSE(cell->is_valid);
      } else {
        ASSERT_TRUE(cell->Equals(*batch->column(column)->GetScalar(sources[i]).ValueOrDie()))
            << "column " << column << " row " << i;
      }
    }
  }
}

TEST(GatherRows, NoRowsOfNoRows) {
  Check(MakeBatch(0, false), {});
  Check(MakeBatch(0, true), {});
  Check(MakeBatch(9, false), {});
}

TEST(GatherRows, NullRowsOfNoRows) { Check(MakeBatch(0, false), {kNullRow, kNullRow}); }

TEST(GatherRows, RunsTurnsAndRepeats) {
  for (const bool with_dictionary : {false, true}) {
    const auto batch = MakeBatch(20, with_dictionary);
    Check(batch, {3, 4, 5});
    Check(batch, {19, 18, 17, 0});
    Check(batch, {7, 7, 7, 8, 0});
    Check(batch, {kNullRow, 0, 1, kNullRow, kNullRow, 2, kNullRow});
    Check(batch->Slice(5, 10), {9, 0, kNullRow, 4, 5});
  }
}

TEST(GatherRows, FewAndManyRandomRows) {
  std::mt19937_64 random(7);
  const auto batch = MakeBatch(500, true);
  const auto plain = MakeBatch(500, false);
  for (const size_t count : {1, 2, 127, 128, 129, 1000}) {
    std::vector<int64_t> sources;
    for (size_t i = 0; i < count; ++i) {
      sources.push_back(random() % 9 == 0 ? kNullRow : static_cast<int64_t>(random() % 500));
    }
    Check(batch, sources);
    Check(plain, sources);
  }
}

}  // namespace
}  // namespace pennon
