// pennon locate: where a row id lies, and whose row an address is.
#include "pennon/dataset/locate.h"

#include <fmt/format.h>

#include "command.h"
#include "number_list.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

struct LocateArguments {
  std::shared_ptr<TableArguments> table;
  std::string ids;
  std::string addresses;
};

std::string AddressText(const std::optional<RowAddress>& address) {
  if (!address.has_value()) return "-";
  return fmt::format("{}:{}", ToInteger(FragmentOf(*address)), ToInteger(OffsetOf(*address)));
}

Json AddressNumber(const std::optional<RowAddress>& address) {
  return address.has_value() ? Json(ToInteger(*address)) : Json(nullptr);
}

Json ToJson(const LocatedRow& row) {
  Json out = {{"row_id", row.row_id.has_value() ? Json(ToInteger(*row.row_id)) : Json(nullptr)},
              {"address", AddressNumber(row.address)},
              {"fragment_id", nullptr},
              {"row_offset", nullptr},
              {"state", RowPlaceName(row.place)}};
  if (row.address.has_value()) {
    out["fragment_id"] = ToInteger(FragmentOf(*row.address));
    out["row_offset"] = ToInteger(OffsetOf(*row.address));
  }
  if (row.now_at.has_value()) out["now_at"] = AddressNumber(row.now_at);
  return out;
}

std::string Explain(const LocatedRow& row, bool is_stable) {
  switch (row.place) {
    case RowPlace::kLive:
      return "";
    case RowPlace::kDeleted:
      return is_stable ? "the row was deleted" : "the row there was deleted or moved";
    case RowPlace::kMoved:
      return "an update moved the row to " + AddressText(row.now_at);
    case RowPlace::kGone:
      return "given out once, but no fragment lists it any more";
    case RowPlace::kNeverGiven:
      return "no row has had this id yet";
    case RowPlace::kNoSuchFragment:
      return "this version has no such fragment";
    case RowPlace::kNoSuchRow:
      return "the fragment has fewer rows";
    case RowPlace::kFilteredOut:
      return "the filter is not true for the row";
  }
  return "";
}

arrow::Result<int> Run(const LocateArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto ids, ReadNumbers(arguments.ids, NumberKind::kPlain));
  ARROW_ASSIGN_OR_RAISE(const auto addresses,
                        ReadNumbers(arguments.addresses, NumberKind::kAddress));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto rows, LocateRowIds(*dataset, ids));
  ARROW_ASSIGN_OR_RAISE(const auto by_address, LocateAddresses(*dataset, addresses));
  rows.insert(rows.end(), by_address.begin(), by_address.end());
  if (arguments.table->json) {
    Json list = Json::array();
    for (const auto& row : rows) list.push_back(ToJson(row));
    PrintJson({{"version", ToInteger(dataset->version())},
               {"has_stable_row_ids", dataset->has_stable_row_ids()},
               {"rows", std::move(list)}});
    return kExitDone;
  }
  TextTable table({{"row id", Align::kRight},
                   {"address", Align::kRight},
                   {"fragment:offset", Align::kRight},
                   {"state"},
                   {""}});
  for (const auto& row : rows) {
    table.Add({row.row_id.has_value() ? fmt::format("{}", ToInteger(*row.row_id)) : "-",
               row.address.has_value() ? fmt::format("{}", ToInteger(*row.address)) : "-",
               AddressText(row.address), std::string(RowPlaceName(row.place)),
               Explain(row, dataset->has_stable_row_ids())});
  }
  fmt::print("{}", table.Format());
  return kExitDone;
}

}  // namespace

void AddLocate(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand(
      "locate", "Where row ids lie, and whose row an address is, with the reason if nowhere");
  auto arguments = std::make_shared<LocateArguments>();
  arguments->table = AddTableArguments(*command, true);
  auto* what = command->add_option_group("what")->require_option(1, 2);
  what->add_option("--ids", arguments->ids, "Row ids: 1,2,3 or @FILE or - for standard input");
  what->add_option("--addresses", arguments->addresses,
                   "Row addresses: numbers or fragment:offset, in the same forms");
  command->callback([=] { *action = [=] { return Run(*arguments); }; });
}

}  // namespace pennon::cli
