// pennon info: what a table is at one version.
#include <fmt/format.h>

#include "command.h"
#include "pennon/dataset/describe.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

Json IndexJson(const IndexInfo& index) {
  return {{"name", index.name},     {"type", index.type},
          {"fields", index.fields}, {"fragment_ids", OrNull(index.fragment_ids)},
          {"uuid", index.uuid},     {"system", index.is_system}};
}

Json RowIdsJson(const RowIdHealth& health) {
  return {{"encoded_bytes", health.encoded_bytes},
          {"num_sequences", health.num_sequences},
          {"num_spilled", health.num_spilled},
          {"num_segments", health.num_segments},
          {"segments_by_form", health.segments_by_form},
          {"overlap_depth", health.overlap_depth},
          {"first_lookup_bytes", health.first_lookup_bytes}};
}

Json ToJson(const TableInfo& info) {
  Json out = {{"path", info.root},
              {"version", ToInteger(info.version)},
              {"branch", info.branch.empty() ? Json(nullptr) : Json(info.branch)},
              {"timestamp", info.timestamp},
              {"row_count", OrNull(info.row_count)},
              {"deleted_rows", info.deleted_rows},
              {"num_fragments", info.num_fragments},
              {"num_data_files", info.num_data_files},
              {"data_bytes", info.data_bytes},
              {"manifest_bytes", info.manifest_bytes},
              {"has_stable_row_ids", info.has_stable_row_ids},
              {"next_row_id", info.next_row_id},
              {"max_fragment_id", OrNull(info.max_fragment_id)},
              {"data_storage_version", info.data_storage_version},
              {"manifest_naming", info.manifest_naming},
              {"reader_feature_flags", info.reader_feature_flags},
              {"writer_feature_flags", info.writer_feature_flags},
              {"features", info.features},
              {"writer", info.writer},
              {"num_fields", info.num_fields},
              {"config", info.config},
              {"table_metadata", info.table_metadata},
              {"schema_metadata", info.schema_metadata}};
  out["tags"] = Json::object();
  for (const auto& tag : info.tags) {
    out["tags"][tag.name] = {{"version", ToInteger(tag.version)}, {"branch", OrNull(tag.branch)}};
  }
  out["branches"] = Json::object();
  for (const auto& branch : info.branches) {
    out["branches"][branch.name] = {{"parent_branch", OrNull(branch.parent_branch)},
                                    {"parent_version", ToInteger(branch.parent_version)}};
  }
  out["indices"] = Json::array();
  for (const auto& index : info.indexes) out["indices"].push_back(IndexJson(index));
  out["row_ids"] = info.row_ids.has_value() ? RowIdsJson(*info.row_ids) : Json(nullptr);
  return out;
}

void Line(std::string_view label, std::string_view text) { fmt::print("{:<16} {}\n", label, text); }

template <typename Items, typename ToText>
std::string Join(const Items& items, ToText to_text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + to_text(item);
  return out;
}

std::string RowIdsText(const TableInfo& info) {
  if (!info.has_stable_row_ids) {
    return "not stable: _rowid is the row's address and changes when a row moves; 'pennon migrate' "
           "gives stable ids";
  }
  return fmt::format("stable, next id {}", FormatCount(info.next_row_id));
}

std::string HealthText(const RowIdHealth& health) {
  std::string out = fmt::format("{} in {}", FormatBytes(health.encoded_bytes),
                                FormatNumberOf(health.num_segments, "segment"));
  if (!health.segments_by_form.empty()) {
    out += " (" +
           Join(health.segments_by_form,
                [](const auto& form) {
                  return fmt::format("{} {}", FormatCount(form.second), form.first);
                }) +
           ")";
  }
  if (health.num_spilled > 0)
    out += fmt::format(", {} spilled to data files", FormatCount(health.num_spilled));
  return out;
}

std::string LookupText(const RowIdHealth& health) {
  return fmt::format("at most {} to probe for an id; the first look-up reads {}",
                     FormatNumberOf(health.overlap_depth, "segment"),
                     health.first_lookup_bytes == 0
                         ? "headers only"
                         : FormatBytes(health.first_lookup_bytes) + " of unsorted ids");
}

std::string IndexText(const IndexInfo& index) {
  std::string out =
      fmt::format("{} ({} on {}", index.name, index.type, fmt::join(index.fields, ", "));
  if (index.fragment_ids.has_value())
    out += fmt::format(", covers {}", FormatNumberOf(index.fragment_ids->size(), "fragment"));
  return out + ")";
}

void PrintText(const TableInfo& info) {
  Line("table", info.root);
  Line("version",
       fmt::format("{}{}, {}{}", ToInteger(info.version),
                   info.branch.empty() ? "" : " of branch " + info.branch, info.timestamp,
                   info.writer.empty() ? "" : ", written by " + info.writer));
  Line("rows", info.row_count.has_value()
                   ? fmt::format("{}{}", FormatCount(*info.row_count),
                                 info.deleted_rows > 0
                                     ? fmt::format(" ({} deleted)", FormatCount(info.deleted_rows))
                                     : "")
                   : "unknown: some fragments do not record how many rows they hold");
  Line("fragments",
       fmt::format("{}, {} of {}", FormatCount(info.num_fragments),
                   FormatNumberOf(info.num_data_files, "data file"), FormatBytes(info.data_bytes)));
  Line("storage",
       fmt::format("{}; manifest of {}, {} names",
                   info.data_storage_version.empty() ? "version not recorded"
                                                     : "version " + info.data_storage_version,
                   FormatBytes(info.manifest_bytes), info.manifest_naming));
  Line("features",
       info.features.empty() ? "none" : fmt::format("{}", fmt::join(info.features, ", ")));
  Line("row ids", RowIdsText(info));
  if (info.row_ids.has_value()) {
    Line("id sequences", HealthText(*info.row_ids));
    Line("id look-ups", LookupText(*info.row_ids));
  }
  Line("change feed", info.has_stable_row_ids
                          ? "inserts, updates and deletes can be followed by row id"
                          : "needs stable row ids");
  for (size_t i = 0; i < info.indexes.size(); ++i)
    Line(i == 0 ? "indexes" : "", IndexText(info.indexes[i]));
  if (!info.tags.empty()) {
    Line("tags", Join(info.tags, [](const TagInfo& tag) {
           return fmt::format("{} -> {}{}", tag.name,
                              tag.branch.has_value() ? *tag.branch + ":" : "",
                              ToInteger(tag.version));
         }));
  }
  if (!info.branches.empty()) {
    Line("branches", Join(info.branches, [](const BranchInfo& branch) {
           return fmt::format("{} (from {}version {})", branch.name,
                              branch.parent_branch.has_value() ? *branch.parent_branch + " " : "",
                              ToInteger(branch.parent_version));
         }));
  }
  if (!info.config.empty()) {
    Line("config",
         Join(info.config, [](const auto& item) { return item.first + "=" + item.second; }));
  }
}

arrow::Result<int> Run(const TableArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(arguments));
  ARROW_ASSIGN_OR_RAISE(const auto info, DescribeTable(*dataset));
  if (arguments.json) {
    PrintJson(ToJson(info));
  } else {
    PrintText(info);
  }
  return kExitDone;
}

}  // namespace

void AddInfo(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand(
      "info", "What a table is: version, rows, features, row ids, indexes, tags");
  const auto arguments = AddTableArguments(*command, true);
  command->callback([=] { *action = [=] { return Run(*arguments); }; });
}

}  // namespace pennon::cli
