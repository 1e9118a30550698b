/// \file
/// A golden table of the reference engine copied to a place where a test may break it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "support/wire_message.h"

namespace pennon {

/// Field numbers of the messages that tests change. Spec: format/table.md, headings 2, 3 and 10.
namespace field {
inline constexpr uint32_t kManifestSchema = 1, kManifestFragments = 2, kManifestVersion = 3,
                          kManifestIndexSection = 6, kManifestReaderFlags = 9,
                          kManifestWriterFlags = 10, kManifestMaxFragmentId = 11,
                          kManifestTransactionFile = 12, kManifestWriter = 13,
                          kManifestNextRowId = 14, kManifestDataFormat = 15, kManifestConfig = 16,
                          kManifestBasePaths = 18, kManifestTransactionSection = 23,
                          kManifestMaxFieldId = 24;
inline constexpr uint32_t kFragmentId = 1, kFragmentFiles = 2, kFragmentDeletionFile = 3,
                          kFragmentRows = 4, kFragmentRowIds = 5, kFragmentLastUpdated = 7,
                          kFragmentCreated = 9, kFragmentRowIdsColumn = 12;
inline constexpr uint32_t kFilePath = 1, kFileFields = 2, kFileColumns = 3, kFileMajor = 4,
                          kFileMinor = 5, kFileSize = 6, kFileBase = 7;
inline constexpr uint32_t kDeletionCount = 4;
inline constexpr uint32_t kIndexUuid = 1, kIndexFields = 2, kIndexName = 3, kIndexBitmap = 5,
                          kIndexBase = 9;
}  // namespace field

struct ManifestParts {
  WireMessage manifest;
  std::optional<WireMessage> index_section;
  std::optional<std::string> transaction;

  void EditFragment(size_t index, const std::function<void(WireMessage&)>& edit) {
    manifest.Edit(field::kManifestFragments, index, edit);
  }
  void EditFile(size_t fragment, size_t file, const std::function<void(WireMessage&)>& edit) {
    EditFragment(fragment,
                 [&](WireMessage& message) { message.Edit(field::kFragmentFiles, file, edit); });
  }
};

inline std::filesystem::path GoldenTables() {
  return std::filesystem::path(PENNON_SOURCE_DIR) / "tests/golden/14.0.2/datasets";
}

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

inline void WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::vector<std::filesystem::path> FilesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class TableCopy {
 public:
  /// `name` without ".lance", e.g. "delete_few.plain.v2_1".
  explicit TableCopy(const std::string& name) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("pennon-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++)) /
            (name + ".lance");
    std::filesystem::create_directories(path_.parent_path());
    std::filesystem::copy(GoldenTables() / (name + ".lance"), path_,
                          std::filesystem::copy_options::recursive);
  }
  TableCopy(const TableCopy&) = delete;
  TableCopy& operator=(const TableCopy&) = delete;
  ~TableCopy() { std::filesystem::remove_all(path_.parent_path()); }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& below) const { return path_ / below; }

  /// The manifest of the newest version.
  std::filesystem::path NewestManifest() const {
    std::filesystem::path newest;
    uint64_t highest = 0;
    for (const auto& file : FilesIn(path_ / "_versions")) {
      const std::string stem = file.stem().string();
      if (file.extension() != ".manifest" || stem.starts_with("d")) continue;
      const uint64_t number = std::stoull(stem);
      const uint64_t version =
          stem.size() == 20 ? std::numeric_limits<uint64_t>::max() - number : number;
      if (version <= highest) continue;
      highest = version;
      newest = file;
    }
    return newest;
  }

  void EditManifest(const std::function<void(ManifestParts&)>& edit) {
    const std::filesystem::path path = NewestManifest();
    const std::string file = ReadFile(path);
    const auto section = [&](uint64_t position) {
      return file.substr(position + 4, LoadLittleEndian<uint32_t>(file.data() + position));
    };
    ManifestParts parts;
    parts.manifest =
        WireMessage(section(LoadLittleEndian<uint64_t>(file.data() + file.size() - 16)));
    if (parts.manifest.Count(field::kManifestIndexSection) > 0) {
      parts.index_section =
          WireMessage(section(parts.manifest.Integer(field::kManifestIndexSection)));
    }
    if (parts.manifest.Count(field::kManifestTransactionSection) > 0) {
      parts.transaction = section(parts.manifest.Integer(field::kManifestTransactionSection));
    }
    edit(parts);
    WriteFile(path, Assemble(&parts));
  }

 private:
  static std::string Assemble(ManifestParts* parts) {
    std::string out;
    const auto append = [&out](const std::string& bytes) {
      const uint64_t position = out.size();
      AppendLittleEndian(out, static_cast<uint32_t>(bytes.size()));
      out += bytes;
      return position;
    };
    parts->manifest.Remove(field::kManifestIndexSection);
    parts->manifest.Remove(field::kManifestTransactionSection);
    if (parts->index_section.has_value()) {
      parts->manifest.SetInteger(field::kManifestIndexSection,
                                 append(parts->index_section->Encode()));
    }
    if (parts->transaction.has_value()) {
      parts->manifest.SetInteger(field::kManifestTransactionSection, append(*parts->transaction));
    }
    const uint64_t position = append(parts->manifest.Encode());
    AppendLittleEndian(out, position);
    AppendLittleEndian(out, uint16_t{0});
    AppendLittleEndian(out, uint16_t{2});
    return out + "LANC";
  }

  std::filesystem::path path_;
};

}  // namespace pennon
