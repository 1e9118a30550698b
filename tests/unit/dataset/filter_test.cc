#include "pennon/dataset/filter.h"

#include <arrow/array.h>
#include <arrow/compute/expression.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

struct Column {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
  const char* json;
};

const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = {
      {"i8", arrow::int8(), "[1, -2, null, 127, 0]"},
      {"i32", arrow::int32(), "[1, 2, null, 4, 0]"},
      {"i64", arrow::int64(), "[1, 2, null, 9223372036854775807, -5]"},
      {"u64", arrow::uint64(), "[1, 2, null, 18446744073709551615, 0]"},
      {"f32", arrow::float32(), "[0.1, 2.5, null, 1e30, -0.0]"},
      {"f64", arrow::float64(), "[0.1, 2.5, null, NaN, -0.0]"},
      {"b", arrow::boolean(), "[true, false, null, true, false]"},
      {"s", arrow::utf8(), R"(["abc", "Abc", null, "a%c", "ünï"])"},
      {"ls", arrow::large_utf8(), R"(["abc", "Abc", null, "x y", ""])"},
      {"bin", arrow::binary(), R"(["abc", "b", null, "", "a"])"},
      {"d", arrow::date32(), "[18262, 18793, null, -1, 11016]"},
      {"ts", arrow::timestamp(arrow::TimeUnit::MICRO),
       R"(["2020-01-01", "2021-06-15 12:30:45.123456", null, "1969-12-31 23:59:59", "2000-02-29"])"},
      {"tz", arrow::timestamp(arrow::TimeUnit::MILLI, "+02:00"),
       R"(["2020-01-01", "2021-06-15 12:30:45.123", null, "1969-12-31 23:59:59", "2000-02-29"])"},
      {"dec", arrow::decimal128(10, 2), R"(["1.10", "2.50", null, "-3.25", "0.00"])"},
      {"l", arrow::list(arrow::int64()), "[[1, 2], [], null, [3, null], [5]]"},
      {"st",
       arrow::struct_({arrow::field("a", arrow::int32()),
                       arrow::field("x.y", arrow::struct_({arrow::field("c", arrow::utf8())}))}),
       R"([{"a": 1, "x.y": {"c": "x"}}, {"a": 2, "x.y": null}, null, {"a": null, "x.y": {"c": null}}, {"a": 5, "x.y": {"c": "z"}}])"},
      {"m", arrow::map(arrow::utf8(), arrow::int32()),
       R"([[["k", 1]], [["j", 2]], null, [], [["k", 5]]])"},
      {"MiXed", arrow::int32(), "[0, 1, 2, 3, 4]"},
      {"order", arrow::int32(), "[0, 1, 2, 3, 4]"},
      {"_rowid", arrow::uint64(), "[10, 11, 12, 13, 14]"},
  };
  return columns;
}

std::shared_ptr<arrow::RecordBatch> TestBatch() {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : Columns()) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(*arrow::json::ArrayFromJSONString(column.type, column.json));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), 5, arrays);
}

std::string Rows(std::string_view sql, const arrow::RecordBatch& batch) {
  const auto filter = ParseFilter(sql, *batch.schema());
  if (!filter.ok()) return MessageOf(filter.status());
  const auto selection = filter->Evaluate(batch);
  if (!selection.ok()) return "run: " + MessageOf(selection.status());
  std::string rows;
  for (int32_t row : selection->Rows()) rows += (rows.empty() ? "" : " ") + std::to_string(row);
  EXPECT_EQ(selection->count(), static_cast<int64_t>(selection->Rows().size()));
  return rows;
}
std::string Rows(std::string_view sql) { return Rows(sql, *TestBatch()); }

