#include "dataset/verify_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "format/feature_flags.h"
#include "format/transaction.h"
#include "io/local_store.h"
#include "pennon/base/error.h"
#include "table/refs.h"
#include "table/versions.h"

namespace pennon {
namespace {

constexpr uint64_t kTransactionBytesMax = uint64_t{1} << 30;

/// Faults of the table are not failures of the run; only the store's own trouble is.
bool IsFault(const arrow::Status& status) { return KindOf(status) != ErrorKind::kIo; }

/// The versions of main and of branches, each listed once.
class VersionLookup {
 public:
  VersionLookup(Store& store, std::string main_root)
      : store_(store), main_root_(std::move(main_root)) {}

  /// Null when the branch has no folder of versions.
  arrow::Result<const VersionListing*> Of(const std::optional<std::string>& branch) {
    const std::string name = branch.value_or("main");
    auto found = listings_.find(name);
    if (found == listings_.end()) {
      const std::string root = name == "main" ? main_root_ : BranchRoot(main_root_, name);
      auto listing = ListVersions(store_, root, ManifestRules::kTolerant);
      if (!listing.ok() && !IsFault(listing.status())) return listing.status();
      found =
          listings_.emplace(name, listing.ok() ? std::optional(*std::move(listing)) : std::nullopt)
              .first;
    }
    return found->second.has_value() ? &*found->second : nullptr;
  }

  arrow::Result<bool> Has(const std::optional<std::string>& branch, Version version) {
    ARROW_ASSIGN_OR_RAISE(const VersionListing* listing, Of(branch));
    if (listing == nullptr) return false;
    const auto& versions = IsDetached(version) ? listing->detached : listing->versions;
    return std::binary_search(versions.begin(), versions.end(), version);
  }

