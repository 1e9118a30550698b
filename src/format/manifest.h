/// \file
/// The file that describes one version, and how to write the file of the next one.
/// Spec: format/table.md, headings 2 (bytes and message), 5 (writer version), 7 (what to carry
/// over).
#pragma once

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/fragment.h"
#include "format/schema_field.h"
#include "pennon/base/ids.h"

namespace pennon {

struct BasePath {
  uint32_t id = 0;
  std::optional<std::string> name;
  bool is_dataset_root = false;
  std::string path;  ///< Absolute URI.
};

struct WriterVersion {
  std::string library;
  std::string version;
};

/// A decoded manifest. Sequences, sections and fragments' bytes are slices of `file`.
struct Manifest {
  std::shared_ptr<arrow::Buffer> file;

  Version version{};
  std::vector<SchemaField> fields;
  std::map<std::string, std::string> schema_metadata;
  std::vector<Fragment> fragments;
  bool fragments_ascend = true;   ///< They are listed by id.
  int64_t timestamp_seconds = 0;  ///< UTC, since 1970.
  int32_t timestamp_nanos = 0;
  uint64_t reader_flags = 0;
  uint64_t writer_flags = 0;
  std::optional<uint32_t> max_fragment_id;
  std::string transaction_file;  ///< Name below `_transactions/`; may be empty.
  std::optional<WriterVersion> writer_version;
  uint64_t next_row_id = 0;
  std::string data_format_version;  ///< "2.1" and so on; empty: not recorded.
  std::map<std::string, std::string> config;
  std::map<std::string, std::string> table_metadata;
  std::vector<BasePath> base_paths;
  std::optional<std::string> branch;  ///< Empty: main.
  std::string tag;
  std::optional<int32_t> max_allocated_field_id;

  std::optional<std::string_view> index_section;  ///< IndexSection message.
  std::optional<std::string_view> transaction;    ///< Transaction message.
  /// The manifest message without its fragments, unknown fields included.
  std::string head;

  bool has_stable_row_ids() const { return (reader_flags & 2) != 0; }
  /// The fragment of a number; null if the version has none. Cost: logarithmic when fragments are
  /// listed by id, as the format wants it.
  const Fragment* FindFragment(FragmentId id) const;
  /// The highest fragment id ever given out, from the counter or the list; -1 when there was none.
  int64_t HighestFragmentId() const;
};

/// Whether a manifest that breaks rules over the whole message is refused.
enum class ManifestRules {
  kEnforced,
  kTolerant,  ///< One-sided flags, an unknown data format, fragments twice or without ids go
              ///< through: for verify only.
};

/// Reads a manifest file. One pass over its top level and its fragment messages; sequences are not
/// decoded. Errors: kCorrupt (trailer, lengths, message, duplicate or unsorted positions; the
/// message names the place), kUnsupportedFeature (feature flags, data format, deletion file type,
/// legacy layouts). Does not know the file's name: callers add it.
arrow::Result<Manifest> DecodeManifest(std::shared_ptr<arrow::Buffer> file,
                                       ManifestRules rules = ManifestRules::kEnforced);

/// What the next version changes; everything else is carried over from the previous manifest.
struct ManifestEdit {
  Version version{};
  int64_t timestamp_seconds = 0;
  int32_t timestamp_nanos = 0;
  uint64_t reader_flags = 0;
  uint64_t writer_flags = 0;
  uint64_t next_row_id = 0;
  std::optional<uint32_t> max_fragment_id;
  std::string transaction_file;
  WriterVersion writer_version;
};

/// Starts the bytes of a manifest file: optional sections first, then fragments one by one, then
/// the rest. The whole file is built in memory, once; `Finish` returns it.
class ManifestFileBuilder {
 public:
  /// `fragments_bytes_expected` sizes the buffer in advance.
  ManifestFileBuilder(std::optional<std::string_view> index_section,
                      std::optional<std::string_view> transaction, size_t fragments_bytes_expected);
  /// Appends one encoded fragment, in ascending id order.
  void AddFragment(std::string_view encoded);
  /// Appends the remaining fields of `previous` under `edit`, lengths and trailer.
  /// Errors: kCorrupt if `previous.head` does not parse; kTooLarge beyond 2^32-1 bytes of message.
  arrow::Result<std::string> Finish(const Manifest& previous, const ManifestEdit& edit);

 private:
  std::string out_;
  size_t message_begin_ = 0;
  std::optional<uint64_t> index_section_;
  std::optional<uint64_t> transaction_section_;
};

}  // namespace pennon
