/// \file
/// The row ids of one fragment in row order, kept as the bytes that lie in the manifest and read in
/// place. Spec: format/row-ids.md, headings 1 and 2.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"
#include "rowids/segment.h"

namespace pennon {

/// Which form a writer gives to ids when it has the choice. Every reader takes any form.
enum class FormChoice : uint8_t {
  kSmallest,   ///< Fewest bytes, counted as they will lie on disk.
  kReference,  ///< The reference engine's choice (14.0.2), byte for byte.
};

/// What reports show of one segment on disk.
struct SegmentDescription {
  std::string_view form;  ///< range, range_with_holes, range_with_bitmap, sorted_array, array
  uint64_t num_rows = 0;
  uint64_t smallest = 0;  ///< Of the ids that are there; 0 for an empty segment.
  uint64_t largest = 0;
  uint64_t num_holes = 0;  ///< Absent ids between smallest and largest; 0 for arrays.
  uint64_t encoded_bytes = 0;
  uint8_t array_width = 0;  ///< Bytes a value of the holes or values array, 0 without one.
};

/// Immutable, cheap to copy, safe to read from many threads. Rows are named by their position: the
/// row offset in the fragment, deleted rows counted. A fragment has at most 2^32 rows, a sequence
/// may be longer (and is then good for nothing but being reported), so positions are 64 bits wide
/// where no RowOffset is meant.
class RowIdSequence {
 public:
  /// The empty sequence.
  RowIdSequence();
  /// See DecodeRowIdSequence.
  static arrow::Result<RowIdSequence> Open(std::string_view bytes,
                                           std::shared_ptr<const void> owner);

  /// Number of ids. Cost: constant; the first call counts the ones of bitmaps.
  uint64_t size() const;
  bool empty() const { return size() == 0; }

  /// Id of the row at `offset`, which must be below size(). Cost: logarithmic after a first pass
  /// over the segment.
  RowId Get(RowOffset offset) const;
  /// The same for any offset. Errors: kInvalidArgument when it is not below size().
  arrow::Result<RowId> At(RowOffset offset) const;

  /// Position of `id`, the first if a corrupt sequence lists it twice; nothing if it is absent (or
  /// lies beyond 2^32 rows). Cost: segments are tried in order, each in constant or logarithmic
  /// time after a first pass, an unsorted array in one pass each time. Use a RowIdIndex for many
  /// look-ups.
  std::optional<RowOffset> PositionOf(RowId id) const;

  /// Writes the ids at [begin, begin + out.size()) to `out`. Cost: about a nanosecond an id, plus
  /// one search for `begin`. Errors: kInvalidArgument beyond the end; kCorrupt if the ids are not
  /// what the header promised, so far as they show it.
  arrow::Status Read(uint64_t begin, std::span<uint64_t> out) const;
  /// All ids. Errors: as Read; kTooLarge beyond `rows_max`: a range of 2^64 ids takes ten bytes on
  /// disk.
  arrow::Result<std::vector<uint64_t>> ToVector(uint64_t rows_max = uint64_t{1} << 32) const;

  /// Checks everything that decoding leaves to later: order of holes and sorted arrays. Cost: one
  /// pass over the bytes at memory speed. Errors: kCorrupt with the offset.
  arrow::Status Validate() const;

  /// The encoded bytes, valid as long as any copy of the sequence. Never allocates.
  std::string_view encoded() const;
  /// Segments in memory: as on disk, but for runs of ranges, which are folded into one.
  std::span<const Segment> segments() const;
  /// Segments on disk.
  uint64_t num_wire_segments() const;
  /// Describes the first `count_max` segments on disk. Cost: a pass over what it describes.
  std::vector<SegmentDescription> Describe(size_t count_max = ~size_t{0}) const;

  /// Bounds of the ids, exact. Cost: a pass over unsorted arrays, otherwise the ends of each
  /// segment.
  std::optional<ValueBounds> Bounds() const;

  /// The same sequence over another copy of its bytes; what look-ups have made and will make is
  /// shared.
  RowIdSequence Rebind(std::string_view same_bytes, std::shared_ptr<const void> owner) const;

  /// Bytes held beyond encoded(): headers and what look-ups have made so far.
  uint64_t memory_bytes() const;

  /// The ids at [begin, begin + count), each piece of a segment in the form chosen anew. Cost: what
  /// it copies. Errors: kInvalidArgument beyond the end; kCorrupt as Read.
  arrow::Result<RowIdSequence> Slice(uint64_t begin, uint64_t count,
                                     FormChoice choice = FormChoice::kSmallest) const;
  /// The sequence without the rows at `offsets`, which ascend strictly. Segments that lose rows get
  /// their form chosen anew, empty ones go. Errors: kInvalidArgument for offsets that do not ascend
  /// or lie beyond the end.
  arrow::Result<RowIdSequence> Mask(std::span<const uint32_t> offsets,
                                    FormChoice choice = FormChoice::kSmallest) const;

  /// Position of `id` inside of one segment. Cost: as FindInSegment; absent ids make no
  /// SegmentIndex, and without `may_index` one is made only where searching needs it.
  std::optional<uint64_t> FindIn(size_t segment, RowId id, bool may_index = true) const;
  /// The SegmentIndex for a search, or null while the segment is better searched without. Counts
  /// the searches, and makes the index once there were some; at once where searching needs it.
  const SegmentIndex* IndexForSearch(size_t segment) const;
  /// SegmentIndex of a segment: made at the first call where reading needs it, otherwise empty
  /// until searches make it.
  const SegmentIndex& IndexOf(size_t segment) const;
  /// Position of the first row of a segment; the entry behind the last is size().
  uint64_t FirstPosition(size_t segment) const;
  /// The segment that holds the row at `position`, which is below size().
  size_t SegmentAt(uint64_t position) const;

 private:
  struct Body;
  explicit RowIdSequence(std::shared_ptr<const Body> body) : body_(std::move(body)) {}

  std::shared_ptr<const Body> body_;
};

/// Opens a sequence in place: reads the headers of its segments, not their bodies. Borrows `bytes`,
/// which `owner` keeps alive. What a header can show to be wrong is refused here; order inside of
/// bodies is checked by Validate(), and by whatever reads them in bulk. Cost: the number of
/// segments. Errors: kCorrupt with the offset.
arrow::Result<RowIdSequence> DecodeRowIdSequence(std::string_view bytes,
                                                 std::shared_ptr<const void> owner);
/// The same for bytes to be kept by the sequence itself.
arrow::Result<RowIdSequence> DecodeRowIdSequence(std::string bytes);

/// `first` followed by `second`. Two ranges that meet become one; nothing else changes.
arrow::Result<RowIdSequence> Extend(const RowIdSequence& first, const RowIdSequence& second);

/// Cuts the ids of `sequences`, one after the other, into one sequence for each of `sizes`. With
/// `allow_incomplete` the ids may end before the sizes do: the last sequences are then short or
/// empty. Errors: kInvalidArgument if the total does not fit; kCorrupt as Read.
arrow::Result<std::vector<RowIdSequence>> Rechunk(std::span<const RowIdSequence> sequences,
                                                  std::span<const uint64_t> sizes,
                                                  bool allow_incomplete,
                                                  FormChoice choice = FormChoice::kSmallest);

}  // namespace pennon
