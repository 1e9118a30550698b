/// \file
/// What all subcommands share: how they are added to the program, the table they act on, and how
/// they end.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pennon/dataset/dataset.h"

namespace pennon::cli {

using Json = nlohmann::ordered_json;

/// Exit codes of the program.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitConflict = 3;
inline constexpr int kExitBroken = 4;

/// The chosen subcommand, ready to run; the result is the exit code.
using Action = std::function<arrow::Result<int>()>;

/// Options that every subcommand has. Filled by CLI11, read when the action runs.
struct TableArguments {
  std::string path;
  std::string version;
  std::string branch;
  bool json = false;
  uint64_t kill_at_call = 0;  ///< Tests only.
};

/// Adds PATH, --branch, --json to a subcommand, and --version where it reads a version.
std::shared_ptr<TableArguments> AddTableArguments(CLI::App& command, bool has_version);

/// How to open the table that the arguments name.
OpenOptions MakeOpenOptions(const TableArguments& arguments);
/// Opens it.
arrow::Result<std::shared_ptr<const Dataset>> OpenTable(const TableArguments& arguments);

/// The value, or null.
template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

/// Prints one JSON value and a newline to standard output.
void PrintJson(const Json& json);

/// Each adds its subcommand; running it sets `*action`.
void AddInfo(CLI::App& app, Action* action);
void AddVersions(CLI::App& app, Action* action);
void AddTransactions(CLI::App& app, Action* action);
void AddFragments(CLI::App& app, Action* action);
void AddRowIds(CLI::App& app, Action* action);
void AddLocate(CLI::App& app, Action* action);
void AddHead(CLI::App& app, Action* action);
void AddScan(CLI::App& app, Action* action);
void AddCount(CLI::App& app, Action* action);
void AddTake(CLI::App& app, Action* action);
void AddMigrate(CLI::App& app, Action* action);
void AddVerify(CLI::App& app, Action* action);

}  // namespace pennon::cli
