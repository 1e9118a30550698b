// Small data files of the reference engine, one for each layout and encoding, with what it reads
// from them: read whole, in batches and by single rows.
#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compare.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "file/data_file_reader.h"
#include "file/field_mapping.h"
#include "file/file_schema.h"
#include "io/local_store.h"

namespace pennon {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(PENNON_SOURCE_DIR) / "tests/golden/14.0.2/data_files";

std::vector<std::string> Files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".lance") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

arrow::Result<std::shared_ptr<arrow::Array>> Expected(const std::string& name) {
  const auto path = kFolder / (name + ".arrow");
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path.string()));
  ARROW_ASSIGN_OR_RAISE(const auto reader, arrow::ipc::RecordBatchFileReader::Open(file));
  ARROW_ASSIGN_OR_RAISE(const auto batch, reader->ReadRecordBatch(0));
  return batch->column(0);
}

class GoldenDataFileTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenDataFileTest, ReadsTheSame) {
  const auto path = kFolder / (GetParam() + ".lance");
  auto file = MakeLocalStore()->OpenFile(path.string()).ValueOrDie();
  const auto reader = DataFileReader::Open(std::move(file)).ValueOrDie();
  const TableSchema schema = ReadFileSchema(reader.get()).ValueOrDie();
  const ColumnMap columns = ColumnMap::OfOwnSchema(schema, reader->version());
  const auto shape =
      ShapeOfField(schema.fields[0], columns, reader->version(), BlobReading::kBytes);
  ASSERT_TRUE(shape.ok()) << shape.status();
  const std::vector<FieldShape> fields{*shape};
  const auto expected = Expected(GetParam()).ValueOrDie();
  const auto rows = static_cast<uint64_t>(expected->length());
  ASSERT_EQ(reader->NumRows(*shape).ValueOrDie(), rows);
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true);
  const auto same = [&](const std::shared_ptr<arrow::ArrayData>& got, int64_t begin) {
    const auto array = arrow::MakeArray(got);
    const auto valid = array->ValidateFull();
    EXPECT_TRUE(valid.ok()) << valid;
    const auto want = expected->Slice(begin, array->length());
    EXPECT_TRUE(array->Equals(*want, options)) << array->ToString() << want->ToString();
  };
  for (const uint64_t batch : {rows, uint64_t{50}, uint64_t{1}}) {
    const auto window = reader->OpenWindow(fields, {{0, rows}});
    ASSERT_TRUE(window.ok()) << window.status();
    for (int64_t at = 0; (*window)->rows_left() != 0;) {
      const auto arrays = (*window)->Next(std::min(batch, (*window)->rows_left()));
      ASSERT_TRUE(arrays.ok()) << arrays.status();
      same((*arrays)[0], at);
      at += (*arrays)[0]->length;
    }
  }
  for (uint32_t row = 0; row < rows; row += 1 + static_cast<uint32_t>(rows) / 23) {
    const std::vector<uint32_t> offsets{row};
    const auto arrays = reader->TakeRows(fields, offsets);
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    same((*arrays)[0], row);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenDataFileTest, testing::ValuesIn(Files()),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace pennon
