#include "dataset/verify_leftovers.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/index_section.h"
#include "pennon/base/error.h"
#include "table/location.h"
#include "table/refs.h"
#include "table/versions.h"

namespace pennon {
namespace {

// Absolute paths of all that the versions use; folders for indexes.
class UsedPaths {
 public:
  void Add(const std::string& root, const Manifest& manifest) {
    for (const Fragment& fragment : manifest.fragments) {
      for (const DataFile& file : fragment.files) Insert(DataFilePath(root, manifest, file));
      if (fragment.deletion_file.has_value()) Insert(DeletionFilePath(root, manifest, fragment));
    }
    if (!manifest.transaction_file.empty()) {
      paths_.insert(JoinPath(JoinPath(root, "_transactions"), manifest.transaction_file));
    }
    if (!manifest.index_section.has_value()) return;
    const auto indexes = DecodeIndexSection(*manifest.index_section);
    if (!indexes.ok()) return;
    for (const IndexEntry& index : *indexes) index_uuids_.insert(index.uuid);
  }

  bool Has(const std::string& path) const { return paths_.contains(path); }
  bool HasIndex(const std::string& uuid) const { return index_uuids_.contains(uuid); }

 private:
  void Insert(arrow::Result<std::string> path) {
    if (path.ok()) paths_.insert(*std::move(path));
  }

  std::unordered_set<std::string> paths_;
  std::unordered_set<std::string>
      index_uuids_;  // whatever their root: a branch's index may lie in the main one
};

// Loads every version of a root into `used`; false if one of them cannot be read.
arrow::Result<bool> AddVersions(const Snapshot& snapshot, const std::string& root, UsedPaths* used,
                                FaultSink* sink) {
  const auto listing = ListVersions(*snapshot.store, root, ManifestRules::kTolerant);
  if (!listing.ok()) {
    if (KindOf(listing.status()) == ErrorKind::kIo) return listing.status();
    return false;  // a branch without versions is named elsewhere
  }
  std::vector<Version> versions = listing->versions;
  versions.insert(versions.end(), listing->detached.begin(), listing->detached.end());
  bool complete = true;
  for (const Version version : versions) {
    if (root == snapshot.table.root && version == snapshot.version()) {
      used->Add(root, snapshot.manifest);
      continue;
    }
    const auto other = LoadSnapshot(snapshot.store, root, version, ManifestRules::kTolerant);
    if (other.ok()) {
      used->Add(root, (*other)->manifest);
      continue;
    }
    if (KindOf(other.status()) == ErrorKind::kIo) return other.status();
    if (KindOf(other.status()) == ErrorKind::kNotFound) continue;  // cleaned up meanwhile
    complete = false;
    sink->Error("manifest_unreadable", {.file = ManifestPath("", version, listing->naming)},
                fmt::format("version {} cannot be opened: {}", ToInteger(version),
                            MessageOf(other.status())));
  }
  return complete;
}

arrow::Result<std::vector<FolderEntry>> ListIfThere(Store& store, const std::string& folder) {
  auto entries = store.ListFolder(folder);
  if (!entries.ok() && KindOf(entries.status()) == ErrorKind::kNotFound)
    return std::vector<FolderEntry>();
  return entries;
}

class LeftoverFinder {
 public:
  LeftoverFinder(Store& store, std::string root, const UsedPaths& used, FaultSink* sink)
      : store_(store), root_(std::move(root)), used_(used), sink_(sink) {}

  arrow::Status Run() {
    ARROW_RETURN_NOT_OK(NameUnused("data", "data_file_unused", "data file"));
    ARROW_RETURN_NOT_OK(NameUnused("_deletions", "deletion_file_unused", "deletion file"));
    ARROW_RETURN_NOT_OK(NameUnused("_transactions", "transaction_unused", "transaction file"));
    ARROW_ASSIGN_OR_RAISE(const auto indexes, ListIfThere(store_, JoinPath(root_, "_indices")));
    for (const FolderEntry& entry : indexes) {
      if (!used_.HasIndex(entry.name)) Name("index_unused", "_indices/" + entry.name, "index");
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status NameUnused(const std::string& folder, std::string_view code,
                           std::string_view what) {
    ARROW_ASSIGN_OR_RAISE(const auto entries, ListIfThere(store_, JoinPath(root_, folder)));
    for (const FolderEntry& entry : entries) {
      const std::string path = folder + "/" + entry.name;
      const std::string absolute = JoinPath(root_, path);
      // A folder may hold what belongs to the data file of its name (large values apart), or data
      // files themselves.
      if (used_.Has(absolute) || (entry.is_folder && used_.Has(absolute + ".lance"))) continue;
      if (entry.is_folder) {
        ARROW_RETURN_NOT_OK(NameUnused(path, code, what));
        continue;
      }
      Name(code, path, what);
    }
    return arrow::Status::OK();
  }

  void Name(std::string_view code, const std::string& path, std::string_view what) {
    sink_->Note(code, {.file = path}, fmt::format("no version of the table uses this {}", what));
  }

  Store& store_;
  std::string root_;
  const UsedPaths& used_;
  FaultSink* sink_;
};

}  // namespace

arrow::Status VerifyLeftovers(const Snapshot& snapshot, FaultSink* sink) {
  UsedPaths used;
  ARROW_ASSIGN_OR_RAISE(bool complete, AddVersions(snapshot, snapshot.table.root, &used, sink));
  if (snapshot.table.root == snapshot.table.main_root) {
    const auto branches = ListBranches(*snapshot.store, snapshot.table.main_root);
    if (!branches.ok() && KindOf(branches.status()) == ErrorKind::kIo) return branches.status();
    complete = complete && branches.ok();
    for (size_t i = 0; branches.ok() && i < branches->size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          const bool readable,
          AddVersions(snapshot, BranchRoot(snapshot.table.main_root, (*branches)[i].name), &used,
                      sink));
      complete = complete && readable;
    }
  }
  // What an unreadable version uses is not known: better no name than a wrong one.
  if (!complete) return arrow::Status::OK();
  return LeftoverFinder(*snapshot.store, snapshot.table.root, used, sink).Run();
}

}  // namespace pennon
