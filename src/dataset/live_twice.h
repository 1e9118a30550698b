/// \file
/// Finds row ids that are live in two places: the one fault of stable ids that only looking at all
/// of them shows. Pure; memory stays within a bound whatever the ids.
/// Spec: format/row-ids.md, headings 5 and 8.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "pennon/base/ids.h"
#include "rowids/row_id_sequence.h"
#include "rowset/deletion_vector.h"

namespace pennon {

/// The ids of one fragment, validated, and which of its rows are deleted.
struct LiveIds {
  FragmentId fragment{};
  RowIdSequence ids;
  DeletionVector deletions;
};

/// Consecutive ids, each live at two addresses.
struct LiveTwice {
  RowId first{};
  uint64_t count = 0;
  /// Where the first one lies, lower fragment and offset first.
  RowAddress address{};
  RowAddress other{};
};

/// Calls `report` for the ids that are live twice; an id that is live in many places comes up more
/// than once. Segments are sorted by their smallest id; only where spans overlap, or an unsorted
/// array could hold an id twice, are ids looked at, as runs. Cost: a sort of the segments, plus N
/// log k for N runs in k overlapping segments; unsorted arrays are read once for every
/// `ids_in_memory_max` ids of them. Memory: 8 bytes for each of those ids, and some hundred bytes
/// for each overlapping segment.
void FindLiveTwice(std::span<const LiveIds> fragments, uint64_t ids_in_memory_max,
                   const std::function<void(const LiveTwice&)>& report);

}  // namespace pennon
