// pennon verify: is a table whole, and if not, what exactly is wrong with it.
#include "pennon/dataset/verify.h"

#include <fmt/format.h>

#include "command.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

struct VerifyArguments {
  std::shared_ptr<TableArguments> table;
  VerifyOptions options;
};

template <typename Id>
Json NumberOrNull(const std::optional<Id>& id) {
  return id.has_value() ? Json(ToInteger(*id)) : Json(nullptr);
}

Json ToJson(const VerifyReport& report) {
  Json faults = Json::array();
  for (const auto& fault : report.faults) {
    faults.push_back({{"severity", VerifySeverityName(fault.severity)},
                      {"code", fault.code},
                      {"fragment_id", NumberOrNull(fault.fragment)},
                      {"row_id", NumberOrNull(fault.row_id)},
                      {"file", fault.file.empty() ? Json(nullptr) : Json(fault.file)},
                      {"message", fault.message}});
  }
  Json counts = Json::array();
  for (const auto& tally : report.tallies) {
    counts.push_back({{"severity", VerifySeverityName(tally.severity)},
                      {"code", tally.code},
                      {"count", tally.count}});
  }
  const VerifyCounters& checked = report.checked;
  return {
      {"path", report.root},
      {"version", report.version == Version{0} ? Json(nullptr) : Json(ToInteger(report.version))},
      {"deep", report.deep},
      {"sound", report.sound()},
      {"faults", std::move(faults)},
      {"counts", std::move(counts)},
      {"checked",
       {{"num_fragments", checked.num_fragments},
        {"num_rows", checked.num_rows},
        {"num_row_ids", checked.num_row_ids},
        {"num_live_ids", checked.num_live_ids},
        {"num_data_files", checked.num_data_files},
        {"num_columns_decoded", checked.num_columns_decoded},
        {"num_deletion_files", checked.num_deletion_files},
        {"num_indices", checked.num_indexes},
        {"num_versions", checked.num_versions},
        {"num_tags", checked.num_tags},
        {"num_branches", checked.num_branches}}},
      {"not_checked", report.not_checked}};
}

// "2 errors, 1 note".
std::string CountsText(const VerifyReport& report) {
  std::string text;
  for (const auto severity :
       {VerifySeverity::kError, VerifySeverity::kWarning, VerifySeverity::kNote}) {
    const uint64_t count = report.Count(severity);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + FormatNumberOf(count, VerifySeverityName(severity));
  }
  return text;
}

void PrintHead(const VerifyReport& report) {
  std::string name = report.root;
  if (report.version != Version{0}) name += fmt::format(", version {}", ToInteger(report.version));
  const std::string counts = CountsText(report);
  if (report.sound()) {
    fmt::print("{}: nothing is broken{}\n", name, counts.empty() ? "" : " (" + counts + ")");
  } else {
    fmt::print("{}: BROKEN: {}\n", name, counts);
  }
}

void PrintFaults(const VerifyReport& report) {
  if (report.faults.empty()) return;
  TextTable table({{"", Align::kLeft},
                   {"fragment", Align::kRight},
                   {"row id", Align::kRight},
                   {"what"},
                   {"code"}});
  for (const auto& fault : report.faults) {
    table.Add({std::string(VerifySeverityName(fault.severity)),
               fault.fragment.has_value() ? fmt::format("{}", ToInteger(*fault.fragment)) : "-",
               fault.row_id.has_value() ? fmt::format("{}", ToInteger(*fault.row_id)) : "-",
               fault.message, fault.code});
  }
  fmt::print("\n{}", table.Format());
  for (const auto& tally : report.tallies) {
    uint64_t shown = 0;
    for (const auto& fault : report.faults) {
      shown += fault.code == tally.code && fault.severity == tally.severity ? 1 : 0;
    }
    if (tally.count > shown) {
      fmt::print("{} more of {} (--faults lists more)\n", FormatCount(tally.count - shown),
                 tally.code);
    }
  }
  fmt::print("\n");
}

void PrintChecked(const VerifyReport& report) {
  const VerifyCounters& checked = report.checked;
  std::string text = fmt::format("{}, {}", FormatNumberOf(checked.num_fragments, "fragment"),
                                 FormatNumberOf(checked.num_rows, "row"));
  const auto add = [&](uint64_t count, std::string_view noun) {
    if (count > 0) text += ", " + FormatNumberOf(count, noun);
  };
  add(checked.num_row_ids, "row id");
  add(checked.num_data_files, "data file");
  add(checked.num_columns_decoded, "decoded column");
  add(checked.num_deletion_files, "deletion file");
  add(checked.num_versions, "version");
  add(checked.num_tags, "tag");
  if (checked.num_branches > 0)
    text += fmt::format(", branches: {}", FormatCount(checked.num_branches));
  if (checked.num_indexes > 0)
    text += fmt::format(", indexes: {}", FormatCount(checked.num_indexes));
  fmt::print("checked      {}\n", text);
  for (const auto& what : report.not_checked) fmt::print("not checked  {}\n", what);
  if (!report.deep) fmt::print("not checked  the files themselves: --deep looks at each of them\n");
}

arrow::Result<int> Run(const VerifyArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(
      const auto report,
      VerifyTable(arguments.table->path, MakeOpenOptions(*arguments.table), arguments.options));
  if (arguments.table->json) {
    PrintJson(ToJson(report));
  } else {
    PrintHead(report);
    PrintFaults(report);
    PrintChecked(report);
  }
  return report.sound() ? kExitDone : kExitBroken;
}

}  // namespace

void AddVerify(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand(
      "verify", "Check every rule that readers and writers rely on, and name all faults");
  auto arguments = std::make_shared<VerifyArguments>();
  arguments->table = AddTableArguments(*command, true);
  command->add_flag("--deep", arguments->options.deep,
                    "Also look at data files, deletion files and what no version uses");
  arguments->options.faults_per_code_max = 20;
  command->add_option("--faults", arguments->options.faults_per_code_max,
                      "List at most so many faults of one kind (default: 20)");
  command->callback([=] { *action = [=] { return Run(*arguments); }; });
}

}  // namespace pennon::cli
