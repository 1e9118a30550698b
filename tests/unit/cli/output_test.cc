#include "output.h"

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/json/from_string.h>
#include <arrow/table.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "pennon/base/error.h"

namespace pennon::cli {
namespace {

struct Column {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
  const char* json;
};

std::shared_ptr<arrow::RecordBatch> MakeBatch(const std::vector<Column>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(arrow::json::ArrayFromJSONString(column.type, column.json).ValueOrDie());
  }
  const int64_t num_rows = arrays.empty() ? 0 : arrays[0]->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), num_rows, arrays);
}

std::shared_ptr<arrow::Buffer> WriteAll(
    OutputFormat format, const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
    OutputOptions options = {}) {
  auto stream = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer = MakeRowWriter(format, batches[0]->schema(), stream, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  if (!writer.ok()) return nullptr;
  for (const auto& batch : batches) {
    const arrow::Status status = (*writer)->Write(*batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  EXPECT_TRUE((*writer)->Finish().ok());
  return stream->Finish().ValueOrDie();
}

std::string Text(OutputFormat format, const std::shared_ptr<arrow::RecordBatch>& batch,
                 OutputOptions options = {}) {
  return WriteAll(format, {batch}, options)->ToString();
}

const std::vector<Column>& SimpleColumns() {
  static const std::vector<Column> columns = {
      {"id", arrow::int64(), "[1, 22, 9223372036854775807]"},
      {"name", arrow::utf8(), R"(["Ada", null, "日本, \"語\""])"},
      {"score", arrow::float64(), "[0.5, 1, null]"},
  };
  return columns;
}

TEST(Output, TableForPeople) {
  EXPECT_EQ(Text(OutputFormat::kTable, MakeBatch(SimpleColumns())),
            "                 id  name        score\n"
            "                  1  Ada           0.5\n"
            "                 22  null          1.0\n"
            "9223372036854775807  日本, \"語\"   null\n"
            "\n"
            "3 rows\n");
  OutputOptions bare;
  bare.has_header = false;
  bare.has_row_count = false;
  EXPECT_EQ(
      Text(OutputFormat::kTable,
           MakeBatch({{"a", arrow::utf8(), R"(["x\ny", "\u0007", "\u009b1m", "\u00c2\u00a0"])"}}),
           bare),
      "x\\ny\n\\x07\n\\x9b1m\nÂ\u00a0\n");
}

TEST(Output, TableFitsTheTerminal) {
  const auto batch = MakeBatch({{"a", arrow::utf8(), R"(["abcdefghijklmnopqrstuvwxyz"])"},
                                {"b", arrow::utf8(), R"(["0123456789"])"},
                                {"c", arrow::int32(), "[7]"}});
  OutputOptions options;
  options.table_width = 30;
  EXPECT_EQ(Text(OutputFormat::kTable, batch, options),
            "a                b           c\n"
            "abcdefghijklmn…  0123456789  7\n"
            "\n"
            "1 row\n");
  options.table_width = 14;
  EXPECT_EQ(Text(OutputFormat::kTable, batch, options),
            "a       b\n"
            "abcde…  01234…\n"
            "\n"
            "1 row, 1 column not shown: c\n");
}

TEST(Output, TableShowsNestedValuesAndBytes) {
  EXPECT_EQ(Text(OutputFormat::kTable,
                 MakeBatch({{"l", arrow::list(arrow::int32()), "[[1, null], [], null]"},
                            {"s",
                             arrow::struct_({arrow::field("x", arrow::int8()),
                                             arrow::field("y", arrow::utf8())}),
                             R"([{"x": 1, "y": "a"}, null, {"x": null, "y": null}])"},
                            {"b", arrow::binary(), R"(["AB", "", null])"},
                            {"m", arrow::map(arrow::utf8(), arrow::int32()),
                             R"([[["k", 1]], [], null])"}})),
            "l          s                   b       m\n"
            "[1, null]  {x: 1, y: a}        0x4142  {k: 1}\n"
            "[]         null                0x      {}\n"
            "null       {x: null, y: null}  null    null\n"
            "\n"
            "3 rows\n");
}

TEST(Output, TableOfNothing) {
  EXPECT_EQ(Text(OutputFormat::kTable, MakeBatch({{"a", arrow::int32(), "[]"}})), "a\n\n0 rows\n");
}

TEST(Output, JsonLines) {
  EXPECT_EQ(Text(OutputFormat::kJsonLines, MakeBatch(SimpleColumns())),
            "{\"id\":1,\"name\":\"Ada\",\"score\":0.5}\n"
            "{\"id\":22,\"name\":null,\"score\":1.0}\n"
            "{\"id\":9223372036854775807,\"name\":\"日本, \\\"語\\\"\",\"score\":null}\n");
}

TEST(Output, JsonOfEveryType) {
  const auto one = [](std::shared_ptr<arrow::DataType> type, const char* json) {
    const std::string line =
        Text(OutputFormat::kJsonLines, MakeBatch({{"v", std::move(type), json}}));
    return line.substr(5, line.size() - 7);  // Without {"v": and }\n
  };
  EXPECT_EQ(one(arrow::float64(), "[NaN]"), "\"NaN\"");
  EXPECT_EQ(one(arrow::float64(), "[-Inf]"), "\"-Infinity\"");
  EXPECT_EQ(one(arrow::float32(), "[0.1]"), "0.1");
  EXPECT_EQ(one(arrow::float64(), "[1e300]"), "1e+300");
  EXPECT_EQ(one(arrow::float16(), "[1.5]"), "1.5");
  EXPECT_EQ(one(arrow::boolean(), "[true]"), "true");
  EXPECT_EQ(one(arrow::uint64(), "[18446744073709551615]"), "18446744073709551615");
  EXPECT_EQ(one(arrow::decimal128(10, 2), "[\"-0.05\"]"), "\"-0.05\"");
  EXPECT_EQ(one(arrow::decimal256(50, 0), "[\"12345678901234567890123\"]"),
            "\"12345678901234567890123\"");
  EXPECT_EQ(one(arrow::binary(), "[\"AB\"]"), "\"QUI=\"");
  EXPECT_EQ(one(arrow::fixed_size_binary(2), "[\"AB\"]"), "\"QUI=\"");
  EXPECT_EQ(one(arrow::date32(), "[18321]"), "\"2020-02-29\"");
  EXPECT_EQ(one(arrow::date64(), "[86400000]"), "\"1970-01-02\"");
  EXPECT_EQ(one(arrow::timestamp(arrow::TimeUnit::MICRO), "[-1]"),
            "\"1969-12-31T23:59:59.999999\"");
  EXPECT_EQ(one(arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"), "[0]"),
            "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(one(arrow::timestamp(arrow::TimeUnit::MILLI, "Europe/Zurich"), "[1500]"),
            "\"1970-01-01T01:00:01.500+01:00\"");
  EXPECT_EQ(one(arrow::timestamp(arrow::TimeUnit::NANO, "-03:30"), "[1]"),
            "\"1969-12-31T20:30:00.000000001-03:30\"");
  EXPECT_EQ(one(arrow::time32(arrow::TimeUnit::MILLI), "[3723004]"), "\"01:02:03.004\"");
  EXPECT_EQ(one(arrow::duration(arrow::TimeUnit::MILLI), "[-1500]"), "\"-PT1.500S\"");
  EXPECT_EQ(one(arrow::list(arrow::utf8()), "[[\"a\\\"\", null]]"), "[\"a\\\"\",null]");
  EXPECT_EQ(one(arrow::fixed_size_list(arrow::float32(), 2), "[[1, 2.5]]"), "[1.0,2.5]");
  EXPECT_EQ(one(arrow::struct_({arrow::field("a\"b", arrow::int8())}), "[{\"a\\\"b\": 1}]"),
            "{\"a\\\"b\":1}");
  EXPECT_EQ(one(arrow::map(arrow::utf8(), arrow::int32()), "[[[\"k\", 1]]]"), "{\"k\":1}");
  EXPECT_EQ(one(arrow::map(arrow::int32(), arrow::utf8()), "[[[1, \"x\"], [2, null]]]"),
            "[[1,\"x\"],[2,null]]");
  EXPECT_EQ(one(arrow::dictionary(arrow::int8(), arrow::utf8()), "[\"d\"]"), "\"d\"");
  EXPECT_EQ(one(arrow::null(), "[null]"), "null");
  EXPECT_EQ(one(arrow::utf8(), "[\"\\u0001\\t/\"]"), "\"\\u0001\\t/\"");
}

TEST(Output, Csv) {
  EXPECT_EQ(Text(OutputFormat::kCsv, MakeBatch(SimpleColumns())),
            "id,name,score\n"
            "1,Ada,0.5\n"
            "22,,1.0\n"
            "9223372036854775807,\"日本, \"\"語\"\"\",\n");
  EXPECT_EQ(Text(OutputFormat::kCsv,
                 MakeBatch({{"a,b", arrow::utf8(), R"(["", null, "x\ny"])"},
                            {"l", arrow::list(arrow::utf8()), R"([["p", null], [], null])"},
                            {"t", arrow::timestamp(arrow::TimeUnit::SECOND), "[0, null, 1]"},
                            {"n", arrow::float64(), "[NaN, 1, 2]"}})),
            "\"a,b\",l,t,n\n"
            "\"\",\"[\"\"p\"\",null]\",1970-01-01T00:00:00,NaN\n"
            ",[],,1.0\n"
            "\"x\ny\",,1970-01-01T00:00:01,2.0\n");
  OutputOptions options;
  options.has_header = false;
  EXPECT_EQ(Text(OutputFormat::kCsv, MakeBatch({{"a", arrow::int32(), "[1]"}}), options), "1\n");
}

TEST(Output, WritesSlices) {
  const auto batch =
      MakeBatch({{"l", arrow::list(arrow::int32()), "[[1], [2, 3], [4]]"},
                 {"f", arrow::fixed_size_list(arrow::int32(), 2), "[[1, 2], [3, 4], [5, 6]]"},
                 {"s", arrow::struct_({arrow::field("x", arrow::int8())}),
                  R"([{"x": 1}, {"x": 2}, {"x": 3}])"},
                 {"m", arrow::map(arrow::utf8(), arrow::int32()),
                  R"([[["a", 1]], [["b", 2]], [["c", 3]]])"}});
  EXPECT_EQ(Text(OutputFormat::kJsonLines, batch->Slice(1, 1)),
            "{\"l\":[2,3],\"f\":[3,4],\"s\":{\"x\":2},\"m\":{\"b\":2}}\n");
}

TEST(Output, ArrowAndParquetReadBack) {
  const auto first = MakeBatch(SimpleColumns());
  const std::vector<std::shared_ptr<arrow::RecordBatch>> batches = {first, first->Slice(1)};
  const auto expected = arrow::Table::FromRecordBatches(batches).ValueOrDie();

  const auto stream = arrow::ipc::RecordBatchStreamReader::Open(
      std::make_shared<arrow::io::BufferReader>(WriteAll(OutputFormat::kArrowStream, batches)));
  EXPECT_TRUE((*stream)->ToTable().ValueOrDie()->Equals(*expected));
  const auto file = arrow::ipc::RecordBatchFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(WriteAll(OutputFormat::kArrowFile, batches)));
  EXPECT_TRUE((*file)->ToTable().ValueOrDie()->Equals(*expected));

  auto reader = parquet::arrow::OpenFile(
      std::make_shared<arrow::io::BufferReader>(WriteAll(OutputFormat::kParquet, batches)),
      arrow::default_memory_pool());
  const auto table = (*reader)->ReadTable();
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  EXPECT_TRUE((*table)->Equals(*expected));
}

TEST(Output, ArrowFilesJoinDictionaries) {
  const auto words = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto nested = arrow::struct_({arrow::field("l", arrow::list(words))});
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches = {
      MakeBatch({{"w", words, "[null]"}, {"n", nested, "[null]"}})};  // Without any value.
  for (const char* word : {"a", "b", "c", "a"}) {
    const std::string first = word;
    batches.push_back(
        MakeBatch({{"w", words, ("[\"" + first + "\", null, \"z\"]").c_str()},
                   {"n", nested, ("[{\"l\": [\"" + first + "\"]}, null, {\"l\": []}]").c_str()}}));
  }
  const auto file = arrow::ipc::RecordBatchFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(WriteAll(OutputFormat::kArrowFile, batches)));
  ASSERT_TRUE(file.ok()) << file.status();
  std::string got;
  std::string want;
  for (size_t i = 0; i < batches.size(); ++i) {
    const auto batch = (*file)->ReadRecordBatch(static_cast<int>(i)).ValueOrDie();
    ASSERT_TRUE(batch->ValidateFull().ok());
    got += Text(OutputFormat::kJsonLines, batch);
    want += Text(OutputFormat::kJsonLines, batches[i]);
  }
  EXPECT_EQ(got, want);
}

TEST(Output, ArrowFilesTellWhenDictionariesDoNotFit) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::int64());
  auto stream = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto schema = arrow::schema({arrow::field("w", type)});
  const auto writer = MakeRowWriter(OutputFormat::kArrowFile, schema, stream, {}).ValueOrDie();
  arrow::Status status;
  for (int64_t begin = 0; begin < 200 && status.ok(); begin += 50) {
    std::string values;
    for (int64_t i = begin; i < begin + 50; ++i) {
      values += (values.empty() ? "[" : ", ") + std::to_string(i);
    }
    status = writer->Write(*MakeBatch({{"w", type, (values + "]").c_str()}}));
  }
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupportedFeature) << status;
}

