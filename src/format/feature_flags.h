/// \file
/// The feature bits of a manifest, by name, and which of them we read and write.
/// Spec: format/table.md, heading 4.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pennon {

enum FeatureFlag : uint64_t {
  kFlagDeletionFiles = 1ull << 0,
  kFlagStableRowIds = 1ull << 1,
  kFlagUseV2Deprecated = 1ull << 2,
  kFlagTableConfig = 1ull << 3,
  kFlagBasePaths = 1ull << 4,
  kFlagNoTransactionFiles = 1ull << 5,
  kFlagDataOverlays = 1ull << 6,
  kFlagCoveringIndexColumns = 1ull << 7,
  kFlagMixedFileVersions = 1ull << 8,
  kFlagFragmentReuseOnStable = 1ull << 9,
  kFlagTaggedFragmentReuse = 1ull << 10,
  kFlagSpilledLineage = 1ull << 11,
  kFlagFragmentTree = 1ull << 12,
  kFlagIndependentCovering = 1ull << 13,
  kFlagManagedBlobs = 1ull << 14,
  kFlagNonReusableFieldIds = 1ull << 15,
  kFlagZoneWriteSeeds = 1ull << 16,
  kFlagObjectMetadata = 1ull << 17,
};

/// Returns the names of the bits set, lowest first; a bit without a name is "bit N".
std::vector<std::string> FeatureFlagNames(uint64_t flags);

/// Checks that a manifest with these two words may be read by us.
/// Errors: kUnsupportedFeature (names the bits), kCorrupt (a paired bit on one side only).
arrow::Status CheckReadable(uint64_t reader_flags, uint64_t writer_flags);

/// Checks that we may write a version on top of a manifest with these words; implies CheckReadable.
arrow::Status CheckWritable(uint64_t reader_flags, uint64_t writer_flags);

}  // namespace pennon
