#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dataset/describe_parts.h"
#include "pennon/base/error.h"
#include "pennon/dataset/describe.h"
#include "rowids/version_sequence.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

Placement PlacementOf(const LineageSequence& sequence) {
  switch (sequence.placement) {
    case LineagePlacement::kAbsent:
      return Placement::kAbsent;
    case LineagePlacement::kInline:
      return Placement::kInline;
    case LineagePlacement::kColumn:
      return Placement::kColumn;
  }
  return Placement::kAbsent;
}

arrow::Result<RowIdsInfo> DescribeIds(const Snapshot& snapshot, const Fragment& fragment,
                                      size_t segments_max) {
  RowIdsInfo info;
  info.placement = PlacementOf(fragment.row_ids);
  if (info.placement != Placement::kInline) return info;
  ARROW_ASSIGN_OR_RAISE(const auto sequence, OpenRowIds(snapshot, fragment));
  info.encoded_bytes = fragment.row_ids.bytes.size();
  info.num_segments = sequence.num_wire_segments();
  for (const auto& segment : sequence.Describe(segments_max)) {
    info.segments.push_back({std::string(segment.form), segment.num_rows, segment.smallest,
                             segment.largest, segment.num_holes, segment.encoded_bytes,
                             segment.array_width});
  }
  const auto bounds = sequence.Bounds();
  if (bounds.has_value()) {
    info.smallest = bounds->smallest;
    info.largest = bounds->largest;
  }
  return info;
}

arrow::Result<LineageInfo> DescribeLineage(const Snapshot& snapshot, const Fragment& fragment,
                                           const LineageSequence& encoded, size_t runs_max) {
  LineageInfo info;
  info.placement = PlacementOf(encoded);
  if (info.placement != Placement::kInline) return info;
  info.encoded_bytes = encoded.bytes.size();
  auto sequence = DecodeVersionSequence(encoded.bytes);
  if (!sequence.ok()) {
    return AddContext(
        sequence.status(),
        fmt::format(" of the lineage of fragment {} (at byte {} of the manifest): {}",
                    ToInteger(fragment.id), encoded.manifest_offset, snapshot.manifest_path));
  }
  info.num_runs = sequence->num_runs();
  for (size_t i = 0; i < std::min(runs_max, sequence->num_runs()); ++i) {
    const VersionRun run = sequence->run(i);
    info.runs.push_back({run.num_rows, run.version});
  }
  return info;
}

DataFileInfo DescribeDataFile(const DataFile& file) {
  DataFileInfo info;
  info.path = file.path;
  info.fields = file.fields;
  info.column_indices = file.column_indices;
  info.file_version = fmt::format("{}.{}", file.major_version, file.minor_version);
  if (file.size_bytes != 0) info.size_bytes = file.size_bytes;
  info.base_id = file.base_id;
  return info;
}

}  // namespace

arrow::Result<std::vector<FragmentInfo>> DescribeFragments(const Dataset& dataset,
                                                           const DescribeOptions& options) {
  const Snapshot& snapshot = *dataset.snapshot();
  std::vector<FragmentInfo> out;
  out.reserve(snapshot.manifest.fragments.size());
  for (const auto& fragment : snapshot.manifest.fragments) {
    FragmentInfo info;
    info.id = fragment.id;
    if (fragment.physical_rows != 0) info.physical_rows = fragment.physical_rows;
    ARROW_ASSIGN_OR_RAISE(info.num_deletions, CountDeletedRows(snapshot, fragment));
    for (const auto& file : fragment.files) info.data_files.push_back(DescribeDataFile(file));
    if (fragment.deletion_file.has_value()) {
      const DeletionFile& file = *fragment.deletion_file;
      info.deletion_file = DeletionFileInfo{
          file.type == DeletionFileType::kArray ? "array" : "bitmap",
          DeletionFilePath(fragment.id, file), file.read_version, file.id, file.base_id};
    }
    if (snapshot.manifest.has_stable_row_ids()) {
      ARROW_ASSIGN_OR_RAISE(info.row_ids, DescribeIds(snapshot, fragment, options.segments_max));
      ARROW_ASSIGN_OR_RAISE(info.created_at, DescribeLineage(snapshot, fragment, fragment.created,
                                                             options.segments_max));
      ARROW_ASSIGN_OR_RAISE(
          info.last_updated_at,
          DescribeLineage(snapshot, fragment, fragment.last_updated, options.segments_max));
    }
    out.push_back(std::move(info));
  }
  return out;
}

}  // namespace pennon
