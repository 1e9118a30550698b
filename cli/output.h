/// \file
/// Rows as they leave the program: in which format, and where to. Formats are described in
/// docs/output-formats.md.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pennon::cli {

enum class OutputFormat {
  kTable,      ///< For people.
  kJsonLines,  ///< One JSON object a line.
  kCsv,
  kArrowStream,  ///< Arrow IPC, streaming.
  kArrowFile,    ///< Arrow IPC, with a footer.
  kParquet,
};

/// Returns the format of `--format NAME`: table, json, csv, arrow, arrow-file, parquet. Errors:
/// kInvalidArgument.
arrow::Result<OutputFormat> ParseOutputFormat(std::string_view name);

/// Returns the format that a file name asks for (.json, .jsonl, .ndjson, .csv, .arrows, .arrow,
/// .feather, .parquet).
std::optional<OutputFormat> OutputFormatOf(std::string_view path);

struct OutputOptions {
  size_t table_width = 0;     ///< Columns of the terminal; 0: as wide as it takes.
  bool has_header = true;     ///< Names of the columns in table and CSV.
  bool has_row_count = true;  ///< The line "5 rows" below a table.
};

/// Takes batches of one schema and writes them as they come.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Errors: those of the stream, IsClosedPipe among them; kInvalidArgument for another schema.
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  /// Writes what is left and the end of the format. Does not close the stream.
  virtual arrow::Status Finish() = 0;
};

/// Returns a writer of `format`. Keeps `stream`.
/// Errors: kUnsupportedFeature for a column whose type the format does not have.
arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(
    OutputFormat format, const std::shared_ptr<arrow::Schema>& schema,
    std::shared_ptr<arrow::io::OutputStream> stream, const OutputOptions& options);

/// Where rows go: standard output, or a file that appears only when Close succeeds.
class OutputTarget : public arrow::io::OutputStream {
 public:
  /// Takes the file back if Close was not called. Writing to a pipe without a reader is an error
  /// from now on, not the end of the process.
  ~OutputTarget() override;
  /// `path` empty: standard output. An existing file is replaced at Close; a pipe or device is
  /// written to directly. Errors: kIo with the path and the reason.
  static arrow::Result<std::shared_ptr<OutputTarget>> Open(const std::string& path);

  arrow::Status Write(const void* data, int64_t num_bytes) override;
  using arrow::io::OutputStream::Write;
  arrow::Status Flush() override;
  arrow::Status Close() override;
  arrow::Result<int64_t> Tell() const override { return position_; }
  bool closed() const override { return descriptor_ < 0; }

 private:
  OutputTarget(int descriptor, std::string path, std::string final_path)
      : descriptor_(descriptor), path_(std::move(path)), final_path_(std::move(final_path)) {}
  arrow::Status WriteThrough(const char* data, size_t num_bytes);

  int descriptor_;
  std::string path_;        ///< What is written to; empty for standard output.
  std::string final_path_;  ///< What it becomes at Close; empty if it stays.
  std::string buffer_;
  int64_t position_ = 0;
};

/// Whether the status says that the reader of our output has gone: a reason to stop, not to
/// complain.
bool IsClosedPipe(const arrow::Status& status);

/// Whether standard output is a terminal, and how wide: nothing if it is not.
std::optional<size_t> TerminalWidth();

}  // namespace pennon::cli