TEST(Filter, ComparesNumbers) {
  EXPECT_EQ(Rows("i32 > 1"), "1 3");
  EXPECT_EQ(Rows("1 < i32"), "1 3");
  EXPECT_EQ(Rows("i32 > 1.5"), "1 3");
  EXPECT_EQ(Rows("i8 > 300"), "");
  EXPECT_EQ(Rows("u64 > -1"), "0 1 3 4");
  EXPECT_EQ(Rows("u64 > i64"), "3 4");
  EXPECT_EQ(Rows("f32 = 0.1"), "0");
  EXPECT_EQ(Rows("not (f32 = 0.1)"),
            "0 1 3 4");  // As the reference engine: compared as doubles in here.
  EXPECT_EQ(Rows("f64 = 0"), "4");
  EXPECT_EQ(Rows("f64 > 1"), "1 3");  // NaN is the greatest.
  EXPECT_EQ(Rows("dec = 1.1"), "0");
  EXPECT_EQ(Rows("dec > 1"), "0 1");
  EXPECT_EQ(Rows("i64 = 9223372036854775807"), "3");
  EXPECT_EQ(Rows("i32 between 1 and 2 and i32 <> 2"), "0");
}

TEST(Filter, KeepsThreeValuedLogic) {
  EXPECT_EQ(Rows("b"), "0 3");
  EXPECT_EQ(Rows("not b"), "1 4");
  EXPECT_EQ(Rows("b is not true"), "1 2 4");
  EXPECT_EQ(Rows("b is unknown"), "2");
  EXPECT_EQ(Rows("b or null"), "0 3");
  EXPECT_EQ(Rows("(b and null) is null"), "0 2 3");
  EXPECT_EQ(Rows("i32 in (1, null)"), "0");
  EXPECT_EQ(Rows("i32 not in (1, null)"), "");
  EXPECT_EQ(Rows("i32 not in (1, 2)"), "3 4");
  EXPECT_EQ(Rows("i32 is distinct from 1"), "1 2 3 4");
  EXPECT_EQ(Rows("i32 is not distinct from null"), "2");
  EXPECT_EQ(Rows("not (i32 > 1 and f64 < 1)"), "0 1 3 4");
  EXPECT_EQ(Rows("(i32 > 1) is not false"), "1 2 3");
}

TEST(Filter, ComparesTextTimesAndBytes) {
  EXPECT_EQ(Rows("s = 'abc'"), "0");
  EXPECT_EQ(Rows("s = \"abc\""), "0");
  EXPECT_EQ(Rows("s < ls"), "3");
  EXPECT_EQ(Rows("s like 'a%'"), "0 3");
  EXPECT_EQ(Rows("s ilike 'ÜN_'"), "4");
  EXPECT_EQ(Rows("s not like 'a!%%' escape '!'"), "0 1 4");
  EXPECT_EQ(Rows("bin = X'616263'"), "0");
  EXPECT_EQ(Rows("d = '2020-01-01'"), "0");
  EXPECT_EQ(Rows("d >= date '2020-01-01'"), "0 1");
  EXPECT_EQ(Rows("ts > '2020-01-01'"), "1");
  EXPECT_EQ(Rows("ts >= timestamp '2020-01-01' and ts < timestamp '2021-01-01'"), "0");
  EXPECT_EQ(Rows("tz < timestamp '2020-01-01 02:00:00'"),
            "3 4");  // Local time of the column's zone.
  EXPECT_EQ(Rows("ts = d"), "0 4");
  EXPECT_EQ(Rows("ts - interval '1 day' = timestamp '2019-12-31'"), "0");
  EXPECT_EQ(Rows("extract(year from ts) = 2021"), "1");
  EXPECT_EQ(Rows("date_trunc('month', ts) = timestamp '2021-06-01'"), "1");
}

TEST(Filter, ReachesIntoNestedValues) {
  EXPECT_EQ(Rows("st.a > 1"), "1 4");
  EXPECT_EQ(Rows("st.`x.y`.c = 'x'"), "0");
  EXPECT_EQ(Rows("st['x.y']['c'] is null"), "1 2 3");
  EXPECT_EQ(Rows("l[1] = 3"), "3");
  EXPECT_EQ(Rows("l[-1] = 2"), "0");
  EXPECT_EQ(Rows("array_has(l, 3) or cardinality(l) = 0"), "1 3");
  EXPECT_EQ(Rows("array_has_any(l, [2, 5])"), "0 4");
  EXPECT_EQ(Rows("l = [1, 2]"), "0");
  EXPECT_EQ(Rows("m['k'] > 1"), "4");
  EXPECT_EQ(Rows("mixed = 3 or ORDER = 0"), "0 3");
}