 private:
  Store& store_;
  std::string main_root_;
  std::map<std::string, std::optional<VersionListing>> listings_;
};

std::string BranchName(const std::optional<std::string>& branch) { return branch.value_or("main"); }

arrow::Status VerifyTag(const Tag& tag, VersionLookup* versions, FaultSink* sink) {
  ARROW_ASSIGN_OR_RAISE(const bool there, versions->Has(tag.branch, tag.version));
  if (!there) {
    sink->Error("tag_dangling", {.file = fmt::format("_refs/tags/{}.json", tag.name)},
                fmt::format("tag '{}' points to version {} of {}, which is not there", tag.name,
                            ToInteger(tag.version), BranchName(tag.branch)));
  }
  return arrow::Status::OK();
}

arrow::Status VerifyBranch(const Branch& branch, VersionLookup* versions, FaultSink* sink) {
  const FaultPlace place{.file = fmt::format("tree/{}", branch.name)};
  ARROW_ASSIGN_OR_RAISE(const VersionListing* listing, versions->Of(branch.name));
  if (listing == nullptr || listing->versions.empty()) {
    sink->Error("branch_empty", place, fmt::format("branch '{}' has no versions", branch.name));
  }
  ARROW_ASSIGN_OR_RAISE(const bool parent,
                        versions->Has(branch.parent_branch, branch.parent_version));
  if (!parent) {
    sink->Warning(
        "branch_parent_gone", place,
        fmt::format("branch '{}' started from version {} of {}, which is not there", branch.name,
                    ToInteger(branch.parent_version), BranchName(branch.parent_branch)));
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<std::string>> ListTagNames(Store& store, const std::string& main_root) {
  constexpr std::string_view kSuffix = ".json";
  std::vector<std::string> names;
  const auto entries = store.ListFolder(JoinPath(main_root, "_refs/tags"));
  if (!entries.ok()) {
    if (KindOf(entries.status()) == ErrorKind::kNotFound) return names;
    return entries.status();
  }
  for (const auto& entry : *entries) {
    if (!entry.is_folder && entry.name.ends_with(kSuffix)) {
      names.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

arrow::Status VerifyVersions(Store& store, const std::string& root, FaultSink* sink,
                             VerifyCounters* checked) {
  const auto listed = ListVersions(store, root, ManifestRules::kTolerant);
  if (!listed.ok()) return listed.status();
  const VersionListing& listing = *listed;
  checked->num_versions += listing.versions.size() + listing.detached.size();
  if (listing.naming_is_mixed) {
    sink->Error(
        "naming_mixed", {.file = "_versions"},
        "manifests of both naming schemes lie in one folder: other engines refuse the table");
  }
  const auto hint = ReadVersionHint(store, root);
  if (hint.has_value() && (listing.versions.empty() || *hint > listing.versions.back())) {
    sink->Warning(
        "hint_beyond_end", {.file = "_versions/latest_version_hint.json"},
        fmt::format("the version hint says {}, but the newest version is {}", ToInteger(*hint),
                    listing.versions.empty() ? 0 : ToInteger(listing.versions.back())));
  }
  for (const std::string& name : listing.other_files) {
    const bool staging = IsStagingName(name);
    sink->Note(staging ? "staging_file" : "foreign_file", {.file = "_versions/" + name},
               staging ? "a commit that was cut off left its manifest behind; it can be removed"
                       : "a file that is no manifest lies among the versions");
  }
  return arrow::Status::OK();
}

arrow::Status VerifyRefs(Store& store, const std::string& main_root, FaultSink* sink,
                         VerifyCounters* checked) {
  VersionLookup versions(store, main_root);
  ARROW_ASSIGN_OR_RAISE(const auto names, ListTagNames(store, main_root));
  checked->num_tags += names.size();
  for (const std::string& name : names) {
    const auto tag = ReadTag(store, main_root, name);
    if (tag.ok()) {
      ARROW_RETURN_NOT_OK(VerifyTag(*tag, &versions, sink));
    } else {
      if (!IsFault(tag.status())) return tag.status();
      sink->Error("ref_unreadable", {.file = fmt::format("_refs/tags/{}.json", name)},
                  fmt::format("tag '{}' cannot be read: {}", name, MessageOf(tag.status())));
    }
  }
  const auto branches = ListBranches(store, main_root);
  if (!branches.ok()) {
    if (!IsFault(branches.status())) return branches.status();
    sink->Error("ref_unreadable", {.file = "_refs/branches"},
                fmt::format("branches cannot be read: {}", MessageOf(branches.status())));
    return arrow::Status::OK();
  }
  checked->num_branches += branches->size();
  for (const Branch& branch : *branches) ARROW_RETURN_NOT_OK(VerifyBranch(branch, &versions, sink));
  return arrow::Status::OK();
}

arrow::Status VerifyTransaction(const Snapshot& snapshot, FaultSink* sink) {
  const Manifest& manifest = snapshot.manifest;
  if (manifest.transaction.has_value()) {
    const auto transaction = DecodeTransaction(*manifest.transaction);
    if (!transaction.ok()) {
      sink->Warning("transaction_unreadable", {},
                    fmt::format("the transaction in the manifest cannot be read: {}",
                                MessageOf(transaction.status())));
    }
    return arrow::Status::OK();
  }
  constexpr const char* kConsequence =
      "writers that opened an earlier version cannot commit any more";
  if (manifest.transaction_file.empty()) {
    sink->Warning("transaction_missing", {},
                  fmt::format("the version has no transaction: {}", kConsequence));
    return arrow::Status::OK();
  }
  const std::string name = "_transactions/" + manifest.transaction_file;
  const auto bytes =
      snapshot.store->ReadWhole(JoinPath(snapshot.table.root, name), kTransactionBytesMax);
  if (!bytes.ok()) {
    if (!IsFault(bytes.status())) return bytes.status();
    sink->Warning("transaction_missing", {.file = name},
                  fmt::format("the version's transaction file is not there: {}", kConsequence));
    return arrow::Status::OK();
  }
  const std::string_view view(reinterpret_cast<const char*>((*bytes)->data()),
                              static_cast<size_t>((*bytes)->size()));
  const auto transaction = DecodeTransaction(view);
  if (!transaction.ok()) {
    sink->Warning("transaction_unreadable", {.file = name},
                  fmt::format("the version's transaction file cannot be read: {}",
                              MessageOf(transaction.status())));
  }
  return arrow::Status::OK();
}

}  // namespace pennon
