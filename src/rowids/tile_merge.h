/// \file
/// Merging of ascending segments whose ids lie densely: slots are written tile by tile, so that
/// what is written stays in the nearest cache until it is complete. Spec: design.md, heading 3 (the
/// compact merged run). See docs/decisions/102-adaptive-row-id-index.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

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

/// Writes the first slot of each id at `id - begin` of `slots`, in the order of `rows`, and calls
/// `again(id, slot)` for further ones, whose first is marked as having more. Every slot of the span
/// is written. Cost: one pass over the rows, a second one over tiles that hold an id twice. Rows of
/// segments that do not ascend (a corrupt body) may be left out.
void MergeTiles(const TileMerge& merge, const FourByteSlots& slots,
                const std::function<void(uint64_t id, Slot slot)>& again);

}  // namespace pennon
