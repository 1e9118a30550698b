#include "dataset/row_id_pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dataset/row_ids.h"
#include "pennon/base/error.h"
#include "rowids/row_id_index.h"
#include "rowids/row_id_sequence.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

/// So many ids are looked up one by one; for more the headers of the sequences say enough.
constexpr uint64_t kLocatedIdsMax = uint64_t{1} << 20;

bool Overlaps(const ValueBounds& bounds, const std::vector<RowNumberRange>& ranges) {
  const auto range = std::partition_point(
      ranges.begin(), ranges.end(),
      [&](const RowNumberRange& candidate) { return candidate.last < bounds.smallest; });
  return range != ranges.end() && range->first <= bounds.largest;
}

/// Offsets of the segments that may hold an id of the ranges.
RowRanges FindSegments(const RowIdSequence& sequence, const std::vector<RowNumberRange>& ranges) {
  RowRanges rows;
  const auto segments = sequence.segments();
  for (size_t i = 0; i < segments.size(); ++i) {
    const auto bounds = HeaderBounds(segments[i]);
    if (!bounds.has_value() || !Overlaps(*bounds, ranges)) continue;
    const RowRange range{sequence.FirstPosition(i), sequence.FirstPosition(i + 1)};
    if (range.begin == range.end) continue;
    if (!rows.empty() && rows.back().end == range.begin) {
      rows.back().end = range.end;
    } else {
      rows.push_back(range);
    }
  }
  return rows;
}

/// Rows of few ids: where the index says they live.
arrow::Status KeepLocated(const Dataset& dataset, const std::vector<RowNumberRange>& ranges,
                          std::vector<ScanStep>* steps) {
  std::vector<uint64_t> ids;
  for (const RowNumberRange& range : ranges) {
    for (uint64_t id = range.first;; ++id) {
      ids.push_back(id);
      if (id == range.last) break;
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto index, RowIdIndexOf(dataset));
  std::vector<RowLocation> locations(ids.size());
  ARROW_RETURN_NOT_OK(index->FindMany(ids, locations));
  std::vector<uint64_t> addresses;
  for (const RowLocation& location : locations) {
    if (location.state == RowState::kLive) addresses.push_back(ToInteger(location.address));
  }
  std::sort(addresses.begin(), addresses.end());
  std::vector<RowNumberRange> places;
  for (const uint64_t address : addresses) {
    if (!places.empty() && places.back().last + 1 == address) {
      places.back().last = address;
    } else {
      places.push_back({address, address});
    }
  }
  KeepAddresses(places, steps);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status KeepRowIds(const Dataset& dataset, const RowNumberBounds& bounds,
                         std::vector<ScanStep>* steps) {
  if (bounds.is_unbounded()) return arrow::Status::OK();
  if (bounds.Count() <= kLocatedIdsMax) return KeepLocated(dataset, bounds.ranges, steps);
  const Snapshot& snapshot = *dataset.snapshot();
  std::vector<ScanStep> kept;
  for (ScanStep& step : *steps) {
    const LineageSequence& encoded = step.fragment->row_ids;
    if (encoded.placement != LineagePlacement::kInline) {
      kept.push_back(std::move(step));
      continue;
    }
    auto sequence = DecodeRowIdSequence(encoded.bytes, snapshot.manifest.file);
    if (!sequence.ok()) {
      return AddContext(sequence.status(),
                        fmt::format(" (row ids of fragment {}): {}", ToInteger(step.fragment->id),
                                    snapshot.manifest_path));
    }
    RowRanges rows = FindSegments(*sequence, bounds.ranges);
    if (step.candidates.has_value()) rows = IntersectRanges(*step.candidates, rows);
    if (rows.empty()) continue;
    step.candidates = std::move(rows);
    kept.push_back(std::move(step));
  }
  *steps = std::move(kept);
  return arrow::Status::OK();
}

}  // namespace pennon
