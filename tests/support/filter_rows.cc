// Evaluates filters over a table for the differential tests: `filter_rows TABLE.arrow
// [ROWS_PER_BATCH]` reads filters from standard input, one a line, and answers each with one line:
// `rows 0 3 5`, or `error` and the message.
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "pennon/base/error.h"
#include "pennon/dataset/filter.h"

namespace {

arrow::Result<std::shared_ptr<arrow::Table>> ReadTable(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(file));
  return reader->ToTable();
}

arrow::Result<std::string> Answer(const std::string& sql, const arrow::Table& table,
                                  int64_t batch_rows) {
  ARROW_ASSIGN_OR_RAISE(const pennon::Filter filter, pennon::ParseFilter(sql, *table.schema()));
  arrow::TableBatchReader batches(table);
  batches.set_chunksize(batch_rows);
  std::string rows = "rows";
  int64_t first = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(batches.ReadNext(&batch));
    if (batch == nullptr) return rows;
    ARROW_ASSIGN_OR_RAISE(const pennon::RowSelection selection, filter.Evaluate(*batch));
    for (int32_t row : selection.Rows()) rows += ' ' + std::to_string(first + row);
    first += batch->num_rows();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: filter_rows TABLE.arrow [ROWS_PER_BATCH] < FILTERS\n";
    return 2;
  }
  const auto table = ReadTable(argv[1]);
  if (!table.ok()) {
    std::cerr << table.status().ToString() << '\n';
    return 1;
  }
  const int64_t batch_rows = argc > 2 ? std::atoll(argv[2]) : 1000;
  std::string sql;
  while (std::getline(std::cin, sql)) {
    const auto answer = Answer(sql, **table, batch_rows);
    if (answer.ok()) {
      std::cout << *answer << '\n';
    } else {
      std::string message = pennon::MessageOf(answer.status());
      for (char& c : message) c = c == '\n' ? ' ' : c;
      std::cout << "error " << pennon::ErrorKindName(pennon::KindOf(answer.status())) << ": "
                << message << '\n';
    }
    std::cout.flush();
  }
  return 0;
}