TEST(Filter, CallsFunctions) {
  EXPECT_EQ(Rows("upper(s) = 'ABC'"), "0 1");
  EXPECT_EQ(Rows("length(s) = 3 and octet_length(s) = 5"), "4");
  EXPECT_EQ(Rows("coalesce(i32, 7) = 7"), "2");
  EXPECT_EQ(Rows("regexp_match(s, '^a')"), "0 3");
  EXPECT_EQ(Rows("s ~* '^a.c$'"), "0 1 3");
  EXPECT_EQ(Rows("starts_with(s, 'a') and not contains(s, 'b')"), "3");
  EXPECT_EQ(Rows("case when i32 > 1 then 'x' when b then 'y' end = 'y'"), "0");
  EXPECT_EQ(Rows("round(f64) = 3"), "1");
  EXPECT_EQ(Rows("i32 % 2 = 0"), "1 3 4");
  EXPECT_EQ(Rows("i8 + i8 = -2"), "3");  // Wraps around.
  EXPECT_EQ(Rows("cast(i32 as string) = '4'"), "3");
  EXPECT_EQ(Rows("try_cast(s as int) is null"), "0 1 2 3 4");
  EXPECT_EQ(Rows("greatest(i32, 3) = 3"), "0 1 2 4");
  EXPECT_EQ(Rows("cast(0.1 as float) = f32"), "0");
  EXPECT_EQ(Rows("float '0.1' = f32 and double '0.1' = f64"), "0");
}

TEST(Filter, FailsOnlyOnRowsThatCount) {
  EXPECT_EQ(Rows("10 / i32 > 1"), "run: division by zero");
  EXPECT_EQ(Rows("i32 <> 0 and 10 / i32 > 2"), "0 1");
  EXPECT_EQ(Rows("10 / i32 > 2 and i32 <> 0"), "0 1");
  EXPECT_EQ(Rows("i32 = 0 or 10 / i32 > 2"), "0 1 4");
  EXPECT_EQ(Rows("case when i32 = 0 then -1 else 10 / i32 end < 3"), "3 4");
  EXPECT_EQ(Rows("coalesce(i32, 1 / 0) = 1"), "run: division by zero");
  EXPECT_EQ(Rows("cast(s as int) = 1"), "run: cannot cast \"abc\" from string to int32");
  EXPECT_EQ(Rows("abs(i8) = 127 and i8 > 0"), "3");
}

TEST(Filter, PointsAtMistakes) {
  EXPECT_EQ(Rows("i32 > 1 and foo = 2").substr(0, 22), "no column \"foo\" (there");
  EXPECT_NE(Rows("i32 > 1 and foo = 2").find("at character 13 near \"foo\""), std::string::npos);
  EXPECT_EQ(Rows("st.b = 1"),
            "no field \"b\" in \"st\" (there are a, x.y) at character 1 near \"st.b\"");
  EXPECT_EQ(Rows("uper(s) = 'A'"),
            "unknown function \"uper\", did you mean \"upper\"? at character 1 near \"uper\"");
  EXPECT_EQ(Rows("upper(s, 1) = 'A'"),
            "upper takes 1 arguments, not 2 at character 1 near \"upper\"");
  EXPECT_EQ(Rows("i32"), "the filter is of type int32, not boolean at character 1 near \"i32\"");
  EXPECT_EQ(Rows("b = 1"), "cannot compare bool with int64 at character 3 near \"=\"");
  EXPECT_EQ(Rows("b and i32"),
            "expected a boolean, not a value of type int32 at character 7 near \"i32\"");
  EXPECT_EQ(Rows("ts > timestamp 'soon'"),
            "cannot cast \"soon\" from string to timestamp[us] at character 6 near \"timestamp\"");
  EXPECT_EQ(Rows("regexp_like(s, '(')"),
            "not a valid regular expression at character 16 near \"'('\"");
  EXPECT_EQ(Rows("i32 & 1 = 1"), "operator \"&\" is not supported at character 5 near \"&\"");
  EXPECT_EQ(Rows("l < [1]"),
            "values of type list<item: int64> have no order at character 3 near \"<\"");
  EXPECT_EQ(KindOf(ParseFilter("foo = 1", *TestBatch()->schema()).status()),
            ErrorKind::kInvalidArgument);
}

