// pennon take: rows by where they lie.
#include "pennon/dataset/take.h"

#include <arrow/table.h>

#include "command.h"
#include "number_list.h"
#include "rows.h"

namespace pennon::cli {
namespace {

struct TakeArguments {
  std::shared_ptr<TableArguments> table;
  ColumnArguments columns;
  OutputArguments output;
  std::string offsets;
  std::string addresses;
};

arrow::Result<int> Run(const TakeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto offsets, ReadNumbers(arguments.offsets, NumberKind::kPlain));
  ARROW_ASSIGN_OR_RAISE(const auto addresses, ReadNumbers(arguments.addresses, NumberKind::kAddress));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  const ColumnSelection select = arguments.columns.Select();
  ARROW_ASSIGN_OR_RAISE(const auto rows, arguments.addresses.empty() ? TakeOffsets(*dataset, offsets, select)
                                                                     : TakeAddresses(*dataset, addresses, select));
  arrow::TableBatchReader reader(*rows);
  return WriteRows(reader, arguments.output, arguments.table->json);
}

}  // namespace

void AddTake(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand("take", "Print chosen rows, in the order asked");
  auto arguments = std::make_shared<TakeArguments>();
  arguments->table = AddTableArguments(*command, true);
  auto* what = command->add_option_group("what")->require_option(1);
  what->add_option("--offsets", arguments->offsets,
                   "Positions among the rows, from 0: 1,2,3 or @FILE or - for standard input");
  what->add_option("--addresses", arguments->addresses,
                   "Row addresses: numbers or fragment:offset, in the same forms");
  AddColumnArguments(*command, &arguments->columns);
  AddOutputArguments(*command, &arguments->output);
  command->callback([=] { *action = [=] { return Run(*arguments); }; });
}

}  // namespace pennon::cli
