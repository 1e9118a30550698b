#include "dataset/verify_lineage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "pennon/base/error.h"
#include "rowids/version_sequence.h"

namespace pennon {
namespace {

// Reads one sequence; nothing when it is absent, spilled or wrong.
std::optional<VersionSequence> ReadVersions(const Fragment& fragment,
                                            const LineageSequence& sequence, const char* what,
                                            FaultSink* sink) {
  if (sequence.placement != LineagePlacement::kInline) return std::nullopt;
  const uint32_t id = ToInteger(fragment.id);
  auto versions = DecodeVersionSequence(sequence.bytes);
  if (!versions.ok()) {
    sink->Error(
        "lineage_unreadable", {.fragment = fragment.id},
        fmt::format(
            "{} of fragment {} cannot be read: {} (of the sequence, which starts at byte {} of the "
            "manifest)",
            what, id, MessageOf(versions.status()), sequence.manifest_offset));
    return std::nullopt;
  }
  if (fragment.physical_rows != 0 && versions->size() != fragment.physical_rows) {
    sink->Error("lineage_count", {.fragment = fragment.id},
                fmt::format("fragment {} has {} rows, but {} {}", id, fragment.physical_rows,
                            versions->size(), what));
    return std::nullopt;
  }
  return std::move(*versions);
}

// Every stamp is the number of a version that existed by then.
void VerifyStamps(const Manifest& manifest, const Fragment& fragment,
                  const VersionSequence& versions, const char* what, FaultSink* sink) {
  uint64_t offset = 0;
  for (size_t i = 0; i < versions.num_runs(); ++i) {
    const VersionRun run = versions.run(i);
    if (run.num_rows != 0 && (run.version > manifest.version || run.version == Version{0})) {
      sink->Error("lineage_version", {.fragment = fragment.id},
                  fmt::format("row {} of fragment {} has {} {}, in version {} of the table", offset,
                              ToInteger(fragment.id), what, ToInteger(run.version),
                              ToInteger(manifest.version)));
      return;
    }
    offset += run.num_rows;
  }
}

// Walks both run lists in step.
void VerifyOrder(const Fragment& fragment, const VersionSequence& created,
                 const VersionSequence& updated, FaultSink* sink) {
  size_t i = 0;
  size_t j = 0;
  uint64_t created_left = created.num_runs() > 0 ? created.run(0).num_rows : 0;
  uint64_t updated_left = updated.num_runs() > 0 ? updated.run(0).num_rows : 0;
  uint64_t offset = 0;
  while (true) {
    while (created_left == 0 && ++i < created.num_runs()) created_left = created.run(i).num_rows;
    while (updated_left == 0 && ++j < updated.num_runs()) updated_left = updated.run(j).num_rows;
    if (created_left == 0 || updated_left == 0) return;
    if (created.run(i).version > updated.run(j).version) {
      sink->Error("lineage_order", {.fragment = fragment.id},
                  fmt::format("row {} of fragment {} was created at version {}, after its last "
                              "update at version {}",
                              offset, ToInteger(fragment.id), ToInteger(created.run(i).version),
                              ToInteger(updated.run(j).version)));
      return;
    }
    const uint64_t step = std::min(created_left, updated_left);
    created_left -= step;
    updated_left -= step;
    offset += step;
  }
}

}  // namespace

uint64_t VerifyLineage(const Manifest& manifest, FaultSink* sink) {
  if (!manifest.has_stable_row_ids()) return 0;
  uint64_t num_spilled = 0;
  for (const auto& fragment : manifest.fragments) {
    const bool spilled = fragment.created.placement == LineagePlacement::kColumn ||
                         fragment.last_updated.placement == LineagePlacement::kColumn;
    num_spilled += spilled ? 1 : 0;
    auto created = ReadVersions(fragment, fragment.created, "created versions", sink);
    const auto updated =
        ReadVersions(fragment, fragment.last_updated, "last-updated versions", sink);
    if (created.has_value()) VerifyStamps(manifest, fragment, *created, "created version", sink);
    if (updated.has_value())
      VerifyStamps(manifest, fragment, *updated, "last-updated version", sink);
    // An unset created version reads as 1, which no update can precede; an unset last-updated one
    // as the created one.
    if (created.has_value() && updated.has_value()) VerifyOrder(fragment, *created, *updated, sink);
  }
  return num_spilled;
}

}  // namespace pennon
