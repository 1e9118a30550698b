/// \file
/// The list of secondary indexes of a version, as far as the table level needs it.
/// Spec: format/table.md, heading 10; format/row-ids.md, heading 7 (which kinds store what).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pennon {

/// The fragment-reuse index: bookkeeping of deferred compactions.
inline constexpr std::string_view kFragmentReuseIndexName = "__lance_frag_reuse";
inline constexpr std::string_view kMemWalIndexName = "__lance_mem_wal";

struct IndexEntry {
  std::string uuid;  ///< With dashes.
  std::string name;
  std::string type;  ///< "BTree", "Bitmap", "Vector" and so on, from the details' type; empty: not
                     ///< recorded.
  std::vector<int32_t> fields;
  uint64_t dataset_version = 0;
  std::optional<int32_t> index_version;
  /// Portable roaring bytes; empty: unknown coverage.
  std::string fragment_bitmap;
  std::optional<uint32_t> base_id;
  /// The whole IndexMetadata message; borrowed from the section.
  std::string_view encoded;

  bool is_system() const { return name.starts_with("__lance_"); }
};

/// Reads an index section. Errors: kCorrupt.
arrow::Result<std::vector<IndexEntry>> DecodeIndexSection(std::string_view section);

/// Returns a section that holds the given encoded entries, byte for byte.
std::string EncodeIndexSection(const std::vector<std::string_view>& entries);

}  // namespace pennon
