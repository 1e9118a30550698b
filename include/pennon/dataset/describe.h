/// \file
/// What a table is made of, for people and programs that look before they act.
/// Spec: format/table.md, headings 2 to 6 and 9, 10; format/row-ids.md, headings 1 to 4.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pennon/base/ids.h"
#include "pennon/dataset/dataset.h"
#include "pennon/export.h"

namespace pennon {

struct TagInfo {
  std::string name;
  Version version{};
  std::optional<std::string> branch;  ///< Empty: main.
};

struct BranchInfo {
  std::string name;
  std::optional<std::string> parent_branch;
  Version parent_version{};
};

struct IndexInfo {
  std::string name;
  std::string type;
  std::string uuid;
  std::vector<std::string> fields;  ///< Dotted paths.
  /// Fragments whose rows the index covers; empty when unknown.
  std::optional<std::vector<uint32_t>> fragment_ids;
  bool is_system = false;
};

/// How the row ids of a version are kept, over all fragments.
struct RowIdHealth {
  uint64_t num_sequences = 0;
  uint64_t num_spilled = 0;  ///< Kept in hidden columns of data files, not counted below.
  uint64_t encoded_bytes = 0;
  uint64_t num_segments = 0;
  /// Segments by form, and ids in each: range, range_with_holes, range_with_bitmap, sorted_array,
  /// array.
  std::map<std::string, uint64_t> segments_by_form;
  /// The largest number of places (segments) whose spans hold one and the same id: what a look-up
  /// may have to probe.
  uint64_t overlap_depth = 0;
  /// Bytes of unsorted arrays that the first look-up reads; the rest is answered from headers.
  uint64_t first_lookup_bytes = 0;
};

struct TableInfo {
  std::string root;
  Version version{};
  std::string branch;  ///< Empty: main.
  std::string timestamp;
  /// Nothing when some fragment does not record its rows.
  std::optional<uint64_t> row_count;
  uint64_t deleted_rows = 0;
  uint64_t num_fragments = 0;
  uint64_t num_data_files = 0;
  uint64_t data_bytes = 0;  ///< As far as files' sizes are recorded.
  uint64_t manifest_bytes = 0;
  bool has_stable_row_ids = false;
  uint64_t next_row_id = 0;
  std::optional<uint32_t> max_fragment_id;
  std::string data_storage_version;
  std::string manifest_naming;  ///< "v1" or "v2".
  uint64_t reader_feature_flags = 0;
  uint64_t writer_feature_flags = 0;
  std::vector<std::string> features;  ///< Names of the bits set in either word.
  std::string writer;                 ///< "lance 14.0.2"; empty when not recorded.
  uint64_t num_fields = 0;
  std::map<std::string, std::string> config;
  std::map<std::string, std::string> table_metadata;
  std::map<std::string, std::string> schema_metadata;
  std::vector<TagInfo> tags;
  std::vector<BranchInfo> branches;
  std::vector<IndexInfo> indexes;
  std::optional<RowIdHealth> row_ids;  ///< With stable row ids only.
};

/// Describes one version. Store calls: two listings (tags, branches), one read for each of those,
/// and one for each deletion file whose count the manifest does not record. No data file is read.
/// O(bytes of the manifest). Errors: kCorrupt for sequences, refs or index coverage that cannot be
/// read.
PENNON_EXPORT arrow::Result<TableInfo> DescribeTable(const Dataset& dataset);

struct VersionInfo {
  Version version{};
  std::string timestamp;
  std::string operation;  ///< "Unknown" when the version carries no transaction that can be read.
  std::string detail;
  Version read_version{};
  std::string uuid;
  std::map<std::string, std::string> properties;
  std::optional<uint64_t> row_count;
  uint64_t num_fragments = 0;
  /// Live rows in fragments that the version before does not list, or did not have live; and the
  /// reverse. A compaction counts on both sides. Nothing for the oldest kept version that has one
  /// before it.
  std::optional<uint64_t> rows_added;
  std::optional<uint64_t> rows_removed;
  bool has_stable_row_ids = false;
  std::string writer;
  std::vector<std::string> tags;
};

/// Describes the kept versions up to the handle's own, newest first, at most `count_max` of them.
/// Store calls: one listing, one read for each version and for a transaction that lies outside its
/// manifest, the tags.
PENNON_EXPORT arrow::Result<std::vector<VersionInfo>> DescribeVersions(const Dataset& dataset,
                                                                       size_t count_max = ~size_t{
                                                                           0});

struct SegmentInfo {
  std::string form;
  uint64_t num_rows = 0;
  uint64_t smallest = 0;
  uint64_t largest = 0;
  uint64_t num_holes = 0;
  uint64_t encoded_bytes = 0;
  uint8_t array_width = 0;  ///< Bytes a value; 0 for forms without an array.
};

enum class Placement { kAbsent, kInline, kColumn };

struct RowIdsInfo {
  Placement placement = Placement::kAbsent;
  uint64_t encoded_bytes = 0;
  uint64_t num_segments = 0;
  std::vector<SegmentInfo> segments;  ///< The first DescribeOptions::segments_max.
  std::optional<uint64_t> smallest;
  std::optional<uint64_t> largest;
};

struct LineageRun {
  uint64_t num_rows = 0;
  Version version{};
};

struct LineageInfo {
  Placement placement = Placement::kAbsent;
  uint64_t encoded_bytes = 0;
  uint64_t num_runs = 0;
  std::vector<LineageRun> runs;  ///< The first DescribeOptions::segments_max.
};

struct DataFileInfo {
  std::string path;
  std::vector<int32_t> fields;
  std::vector<int32_t> column_indices;
  std::string file_version;
  std::optional<uint64_t> size_bytes;
  std::optional<uint32_t> base_id;
};

struct DeletionFileInfo {
  std::string type;  ///< "array" or "bitmap".
  std::string path;
  uint64_t read_version = 0;
  uint64_t id = 0;
  std::optional<uint32_t> base_id;
};

struct FragmentInfo {
  FragmentId id{};
  std::optional<uint64_t> physical_rows;
  uint64_t num_deletions = 0;
  std::vector<DataFileInfo> data_files;
  std::optional<DeletionFileInfo> deletion_file;
  RowIdsInfo row_ids;
  LineageInfo created_at;
  LineageInfo last_updated_at;
};

struct DescribeOptions {
  /// Segments and runs listed for each sequence; their numbers are always given.
  size_t segments_max = 64;
};

/// Describes every fragment in the manifest's order. One store call for each deletion file without
/// a recorded count.
PENNON_EXPORT arrow::Result<std::vector<FragmentInfo>> DescribeFragments(
    const Dataset& dataset, const DescribeOptions& options = {});

}  // namespace pennon
