#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dataset/describe_parts.h"
#include "dataset/row_ids.h"
#include "format/feature_flags.h"
#include "format/index_section.h"
#include "pennon/base/error.h"
#include "pennon/dataset/describe.h"
#include "rowids/row_id_sequence.h"
#include "rowset/roaring.h"
#include "table/deletions.h"
#include "table/refs.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

/// A few bytes of coverage can stand for all of 2^32 numbers.
constexpr uint64_t kListedFragmentsMax = 1 << 24;
/// The years 1 to 9999, which is what calendars are made for.
constexpr int64_t kFirstSecond = -62135596800;
constexpr int64_t kLastSecond = 253402300799;

/// "parent.child" of a field; the bare id for one that the schema does not list.
std::string FieldPath(const Manifest& manifest, int32_t id) {
  std::string path;
  for (size_t depth = 0; depth <= manifest.fields.size(); ++depth) {
    const auto found = std::find_if(manifest.fields.begin(), manifest.fields.end(),
                                    [id](const SchemaField& field) { return field.id == id; });
    if (found == manifest.fields.end()) break;
    path.insert(0, path.empty() ? found->name : found->name + ".");
    if (found->parent_id < 0) return path;
    id = found->parent_id;
  }
  return path.empty() ? fmt::format("#{}", id) : path;
}

arrow::Result<std::vector<IndexInfo>> DescribeIndexes(const Manifest& manifest) {
  std::vector<IndexInfo> out;
  if (!manifest.index_section.has_value()) return out;
  ARROW_ASSIGN_OR_RAISE(const auto entries, DecodeIndexSection(*manifest.index_section));
  for (const auto& entry : entries) {
    IndexInfo info;
    info.name = entry.name;
    info.type = entry.type;
    info.uuid = entry.uuid;
    info.is_system = entry.is_system();
    for (const int32_t field : entry.fields) info.fields.push_back(FieldPath(manifest, field));
    if (!entry.fragment_bitmap.empty()) {
      auto covered = DecodeRoaring(entry.fragment_bitmap);
      if (!covered.ok()) {
        return AddContext(covered.status(),
                          fmt::format(" in the coverage of index \"{}\"", entry.name));
      }
      if (covered->count() > kListedFragmentsMax) {
        return MakeError(ErrorKind::kTooLarge,
                         fmt::format("index \"{}\" claims to cover {} fragments, more than can be "
                                     "listed",
                                     entry.name, covered->count()));
      }
      info.fragment_ids = covered->ToVector();
    }
    out.push_back(std::move(info));
  }
  return out;
}

arrow::Result<RowIdHealth> DescribeRowIds(const Dataset& dataset) {
  const Snapshot& snapshot = *dataset.snapshot();
  RowIdHealth health;
  for (const auto& fragment : snapshot.manifest.fragments) {
    ++health.num_sequences;
    if (fragment.row_ids.placement == LineagePlacement::kColumn) {
      ++health.num_spilled;
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const auto sequence, OpenRowIds(snapshot, fragment));
    health.encoded_bytes += fragment.row_ids.bytes.size();
    health.num_segments += sequence.num_wire_segments();
    for (const auto& segment : sequence.segments()) {
      health.segments_by_form[std::string(SegmentFormName(segment.form))] +=
          segment.num_wire_segments;
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto index, RowIdIndexOf(dataset));
  const RowIdIndexHealth lookups = index->Health();
  health.overlap_depth = lookups.overlap_depth;
  health.first_lookup_bytes = lookups.first_lookup_bytes;
  return health;
}

}  // namespace

arrow::Result<RowIdSequence> OpenRowIds(const Snapshot& snapshot, const Fragment& fragment) {
  auto sequence = DecodeRowIdSequence(fragment.row_ids.bytes, snapshot.manifest.file);
  if (sequence.ok()) return sequence;
  return AddContext(sequence.status(),
                    fmt::format(" of the row ids of fragment {} (at byte {} of the manifest): {}",
                                ToInteger(fragment.id), fragment.row_ids.manifest_offset,
                                snapshot.manifest_path));
}

