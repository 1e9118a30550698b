// pennon migrate: stable row ids for an existing table.
#include "pennon/dataset/migrate.h"

#include <fmt/format.h>

#include "command.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

struct MigrateArguments {
  std::shared_ptr<TableArguments> table;
  MigrateOptions options;
  std::string ids = "addresses";
  std::string lineage = "history";
};

const char* OutcomeName(MigrateOutcome outcome) {
  switch (outcome) {
    case MigrateOutcome::kPlanned:
      return "planned";
    case MigrateOutcome::kMigrated:
      return "migrated";
    case MigrateOutcome::kAlreadyStable:
      return "already_stable";
  }
  return "planned";
}

Json ToJson(const MigrateReport& report, const MigrateArguments& arguments) {
  Json blockers = Json::array();
  for (const auto& blocker : report.blockers) {
    blockers.push_back(
        {{"code", blocker.code}, {"what", blocker.what}, {"way_out", blocker.way_out}});
  }
  Json indexes = Json::array();
  for (const auto& index : report.indexes) {
    indexes.push_back({{"name", index.name},
                       {"type", index.type},
                       {"uuid", index.uuid},
                       {"kept", index.kept},
                       {"reason", index.reason}});
  }
  Json branches = Json::array();
  for (const auto& branch : report.branches) {
    branches.push_back({{"name", branch.name},
                        {"version", ToInteger(branch.version)},
                        {"has_stable_row_ids", branch.has_stable_row_ids}});
  }
  return {{"path", report.root},
          {"branch", report.branch.empty() ? Json(nullptr) : Json(report.branch)},
          {"outcome", OutcomeName(report.outcome)},
          {"migrated", report.outcome == MigrateOutcome::kMigrated},
          {"dry_run", arguments.options.dry_run},
          {"possible", report.blockers.empty()},
          {"from_version", ToInteger(report.from_version)},
          {"to_version", ToInteger(report.to_version)},
          {"ids", arguments.ids},
          {"lineage", arguments.lineage},
          {"num_versions_traced", report.num_versions_traced},
          {"num_fragments", report.num_fragments},
          {"num_rows", report.num_rows},
          {"num_deleted_rows", report.num_deleted_rows},
          {"first_row_id", report.first_row_id},
          {"next_row_id", report.next_row_id},
          {"metadata_bytes",
           {{"manifest_before", report.manifest_bytes_before},
            {"manifest_after", report.manifest_bytes_after},
            {"transaction", report.transaction_bytes}}},
          {"attempts", report.attempts},
          {"blockers", std::move(blockers)},
          {"indices", std::move(indexes)},
          {"branches", std::move(branches)}};
}

void Line(std::string_view label, const std::string& text) {
  fmt::print("  {:<14} {}\n", label, text);
}

std::string Name(const MigrateReport& report) {
  return report.branch.empty() ? report.root
                               : fmt::format("branch {} ({})", report.branch, report.root);
}

std::string IdsText(const MigrateReport& report, bool is_done) {
  if (report.ids == MigrateIds::kConsecutive) {
    return fmt::format(
        "numbered {} to {} in row order; addresses that were saved as _rowid {} no ids",
        report.first_row_id,
        report.next_row_id == report.first_row_id ? report.first_row_id : report.next_row_id - 1,
        is_done ? "are" : "will be");
  }
  return fmt::format(
      "each row's id is its present address, so saved _rowid values stay right; new rows count on "
      "from {}",
      report.next_row_id);
}

void PrintIndexesAndBranches(const MigrateReport& report, const MigrateOptions& options) {
  for (size_t i = 0; i < report.indexes.size(); ++i) {
    const auto& index = report.indexes[i];
    Line(i == 0 ? "indexes" : "", fmt::format("{} ({}): {}: {}", index.name,
                                              index.type.empty() ? "unknown kind" : index.type,
                                              index.kept ? "kept" : "dropped", index.reason));
  }
  if (options.all_branches) return;
  for (size_t i = 0; i < report.branches.size(); ++i) {
    const auto& branch = report.branches[i];
    Line(i == 0 ? "branches" : "",
         fmt::format("{} at version {}: {}", branch.name, ToInteger(branch.version),
                     branch.has_stable_row_ids ? "has stable ids"
                                               : "not touched; --all-branches takes it along"));
  }
}

void PrintWriters() {
  fmt::print(
      "\nWhile it happens, others may read and write. A writer that opened the table before and "
      "commits after:\n"
      "  append, insert, overwrite, drop or rename a column, set config   goes through, new rows "
      "get new ids\n"
      "  delete, update, upsert                                           retries by itself, ids "
      "are kept\n"
      "  compaction, add or cast a column, build or optimise an index,\n"
      "  replace data files                                               is told to retry, "
      "nothing is lost\n"
      "  restore a version from before the migration                      is refused from then "
      "on\n");
}

