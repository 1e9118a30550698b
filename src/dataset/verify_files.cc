#include "dataset/verify_files.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "dataset/data_file_facts.h"
#include "format/index_section.h"
#include "pennon/base/error.h"
#include "table/deletions.h"
#include "table/location.h"

namespace pennon {
namespace {

// A path as reports show it: below the root if it is.
std::string ShowPath(const std::string& root, const std::string& path) {
  return path.starts_with(root + "/") ? path.substr(root.size() + 1) : path;
}

// Both pairs of numbers that version 2.0 goes by mean the same.
bool SameVersion(const DataFile& listed, const DataFileFacts& facts) {
  const auto normal = [](uint32_t major, uint32_t minor) {
    if (major == 0 && minor == 3) return std::pair(2u, 0u);
    if (major == 0 && minor <= 2) return std::pair(0u, 2u);
    return std::pair(major, minor);
  };
  return normal(listed.major_version, listed.minor_version) ==
         normal(facts.major_version, facts.minor_version);
}

class DataFileVerifier {
 public:
  DataFileVerifier(const Fragment& fragment, const DataFile& file, std::string shown,
                   FaultSink* sink)
      : fragment_(fragment), file_(file), shown_(std::move(shown)), sink_(sink) {}

  void Verify(RandomAccessFile& opened) {
    if (file_.size_bytes != 0 && opened.size_bytes() != file_.size_bytes) {
      Fault("data_file_size", fmt::format("has {} bytes, the manifest says {}", opened.size_bytes(),
                                          file_.size_bytes));
    }
    const auto facts = ReadDataFileFacts(opened);
    if (!facts.ok()) {
      Fault("data_file_unreadable", fmt::format("cannot be read: {}", MessageOf(facts.status())));
      return;
    }
    if (!SameVersion(file_, *facts)) {
      Fault("data_file_version",
            fmt::format("is of version {}.{}, the manifest says {}.{}", facts->major_version,
                        facts->minor_version, file_.major_version, file_.minor_version));
    }
    if (!facts->is_legacy) VerifyRows(*facts);
  }

  bool has_fault() const { return has_fault_; }

  void Fault(const char* code, const std::string& what) {
    has_fault_ = true;
    sink_->Error(code, {.fragment = fragment_.id, .file = shown_},
                 fmt::format("data file of fragment {} {}", ToInteger(fragment_.id), what));
  }

 private:
  void VerifyRows(const DataFileFacts& facts) {
    for (size_t i = 0; i < file_.column_indices.size(); ++i) {
      const int32_t column = file_.column_indices[i];
      if (column >= 0 && static_cast<uint32_t>(column) >= facts.num_columns) {
        Fault("data_file_columns", fmt::format("has {} columns, the manifest names column {}",
                                               facts.num_columns, column));
        return;
      }
    }
    if (fragment_.physical_rows == 0) return;
    if (facts.num_rows.has_value() && *facts.num_rows != fragment_.physical_rows) {
      Fault("data_file_rows",
            fmt::format("has {} rows, the fragment {}", *facts.num_rows, fragment_.physical_rows));
      return;
    }
    // From 2.1 on only leaves have columns, and every page counts rows of the table.
    const bool leaves_only = facts.major_version == 2 && facts.minor_version >= 1;
    for (size_t i = 0; leaves_only && i < file_.column_indices.size(); ++i) {
      const int32_t column = file_.column_indices[i];
      if (column < 0) continue;
      const uint64_t rows = facts.column_rows[static_cast<size_t>(column)];
      if (rows == fragment_.physical_rows) continue;
      Fault("data_file_rows", fmt::format("has {} rows in column {}, the fragment {}", rows, column,
                                          fragment_.physical_rows));
      return;
    }
  }

  const Fragment& fragment_;
  const DataFile& file_;
  std::string shown_;
  FaultSink* sink_;
  bool has_fault_ = false;
};

}  // namespace

arrow::Result<std::vector<bool>> VerifyDataFiles(const Snapshot& snapshot, FaultSink* sink,
                                                 VerifyCounters* checked) {
  const std::string& root = snapshot.table.root;
  const auto& fragments = snapshot.manifest.fragments;
  std::vector<bool> has_fault(fragments.size(), false);
  for (size_t i = 0; i < fragments.size(); ++i) {
    for (const DataFile& file : fragments[i].files) {
      const auto path = DataFilePath(root, snapshot.manifest, file);
      if (!path.ok()) {
        has_fault[i] = true;
        // A base that is not listed is a fault of the manifest and named there.
        if (KindOf(path.status()) == ErrorKind::kCorrupt) continue;
        DataFileVerifier(fragments[i], file, "data/" + file.path, sink)
            .Fault("data_file_unreadable",
                   fmt::format("cannot be reached: {}", MessageOf(path.status())));
        continue;
      }
      DataFileVerifier verifier(fragments[i], file, ShowPath(root, *path), sink);
      ++checked->num_data_files;
      const auto opened = snapshot.store->OpenFile(*path);
      if (opened.ok()) {
        verifier.Verify(**opened);
      } else if (KindOf(opened.status()) == ErrorKind::kNotFound) {
        verifier.Fault("data_file_missing", "is not there");
      } else {
        verifier.Fault("data_file_unreadable",
                       fmt::format("cannot be opened: {}", MessageOf(opened.status())));
      }
      has_fault[i] = has_fault[i] || verifier.has_fault();
    }
  }
  return has_fault;
}

arrow::Result<std::vector<std::optional<DeletionVector>>> VerifyDeletionFiles(
    const Snapshot& snapshot, FaultSink* sink, VerifyCounters* checked) {
  std::vector<std::optional<DeletionVector>> deletions;
  deletions.reserve(snapshot.manifest.fragments.size());
  for (const Fragment& fragment : snapshot.manifest.fragments) {
    deletions.emplace_back();
    if (!fragment.deletion_file.has_value()) {
      deletions.back() = DeletionVector();
      continue;
    }
    ++checked->num_deletion_files;
    auto loaded = LoadDeletions(snapshot, fragment);
    if (loaded.ok()) {
      deletions.back() = std::move(*loaded);
      continue;
    }
    const FaultPlace place{.fragment = fragment.id,
                           .file = DeletionFilePath(fragment.id, *fragment.deletion_file)};
    if (KindOf(loaded.status()) == ErrorKind::kNotFound) {
      sink->Error("deletion_file_missing", place,
                  fmt::format("deletion file of fragment {} is not there", ToInteger(fragment.id)));
    } else {
      sink->Error("deletion_file_unreadable", place,
                  fmt::format("deletion file of fragment {} cannot be relied on: {}",
                              ToInteger(fragment.id), MessageOf(loaded.status())));
    }
  }
  return deletions;
}

arrow::Status VerifyIndexFolders(const Snapshot& snapshot, FaultSink* sink) {
  if (!snapshot.manifest.index_section.has_value()) return arrow::Status::OK();
  const auto indexes = DecodeIndexSection(*snapshot.manifest.index_section);
  if (!indexes.ok()) return arrow::Status::OK();  // named by VerifyIndexes
  for (const IndexEntry& index : *indexes) {
    if (index.base_id.has_value() || index.is_system()) continue;
    const std::string folder = "_indices/" + index.uuid;
    const auto entry = snapshot.store->Stat(JoinPath(snapshot.table.root, folder));
    if (entry.ok()) continue;
    if (KindOf(entry.status()) != ErrorKind::kNotFound) return entry.status();
    sink->Error("index_missing", {.file = folder},
                fmt::format("the files of index '{}' are not there", index.name));
  }
  return arrow::Status::OK();
}

}  // namespace pennon
