/// \file
/// What the subcommands that print rows share: which columns, which rows, in which format, to
/// where.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pennon/dataset/scan.h"

namespace pennon::cli {

/// Options about columns.
struct ColumnArguments {
  std::vector<std::string> columns;  ///< As given: each a list, separated by commas.
  bool with_row_id = false;
  bool with_row_address = false;
  bool with_row_versions = false;
  bool blob_bytes = false;

  ColumnSelection Select() const;
};
void AddColumnArguments(CLI::App& command, ColumnArguments* arguments);

/// For transform(): accepts whole numbers from 0 to 2^64-1 in decimal. CLI11 alone takes -1 for
/// 2^64-1 and 010 for 8.
const CLI::Validator& WholeNumber();

/// Options about the output.
struct OutputArguments {
  std::string format;  ///< Empty: by the file's name, else a table, JSON with --json.
  std::string path;    ///< Empty or "-": standard output.
};
void AddOutputArguments(CLI::App& command, OutputArguments* arguments);

/// Writes all batches of the reader. A reader of our output that goes away ends the work without an
/// error.
arrow::Result<int> WriteRows(arrow::RecordBatchReader& reader, const OutputArguments& output,
                             bool json);

/// Parses `--where`; empty text is no filter.
arrow::Result<std::optional<Filter>> ParseWhere(const Dataset& dataset, const std::string& where);

}  // namespace pennon::cli
