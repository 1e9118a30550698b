#include "file/data_file_reader.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <numeric>

#include "memory_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::vector<int32_t> Sequence(int32_t first, size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

FieldShape IntColumn(uint32_t column) {
  FieldShape shape;
  shape.type = arrow::int32();
  shape.column = column;
  return shape;
}

std::vector<int32_t> Ints(const arrow::ArrayData& array) {
  const auto* values = array.GetValues<int32_t>(1);
  return {values, values + array.length};
}

/// Two columns of 1,000 rows whose pages do not line up.
std::shared_ptr<MemoryFile> TwoColumns(const std::string& descriptor = "schema") {
  FileMaker maker;
  maker.AddColumn(Sequence(0, 1000), 300);
  maker.AddColumn(Sequence(5000, 1000), 400);
  return std::make_shared<MemoryFile>(maker.Finish(2, 2, descriptor));
}

TEST(DataFileReaderTest, OpensWithOneRead) {
  const auto file = TwoColumns();
  const auto reader = DataFileReader::Open(file).ValueOrDie();
  EXPECT_EQ(reader->version(), FileVersion::kV2_2);
  EXPECT_EQ(reader->num_columns(), 2u);
  EXPECT_EQ(reader->NumPageRows(1).ValueOrDie(), 1000u);
  EXPECT_EQ(reader->NumRows(IntColumn(0)).ValueOrDie(), 1000u);
  EXPECT_EQ(reader->ReadGlobalBuffer(0).ValueOrDie()->ToString(), "schema");
  EXPECT_EQ(file->num_calls, 1u);
  // The whole file lies in what has been read: no more calls.
  const std::vector<FieldShape> fields{IntColumn(0), IntColumn(1)};
  const auto arrays =
      reader->TakeRows(fields, std::vector<uint32_t>{0, 299, 300, 999}).ValueOrDie();
  EXPECT_EQ(Ints(*arrays[0]), (std::vector<int32_t>{0, 299, 300, 999}));
  EXPECT_EQ(Ints(*arrays[1]), (std::vector<int32_t>{5000, 5299, 5300, 5999}));
  EXPECT_EQ(file->num_calls, 1u);
  EXPECT_GT(reader->memory_bytes(), 0u);
}

TEST(DataFileReaderTest, ReadsMetadataBeforeTheTailOnce) {
  const auto file = TwoColumns();
  DataFileReaderOptions options;
  options.tail_bytes = 50;
  const auto reader = DataFileReader::Open(file, options).ValueOrDie();
  EXPECT_EQ(file->num_calls, 2u);
  EXPECT_EQ(reader->NumPageRows(0).ValueOrDie(), 1000u);
  EXPECT_EQ(reader->NumPageRows(1).ValueOrDie(), 1000u);
  EXPECT_EQ(file->num_calls, 2u);
  const std::vector<FieldShape> fields{IntColumn(0), IntColumn(1)};
  const auto arrays = reader->ReadRange(fields, {250, 450}).ValueOrDie();
  EXPECT_EQ(Ints(*arrays[0]), Sequence(250, 200));
  EXPECT_EQ(Ints(*arrays[1]), Sequence(5250, 200));
  // Two rounds, chunk words and chunks; near ranges of both columns in joined calls.
  EXPECT_LE(file->num_calls, 2u + 4u);
  const uint64_t before = file->num_calls;
  ASSERT_TRUE(reader->ReadRange(fields, {251, 252}).ok());
  EXPECT_LE(file->num_calls, before + 2) << "the chunk words should have been kept";
}

TEST(DataFileReaderTest, WindowsGiveBatchesOfAnySize) {
  const auto reader = DataFileReader::Open(TwoColumns()).ValueOrDie();
  const std::vector<FieldShape> fields{IntColumn(1)};
  for (const uint64_t batch : {1u, 7u, 333u, 1000u}) {
    const auto window = reader->OpenWindow(fields, {{100, 500}, {600, 1000}}).ValueOrDie();
    std::vector<int32_t> all;
    while (window->rows_left() != 0) {
      const auto arrays = window->Next(std::min(batch, window->rows_left())).ValueOrDie();
      const auto part = Ints(*arrays[0]);
      all.insert(all.end(), part.begin(), part.end());
    }
    auto expected = Sequence(5100, 400);
    const auto rest = Sequence(5600, 400);
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(all, expected);
    EXPECT_EQ(KindOf(window->Next(1).status()), ErrorKind::kInvalidArgument);
  }
  const auto nothing = reader->ReadRange(fields, {5, 5}).ValueOrDie();
  EXPECT_EQ(nothing[0]->length, 0);
}

