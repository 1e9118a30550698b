/// \file
/// Chosen rows of a bitmap segment, cut out word by word. Spec: format/row-ids.md, headings 1
/// and 2.
#pragma once

#include <cstdint>
#include <vector>

#include "rowids/array_piece.h"
#include "rowids/bitmap_view.h"
#include "rowids/segment_encoder.h"

namespace pennon {

/// The ones of a bitmap that stand for the kept rows.
class BitmapPiece {
 public:
  /// `start` is the id of bit 0; `rows` lie inside and are not all removed. Cost: one pass over the
  /// words between the first and the last row.
  BitmapPiece(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t start,
              const PieceRows& rows);

  const RunStatistics& statistics() const { return statistics_; }
  /// Writes the bitmap of the kept ids from the smallest to the largest, whole bytes.
  void WriteBody(char* to) const;

 private:
  void Remove(const BitmapView& bitmap, const BitmapRanks& ranks, const PieceRows& rows);
  void Describe(uint64_t start, const PieceRows& rows);

  std::vector<uint64_t> words_;
  uint64_t first_word_ = 0;    // of the bitmap, in words_[0]
  uint64_t smallest_bit_ = 0;  // in words_
  RunStatistics statistics_;
};

}  // namespace pennon