TEST(Filter, SaysWhatItReads) {
  const auto filter = ParseFilter("st.a > 1 and (st['x.y'].c = 'x' or i32 = 1) and _rowid < 12",
                                  *TestBatch()->schema());
  ASSERT_TRUE(filter.ok()) << filter.status().ToString();
  EXPECT_EQ(filter->column_names(), (std::vector<std::string>{"st", "i32", "_rowid"}));
  ASSERT_EQ(filter->fields().size(), 4u);
  EXPECT_EQ(filter->fields()[0].ToString(), "FieldRef.Nested(FieldRef.Name(st) FieldRef.Name(a))");
  const auto terms = filter->Conjuncts();
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[2].column_names(), std::vector<std::string>{"_rowid"});
  EXPECT_TRUE(terms[2].row_ids().is_exact);
  EXPECT_FALSE(filter->row_ids().is_exact);
  EXPECT_EQ(filter->row_ids().ranges, (std::vector<RowNumberRange>{{0, 11}}));
  EXPECT_EQ(ParseFilter("i32 = 1", *TestBatch()->schema())->expression().ToString(), "(i32 == 1)");
}

TEST(Filter, FoldsConstants) {
  const auto schema = TestBatch()->schema();
  EXPECT_TRUE(ParseFilter("1 = 2", *schema)->is_never());
  EXPECT_TRUE(ParseFilter("i32 > 1 and false", *schema)->is_never());
  EXPECT_TRUE(ParseFilter("i32 = null", *schema)->is_never());
  EXPECT_TRUE(ParseFilter("upper('a') = 'A' or i32 = 1", *schema)->is_always());
  EXPECT_FALSE(ParseFilter("i32 = 1", *schema)->is_never());
  EXPECT_TRUE(ParseFilter("1 = 2", *schema)->column_names().empty());
}

TEST(Filter, WorksOnSlicesAndProjections) {
  const auto batch = TestBatch();
  const auto slice = batch->Slice(1, 3);
  EXPECT_EQ(Rows("i32 > 1", *slice), "0 2");
  EXPECT_EQ(Rows("s like 'A%' or st.a is null", *slice), "0 1 2");
  EXPECT_EQ(Rows("b is not true and l is not null", *slice), "0");
  EXPECT_EQ(Rows("array_has(l, 3)", *slice), "2");
  EXPECT_EQ(Rows("i32 > 1", *batch->Slice(0, 0)), "");
  const auto filter = ParseFilter("st.a > 1 and i32 > 1", *batch->schema());
  const auto pruned = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("i32", arrow::int32()),
                     arrow::field("st", arrow::struct_({arrow::field("a", arrow::int32())}))}),
      5,
      arrow::ArrayVector{batch->GetColumnByName("i32"),
                         *arrow::StructArray::Make({*std::static_pointer_cast<arrow::StructArray>(
                                                         batch->GetColumnByName("st"))
                                                         ->GetFlattenedField(0)},
                                                   std::vector<std::string>{"a"})});
  EXPECT_EQ(filter->Evaluate(*pruned)->Rows(), std::vector<int32_t>{1});
  const auto other = arrow::RecordBatch::Make(arrow::schema({arrow::field("i32", arrow::int64())}),
                                              5, arrow::ArrayVector{batch->GetColumnByName("i64")});
  EXPECT_EQ(MessageOf(ParseFilter("i32 > 1", *batch->schema())->Evaluate(*other).status()),
            "a column of the filter has another type: FieldRef.Name(i32) is int64, expected int32");
  EXPECT_EQ(KindOf(filter->Evaluate(*other).status()), ErrorKind::kInvalidArgument);
}

TEST(RowSelection, GivesMaskAndRows) {
  const RowSelection selection({0b1001, 0b1}, 70);
  EXPECT_EQ(selection.count(), 3);
  EXPECT_EQ(selection.Rows(), (std::vector<int32_t>{0, 3, 64}));
  EXPECT_TRUE(selection.passes(64));
  EXPECT_FALSE(selection.passes(1));
  EXPECT_EQ(selection.ToMask()->true_count(), 3);
  EXPECT_EQ(selection.ToMask()->length(), 70);
}

}  // namespace
}  // namespace pennon
