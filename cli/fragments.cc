// pennon fragments and pennon rowids: the parts of a table, and how each keeps its row ids and
// lineage.
#include <fmt/format.h>

#include "command.h"
#include "pennon/dataset/describe.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

const char* PlacementName(Placement placement) {
  switch (placement) {
    case Placement::kAbsent:
      return "absent";
    case Placement::kInline:
      return "inline";
    case Placement::kColumn:
      return "column";
  }
  return "absent";
}

bool IsRangeForm(const SegmentInfo& segment) { return segment.form.starts_with("range"); }

Json SegmentJson(const SegmentInfo& segment) {
  Json out = {{"kind", segment.form}, {"len", segment.num_rows}};
  if (IsRangeForm(segment)) {
    out["start"] = segment.smallest;
    out["end"] = segment.num_rows == 0 ? segment.smallest : segment.largest + 1;
    out["holes"] = segment.num_holes;
  } else {
    out["smallest"] = segment.smallest;
    out["largest"] = segment.largest;
  }
  if (segment.array_width != 0) out["array"] = fmt::format("u{}", 8 * segment.array_width);
  out["encoded_bytes"] = segment.encoded_bytes;
  return out;
}

Json RowIdsJson(const RowIdsInfo& ids) {
  if (ids.placement == Placement::kAbsent) return nullptr;
  Json out = {{"placement", PlacementName(ids.placement)}};
  if (ids.placement == Placement::kColumn) return out;
  out["encoded_bytes"] = ids.encoded_bytes;
  out["num_segments"] = ids.num_segments;
  out["smallest"] = OrNull(ids.smallest);
  out["largest"] = OrNull(ids.largest);
  out["segments"] = Json::array();
  for (const auto& segment : ids.segments) out["segments"].push_back(SegmentJson(segment));
  return out;
}

Json LineageJson(const LineageInfo& lineage) {
  if (lineage.placement == Placement::kAbsent) return nullptr;
  Json out = {{"placement", PlacementName(lineage.placement)}};
  if (lineage.placement == Placement::kColumn) return out;
  out["encoded_bytes"] = lineage.encoded_bytes;
  out["num_runs"] = lineage.num_runs;
  out["runs"] = Json::array();
  for (const auto& run : lineage.runs)
    out["runs"].push_back({run.num_rows, ToInteger(run.version)});
  return out;
}

Json FragmentJson(const FragmentInfo& fragment) {
  Json files = Json::array();
  for (const auto& file : fragment.data_files) {
    files.push_back({{"path", file.path},
                     {"fields", file.fields},
                     {"column_indices", file.column_indices},
                     {"file_version", file.file_version},
                     {"file_size_bytes", OrNull(file.size_bytes)},
                     {"base_id", OrNull(file.base_id)}});
  }
  Json deletion = nullptr;
  if (fragment.deletion_file.has_value()) {
    deletion = {{"type", fragment.deletion_file->type},
                {"num_deleted_rows", fragment.num_deletions},
                {"read_version", fragment.deletion_file->read_version},
                {"id", fragment.deletion_file->id},
                {"path", fragment.deletion_file->path},
                {"base_id", OrNull(fragment.deletion_file->base_id)}};
  }
  Json num_rows = nullptr;
  if (fragment.physical_rows.has_value())
    num_rows = *fragment.physical_rows - fragment.num_deletions;
  return {{"id", ToInteger(fragment.id)},
          {"physical_rows", OrNull(fragment.physical_rows)},
          {"num_deletions", fragment.num_deletions},
          {"num_rows", std::move(num_rows)},
          {"data_files", std::move(files)},
          {"deletion_file", std::move(deletion)},
          {"row_ids", RowIdsJson(fragment.row_ids)},
          {"created_at", LineageJson(fragment.created_at)},
          {"last_updated_at", LineageJson(fragment.last_updated_at)}};
}

std::string SpanText(const std::optional<uint64_t>& smallest,
                     const std::optional<uint64_t>& largest) {
  if (!smallest.has_value()) return "-";
  return fmt::format("{}..{}", *smallest, *largest);
}

/// "range", "range_with_bitmap +3 more", "spilled".
std::string FormText(const RowIdsInfo& ids) {
  if (ids.placement == Placement::kAbsent) return "address";
  if (ids.placement == Placement::kColumn) return "spilled";
  if (ids.segments.empty()) return "empty";
  std::string out = ids.segments.front().form;
  if (ids.num_segments > 1) out += fmt::format(" +{} more", FormatCount(ids.num_segments - 1));
  return out;
}

uint64_t LineageBytes(const FragmentInfo& fragment) {
  return fragment.created_at.encoded_bytes + fragment.last_updated_at.encoded_bytes;
}

std::string FileVersions(const FragmentInfo& fragment) {
  std::string out;
  for (const auto& file : fragment.data_files) {
    if (out.find(file.file_version) == std::string::npos)
      out += (out.empty() ? "" : " ") + file.file_version;
  }
  return out;
}

