#include "dataset/verify_lineage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "pennon/base/error.h"
#include "rowids/version_sequence.h"

namespace pennon {
namespace {

// One of the two sequences of a fragment, by the words that messages use.
struct Kind {
  int32_t field;
  const char* plural;
  const char* singular;
};
constexpr Kind kCreated{kCreatedAtField, "created versions", "created version"};
constexpr Kind kUpdated{kLastUpdatedAtField, "last-updated versions", "last-updated version"};

// Reads sequences; nothing when one is absent, wrong, or in a column that is not to be read.
class SequenceReader {
 public:
  SequenceReader(const LoadHiddenColumn& load, FaultSink* sink) : load_(load), sink_(sink) {}

  std::optional<VersionSequence> Read(const Fragment& fragment, const LineageSequence& sequence,
                                      const Kind& kind) {
    if (sequence.placement == LineagePlacement::kAbsent) return std::nullopt;
    const bool in_column = sequence.placement == LineagePlacement::kColumn;
    if (in_column && !load_) return Unread();
    auto versions =
        in_column ? ReadColumn(fragment, kind.field) : DecodeVersionSequence(sequence.bytes);
    if (in_column && KindOf(versions.status()) == ErrorKind::kNotFound) return Unread();
    const uint32_t id = ToInteger(fragment.id);
    if (!versions.ok()) {
      const std::string place = in_column ? std::string()
                                          : fmt::format(
                                                " (of the sequence, which starts at byte {} "
                                                "of the manifest)",
                                                sequence.manifest_offset);
      sink_->Error("lineage_unreadable", {.fragment = fragment.id},
                   fmt::format("{} of fragment {} cannot be read: {}{}", kind.plural, id,
                               MessageOf(versions.status()), place));
      return std::nullopt;
    }
    if (fragment.physical_rows != 0 && versions->size() != fragment.physical_rows) {
      sink_->Error("lineage_count", {.fragment = fragment.id},
                   fmt::format("fragment {} has {} rows, but {} {}", id, fragment.physical_rows,
                               versions->size(), kind.plural));
      return std::nullopt;
    }
    return std::move(*versions);
  }

  /// Whether a column was passed over since the last call.
  bool TookAnyUnread() { return std::exchange(any_unread_, false); }

 private:
  std::nullopt_t Unread() {
    any_unread_ = true;
    return std::nullopt;
  }

  arrow::Result<VersionSequence> ReadColumn(const Fragment& fragment, int32_t field) {
    ARROW_ASSIGN_OR_RAISE(const auto values, load_(fragment, field));
    return VersionSequence::FromVersions(values);
  }

  const LoadHiddenColumn& load_;
  FaultSink* sink_;
  bool any_unread_ = false;
};

// Every stamp is the number of a version that existed by then.
void VerifyStamps(const Manifest& manifest, const Fragment& fragment,
                  const VersionSequence& versions, const Kind& kind, FaultSink* sink) {
  uint64_t offset = 0;
  for (size_t i = 0; i < versions.num_runs(); ++i) {
    const VersionRun run = versions.run(i);
    if (run.num_rows != 0 && (run.version > manifest.version || run.version == Version{0})) {
      sink->Error("lineage_version", {.fragment = fragment.id},
                  fmt::format("row {} of fragment {} has {} {}, in version {} of the table", offset,
                              ToInteger(fragment.id), kind.singular, ToInteger(run.version),
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

uint64_t VerifyLineage(const Manifest& manifest, const LoadHiddenColumn& load, FaultSink* sink) {
  if (!manifest.has_stable_row_ids()) return 0;
  uint64_t num_unread = 0;
  SequenceReader reader(load, sink);
  for (const auto& fragment : manifest.fragments) {
    const auto created = reader.Read(fragment, fragment.created, kCreated);
    const auto updated = reader.Read(fragment, fragment.last_updated, kUpdated);
    num_unread += reader.TookAnyUnread() ? 1 : 0;
    if (created.has_value()) VerifyStamps(manifest, fragment, *created, kCreated, sink);
    if (updated.has_value()) VerifyStamps(manifest, fragment, *updated, kUpdated, sink);
    // An unset created version reads as 1, which no update can precede; an unset last-updated one
    // as the created one.
    if (created.has_value() && updated.has_value()) VerifyOrder(fragment, *created, *updated, sink);
  }
  return num_unread;
}

}  // namespace pennon
