// Reads one data file by its own schema and writes what it holds as Arrow files, for the python
// tests to compare. One process reads many files: each line of standard input is a command of
// tab-separated words
//   IN OUT [range=BEGIN:END] [batch=ROWS] [take=OFFSET,OFFSET,...] [blobs=bytes]
// and each is answered by one line, "ok" or "error KIND: message".
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "file/data_file_reader.h"
#include "file/field_mapping.h"
#include "file/file_schema.h"
#include "format/schema_arrow.h"
#include "io/local_store.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

struct Command {
  std::string in;
  std::string out;
  std::optional<RowRange> range;
  uint64_t batch_rows = 0;
  std::optional<std::vector<uint32_t>> take;
  bool blob_bytes = false;
};

Command ParseCommand(const std::string& line) {
  Command command;
  std::istringstream words(line);
  std::string word;
  std::getline(words, command.in, '\t');
  std::getline(words, command.out, '\t');
  while (std::getline(words, word, '\t')) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("range=")) {
      command.range = RowRange{std::stoull(value), std::stoull(value.substr(value.find(':') + 1))};
    } else if (word.starts_with("batch=")) {
      command.batch_rows = std::stoull(value);
    } else if (word.starts_with("take=")) {
      command.take.emplace();
      std::istringstream numbers(value);
      for (std::string number; std::getline(numbers, number, ',');) {
        command.take->push_back(static_cast<uint32_t>(std::stoul(number)));
      }
    } else if (word == "blobs=bytes") {
      command.blob_bytes = true;
    }
  }
  return command;
}

arrow::Status Run(const Command& command) {
  ARROW_ASSIGN_OR_RAISE(auto file, MakeLocalStore()->OpenFile(command.in));
  ARROW_ASSIGN_OR_RAISE(auto reader, DataFileReader::Open(std::move(file)));
  ARROW_ASSIGN_OR_RAISE(const TableSchema schema, ReadFileSchema(reader.get()));
  const ColumnMap columns = ColumnMap::OfOwnSchema(schema, reader->version());
  std::vector<FieldShape> shapes;
  arrow::FieldVector fields;
  for (const FieldTree& field : schema.fields) {
    ArrowView view;
    view.json_as_text = false;
    view.blobs = command.blob_bytes && !IsBlobV2(field) ? BlobView::kBytes : BlobView::kDescriptors;
    ARROW_ASSIGN_OR_RAISE(auto arrow_field, ToArrowField(field, view));
    fields.push_back(std::move(arrow_field));
    ARROW_ASSIGN_OR_RAISE(auto shape, ShapeOfField(field, columns, reader->version(),
                                                   command.blob_bytes ? BlobReading::kBytes
                                                                      : BlobReading::kDescriptors));
    shapes.push_back(std::move(shape));
  }
  const auto arrow_schema = arrow::schema(std::move(fields));
  RowRanges rows;
  if (command.take) {
    rows = RangesOfOffsets(*command.take);
  } else if (command.range) {
    if (command.range->begin < command.range->end) rows.push_back(*command.range);
  } else if (!shapes.empty()) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, reader->NumRows(shapes[0]));
    if (num_rows != 0) rows.push_back({0, num_rows});
  }
  ARROW_ASSIGN_OR_RAISE(const auto window, reader->OpenWindow(shapes, rows));
  ARROW_ASSIGN_OR_RAISE(const auto sink, arrow::io::FileOutputStream::Open(command.out));
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(sink, arrow_schema));
  do {
    const uint64_t left = window->rows_left();
    const uint64_t count = command.batch_rows == 0 ? left : std::min(left, command.batch_rows);
    ARROW_ASSIGN_OR_RAISE(auto arrays, window->Next(count));
    const auto batch =
        arrow::RecordBatch::Make(arrow_schema, static_cast<int64_t>(count), std::move(arrays));
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  } while (window->rows_left() != 0);
  ARROW_RETURN_NOT_OK(writer->Close());
  return sink->Close();
}

}  // namespace
}  // namespace pennon

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto status = pennon::Run(pennon::ParseCommand(line));
    if (status.ok()) {
      std::cout << "ok" << std::endl;
    } else {
      std::cout << "error " << pennon::ErrorKindName(pennon::KindOf(status)) << ": "
                << pennon::MessageOf(status) << std::endl;
    }
  }
  return 0;
}