void PrintPlan(const MigrateReport& report, const MigrateOptions& options) {
  fmt::print("Plan for {}\n", Name(report));
  Line("version", fmt::format("{} -> {}, one commit, metadata only", ToInteger(report.from_version),
                              ToInteger(report.to_version)));
  Line("rows",
       fmt::format("{} in {}, {} of them deleted (they keep their numbers)",
                   FormatCount(report.num_rows), FormatNumberOf(report.num_fragments, "fragment"),
                   FormatCount(report.num_deleted_rows)));
  Line("ids", IdsText(report, false));
  if (report.blockers.empty()) {
    Line("lineage", report.lineage == MigrateLineage::kHistory
                        ? fmt::format("the versions rows were written in, from {}",
                                      FormatNumberOf(report.num_versions_traced, "kept version"))
                        : "unset: every row reads as of version 1");
    Line("written",
         fmt::format(
             "manifest of {} (now {}), transaction of {}; no data or deletion file is touched",
             FormatBytes(report.manifest_bytes_after), FormatBytes(report.manifest_bytes_before),
             FormatBytes(report.transaction_bytes)));
  }
  if (report.num_unused_sequences > 0) {
    Line("note", fmt::format("{} carry id sequences that readers ignore; they are replaced",
                             FormatNumberOf(report.num_unused_sequences, "fragment")));
  }
  PrintIndexesAndBranches(report, options);
  if (report.blockers.empty()) return;
  fmt::print("\nIn the way:\n");
  for (const auto& blocker : report.blockers)
    fmt::print("  {}\n      way out: {}\n", blocker.what, blocker.way_out);
}

void PrintDone(const MigrateReport& report, const MigrateOptions& options) {
  fmt::print("Migrated {}: version {} -> {}\n", Name(report), ToInteger(report.from_version),
             ToInteger(report.to_version));
  Line("rows", fmt::format("{} in {} have stable ids",
                           FormatCount(report.num_rows - report.num_deleted_rows),
                           FormatNumberOf(report.num_fragments, "fragment")));
  Line("ids", IdsText(report, true));
  Line("written", fmt::format("manifest of {} (was {}), transaction of {}",
                              FormatBytes(report.manifest_bytes_after),
                              FormatBytes(report.manifest_bytes_before),
                              FormatBytes(report.transaction_bytes)));
  if (report.attempts > 1)
    Line("attempts", fmt::format("{}, others committed meanwhile", report.attempts));
  PrintIndexesAndBranches(report, options);
  Line("checked",
       "every id is found and unique; fragments and the version before are as they were");
}

void PrintReport(const MigrateReport& report, const MigrateOptions& options) {
  switch (report.outcome) {
    case MigrateOutcome::kAlreadyStable:
      fmt::print("Nothing to do: version {} of {} has stable row ids\n",
                 ToInteger(report.from_version), Name(report));
      break;
    case MigrateOutcome::kPlanned:
      PrintPlan(report, options);
      break;
    case MigrateOutcome::kMigrated:
      PrintDone(report, options);
      break;
  }
}

arrow::Result<int> Run(MigrateArguments arguments) {
  arguments.options.ids =
      arguments.ids == "consecutive" ? MigrateIds::kConsecutive : MigrateIds::kAddresses;
  arguments.options.lineage =
      arguments.lineage == "none" ? MigrateLineage::kNone : MigrateLineage::kHistory;
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  ARROW_ASSIGN_OR_RAISE(const auto reports, MigrateToStableRowIds(*dataset, arguments.options));
  bool possible = true;
  for (const auto& report : reports) possible = possible && report.blockers.empty();
  if (arguments.table->json) {
    Json out = ToJson(reports.front(), arguments);
    if (arguments.options.all_branches) {
      out["others"] = Json::array();
      for (size_t i = 1; i < reports.size(); ++i)
        out["others"].push_back(ToJson(reports[i], arguments));
    }
    PrintJson(out);
  } else {
    for (const auto& report : reports) PrintReport(report, arguments.options);
    if (arguments.options.dry_run && reports.front().outcome == MigrateOutcome::kPlanned) {
      if (possible) PrintWriters();
      fmt::print("\nDry run: nothing was written.{}\n",
                 possible ? "" : " As it is, the migration would be refused.");
    }
  }
  return possible ? kExitDone : kExitFailed;
}

}  // namespace

void AddMigrate(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand(
      "migrate",
      "Give stable row ids to an existing table: metadata only, one commit, while others write");
  auto arguments = std::make_shared<MigrateArguments>();
  arguments->table = AddTableArguments(*command, false);
  command->add_flag("--dry-run", arguments->options.dry_run,
                    "Say what would happen and what is in the way; write nothing");
  command
      ->add_option("--ids", arguments->ids,
                   "addresses: a row's id is its present address, saved _rowid values and indexes "
                   "stay right (default); "
                   "consecutive: count on from the next row id")
      ->check(CLI::IsMember({"addresses", "consecutive"}));
  command
      ->add_option("--lineage", arguments->lineage,
                   "history: rows carry the versions they were written in, as far as kept versions "
                   "tell (default); "
                   "none: left unset, reads as version 1")
      ->check(CLI::IsMember({"history", "none"}));
  command->add_flag("--drop-broken-indexes", arguments->options.drop_broken_indexes,
                    "Let indexes go that would give wrong answers, instead of refusing");
  command->add_flag("--all-branches", arguments->options.all_branches,
                    "Migrate main and every branch, a commit each");
  command->callback([=] { *action = [=] { return Run(*arguments); }; });
}

}  // namespace pennon::cli
