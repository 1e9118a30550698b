/// \file
/// Merging of ascending segments whose ids lie densely: slots are written tile by tile, so that
/// what is written stays in the nearest cache until it is complete. Spec: design.md, heading 3 (the
/// compact merged run). See docs/decisions/102-adaptive-row-id-index.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "rowids/dense_slots.h"
#include "rowids/segment.h"
#include "rowids/slot_array.h"

namespace pennon {

/// A segment that is_ascending(), and where its first row lies.
struct AscendingRows {
  const Segment* segment = nullptr;
  /// As RowIdSequence::IndexOf gives it.
  const SegmentIndex* index = nullptr;
  Slot first;
};

/// Ids [begin, begin + span) of all `rows`.
struct TileMerge {
  uint64_t begin = 0;
  uint64_t span = 0;
  uint64_t num_slots = 0;  ///< About; what tiles are cut by.
  std::span<const AscendingRows> rows;
};

/// Fills `slots`, one a place: the slot of each id at `id - begin`. For ids that several rows hold,
/// calls `keep(id, slot)` with all their slots, in the order of `rows`, until it returns false;
/// then gives up after the tile and returns false. Cost: one pass over the rows, a second one over
/// tiles that hold an id twice. Rows of segments that do not ascend (a corrupt body) may be left
/// out.
bool MergeTiles(const TileMerge& merge, const std::function<bool(uint64_t id, Slot slot)>& keep,
                DenseSlots* slots);

}  // namespace pennon
