// pennon take: chosen rows, by id or by where they lie.
#include "pennon/dataset/take.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <fmt/format.h>

#include <algorithm>

#include "command.h"
#include "number_list.h"
#include "output.h"
#include "rows.h"

namespace pennon::cli {
namespace {

/// Missing ids that are named in a message.
constexpr size_t kMissingNamedMax = 5;
/// Columns that --aligned puts before the others.
constexpr char kAskedColumn[] = "_asked_rowid";
constexpr char kStateColumn[] = "_state";

struct TakeArguments {
  std::shared_ptr<TableArguments> table;
  ColumnArguments columns;
  OutputArguments output;
  std::string ids;
  std::string offsets;
  std::string addresses;
  std::string where;
  std::string missing_path;
  bool is_aligned = false;
};

arrow::Result<int> WriteTable(const arrow::Table& rows, const TakeArguments& arguments) {
  arrow::TableBatchReader reader(rows);
  return WriteRows(reader, arguments.output, arguments.table->json);
}

/// Position, id and state of each missing id.
arrow::Status WriteMissing(const std::string& path, const std::vector<MissingRow>& missing) {
  arrow::UInt64Builder positions;
  arrow::UInt64Builder ids;
  arrow::StringBuilder states;
  for (const MissingRow& row : missing) {
    ARROW_RETURN_NOT_OK(positions.Append(row.position));
    ARROW_RETURN_NOT_OK(ids.Append(ToInteger(row.row_id)));
    ARROW_RETURN_NOT_OK(states.Append(RowPlaceName(row.place)));
  }
  ARROW_ASSIGN_OR_RAISE(auto position_column, positions.Finish());
  ARROW_ASSIGN_OR_RAISE(auto id_column, ids.Finish());
  ARROW_ASSIGN_OR_RAISE(auto state_column, states.Finish());
  const auto schema = arrow::schema({arrow::field("position", arrow::uint64(), false),
                                     arrow::field("row_id", arrow::uint64(), false),
                                     arrow::field("state", arrow::utf8(), false)});
  const auto table = arrow::Table::Make(schema, {position_column, id_column, state_column});
  arrow::TableBatchReader reader(*table);
  OutputArguments output;
  output.path = path;
  if (!OutputFormatOf(path).has_value()) output.format = "csv";
  return WriteRows(reader, output, false).status();
}

/// One line on standard error: how many ids have no row, and the first of them.
void ReportMissing(const std::vector<MissingRow>& missing, size_t num_asked) {
  if (missing.empty()) return;
  std::string named;
  for (size_t i = 0; i < std::min(missing.size(), kMissingNamedMax); ++i) {
    named += fmt::format("{}{} ({})", i == 0 ? "" : ", ", ToInteger(missing[i].row_id),
                         RowPlaceName(missing[i].place));
  }
  if (missing.size() > kMissingNamedMax) named += ", ...";
  std::fflush(stdout);
  fmt::print(stderr, "pennon: note: {} of {} ids have no row: {}\n", missing.size(), num_asked,
             named);
}

arrow::Result<std::shared_ptr<arrow::Table>> WithStates(const AlignedRows& aligned,
                                                        const std::vector<uint64_t>& ids) {
  arrow::UInt64Builder asked;
  ARROW_RETURN_NOT_OK(asked.AppendValues(ids));
  arrow::StringBuilder states;
  for (const RowPlace place : aligned.places) {
    ARROW_RETURN_NOT_OK(states.Append(RowPlaceName(place)));
  }
  ARROW_ASSIGN_OR_RAISE(auto asked_column, asked.Finish());
  ARROW_ASSIGN_OR_RAISE(auto state_column, states.Finish());
  ARROW_ASSIGN_OR_RAISE(auto with_states, aligned.rows->AddColumn(
                                              0, arrow::field(kStateColumn, arrow::utf8(), false),
                                              std::make_shared<arrow::ChunkedArray>(state_column)));
  return with_states->AddColumn(0, arrow::field(kAskedColumn, arrow::uint64(), false),
                                std::make_shared<arrow::ChunkedArray>(asked_column));
}

arrow::Result<int> RunIds(const TakeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto ids, ReadNumbers(arguments.ids, NumberKind::kPlain));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  TakeSpec spec;
  spec.select = arguments.columns.Select();
  ARROW_ASSIGN_OR_RAISE(spec.filter, ParseWhere(*dataset, arguments.where));
  if (arguments.is_aligned) {
    ARROW_ASSIGN_OR_RAISE(const auto aligned, TakeRowIdsAligned(*dataset, ids, spec));
    ARROW_ASSIGN_OR_RAISE(const auto rows, WithStates(aligned, ids));
    return WriteTable(*rows, arguments);
  }
  ARROW_ASSIGN_OR_RAISE(const auto found, TakeRowIdsFound(*dataset, ids, spec));
  if (!arguments.missing_path.empty()) {
    ARROW_RETURN_NOT_OK(WriteMissing(arguments.missing_path, found.missing));
  }
  ARROW_ASSIGN_OR_RAISE(const int exit_code, WriteTable(*found.rows, arguments));
  if (arguments.missing_path.empty()) ReportMissing(found.missing, ids.size());
  return exit_code;
}

arrow::Result<int> RunPlaces(const TakeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto offsets, ReadNumbers(arguments.offsets, NumberKind::kPlain));
  ARROW_ASSIGN_OR_RAISE(const auto addresses,
                        ReadNumbers(arguments.addresses, NumberKind::kAddress));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  const ColumnSelection select = arguments.columns.Select();
  ARROW_ASSIGN_OR_RAISE(const auto rows, arguments.addresses.empty()
                                             ? TakeOffsets(*dataset, offsets, select)
                                             : TakeAddresses(*dataset, addresses, select));
  return WriteTable(*rows, arguments);
}

}  // namespace

void AddTake(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand("take", "Print chosen rows, in the order asked");
  auto arguments = std::make_shared<TakeArguments>();
  arguments->table = AddTableArguments(*command, true);
  auto* what = command->add_option_group("what")->require_option(1);
  auto* ids =
      what->add_option("--ids", arguments->ids,
                       "Row ids: 1,2,3 or @FILE or - for standard input. Ids without a row are "
                       "left out and told on standard error");
  what->add_option("--addresses", arguments->addresses,
                   "Row addresses: numbers or fragment:offset, in the same forms. Each must hold a "
                   "row");
  what->add_option("--offsets", arguments->offsets,
                   "Positions among the rows, from 0, in the same forms. Each must hold a row");
  auto* aligned = command
                      ->add_flag("--aligned", arguments->is_aligned,
                                 "One row for each id: null where there is none, after the columns "
                                 "_asked_rowid and _state")
                      ->needs(ids);
  command
      ->add_option("--missing", arguments->missing_path,
                   "Write position, id and state of the ids left out to a file (CSV, or by its "
                   "name)")
      ->needs(ids)
      ->excludes(aligned);
  command
      ->add_option("--where", arguments->where,
                   "Ids whose row this SQL expression is not true for count as left out")
      ->needs(ids);
  AddColumnArguments(*command, &arguments->columns);
  AddOutputArguments(*command, &arguments->output);
  command->callback([=] {
    *action = [=] { return ids->count() > 0 ? RunIds(*arguments) : RunPlaces(*arguments); };
  });
}

}  // namespace pennon::cli
