/// \file
/// One segment of a row id sequence, kept as its encoded bytes: what its header says, and the
/// questions that the bytes answer without being decoded. Spec: format/row-ids.md, heading 1.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rowids/bitmap_view.h"
#include "rowids/packed_array.h"

namespace pennon {

enum class SegmentForm : uint8_t {
  kRange,
  kRangeWithHoles,
  kRangeWithBitmap,
  kSortedArray,
  kArray,
  kRangeRun,  ///< In memory only: consecutive, ascending, disjoint Range segments whose span fits
              ///< 32 bits.
};

/// Returns the word for a form in reports: range, range_with_holes, range_with_bitmap,
/// sorted_array, array. A run of ranges is called range: that is what lies on disk.
std::string_view SegmentFormName(SegmentForm form);

/// Header of a segment and where its body lies. Plain data; borrows the sequence's bytes.
struct Segment {
  SegmentForm form = SegmentForm::kRange;
  /// Forms made of a range: the half-open range, bounds of its ids. Unused by arrays.
  uint64_t start = 0;
  uint64_t end = 0;
  /// Holes of kRangeWithHoles, values of the arrays.
  PackedArray array{};
  /// Presence bits of kRangeWithBitmap.
  BitmapView bitmap{};
  /// Ids in the segment; meaningless while is_uncounted().
  uint64_t num_rows = 0;
  /// Range segments on disk, for kRangeRun; 1 for every other form.
  uint64_t num_wire_segments = 1;
  /// The segment as it lies in the sequence, tag and length included.
  std::string_view wire{};

  /// A bitmap: its ones must be counted to know the rows.
  bool is_uncounted() const { return form == SegmentForm::kRangeWithBitmap; }
  bool is_array() const { return form == SegmentForm::kSortedArray || form == SegmentForm::kArray; }
  bool is_ascending() const { return form != SegmentForm::kArray; }
};

/// Aid to answer questions about one segment, made from its body once. Which part is used depends
/// on the form.
struct SegmentIndex {
  /// kRangeWithBitmap.
  BitmapRanks ranks;
  /// kRangeRun: first id of each range from `Segment::start`, and the position of that id; one
  /// entry more at the end of `positions` for the row count.
  std::vector<uint32_t> starts;
  std::vector<uint32_t> positions;
  /// Over the holes, the sorted values or `starts`; may be empty.
  StretchTable table;
  /// kRangeWithHoles: over the ids that are there before each hole; may be empty.
  StretchTable rows_before_holes;

  uint64_t memory_bytes() const {
    return ranks.memory_bytes() + (starts.capacity() + positions.capacity()) * sizeof(uint32_t) +
           table.memory_bytes() + rows_before_holes.memory_bytes();
  }
};

/// Stands for an index that nobody has made.
inline const SegmentIndex kNoSegmentIndex;

/// Whether a segment cannot be asked without a SegmentIndex, and whether one makes asking quicker.
inline bool NeedsIndex(const Segment& segment) {
  return segment.form == SegmentForm::kRangeWithBitmap || segment.form == SegmentForm::kRangeRun;
}
inline bool ProfitsFromIndex(const Segment& segment) {
  constexpr uint64_t kSearchedAtOnce = 64;
  return NeedsIndex(segment) ||
         (segment.array.count > kSearchedAtOnce && segment.form != SegmentForm::kArray);
}
/// Cost: one pass over the body. Empty for a form that profits from none.
SegmentIndex MakeSegmentIndex(const Segment& segment);

/// Reads the next wire segment from the front of `bytes` and removes it. `origin` is the offset of
/// `bytes` in the sequence, for messages. Never folds: the form is one of the five on disk. Cost:
/// constant; the body is not read but for an array whose base is so high that only the body tells
/// whether it overflows. Errors: kCorrupt with the offset (unknown or repeated field, no kind,
/// lengths, padding bits, range whose start is behind its end, holes at the ends outside of the
/// range, base plus offset beyond 64 bits).
arrow::Result<Segment> TakeWireSegment(std::string_view* bytes, uint64_t origin);

/// Appends the segments of a whole sequence to `out`, consecutive ranges folded. Cost: the number
/// of segments. Errors: kCorrupt with the offset: those of TakeWireSegment, and more ids than 64
/// bits can count.
arrow::Status ReadSegments(std::string_view sequence, std::vector<Segment>* out);

/// Reads the message of one U64Segment, as above; `wire` becomes `message`. Used for the spans of
/// lineage runs.
arrow::Result<Segment> ParseSegmentMessage(std::string_view message, uint64_t origin);

/// Checks what TakeWireSegment leaves: order of holes and of sorted arrays. Cost: one pass over the
/// body. `origin` is the offset of the segment in its sequence. Errors: kCorrupt with the offset.
arrow::Status ValidateSegmentBody(const Segment& segment, uint64_t origin);

/// Smallest and largest id that the segment can hold, without reading the body: exact but for a
/// bitmap or holes with absent ends and for unsorted arrays. Nothing for a segment known to be
/// empty. Every id of the segment lies inside, whatever the body; on a corrupt body lookups outside
/// are not tried.
std::optional<ValueBounds> HeaderBounds(const Segment& segment);

/// False if the segment's range, or its bit for the id, tells that the id is absent; needs no
/// index.
inline bool MayHold(const Segment& segment, uint64_t id) {
  if (segment.is_array()) return true;
  if (id < segment.start || id >= segment.end) return false;
  return segment.form != SegmentForm::kRangeWithBitmap || segment.bitmap.Test(id - segment.start);
}

/// Number of ids. Cost: constant, or one pass over a bitmap when `index` is null.
uint64_t CountRows(const Segment& segment, const SegmentIndex* index);

/// Position of `id` in the segment. `index` may be empty unless NeedsIndex. Cost: constant or
/// logarithmic; one pass over an unsorted array. A corrupt body gives a wrong or no answer, never
/// more.
std::optional<uint64_t> FindInSegment(const Segment& segment, const SegmentIndex& index,
                                      uint64_t id);

/// Fetches the bytes that FindInSegment will look at into the cache.
void PrefetchInSegment(const Segment& segment, const SegmentIndex& index, uint64_t id);

/// Number of ids below `id` in an ascending segment: where a walk over the ids from `id` on begins.
/// Cost as FindInSegment.
uint64_t CountBelow(const Segment& segment, const SegmentIndex& index, uint64_t id);

/// Id at `position`, which is below the row count. Cost: constant or logarithmic.
uint64_t ValueInSegment(const Segment& segment, const SegmentIndex& index, uint64_t position);

}  // namespace pennon