TEST(Output, RefusesAnotherSchema) {
  auto stream = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto batch = MakeBatch({{"a", arrow::int32(), "[1]"}});
  for (OutputFormat format : {OutputFormat::kTable, OutputFormat::kJsonLines, OutputFormat::kCsv,
                              OutputFormat::kArrowStream, OutputFormat::kParquet}) {
    const auto writer =
        MakeRowWriter(format, arrow::schema({arrow::field("b", arrow::utf8())}), stream, {});
    ASSERT_TRUE(writer.ok());
    EXPECT_FALSE((*writer)->Write(*batch).ok());
  }
}

TEST(Output, KnowsFormatsByName) {
  EXPECT_EQ(*ParseOutputFormat("parquet"), OutputFormat::kParquet);
  EXPECT_EQ(MessageOf(ParseOutputFormat("xml").status()),
            "unknown output format: xml (there are table, json, csv, arrow, arrow-file, parquet)");
  EXPECT_EQ(OutputFormatOf("a/b.jsonl"), OutputFormat::kJsonLines);
  EXPECT_EQ(OutputFormatOf("b.parquet"), OutputFormat::kParquet);
  EXPECT_EQ(OutputFormatOf("b.txt"), std::nullopt);
}

class OutputTargetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("pennon-output-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Content(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
  }
  size_t NumFiles() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                             std::filesystem::directory_iterator()));
  }
  std::filesystem::path folder_;
};

