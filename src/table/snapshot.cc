#include "table/snapshot.h"

#include <fmt/format.h>

#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Result<std::shared_ptr<const Snapshot>> LoadNamed(std::shared_ptr<Store> store,
                                                         const std::string& root, Version version,
                                                         ManifestNaming naming,
                                                         ManifestRules rules) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->naming = naming;
  snapshot->manifest_path = ManifestPath(root, version, naming);
  ARROW_ASSIGN_OR_RAISE(auto file, store->ReadWhole(snapshot->manifest_path, kManifestBytesMax));
  snapshot->manifest_bytes = static_cast<uint64_t>(file->size());
  const std::string suffix = ": " + snapshot->manifest_path;
  auto manifest = DecodeManifest(std::move(file), rules);
  if (!manifest.ok()) return AddContext(manifest.status(), suffix);
  if (manifest->version != version) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("manifest says version {}, its name says {}{}",
                                 ToInteger(manifest->version), ToInteger(version), suffix));
  }
  snapshot->manifest = std::move(*manifest);
  snapshot->table = MakeTableRoot(root, snapshot->manifest.branch);
  snapshot->store = std::move(store);
  return snapshot;
}

arrow::Status ExplainMissingVersion(Store& store, const std::string& root, Version version) {
  ARROW_ASSIGN_OR_RAISE(const auto listing, ListVersions(store, root));
  const auto& versions = listing.versions;
  if (versions.empty()) {
    return MakeError(ErrorKind::kNotFound,
                     fmt::format("version {} is not there, the table has no versions: {}",
                                 ToInteger(version), root));
  }
  const uint64_t span = ToInteger(versions.back()) - ToInteger(versions.front()) + 1;
  return MakeError(
      ErrorKind::kNotFound,
      fmt::format("version {} is not there; versions {} to {} are{}: {}", ToInteger(version),
                  ToInteger(versions.front()), ToInteger(versions.back()),
                  span == versions.size() ? "" : ", with gaps where old ones were cleaned up",
                  root));
}

}  // namespace

arrow::Result<std::shared_ptr<const Snapshot>> LoadSnapshot(std::shared_ptr<Store> store,
                                                            const std::string& root,
                                                            Version version, ManifestRules rules) {
  for (const auto naming : {ManifestNaming::kV2, ManifestNaming::kV1}) {
    auto snapshot = LoadNamed(store, root, version, naming, rules);
    if (snapshot.ok() || KindOf(snapshot.status()) != ErrorKind::kNotFound) return snapshot;
  }
  return ExplainMissingVersion(*store, root, version);
}

arrow::Result<std::shared_ptr<const Snapshot>> LoadLatestSnapshot(std::shared_ptr<Store> store,
                                                                  const std::string& root,
                                                                  ManifestRules rules) {
  ARROW_ASSIGN_OR_RAISE(const auto latest, FindLatestVersion(*store, root, rules));
  if (rules == ManifestRules::kTolerant)
    return LoadSnapshot(std::move(store), root, latest.version, rules);
  return LoadNamed(store, root, latest.version, latest.naming, rules);
}

}  // namespace pennon
