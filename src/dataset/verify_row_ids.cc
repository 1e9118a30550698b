#include "dataset/verify_row_ids.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "pennon/base/error.h"
#include "rowids/segment_encoder.h"

namespace pennon {
namespace {

// Decodes and checks one inline sequence; nothing if it cannot be relied on.
std::optional<RowIdSequence> ReadInline(const Manifest& manifest, const Fragment& fragment,
                                        FaultSink* sink) {
  const uint32_t id = ToInteger(fragment.id);
  auto sequence = DecodeRowIdSequence(fragment.row_ids.bytes, manifest.file);
  const auto status = sequence.ok() ? sequence->Validate() : sequence.status();
  if (!status.ok()) {
    sink->Error("row_ids_unreadable", {.fragment = fragment.id},
                fmt::format("row ids of fragment {} cannot be read: {} (of the sequence, which "
                            "starts at byte {} of "
                            "the manifest)",
                            id, MessageOf(status), fragment.row_ids.manifest_offset));
    return std::nullopt;
  }
  return std::move(*sequence);
}

// The same of a spilled sequence; `num_unread` counts one that was not to be read, or could not.
std::optional<RowIdSequence> ReadColumn(const Fragment& fragment, const LoadHiddenColumn& load,
                                        FaultSink* sink, uint64_t* num_unread) {
  if (!load) {
    ++*num_unread;
    return std::nullopt;
  }
  const auto ids = load(fragment, kRowIdField);
  if (ids.ok()) {
    auto sequence = DecodeRowIdSequence(EncodeRowIdSequence(*ids, FormChoice::kSmallest));
    if (sequence.ok()) return std::move(*sequence);
  }
  ++*num_unread;
  if (KindOf(ids.status()) != ErrorKind::kNotFound) {
    sink->Error("row_ids_unreadable", {.fragment = fragment.id},
                fmt::format("row ids of fragment {} cannot be read: {}", ToInteger(fragment.id),
                            MessageOf(ids.status())));
  }
  return std::nullopt;
}

}  // namespace

RowIdsSeen VerifyRowIds(const Manifest& manifest, const LoadHiddenColumn& load, FaultSink* sink,
                        VerifyCounters* checked) {
  RowIdsSeen seen;
  if (!manifest.has_stable_row_ids()) return seen;
  std::optional<uint64_t> largest;
  FragmentId largest_in{};
  for (const auto& fragment : manifest.fragments) {
    const uint32_t id = ToInteger(fragment.id);
    if (fragment.row_ids.placement == LineagePlacement::kAbsent) {
      sink->Error("row_ids_missing", {.fragment = fragment.id},
                  fmt::format("table has stable row ids, but fragment {} has none", id));
      continue;
    }
    auto sequence = fragment.row_ids.placement == LineagePlacement::kInline
                        ? ReadInline(manifest, fragment, sink)
                        : ReadColumn(fragment, load, sink, &seen.num_unread);
    if (!sequence.has_value()) continue;
    checked->num_row_ids += sequence->size();
    const auto bounds = sequence->Bounds();
    if (bounds.has_value() && (!largest.has_value() || bounds->largest > *largest)) {
      largest = bounds->largest;
      largest_in = fragment.id;
    }
    if (fragment.physical_rows != 0 && sequence->size() != fragment.physical_rows) {
      sink->Error("row_ids_count", {.fragment = fragment.id},
                  fmt::format("fragment {} has {} rows, but {} row ids", id, fragment.physical_rows,
                              sequence->size()));
      continue;
    }
    seen.good.push_back({&fragment, std::move(*sequence)});
  }
  if (largest.has_value() && *largest >= manifest.next_row_id) {
    sink->Error(
        "next_row_id_too_low", {.fragment = largest_in, .row_id = RowId{*largest}},
        fmt::format(
            "next_row_id is {}, but fragment {} holds id {}: new rows would get ids that are taken",
            manifest.next_row_id, ToInteger(largest_in), *largest));
  }
  return seen;
}

}  // namespace pennon