std::string FormatTimestamp(int64_t seconds, int32_t nanos) {
  if (seconds < kFirstSecond || seconds > kLastSecond || nanos < 0 || nanos > 999999999) {
    return fmt::format("@{}+{}ns", seconds, nanos);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(static_cast<std::time_t>(seconds)),
                     nanos);
}

std::string FormatWriter(const Manifest& manifest) {
  if (!manifest.writer_version.has_value()) return "";
  return manifest.writer_version->library + " " + manifest.writer_version->version;
}

arrow::Result<uint64_t> CountDeletedRows(const Snapshot& snapshot, const Fragment& fragment) {
  if (!fragment.deletion_file.has_value()) return 0;
  if (fragment.deletion_file->num_deleted_rows > 0) return fragment.deletion_file->num_deleted_rows;
  ARROW_ASSIGN_OR_RAISE(const auto deletions, LoadDeletions(snapshot, fragment));
  return deletions.count();
}

arrow::Result<std::optional<uint64_t>> CountLiveRows(const Snapshot& snapshot) {
  uint64_t rows = 0;
  for (const auto& fragment : snapshot.manifest.fragments) {
    if (fragment.physical_rows == 0) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(const uint64_t deleted, CountDeletedRows(snapshot, fragment));
    rows += fragment.physical_rows - std::min(deleted, fragment.physical_rows);
  }
  return rows;
}

arrow::Result<TableInfo> DescribeTable(const Dataset& dataset) {
  const Snapshot& snapshot = *dataset.snapshot();
  const Manifest& manifest = snapshot.manifest;
  TableInfo info;
  info.root = snapshot.table.root;
  info.version = manifest.version;
  info.branch = manifest.branch.value_or("");
  info.timestamp = FormatTimestamp(manifest.timestamp_seconds, manifest.timestamp_nanos);
  ARROW_ASSIGN_OR_RAISE(info.row_count, CountLiveRows(snapshot));
  info.num_fragments = manifest.fragments.size();
  for (const auto& fragment : manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t deleted, CountDeletedRows(snapshot, fragment));
    info.deleted_rows += deleted;
    info.num_data_files += fragment.files.size();
    for (const auto& file : fragment.files) info.data_bytes += file.size_bytes;
  }
  info.manifest_bytes = snapshot.manifest_bytes;
  info.has_stable_row_ids = manifest.has_stable_row_ids();
  info.next_row_id = manifest.next_row_id;
  info.max_fragment_id = manifest.max_fragment_id;
  info.data_storage_version = manifest.data_format_version;
  info.manifest_naming = snapshot.naming == ManifestNaming::kV1 ? "v1" : "v2";
  info.reader_feature_flags = manifest.reader_flags;
  info.writer_feature_flags = manifest.writer_flags;
  info.features = FeatureFlagNames(manifest.reader_flags | manifest.writer_flags);
  info.writer = FormatWriter(manifest);
  info.num_fields = manifest.fields.size();
  info.config = manifest.config;
  info.table_metadata = manifest.table_metadata;
  info.schema_metadata = manifest.schema_metadata;
  ARROW_ASSIGN_OR_RAISE(const auto tags, ListTags(*snapshot.store, snapshot.table.main_root));
  for (const auto& tag : tags) info.tags.push_back({tag.name, tag.version, tag.branch});
  ARROW_ASSIGN_OR_RAISE(const auto branches,
                        ListBranches(*snapshot.store, snapshot.table.main_root));
  for (const auto& branch : branches) {
    info.branches.push_back({branch.name, branch.parent_branch, branch.parent_version});
  }
  ARROW_ASSIGN_OR_RAISE(info.indexes, DescribeIndexes(manifest));
  if (info.has_stable_row_ids) {
    ARROW_ASSIGN_OR_RAISE(info.row_ids, DescribeRowIds(dataset));
  }
  return info;
}

}  // namespace pennon
