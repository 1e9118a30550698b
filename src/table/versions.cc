#include "table/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/local_store.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr std::string_view kFolder = "_versions";
constexpr std::string_view kSuffix = ".manifest";
constexpr std::string_view kHintName = "latest_version_hint.json";
constexpr size_t kV2Digits = 20;
constexpr uint64_t kHintBytesMax = 4096;
/// A hint that is further ahead of the listing than this is not followed.
constexpr uint64_t kHintGapMax = 1000;

std::optional<uint64_t> ParseDigits(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Says why a root without a `_versions` folder cannot be opened.
arrow::Status ExplainMissing(Store& store, const std::string& root, const arrow::Status& cause) {
  auto entry = store.Stat(root);
  if (!entry.ok()) {
    if (KindOf(entry.status()) != ErrorKind::kNotFound) return entry.status();
    return MakeError(ErrorKind::kNotFound, fmt::format("no such path: {}", root));
  }
  if (!entry->is_folder) {
    return MakeError(
        ErrorKind::kNotFound,
        fmt::format("not a Lance table but a file; give the table's folder: {}", root));
  }
  if (KindOf(cause) != ErrorKind::kNotFound) return cause;
  return MakeError(ErrorKind::kNotFound,
                   fmt::format("not a Lance table: it has no _versions folder: {}", root));
}

}  // namespace

std::optional<ManifestName> ParseManifestName(std::string_view file_name) {
  if (!file_name.ends_with(kSuffix)) return std::nullopt;
  std::string_view digits = file_name.substr(0, file_name.size() - kSuffix.size());
  if (digits.starts_with('d')) {
    const auto value = ParseDigits(digits.substr(1));
    if (!value.has_value() || !IsDetached(Version{*value})) return std::nullopt;
    return ManifestName{Version{*value}, ManifestNaming::kV2};
  }
  const auto value = ParseDigits(digits);
  if (!value.has_value()) return std::nullopt;
  if (digits.size() == kV2Digits) {
    return ManifestName{Version{std::numeric_limits<uint64_t>::max() - *value},
                        ManifestNaming::kV2};
  }
  return ManifestName{Version{*value}, ManifestNaming::kV1};
}

std::string ManifestPath(std::string_view root, Version version, ManifestNaming naming) {
  const uint64_t number = ToInteger(version);
  std::string name;
  if (IsDetached(version)) {
    name = fmt::format("d{}{}", number, kSuffix);
  } else if (naming == ManifestNaming::kV1) {
    name = fmt::format("{}{}", number, kSuffix);
  } else {
    name = fmt::format("{:020}{}", std::numeric_limits<uint64_t>::max() - number, kSuffix);
  }
  return JoinPath(JoinPath(root, kFolder), name);
}

arrow::Result<VersionListing> ListVersions(Store& store, const std::string& root,
                                           ManifestRules rules) {
  auto entries = store.ListFolder(JoinPath(root, kFolder));
  if (!entries.ok()) return ExplainMissing(store, root, entries.status());
  VersionListing out;
  bool has_v1 = false;
  bool has_v2 = false;
  for (const auto& entry : *entries) {
    const auto name = ParseManifestName(entry.name);
    if (!name.has_value()) {
      if (entry.name != kHintName) out.other_files.push_back(entry.name);
    } else if (IsDetached(name->version)) {
      out.detached.push_back(name->version);
    } else {
      out.versions.push_back(name->version);
      (name->naming == ManifestNaming::kV1 ? has_v1 : has_v2) = true;
    }
  }
  out.naming_is_mixed = has_v1 && has_v2;
  if (out.naming_is_mixed && rules == ManifestRules::kEnforced) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format(
            "manifests of both naming schemes lie in one folder; finish or undo the renaming: {}",
            JoinPath(root, kFolder)));
  }
  out.naming = has_v2 || !has_v1 ? ManifestNaming::kV2 : ManifestNaming::kV1;
  std::sort(out.versions.begin(), out.versions.end());
  std::sort(out.detached.begin(), out.detached.end());
  return out;
}

std::optional<Version> ReadVersionHint(Store& store, const std::string& root) {
  auto bytes = store.ReadWhole(JoinPath(JoinPath(root, kFolder), kHintName), kHintBytesMax);
  if (!bytes.ok()) return std::nullopt;
  const auto parsed =
      nlohmann::json::parse((*bytes)->data(), (*bytes)->data() + (*bytes)->size(), nullptr, false);
  if (!parsed.is_object() || !parsed.contains("version") ||
      !parsed["version"].is_number_unsigned()) {
    return std::nullopt;
  }
  const Version version{parsed["version"].get<uint64_t>()};
  if (IsDetached(version)) return std::nullopt;
  return version;
}

void WriteVersionHint(Store& store, const std::string& root, Version version) {
  const auto status = store.Put(JoinPath(JoinPath(root, kFolder), kHintName),
                                fmt::format("{{\"version\":{}}}", ToInteger(version)));
  (void)status;  // The hint only saves time: a version is committed with or without it.
}

arrow::Result<LatestVersion> FindLatestVersion(Store& store, const std::string& root,
                                               ManifestRules rules) {
  ARROW_ASSIGN_OR_RAISE(const auto listing, ListVersions(store, root, rules));
  LatestVersion latest{listing.versions.empty() ? Version{0} : listing.versions.back(),
                       listing.naming};
  const auto hint = ReadVersionHint(store, root);
  if (hint.has_value() && *hint > latest.version &&
      ToInteger(*hint) - ToInteger(latest.version) <= kHintGapMax) {
    // A listing may miss what was written while it ran; the hint is only written behind its
    // version.
    Version next = *hint;
    while (store.Stat(ManifestPath(root, next, latest.naming)).ok()) {
      latest.version = next;
      next = NextVersion(next);
    }
  }
  if (latest.version == Version{0}) {
    return MakeError(
        ErrorKind::kNotFound,
        fmt::format("table has no versions: its _versions folder holds no manifest: {}", root));
  }
  return latest;
}

}  // namespace pennon
