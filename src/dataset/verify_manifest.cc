#include "dataset/verify_manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/feature_flags.h"

namespace pennon {
namespace {

// Bits that a reader refuses when only one of the two words has them.
constexpr uint64_t kStrictlyPaired =
    kFlagMixedFileVersions | kFlagTaggedFragmentReuse | kFlagManagedBlobs | kFlagZoneWriteSeeds;
// Bits that belong into both words, but that each writer derives anew.
constexpr uint64_t kDerivedPairs =
    kFlagDeletionFiles | kFlagBasePaths | kFlagCoveringIndexColumns | kFlagSpilledLineage;

std::string NameOf(uint64_t flag) { return FeatureFlagNames(flag).front(); }

template <typename Fn>
void ForEachFlag(uint64_t flags, Fn&& fn) {
  for (; flags != 0; flags &= flags - 1) fn(flags & -flags);
}

struct FlagContent {
  bool deletion_files = false;
  bool row_ids = false;
  bool spilled = false;
};

bool IsSpilled(const Fragment& fragment) {
  return fragment.row_ids.placement == LineagePlacement::kColumn ||
         fragment.created.placement == LineagePlacement::kColumn ||
         fragment.last_updated.placement == LineagePlacement::kColumn;
}

FlagContent ContentOf(const Manifest& manifest) {
  FlagContent content;
  for (const auto& fragment : manifest.fragments) {
    content.deletion_files |= fragment.deletion_file.has_value();
    content.row_ids |= fragment.row_ids.placement != LineagePlacement::kAbsent;
    content.spilled |= IsSpilled(fragment);
  }
  return content;
}

void VerifyPairs(const Manifest& manifest, FaultSink* sink) {
  const uint64_t one_sided = manifest.reader_flags ^ manifest.writer_flags;
  ForEachFlag(one_sided & kStrictlyPaired, [&](uint64_t flag) {
    sink->Error(
        "flag_one_sided", {},
        fmt::format("feature flag {} is set for {} only; readers refuse the table", NameOf(flag),
                    (manifest.reader_flags & flag) != 0 ? "readers" : "writers"));
  });
  ForEachFlag(one_sided & kDerivedPairs, [&](uint64_t flag) {
    sink->Warning("flag_one_sided", {},
                  fmt::format("feature flag {} is set for {} only", NameOf(flag),
                              (manifest.reader_flags & flag) != 0 ? "readers" : "writers"));
  });
  if ((one_sided & kFlagStableRowIds) != 0) {
    const bool readers = (manifest.reader_flags & kFlagStableRowIds) != 0;
    sink->Add(readers ? VerifySeverity::kWarning : VerifySeverity::kError, "flag_one_sided", {},
              readers ? "feature flag stable-row-ids is set for readers only"
                      : "feature flag stable-row-ids is set for writers only; readers take row "
                        "addresses for row ids");
  }
  if ((manifest.reader_flags & kFlagNonReusableFieldIds) != 0) {
    sink->Error("flag_one_sided", {},
                "feature flag non-reusable-field-ids is set for readers, where it never belongs; "
                "readers refuse the table");
  }
  if (((manifest.writer_flags & kFlagNonReusableFieldIds) != 0) !=
      manifest.max_allocated_field_id.has_value()) {
    sink->Error(
        "field_id_counter", {},
        manifest.max_allocated_field_id.has_value()
            ? "the counter of field ids is there, but feature flag non-reusable-field-ids is not"
            : "feature flag non-reusable-field-ids is set, but the counter of field ids is "
              "missing");
  }
}

// A flag that guards content which is there.
void VerifyNeeded(const Manifest& manifest, const FlagContent& content, FaultSink* sink) {
  const struct {
    uint64_t flag;
    bool needed;
    bool readers;  // the reader word counts; else the writer word
    const char* content;
  } rules[] = {
      {kFlagDeletionFiles, content.deletion_files, true, "fragments have deletion files"},
      {kFlagSpilledLineage, content.spilled, true, "row lineage lies in hidden columns"},
      {kFlagBasePaths, !manifest.base_paths.empty(), true, "the manifest lists base paths"},
      {kFlagTableConfig, !manifest.config.empty(), false, "the table has configuration"},
  };
  for (const auto& rule : rules) {
    const uint64_t word = rule.readers ? manifest.reader_flags : manifest.writer_flags;
    if (rule.needed && (word & rule.flag) == 0) {
      sink->Warning(
          "flag_missing", {},
          fmt::format(
              "{}, but feature flag {} is not set: an engine that does not know them goes on "
              "unwarned",
              rule.content, NameOf(rule.flag)));
    }
    if (!rule.needed && (word & rule.flag) != 0) {
      sink->Note("flag_unneeded", {},
                 fmt::format("feature flag {} is set, but nothing in the table needs it",
                             NameOf(rule.flag)));
    }
  }
}

void VerifySchema(const Manifest& manifest, FaultSink* sink) {
  std::set<int32_t> seen;
  for (const auto& field : manifest.fields) {
    if (field.parent_id != -1 && !seen.contains(field.parent_id)) {
      sink->Error("schema_parent_missing", {},
                  fmt::format("field '{}' (id {}) names parent {}, which does not come before it",
                              field.name, field.id, field.parent_id));
    }
    if (!seen.insert(field.id).second) {
      sink->Error("schema_field_twice", {},
                  fmt::format("two fields of the schema have id {}", field.id));
    }
  }
}

void VerifyFragmentList(const Manifest& manifest, FaultSink* sink) {
  std::vector<FragmentId> ids;
  ids.reserve(manifest.fragments.size());
  for (const auto& fragment : manifest.fragments) ids.push_back(fragment.id);
  for (size_t i = 1; i < ids.size(); ++i) {
    if (ids[i] < ids[i - 1]) {
      sink->Error("fragment_order", {.fragment = ids[i]},
                  fmt::format("fragment {} is listed behind fragment {}; the list must ascend",
                              ToInteger(ids[i]), ToInteger(ids[i - 1])));
    }
  }
  std::sort(ids.begin(), ids.end());
  for (size_t i = 1; i < ids.size(); ++i) {
    if (ids[i] == ids[i - 1] && (i == 1 || ids[i] != ids[i - 2])) {
      sink->Error("fragment_twice", {.fragment = ids[i]},
                  fmt::format("two fragments have id {}", ToInteger(ids[i])));
    }
  }
  if (manifest.max_fragment_id.has_value() && !ids.empty() &&
      ToInteger(ids.back()) > *manifest.max_fragment_id) {
    sink->Error(
        "max_fragment_id_too_low", {.fragment = ids.back()},
        fmt::format(
            "max_fragment_id is {}, but fragment {} is there: its id would be given out again",
            *manifest.max_fragment_id, ToInteger(ids.back())));
  }
}

// "2.1" of (2, 1); empty for a pair that no version of the format has.
std::string FileVersionOf(const DataFile& file) {
  const auto pair = std::pair(file.major_version, file.minor_version);
  if (pair.first == 0 && pair.second <= 2) return "0.1";
  if (pair == std::pair(0u, 3u) || pair == std::pair(2u, 0u)) return "2.0";
  if (pair.first == 2 && pair.second <= 3) return fmt::format("2.{}", pair.second);
  return "";
}

void VerifyColumns(const Fragment& fragment, const DataFile& file, FaultSink* sink) {
  const FaultPlace place{.fragment = fragment.id, .file = "data/" + file.path};
  const bool legacy = FileVersionOf(file) == "0.1";
  if (!legacy && file.column_indices.size() < file.fields.size()) {
    sink->Error(
        "data_file_columns", place,
        fmt::format("data file of fragment {} has {} fields, but only {} column indices",
                    ToInteger(fragment.id), file.fields.size(), file.column_indices.size()));
  }
  if (legacy && !file.column_indices.empty()) {
    sink->Error(
        "data_file_columns", place,
        fmt::format("legacy data file of fragment {} has column indices", ToInteger(fragment.id)));
  }
}

void VerifyVersion(const Manifest& manifest, const Fragment& fragment, const DataFile& file,
                   FaultSink* sink) {
  const FaultPlace place{.fragment = fragment.id, .file = "data/" + file.path};
  const std::string version = FileVersionOf(file);
  if (version.empty()) {
    sink->Error(
        "data_file_version", place,
        fmt::format("data file of fragment {} has version {}.{}, which is none of the format's",
                    ToInteger(fragment.id), file.major_version, file.minor_version));
  } else if (!manifest.data_format_version.empty() && version != manifest.data_format_version &&
             (manifest.reader_flags & kFlagMixedFileVersions) == 0) {
    sink->Error(
        "data_file_version", place,
        fmt::format(
            "data file of fragment {} has version {}, the table is {} and does not allow others",
            ToInteger(fragment.id), version, manifest.data_format_version));
  }
}

bool HasBase(const Manifest& manifest, std::optional<uint32_t> id) {
  return !id.has_value() || std::any_of(manifest.base_paths.begin(), manifest.base_paths.end(),
                                        [&](const BasePath& base) { return base.id == *id; });
}

// A spilled sequence lies in exactly one file.
void VerifyCarrier(const Fragment& fragment, const LineageSequence& sequence, int32_t field,
                   const char* what, FaultSink* sink) {
  if (sequence.placement != LineagePlacement::kColumn) return;
  int64_t carriers = 0;
  for (const auto& file : fragment.files)
    carriers += std::count(file.fields.begin(), file.fields.end(), field);
  if (carriers == 1) return;
  sink->Error(
      "lineage_column", {.fragment = fragment.id},
      fmt::format("{} of fragment {} lie in a hidden column, but {} columns claim to hold them",
                  what, ToInteger(fragment.id), carriers));
}

void VerifyFiles(const Manifest& manifest, const Fragment& fragment, FaultSink* sink) {
  std::vector<int32_t> fields;
  for (const auto& file : fragment.files) {
    VerifyColumns(fragment, file, sink);
    VerifyVersion(manifest, fragment, file, sink);
    if (!HasBase(manifest, file.base_id)) {
      sink->Error(
          "base_path_missing", {.fragment = fragment.id, .file = "data/" + file.path},
          fmt::format(
              "data file of fragment {} lies below base path {}, which the manifest does not list",
              ToInteger(fragment.id), *file.base_id));
    }
    for (const int32_t field : file.fields) {
      if (field >= 0) fields.push_back(field);
    }
  }
  std::sort(fields.begin(), fields.end());
  const auto twice = std::adjacent_find(fields.begin(), fields.end());
  if (twice != fields.end()) {
    sink->Error(
        "field_twice", {.fragment = fragment.id},
        fmt::format("two data files of fragment {} hold field {}", ToInteger(fragment.id), *twice));
  }
  if (fragment.deletion_file.has_value() && !HasBase(manifest, fragment.deletion_file->base_id)) {
    sink->Error("base_path_missing", {.fragment = fragment.id},
                fmt::format("deletion file of fragment {} lies below base path {}, which the "
                            "manifest does not list",
                            ToInteger(fragment.id), *fragment.deletion_file->base_id));
  }
  VerifyCarrier(fragment, fragment.row_ids, kRowIdField, "row ids", sink);
  VerifyCarrier(fragment, fragment.created, kCreatedAtField, "created versions", sink);
  VerifyCarrier(fragment, fragment.last_updated, kLastUpdatedAtField, "last-updated versions",
                sink);
}

void VerifyRowCounts(const Manifest& manifest, const Fragment& fragment, FaultSink* sink) {
  const uint32_t id = ToInteger(fragment.id);
  if (fragment.physical_rows == 0) {
    sink->Add(manifest.has_stable_row_ids() ? VerifySeverity::kError : VerifySeverity::kWarning,
              "physical_rows_unknown", {.fragment = fragment.id},
              fmt::format("the number of rows of fragment {} is not recorded", id));
    return;
  }
  if (fragment.physical_rows > uint64_t{1} << 32) {
    sink->Error("too_many_rows", {.fragment = fragment.id},
                fmt::format("fragment {} has {} rows, more than row addresses can tell apart", id,
                            fragment.physical_rows));
  }
  if (!fragment.deletion_file.has_value()) return;
  const uint64_t deleted = fragment.deletion_file->num_deleted_rows;
  if (deleted > fragment.physical_rows) {
    sink->Error("deleted_rows_too_many", {.fragment = fragment.id},
                fmt::format("fragment {} has {} rows, but {} deleted ones", id,
                            fragment.physical_rows, deleted));
  } else if (deleted == fragment.physical_rows) {
    sink->Note("fragment_all_deleted", {.fragment = fragment.id},
               fmt::format("all {} rows of fragment {} are deleted; it could go", deleted, id));
  }
}

}  // namespace

void VerifyManifest(const Manifest& manifest, FaultSink* sink) {
  const FlagContent content = ContentOf(manifest);
  VerifyPairs(manifest, sink);
  VerifyNeeded(manifest, content, sink);
  if (!manifest.has_stable_row_ids() && content.row_ids) {
    sink->Error("row_ids_without_flag", {},
                "fragments carry row ids, but the table does not have stable row ids: every commit "
                "is refused");
  }
  if (!manifest.writer_version.has_value()) {
    sink->Warning("writer_version_missing", {},
                  "the manifest does not say who wrote it: counts are not trusted, the next writer "
                  "reads every file");
  }
  static const std::set<std::string> kDataFormats = {"", "0.1", "2.0", "2.1", "2.2", "2.3"};
  if (!kDataFormats.contains(manifest.data_format_version)) {
    sink->Error("data_format_unknown", {},
                fmt::format("data storage version \"{}\" is none of the format's",
                            manifest.data_format_version));
  }
  VerifySchema(manifest, sink);
  VerifyFragmentList(manifest, sink);
  for (const auto& fragment : manifest.fragments) {
    VerifyRowCounts(manifest, fragment, sink);
    VerifyFiles(manifest, fragment, sink);
  }
}

}  // namespace pennon
