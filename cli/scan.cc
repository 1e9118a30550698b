// pennon scan, head and count: rows of a table, or how many they are.
#include "pennon/dataset/scan.h"

#include <fmt/format.h>

#include "command.h"
#include "rows.h"

namespace pennon::cli {
namespace {

struct ScanArguments {
  std::shared_ptr<TableArguments> table;
  ColumnArguments columns;
  OutputArguments output;
  std::string where;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  std::vector<uint32_t> fragments;
  uint64_t batch_rows = 0;
  bool unordered = false;
};

std::optional<std::vector<FragmentId>> FragmentsOf(const std::vector<uint32_t>& numbers) {
  if (numbers.empty()) return std::nullopt;
  std::vector<FragmentId> ids;
  for (const uint32_t number : numbers) ids.push_back(FragmentId{number});
  return ids;
}

arrow::Result<int> RunScan(const ScanArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  ScanSpec spec;
  spec.select = arguments.columns.Select();
  ARROW_ASSIGN_OR_RAISE(spec.filter, ParseWhere(*dataset, arguments.where));
  spec.offset = arguments.offset;
  spec.limit = arguments.limit;
  spec.fragments = FragmentsOf(arguments.fragments);
  if (arguments.batch_rows > 0) spec.batch_rows = arguments.batch_rows;
  spec.ordered = !arguments.unordered;
  ARROW_ASSIGN_OR_RAISE(const auto reader, Scan(dataset, std::move(spec)));
  return WriteRows(*reader, arguments.output, arguments.table->json);
}

arrow::Result<int> RunCount(const ScanArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  CountSpec spec;
  ARROW_ASSIGN_OR_RAISE(spec.filter, ParseWhere(*dataset, arguments.where));
  spec.fragments = FragmentsOf(arguments.fragments);
  ARROW_ASSIGN_OR_RAISE(const uint64_t count, CountRows(*dataset, spec));
  if (arguments.table->json) {
    PrintJson({{"version", ToInteger(dataset->version())}, {"count", count}});
  } else {
    fmt::print("{}\n", count);
  }
  return kExitDone;
}

void AddWhere(CLI::App& command, ScanArguments* arguments) {
  command.add_option("--where", arguments->where,
                     "Only rows for which this SQL expression is true");
  command.add_option("--fragments", arguments->fragments, "Only these fragments, in this order")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(WholeNumber());
}

}  // namespace

void AddScan(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand("scan", "Print rows");
  auto arguments = std::make_shared<ScanArguments>();
  arguments->table = AddTableArguments(*command, true);
  AddColumnArguments(*command, &arguments->columns);
  AddWhere(*command, arguments.get());
  command->add_option("--limit", arguments->limit, "At most so many rows")
      ->transform(WholeNumber());
  command->add_option("--offset", arguments->offset, "Skip so many rows first")
      ->transform(WholeNumber());
  command
      ->add_option("--batch-rows", arguments->batch_rows,
                   "Largest batch of the arrow and parquet formats")
      ->transform(WholeNumber());
  command->add_flag("--unordered", arguments->unordered,
                    "Print rows in the order in which they are ready");
  AddOutputArguments(*command, &arguments->output);
  command->callback([=] { *action = [=] { return RunScan(*arguments); }; });
}

void AddHead(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand("head", "Print the first rows");
  auto arguments = std::make_shared<ScanArguments>();
  arguments->table = AddTableArguments(*command, true);
  arguments->limit = 10;
  AddColumnArguments(*command, &arguments->columns);
  AddWhere(*command, arguments.get());
  command->add_option("-n,--limit", arguments->limit, "How many rows")
      ->transform(WholeNumber())
      ->capture_default_str();
  AddOutputArguments(*command, &arguments->output);
  command->callback([=] { *action = [=] { return RunScan(*arguments); }; });
}

void AddCount(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand("count", "Print how many rows there are");
  auto arguments = std::make_shared<ScanArguments>();
  arguments->table = AddTableArguments(*command, true);
  AddWhere(*command, arguments.get());
  command->callback([=] { *action = [=] { return RunCount(*arguments); }; });
}

}  // namespace pennon::cli
