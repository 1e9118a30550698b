/// \file
/// A loaded manifest and where it came from; immutable.
/// Spec: format/table.md, headings 2 and 6.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <optional>
#include <string>

#include "format/manifest.h"
#include "io/store.h"
#include "table/location.h"
#include "table/versions.h"

namespace pennon {

struct Snapshot {
  std::shared_ptr<Store> store;
  TableRoot table;
  ManifestNaming naming = ManifestNaming::kV2;
  std::string manifest_path;
  uint64_t manifest_bytes = 0;
  Manifest manifest;

  Version version() const { return manifest.version; }
};

/// Largest manifest file that is opened.
inline constexpr uint64_t kManifestBytesMax = uint64_t{8} << 30;

/// Loads the manifest of one version. One store call, two with V1 names.
/// Errors: kNotFound (says which versions there are), kCorrupt, kUnsupportedFeature; the message
/// ends with the path.
arrow::Result<std::shared_ptr<const Snapshot>> LoadSnapshot(
    std::shared_ptr<Store> store, const std::string& root, Version version,
    ManifestRules rules = ManifestRules::kEnforced);

/// Loads the newest version. Three store calls: listing, hint, manifest.
arrow::Result<std::shared_ptr<const Snapshot>> LoadLatestSnapshot(
    std::shared_ptr<Store> store, const std::string& root,
    ManifestRules rules = ManifestRules::kEnforced);

}  // namespace pennon