TEST(DataFileReaderTest, WindowsGoOnInLikeFiles) {
  const std::vector<FieldShape> fields{IntColumn(0), IntColumn(1)};
  const auto open = [](int32_t first) {
    FileMaker maker;
    maker.AddColumn(Sequence(first, 1000), 300);
    maker.AddColumn(Sequence(first + 5000, 1000), 400);
    return DataFileReader::Open(std::make_shared<MemoryFile>(maker.Finish(2, 2, ""))).ValueOrDie();
  };
  const auto one = open(0);
  const auto window = one->OpenWindow(fields, {{0, 2}, {299, 301}}).ValueOrDie();
  EXPECT_EQ(Ints(*window->Next(1).ValueOrDie()[0]), (std::vector<int32_t>{0}));
  EXPECT_TRUE(window->Join(open(10'000), {{998, 1000}}).ValueOrDie());
  EXPECT_TRUE(window->Join(open(20'000), {{7, 8}}).ValueOrDie());
  EXPECT_EQ(window->rows_left(), 6u);
  EXPECT_EQ(KindOf(window->Next(5).status()), ErrorKind::kInvalidArgument);
  const auto arrays = window->Next(6).ValueOrDie();
  EXPECT_EQ(Ints(*arrays[0]), (std::vector<int32_t>{1, 299, 300, 10'998, 10'999, 20'007}));
  EXPECT_EQ(Ints(*arrays[1]), (std::vector<int32_t>{5001, 5299, 5300, 15'998, 15'999, 25'007}));
  EXPECT_EQ(window->rows_left(), 0u);
  // Rows that the other file does not have are refused, and named with it.
  const auto other = one->OpenWindow(fields, {{0, 2}}).ValueOrDie();
  EXPECT_EQ(KindOf(other->Join(open(0), {{999, 1001}}).status()), ErrorKind::kInvalidArgument);
}

TEST(DataFileReaderTest, SaysWhatIsWrongAndWhere) {
  const auto reader = DataFileReader::Open(TwoColumns()).ValueOrDie();
  const std::vector<FieldShape> fields{IntColumn(0)};
  const auto beyond = reader->ReadRange(fields, {999, 1001}).status();
  EXPECT_EQ(KindOf(beyond), ErrorKind::kInvalidArgument);
  EXPECT_EQ(MessageOf(beyond),
            "rows are beyond the end: 999 to 1001 of 1000 (column 0): memory.lance");
  EXPECT_EQ(KindOf(reader->TakeRows(fields, std::vector<uint32_t>{5, 5}).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(reader->ReadRange(std::vector<FieldShape>{IntColumn(2)}, {0, 1}).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(reader->ReadGlobalBuffer(1).status()), ErrorKind::kInvalidArgument);
}

TEST(DataFileReaderTest, SurvivesCutsAndFlips) {
  FileMaker maker;
  maker.AddColumn(Sequence(0, 50), 20);
  const std::string good = maker.Finish();
  const auto read = [](const std::string& bytes) -> arrow::Status {
    DataFileReaderOptions options;
    options.buffer_bytes_max = 1 << 20;
    ARROW_ASSIGN_OR_RAISE(const auto reader,
                          DataFileReader::Open(std::make_shared<MemoryFile>(bytes), options));
    const std::vector<FieldShape> fields{IntColumn(0)};
    return reader->ReadRange(fields, {0, 50}).status();
  };
  ASSERT_TRUE(read(good).ok());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read(good.substr(0, size)).ok());
    const auto front = read(good.substr(size + 1));
    EXPECT_TRUE(front.ok() || KindOf(front) != ErrorKind::kInternal);
  }
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const auto status = read(bad);
    EXPECT_TRUE(status.ok() || KindOf(status) != ErrorKind::kInternal) << status;
  }
}

}  // namespace
}  // namespace pennon
