/// \file
/// Spells manifests, fragments, indexes and transactions for tests, field by field, without the
/// code that is tested. Spec: format/table.md, headings 2, 3 and 10; format/commit.md, heading 2.
#pragma once

#include <arrow/buffer.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "support/rowids/wire_bytes.h"

namespace pennon::testing_support {

struct DeletionSpec {
  bool is_bitmap = false;
  uint64_t read_version = 1;
  uint64_t id = 1;
  uint64_t num_deleted_rows = 0;
  std::optional<uint32_t> base_id = {};
};

struct FileSpec {
  std::string path;
  std::vector<int32_t> fields = {0};
  uint64_t size_bytes = 1000;
  std::optional<uint32_t> base_id = {};
};

struct FragmentSpec {
  uint32_t id = 0;
  uint64_t rows = 0;
  std::vector<FileSpec> files;  ///< Empty: one file "<id>.lance".
  std::optional<DeletionSpec> deletion;
  std::string row_ids;  ///< Inline sequences; empty: absent.
  std::string last_updated;
  std::string created;
  std::string extra;  ///< Appended to the message as it is.
};

struct IndexSpec {
  std::string name = "k_idx";
  std::string type = "BTree";
  char uuid_fill = 'u';  ///< All sixteen bytes of the uuid.
  std::vector<int32_t> fields = {0};
  uint64_t dataset_version = 1;
  std::string fragment_bitmap;
  std::optional<uint32_t> index_version;
  std::string extra;
};

struct ManifestSpec {
  uint64_t version = 1;
  std::vector<FragmentSpec> fragments;
  std::vector<std::string> columns = {"k"};
  uint64_t reader_flags = 0;
  uint64_t writer_flags = 0;
  std::optional<uint32_t> max_fragment_id;
  uint64_t next_row_id = 0;
  std::string data_format = "2.1";  ///< Empty: not recorded.
  /// Library and version; nothing: not recorded.
  std::optional<std::pair<std::string, std::string>> writer =
      std::pair<std::string, std::string>("lance", "14.0.2");
  int64_t timestamp_seconds = 1700000000;
  int32_t timestamp_nanos = 5;
  std::map<std::string, std::string> config;
  std::optional<std::string> branch;
  std::string transaction_file;
  std::optional<std::string> transaction;    ///< Inline section.
  std::optional<std::string> index_section;  ///< See IndexSectionBytes.
  std::string extra;                         ///< Appended to the message as it is.
};

/// Zero scalars are left out, as proto3 does.
inline std::string NonZero(uint32_t number, uint64_t value) {
  return value == 0 ? "" : Scalar(number, value);
}
inline std::string NonEmpty(uint32_t number, std::string_view bytes) {
  return bytes.empty() ? "" : Field(number, bytes);
}
/// A packed list of int32.
inline std::string Packed(uint32_t number, const std::vector<int32_t>& values) {
  std::string body;
  for (const int32_t value : values) AppendVarint(body, static_cast<uint64_t>(int64_t{value}));
  return NonEmpty(number, body);
}

inline std::string FileBytes(const FileSpec& file) {
  std::vector<int32_t> columns;
  for (size_t i = 0; i < file.fields.size(); ++i) columns.push_back(static_cast<int32_t>(i));
  std::string out = Field(1, file.path) + Packed(2, file.fields) + Packed(3, columns) +
                    Scalar(4, 2) + Scalar(5, 1) + NonZero(6, file.size_bytes);
  if (file.base_id.has_value()) out += Scalar(7, *file.base_id);
  return out;
}

inline std::string DeletionBytes(const DeletionSpec& deletion) {
  std::string out = NonZero(1, deletion.is_bitmap ? 1 : 0) + NonZero(2, deletion.read_version) +
                    NonZero(3, deletion.id) + NonZero(4, deletion.num_deleted_rows);
  if (deletion.base_id.has_value()) out += Scalar(7, *deletion.base_id);
  return out;
}

inline std::string FragmentBytes(const FragmentSpec& fragment) {
  std::string out = NonZero(1, fragment.id);
  for (const auto& file : fragment.files) out += Field(2, FileBytes(file));
  if (fragment.files.empty()) out += Field(2, FileBytes({std::to_string(fragment.id) + ".lance"}));
  if (fragment.deletion.has_value()) out += Field(3, DeletionBytes(*fragment.deletion));
  out += NonZero(4, fragment.rows);
  out += NonEmpty(5, fragment.row_ids) + NonEmpty(7, fragment.last_updated) +
         NonEmpty(9, fragment.created);
  return out + fragment.extra;
}

inline std::string IndexBytes(const IndexSpec& index) {
  std::string out = Field(1, Field(1, std::string(16, index.uuid_fill))) + Packed(2, index.fields) +
                    Field(3, index.name) + NonZero(4, index.dataset_version) +
                    NonEmpty(5, index.fragment_bitmap);
  if (!index.type.empty()) out += Field(6, Field(1, "/lance.table." + index.type + "IndexDetails"));
  if (index.index_version.has_value()) out += Scalar(7, *index.index_version);
  return out + index.extra;
}

inline std::string IndexSectionBytes(const std::vector<IndexSpec>& indexes) {
  std::string out;
  for (const auto& index : indexes) out += Field(1, IndexBytes(index));
  return out;
}

/// Numbers of operations in a transaction.
enum class Operation : uint32_t {
  kAppend = 100,
  kDelete = 101,
  kOverwrite = 102,
  kCreateIndex = 103,
  kRewrite = 104,
  kMerge = 105,
  kRestore = 106,
  kReserveFragments = 107,
  kUpdate = 108,
  kProject = 109,
  kUpdateConfig = 110,
  kDataReplacement = 111,
};

inline std::string TransactionBytes(uint64_t read_version, std::string_view uuid,
                                    Operation operation, std::string_view body = "") {
  return NonZero(1, read_version) + NonEmpty(2, uuid) +
         Field(static_cast<uint32_t>(operation), body);
}

/// The body of a Rewrite of one group.
inline std::string RewriteBody(const std::vector<uint32_t>& old_fragments,
                               const std::vector<uint32_t>& new_fragments) {
  std::string group;
  for (const uint32_t id : old_fragments) group += Field(1, NonZero(1, id));
  for (const uint32_t id : new_fragments) group += Field(2, NonZero(1, id));
  return Field(3, group);
}

/// A map entry.
inline std::string Entry(uint32_t number, std::string_view key, std::string_view value) {
  return Field(number, Field(1, key) + Field(2, value));
}

/// A column of 64-bit integers at the top level.
inline std::string ColumnBytes(std::string_view name, int32_t id) {
  return Field(2, name) + NonZero(3, static_cast<uint64_t>(id)) + Scalar(4, ~uint64_t{0}) +
         Field(5, "int64") + Scalar(6, 1);
}

/// The manifest message. Sections are named by their positions in the file.
inline std::string MessageBytes(const ManifestSpec& manifest,
                                std::optional<uint64_t> index_position = {},
                                std::optional<uint64_t> transaction_position = {}) {
  std::string out;
  for (size_t i = 0; i < manifest.columns.size(); ++i) {
    out += Field(1, ColumnBytes(manifest.columns[i], static_cast<int32_t>(i)));
  }
  for (const auto& fragment : manifest.fragments) out += Field(2, FragmentBytes(fragment));
  out += NonZero(3, manifest.version);
  if (index_position.has_value()) out += Scalar(6, *index_position);
  out += Field(7, NonZero(1, static_cast<uint64_t>(manifest.timestamp_seconds)) +
                      NonZero(2, static_cast<uint64_t>(int64_t{manifest.timestamp_nanos})));
  out += NonZero(9, manifest.reader_flags) + NonZero(10, manifest.writer_flags);
  if (manifest.max_fragment_id.has_value()) out += Scalar(11, *manifest.max_fragment_id);
  out += NonEmpty(12, manifest.transaction_file);
  if (manifest.writer.has_value()) {
    out += Field(13, NonEmpty(1, manifest.writer->first) + NonEmpty(2, manifest.writer->second));
  }
  out += NonZero(14, manifest.next_row_id);
  if (!manifest.data_format.empty())
    out += Field(15, Field(1, "lance") + Field(2, manifest.data_format));
  for (const auto& [key, value] : manifest.config) out += Entry(16, key, value);
  if (manifest.branch.has_value()) out += Field(20, *manifest.branch);
  if (transaction_position.has_value()) out += Scalar(23, *transaction_position);
  return out + manifest.extra;
}

/// Sections, then the message, then the trailer.
inline std::string FileAround(std::string_view sections, std::string_view message) {
  std::string out(sections);
  AppendLittleEndian(out, static_cast<uint32_t>(message.size()));
  out += message;
  AppendLittleEndian(out, static_cast<uint64_t>(sections.size()));
  return out + std::string("\0\0\2\0LANC", 8);
}

/// The whole file, e.g. for DecodeManifest or to be put into a store.
inline std::string ManifestBytes(const ManifestSpec& manifest) {
  std::string sections;
  const auto append =
      [&sections](const std::optional<std::string>& section) -> std::optional<uint64_t> {
    if (!section.has_value()) return std::nullopt;
    const uint64_t position = sections.size();
    AppendLittleEndian(sections, static_cast<uint32_t>(section->size()));
    sections += *section;
    return position;
  };
  const auto index_position = append(manifest.index_section);
  const auto transaction_position = append(manifest.transaction);
  return FileAround(sections, MessageBytes(manifest, index_position, transaction_position));
}

inline std::shared_ptr<arrow::Buffer> ManifestBuffer(const ManifestSpec& manifest) {
  return arrow::Buffer::FromString(ManifestBytes(manifest));
}

/// A fragment of `rows` rows; its one file is named by the id.
inline FragmentSpec Rows(uint32_t id, uint64_t rows) {
  FragmentSpec out;
  out.id = id;
  out.rows = rows;
  return out;
}

/// The sequence of ids [begin, begin + rows): what a fresh fragment has.
inline std::string RangeIds(uint64_t begin, uint64_t rows) {
  return Sequence(Field(1, NonZero(1, begin) + NonZero(2, begin + rows)));
}

/// A lineage sequence of runs of (rows, version), spelled as both engines do.
inline std::string VersionRuns(const std::vector<std::pair<uint64_t, uint64_t>>& runs) {
  std::string out;
  uint64_t begin = 0;
  for (const auto& [rows, version] : runs) {
    const std::string span = Field(1, NonZero(1, begin) + NonZero(2, begin + rows));
    out += Field(1, Field(1, span) + NonZero(2, version));
    begin += rows;
  }
  return out;
}

}  // namespace pennon::testing_support
