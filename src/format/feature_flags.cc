#include "format/feature_flags.h"

#include <fmt/format.h>

#include <bit>

#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr const char* kNames[] = {
    "deletion-files",
    "stable-row-ids",
    "use-v2-format (deprecated)",
    "table-config",
    "base-paths",
    "transaction-files-disabled",
    "data-overlays",
    "covering-index-columns",
    "mixed-data-file-versions",
    "fragment-reuse-on-stable-table",
    "tagged-fragment-reuse-index",
    "spilled-row-lineage",
    "fragment-tree",
    "independent-covering-fields",
    "managed-blobs",
    "non-reusable-field-ids",
    "zone-write-seeds",
    "object-metadata",
};
constexpr int kNumKnown = sizeof(kNames) / sizeof(kNames[0]);
constexpr uint64_t kUnknown = ~((1ull << kNumKnown) - 1);

constexpr uint64_t kReadRefused = kUnknown | kFlagDataOverlays | kFlagFragmentReuseOnStable |
                                  kFlagFragmentTree | kFlagIndependentCovering |
                                  kFlagZoneWriteSeeds | kFlagObjectMetadata;
constexpr uint64_t kWriteRefused = kReadRefused | kFlagTaggedFragmentReuse;
/// Bits that must be in both words or in neither.
constexpr uint64_t kPaired = kFlagMixedFileVersions | kFlagTaggedFragmentReuse | kFlagManagedBlobs;

std::string JoinNames(uint64_t flags) {
  std::string out;
  for (const auto& name : FeatureFlagNames(flags)) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

arrow::Status Refuse(const char* verb, uint64_t flags) {
  return MakeError(ErrorKind::kUnsupportedFeature,
                   fmt::format("table uses features that this version of pennon cannot {}: {}",
                               verb, JoinNames(flags)));
}

}  // namespace

std::vector<std::string> FeatureFlagNames(uint64_t flags) {
  std::vector<std::string> names;
  while (flags != 0) {
    const int bit = std::countr_zero(flags);
    flags &= flags - 1;
    names.push_back(bit < kNumKnown ? std::string(kNames[bit]) : fmt::format("bit {}", bit));
  }
  return names;
}

arrow::Status CheckReadable(uint64_t reader_flags, uint64_t writer_flags) {
  if ((reader_flags & kFlagNonReusableFieldIds) != 0) {
    return MakeError(
        ErrorKind::kCorrupt,
        "feature flag non-reusable-field-ids is set for readers; it belongs to writers only");
  }
  const uint64_t one_sided = (reader_flags ^ writer_flags) & kPaired;
  if (one_sided != 0) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("feature flag is set in only one of the two words: {}", JoinNames(one_sided)));
  }
  if ((reader_flags & kReadRefused) != 0) return Refuse("read", reader_flags & kReadRefused);
  return arrow::Status::OK();
}

arrow::Status CheckWritable(uint64_t reader_flags, uint64_t writer_flags) {
  ARROW_RETURN_NOT_OK(CheckReadable(reader_flags, writer_flags));
  if ((writer_flags & kWriteRefused) != 0) return Refuse("write", writer_flags & kWriteRefused);
  return arrow::Status::OK();
}

}  // namespace pennon
