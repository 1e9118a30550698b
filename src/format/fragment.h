/// \file
/// One fragment as the manifest lists it, read in place: paths and numbers are copied out,
/// sequences stay slices of the manifest's bytes. Spec: format/table.md, heading 3 (fragments);
/// format/row-ids.md, heading 3 (where sequences live).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"

namespace pennon {

/// Field ids below zero in a data file's list.
inline constexpr int32_t kTombstoneField = -2;
inline constexpr int32_t kRowIdField = -3;
inline constexpr int32_t kCreatedAtField = -4;
inline constexpr int32_t kLastUpdatedAtField = -5;

struct DataFile {
  std::string path;  ///< Relative to `data/` of its root, or to its base.
  std::vector<int32_t> fields;
  std::vector<int32_t> column_indices;
  uint32_t major_version = 0;
  uint32_t minor_version = 0;
  uint64_t size_bytes = 0;  ///< 0: not recorded.
  std::optional<uint32_t> base_id;
};

enum class DeletionFileType { kArray, kBitmap };

struct DeletionFile {
  DeletionFileType type = DeletionFileType::kArray;
  uint64_t read_version = 0;
  uint64_t id = 0;
  uint64_t num_deleted_rows = 0;  ///< 0: not recorded.
  std::optional<uint32_t> base_id;
};

enum class LineagePlacement {
  kAbsent,
  kInline,  ///< `bytes` is the encoded sequence.
  kColumn,  ///< Spilled: a hidden column of one of the fragment's data files.
};

struct LineageSequence {
  LineagePlacement placement = LineagePlacement::kAbsent;
  std::string_view bytes;
  uint64_t manifest_offset = 0;  ///< Where `bytes` starts in the manifest file, for messages.
};

struct Fragment {
  FragmentId id{};
  std::vector<DataFile> files;
  std::optional<DeletionFile> deletion_file;
  uint64_t physical_rows = 0;  ///< Deleted rows counted; 0: not recorded.
  LineageSequence row_ids;
  LineageSequence last_updated;
  LineageSequence created;
  uint32_t num_overlays = 0;
  /// The whole message; borrowed from the manifest.
  std::string_view encoded;
};

/// Reads one fragment message. `origin` is where `bytes` starts in its file. One pass, no copy of
/// sequences. Errors: kCorrupt with the offset; kUnsupportedFeature for an unknown deletion file
/// type.
arrow::Result<Fragment> DecodeFragment(std::string_view bytes, uint64_t origin);

/// Returns the path of a deletion file below its root, e.g. "_deletions/0-2-17.arrow".
std::string DeletionFilePath(FragmentId fragment, const DeletionFile& file);

/// Returns a fragment message that carries nothing but its id, as a rewrite's conflict check needs
/// it.
std::string EncodeFragmentIdOnly(FragmentId id);

/// Inline sequences to put into a fragment message; an empty view leaves the field out.
struct InlineLineage {
  std::string_view row_ids;
  std::string_view last_updated;
  std::string_view created;
};

/// Appends an encoded fragment to `out` with its inline sequences (fields 5, 7, 9) replaced by
/// `lineage`. All other fields stay byte for byte, unknown ones too.
arrow::Status AppendFragmentWithLineage(std::string_view encoded, const InlineLineage& lineage,
                                        std::string& out);

}  // namespace pennon
