// pennon versions and pennon transactions: how a table came to be what it is.
#include <fmt/format.h>

#include "command.h"
#include "pennon/dataset/describe.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

struct HistoryArguments {
  std::shared_ptr<TableArguments> table;
  size_t limit = 0;
};

arrow::Result<std::vector<VersionInfo>> Load(const HistoryArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  return DescribeVersions(*dataset, arguments.limit == 0 ? ~size_t{0} : arguments.limit);
}

std::string CountOrMark(const std::optional<uint64_t>& value, const char* sign = "") {
  return value.has_value() ? (*value == 0 && *sign != '\0' ? "" : sign + FormatCount(*value)) : "?";
}

/// Seconds are enough for people.
std::string ShortTime(const std::string& timestamp) {
  return timestamp.substr(0, 10) + " " + timestamp.substr(11, 8);
}

arrow::Result<int> RunVersions(const HistoryArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto versions, Load(arguments));
  if (arguments.table->json) {
    Json list = Json::array();
    for (const auto& info : versions) {
      list.push_back({{"version", ToInteger(info.version)},
                      {"timestamp", info.timestamp},
                      {"operation", info.operation},
                      {"detail", info.detail},
                      {"row_count", OrNull(info.row_count)},
                      {"rows_added", OrNull(info.rows_added)},
                      {"rows_removed", OrNull(info.rows_removed)},
                      {"num_fragments", info.num_fragments},
                      {"has_stable_row_ids", info.has_stable_row_ids},
                      {"writer", info.writer},
                      {"tags", info.tags}});
    }
    PrintJson({{"versions", std::move(list)}});
    return kExitDone;
  }
  TextTable table({{"version", Align::kRight},
                   {"time (UTC)"},
                   {"operation"},
                   {"rows", Align::kRight},
                   {"added", Align::kRight},
                   {"removed", Align::kRight},
                   {"fragments", Align::kRight},
                   {"row ids"},
                   {"writer"},
                   {"tags"}});
  for (const auto& info : versions) {
    table.Add({fmt::format("{}", ToInteger(info.version)), ShortTime(info.timestamp),
               info.operation, CountOrMark(info.row_count), CountOrMark(info.rows_added, "+"),
               CountOrMark(info.rows_removed, "-"), FormatCount(info.num_fragments),
               info.has_stable_row_ids ? "stable" : "addresses", info.writer,
               fmt::format("{}", fmt::join(info.tags, ", "))});
  }
  fmt::print("{}", table.Format());
  return kExitDone;
}

arrow::Result<int> RunTransactions(const HistoryArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto versions, Load(arguments));
  if (arguments.table->json) {
    Json list = Json::array();
    for (const auto& info : versions) {
      list.push_back({{"version", ToInteger(info.version)},
                      {"operation", info.operation},
                      {"detail", info.detail},
                      {"read_version", ToInteger(info.read_version)},
                      {"uuid", info.uuid},
                      {"properties", info.properties}});
    }
    PrintJson({{"transactions", std::move(list)}});
    return kExitDone;
  }
  TextTable table(
      {{"version", Align::kRight}, {"read", Align::kRight}, {"operation"}, {"uuid"}, {"detail"}});
  for (const auto& info : versions) {
    std::string detail = info.detail;
    for (const auto& [key, value] : info.properties)
      detail += fmt::format("{}{}={}", detail.empty() ? "" : "; ", key, value);
    table.Add({fmt::format("{}", ToInteger(info.version)),
               fmt::format("{}", ToInteger(info.read_version)), info.operation, info.uuid, detail});
  }
  fmt::print("{}", table.Format());
  return kExitDone;
}

void Add(CLI::App& app, Action* action, const char* name, const char* what,
         arrow::Result<int> (*run)(const HistoryArguments&)) {
  auto* command = app.add_subcommand(name, what);
  auto arguments = std::make_shared<HistoryArguments>();
  arguments->table = AddTableArguments(*command, true);
  command
      ->add_option("--limit", arguments->limit, "Show at most so many, newest first (default: all)")
      ->check(CLI::PositiveNumber);
  command->callback([=] { *action = [=] { return run(*arguments); }; });
}

}  // namespace

void AddVersions(CLI::App& app, Action* action) {
  Add(app, action, "versions", "The kept versions: time, operation, rows, writer, tags",
      RunVersions);
}

void AddTransactions(CLI::App& app, Action* action) {
  Add(app, action, "transactions", "The transaction behind each kept version", RunTransactions);
}

}  // namespace pennon::cli