void PrintFragments(const std::vector<FragmentInfo>& fragments) {
  TextTable table({{"fragment", Align::kRight},
                   {"rows", Align::kRight},
                   {"deleted", Align::kRight},
                   {"files", Align::kRight},
                   {"format"},
                   {"bytes", Align::kRight},
                   {"id form"},
                   {"id span"},
                   {"ids", Align::kRight},
                   {"lineage", Align::kRight}});
  for (const auto& fragment : fragments) {
    uint64_t bytes = 0;
    for (const auto& file : fragment.data_files) bytes += file.size_bytes.value_or(0);
    table.Add({fmt::format("{}", ToInteger(fragment.id)),
               fragment.physical_rows.has_value()
                   ? FormatCount(*fragment.physical_rows - fragment.num_deletions)
                   : "?",
               FormatCount(fragment.num_deletions), FormatCount(fragment.data_files.size()),
               FileVersions(fragment), FormatBytes(bytes), FormText(fragment.row_ids),
               SpanText(fragment.row_ids.smallest, fragment.row_ids.largest),
               FormatBytes(fragment.row_ids.encoded_bytes), FormatBytes(LineageBytes(fragment))});
  }
  fmt::print("{}", table.Format());
}

std::string RunsText(const LineageInfo& lineage) {
  constexpr size_t kShownMax = 4;
  if (lineage.placement == Placement::kAbsent) return "unset (1)";
  if (lineage.placement == Placement::kColumn) return "spilled";
  std::string out;
  for (size_t i = 0; i < lineage.runs.size() && i < kShownMax; ++i) {
    out += fmt::format("{}{} x v{}", i == 0 ? "" : ", ", FormatCount(lineage.runs[i].num_rows),
                       ToInteger(lineage.runs[i].version));
  }
  if (lineage.num_runs > kShownMax)
    out += fmt::format(" +{} runs", FormatCount(lineage.num_runs - kShownMax));
  return out;
}

void PrintRowIds(const std::vector<FragmentInfo>& fragments) {
  TextTable table({{"fragment", Align::kRight},
                   {"segment", Align::kRight},
                   {"form"},
                   {"ids", Align::kRight},
                   {"span"},
                   {"holes", Align::kRight},
                   {"bytes", Align::kRight},
                   {"created"},
                   {"last updated"}});
  for (const auto& fragment : fragments) {
    const RowIdsInfo& ids = fragment.row_ids;
    const std::string name = fmt::format("{}", ToInteger(fragment.id));
    if (ids.segments.empty()) {
      table.Add({name, "-", FormText(ids),
                 fragment.physical_rows.has_value() ? FormatCount(*fragment.physical_rows) : "?",
                 "-", "-", "-", RunsText(fragment.created_at), RunsText(fragment.last_updated_at)});
    }
    for (size_t i = 0; i < ids.segments.size(); ++i) {
      const SegmentInfo& segment = ids.segments[i];
      table.Add(
          {i == 0 ? name : "", fmt::format("{}", i), segment.form, FormatCount(segment.num_rows),
           fmt::format("{}..{}", segment.smallest, segment.largest), FormatCount(segment.num_holes),
           FormatCount(segment.encoded_bytes), i == 0 ? RunsText(fragment.created_at) : "",
           i == 0 ? RunsText(fragment.last_updated_at) : ""});
    }
    if (ids.num_segments > ids.segments.size()) {
      table.Add({"", "...",
                 fmt::format("{} more", FormatCount(ids.num_segments - ids.segments.size())), "",
                 "", "", "", "", ""});
    }
  }
  fmt::print("{}", table.Format());
}

struct PartsArguments {
  std::shared_ptr<TableArguments> table;
  size_t segments_max = DescribeOptions{}.segments_max;
};

arrow::Result<int> Run(const PartsArguments& arguments,
                       void (*print)(const std::vector<FragmentInfo>&)) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, OpenTable(*arguments.table));
  DescribeOptions options;
  options.segments_max = arguments.segments_max;
  ARROW_ASSIGN_OR_RAISE(const auto fragments, DescribeFragments(*dataset, options));
  if (!arguments.table->json) {
    print(fragments);
    return kExitDone;
  }
  Json list = Json::array();
  for (const auto& fragment : fragments) list.push_back(FragmentJson(fragment));
  PrintJson({{"version", ToInteger(dataset->version())},
             {"has_stable_row_ids", dataset->has_stable_row_ids()},
             {"fragments", std::move(list)}});
  return kExitDone;
}

std::shared_ptr<PartsArguments> AddArguments(CLI::App& command) {
  auto arguments = std::make_shared<PartsArguments>();
  arguments->table = AddTableArguments(command, true);
  command.add_option(
      "--segments", arguments->segments_max,
      fmt::format("List at most so many segments and runs of a fragment (default: {})",
                  arguments->segments_max));
  return arguments;
}

}  // namespace

void AddFragments(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand(
      "fragments", "The fragments: rows, files, form and size of ids and lineage");
  const auto arguments = AddArguments(*command);
  command->callback([=] { *action = [=] { return Run(*arguments, PrintFragments); }; });
}

void AddRowIds(CLI::App& app, Action* action) {
  auto* command = app.add_subcommand(
      "rowids", "The row id sequences, segment by segment, and the lineage runs");
  const auto arguments = AddArguments(*command);
  command->callback([=] { *action = [=] { return Run(*arguments, PrintRowIds); }; });
}

}  // namespace pennon::cli