TEST_F(OutputTargetTest, FileAppearsWhenClosed) {
  {
    const auto target = *OutputTarget::Open(folder_ / "out");
    ASSERT_TRUE(target->Write(std::string_view("hello")).ok());
    EXPECT_EQ(*target->Tell(), 5);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
    ASSERT_TRUE(target->Close().ok());
    EXPECT_TRUE(target->closed());
  }
  EXPECT_EQ(Content("out"), "hello");
  {
    const auto target = *OutputTarget::Open(folder_ / "out");
    ASSERT_TRUE(target->Write(std::string_view("half")).ok());
  }
  EXPECT_EQ(Content("out"), "hello");
  EXPECT_EQ(NumFiles(), 1u);
  const auto target = *OutputTarget::Open(folder_ / "out");
  ASSERT_TRUE(target->Write(std::string(200000, 'x')).ok());
  ASSERT_TRUE(target->Close().ok());
  EXPECT_EQ(Content("out").size(), 200000u);
}

TEST_F(OutputTargetTest, ReportsWhyItCannotWrite) {
  const auto missing = OutputTarget::Open(folder_ / "no" / "out");
  EXPECT_EQ(KindOf(missing.status()), ErrorKind::kIo);
  EXPECT_EQ(MessageOf(missing.status()),
            "cannot write: No such file or directory: " + (folder_ / "no" / "out").string());
  const auto full = *OutputTarget::Open("/dev/full");
  ASSERT_TRUE(full->Write(std::string_view("x")).ok());
  const arrow::Status status = full->Flush();
  EXPECT_EQ(MessageOf(status), "cannot write: No space left on device: /dev/full");
  EXPECT_FALSE(IsClosedPipe(status));
}

TEST_F(OutputTargetTest, TellsAClosedPipeApart) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  const auto target = *OutputTarget::Open(path);
  ASSERT_TRUE(target->Write(std::string_view("x")).ok());
  ASSERT_TRUE(target->Flush().ok());
  close(reader);
  ASSERT_TRUE(target->Write(std::string_view("y")).ok());
  const arrow::Status status = target->Flush();
  EXPECT_TRUE(IsClosedPipe(status)) << status.ToString();
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace pennon::cli
