/// \file
/// The versions of a table as their manifest files show them.
/// Spec: format/table.md, heading 6 (names, finding the latest version, the hint).
#pragma once

#include <arrow/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest.h"
#include "io/store.h"
#include "pennon/base/ids.h"

namespace pennon {

enum class ManifestNaming {
  kV1,  ///< "7.manifest"
  kV2,  ///< "18446744073709551608.manifest": 2^64-1 minus the version, 20 digits
};

/// What a file name below `_versions/` says; nothing for staging files, the hint and foreign files.
struct ManifestName {
  Version version{};
  ManifestNaming naming = ManifestNaming::kV2;
};
std::optional<ManifestName> ParseManifestName(std::string_view file_name);

/// The path of a version's manifest. Detached versions have names of their own, whatever the
/// naming.
std::string ManifestPath(std::string_view root, Version version, ManifestNaming naming);

struct VersionListing {
  ManifestNaming naming = ManifestNaming::kV2;
  std::vector<Version> versions;  ///< Ascending, detached ones left out.
  std::vector<Version> detached;
  std::vector<std::string> other_files;  ///< Names that are neither manifests nor the hint.
  bool naming_is_mixed = false;          ///< Only seen under ManifestRules::kTolerant.
};

/// Lists all versions. One listing.
/// Errors: kNotFound when the root is not there or is no table (says which), kCorrupt when both
/// naming schemes occur.
arrow::Result<VersionListing> ListVersions(Store& store, const std::string& root,
                                           ManifestRules rules = ManifestRules::kEnforced);

/// The number in `latest_version_hint.json`, or nothing when there is none that can be read. One
/// read.
std::optional<Version> ReadVersionHint(Store& store, const std::string& root);
/// Writes the hint; best effort, as the format has it.
void WriteVersionHint(Store& store, const std::string& root, Version version);

struct LatestVersion {
  Version version{};
  ManifestNaming naming = ManifestNaming::kV2;
};
/// Finds the newest version: the highest one listed, or one above it that the hint leads to. Two
/// store calls, and one more for each version between a listing and a newer hint. Errors: as
/// ListVersions; kNotFound when the table has no version.
arrow::Result<LatestVersion> FindLatestVersion(Store& store, const std::string& root,
                                               ManifestRules rules = ManifestRules::kEnforced);

}  // namespace pennon
