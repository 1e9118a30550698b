#include "rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "output.h"

namespace pennon::cli {
namespace {

/// Parts between commas, except for commas inside of backticks.
void SplitColumns(std::string_view list, std::vector<std::string>* columns) {
  columns->emplace_back();
  bool is_quoted = false;
  for (const char c : list) {
    if (c == '`') is_quoted = !is_quoted;
    if (c == ',' && !is_quoted) {
      columns->emplace_back();
    } else {
      columns->back() += c;
    }
  }
}

}  // namespace

ColumnSelection ColumnArguments::Select() const {
  ColumnSelection select;
  if (!columns.empty()) select.columns.emplace();
  for (const std::string& list : columns) SplitColumns(list, &*select.columns);
  select.with_row_id = with_row_id;
  select.with_row_address = with_row_address;
  select.with_row_versions = with_row_versions;
  select.blobs_as_bytes = blob_bytes;
  return select;
}

void AddColumnArguments(CLI::App& command, ColumnArguments* arguments) {
  command
      .add_option("--columns", arguments->columns,
                  "Columns, separated by commas; 'a.b' goes into a struct. Default: all")
      ->allow_extra_args(false);
  command.add_flag("--with-row-id", arguments->with_row_id, "Add the column _rowid");
  command.add_flag("--with-row-address", arguments->with_row_address, "Add the column _rowaddr");
  command.add_flag("--with-row-versions", arguments->with_row_versions,
                   "Add the versions in which each row was created and last updated");
  command.add_flag("--blob-bytes", arguments->blob_bytes,
                   "Blob columns as their bytes, not as descriptors");
}

const CLI::Validator& WholeNumber() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
          return "not a number from 0 to 2^64-1: " + text;
        text = std::to_string(value);
        return "";
      },
      "NUMBER");
  return validator;
}

void AddOutputArguments(CLI::App& command, OutputArguments* arguments) {
  command.add_option("--format", arguments->format,
                     "table, json (one object a line), csv, arrow, arrow-file or parquet");
  command.add_option(
      "-o,--output", arguments->path,
      "Write to a file (-: standard output); its name gives the format if --format does not");
}

arrow::Result<int> WriteRows(arrow::RecordBatchReader& reader, const OutputArguments& output,
                             bool json) {
  const std::string path = output.path == "-" ? "" : output.path;
  OutputFormat format = json ? OutputFormat::kJsonLines : OutputFormat::kTable;
  if (!output.format.empty()) {
    ARROW_ASSIGN_OR_RAISE(format, ParseOutputFormat(output.format));
  } else if (const auto by_name = OutputFormatOf(path); by_name.has_value()) {
    format = *by_name;
  }
  ARROW_ASSIGN_OR_RAISE(auto target, OutputTarget::Open(path));
  OutputOptions options;
  if (path.empty()) options.table_width = TerminalWidth().value_or(0);
  const auto write = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto writer,
                          MakeRowWriter(format, reader.schema(), target, options));
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
      if (batch == nullptr) break;
      ARROW_RETURN_NOT_OK(writer->Write(*batch));
    }
    ARROW_RETURN_NOT_OK(writer->Finish());
    return target->Close();
  };
  const arrow::Status status = write();
  ARROW_RETURN_NOT_OK(reader.Close());
  if (IsClosedPipe(status)) return kExitDone;
  ARROW_RETURN_NOT_OK(status);
  return kExitDone;
}

arrow::Result<std::optional<Filter>> ParseWhere(const Dataset& dataset, const std::string& where) {
  if (where.empty()) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const auto schema, FilterSchema(dataset));
  ARROW_ASSIGN_OR_RAISE(auto filter, ParseFilter(where, *schema));
  return std::optional<Filter>(std::move(filter));
}

}  // namespace pennon::cli
