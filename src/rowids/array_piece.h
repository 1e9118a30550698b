/// \file
/// Chosen values of an array segment, handled in blocks rather than run by run: what masking and
/// slicing of arrays is made of. Spec: format/row-ids.md, headings 1 and 2.
#pragma once

#include <cstdint>
#include <span>

#include "rowids/packed_array.h"
#include "rowids/segment_encoder.h"

namespace pennon {

/// Rows [position, position + count) of a segment but for those at `removed`, which ascend
/// strictly, lie among them, and are counted from `removed_origin` rows before the segment's start.
struct PieceRows {
  uint64_t position = 0;
  uint64_t count = 0;
  std::span<const uint32_t> removed = {};
  uint64_t removed_origin = 0;

  uint64_t num_kept() const { return count - removed.size(); }
};

/// The kept values. Borrows the array.
class ArrayPiece {
 public:
  /// `rows` lie inside of the array. Cost: a pass over the array at memory speed, seldom two.
  ArrayPiece(const PackedArray& array, const PieceRows& rows);

  /// What the choice of a form for the values depends on.
  const RunStatistics& statistics() const { return statistics_; }

  /// Writes the values as offsets of `width` bytes from the smallest; with 8 bytes as they are.
  void WriteValues(uint8_t width, char* to) const;
  /// Sets the bits of ascending values in a bitmap of zeros, of which bit 0 is the smallest value
  /// and the last bit the largest.
  void WriteBitmap(char* to) const;

 private:
  const PackedArray array_;
  const PieceRows rows_;
  RunStatistics statistics_;
  /// Whether the removed values ascend among the others, too.
  bool all_ascending_ = false;
};

}  // namespace pennon
