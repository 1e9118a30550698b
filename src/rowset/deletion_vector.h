/// \file
/// The deleted row offsets of one fragment: immutable, cheap to copy, safe to share between
/// threads.
/// Spec: format/table.md, heading 3 (deletion files).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pennon/base/ids.h"
#include "rowset/roaring_set.h"

namespace pennon {

/// Which of the two file forms the set came from or will be written in. Says nothing about memory.
enum class DeletionForm : uint8_t { kArray, kBitmap };

/// Half-open range [begin, end) of row offsets; 64 bits so that an end of 2^32 fits.
using OffsetRange = ValueRange;

class DeletionVector {
 public:
  /// No deletions.
  DeletionVector() = default;
  DeletionVector(RoaringSet offsets, DeletionForm form)
      : offsets_(std::move(offsets)), form_(form) {}

  /// Makes the vector of a fragment's first deletion from offsets in any order, duplicates allowed.
  static DeletionVector FromOffsets(std::vector<uint32_t> offsets);

  bool empty() const { return offsets_.empty(); }
  uint64_t count() const { return offsets_.count(); }
  /// Largest deleted offset; only of a vector that is not empty.
  RowOffset max() const { return RowOffset{offsets_.max()}; }
  DeletionForm form() const { return form_; }
  const RoaringSet& offsets() const { return offsets_; }

  /// Constant time, as Rank and LiveOffset.
  bool Contains(RowOffset offset) const { return offsets_.Contains(ToInteger(offset)); }
  /// Returns the number of deleted rows below `offset` (up to 2^32).
  uint64_t Rank(uint64_t offset) const { return offsets_.Rank(offset); }
  /// Returns the number of live rows in [begin, end).
  uint64_t CountLive(OffsetRange range) const {
    return range.size() - (Rank(range.end) - Rank(range.begin));
  }
  /// Returns the offset of the k-th (from 0) live row, as if the fragment had no end; none past
  /// 2^32 - 1.
  std::optional<RowOffset> LiveOffset(uint64_t k) const;

  /// Returns the maximal ranges of live offsets inside `range`, ascending: what a scan selects.
  /// Memory: 16 bytes a range, at most one more than there are deleted rows in `range`.
  std::vector<OffsetRange> LiveRanges(OffsetRange range) const;

  bool IsSubsetOf(const DeletionVector& other) const { return offsets_.IsSubsetOf(other.offsets_); }
  /// Returns the deletions of both. The form follows the rule for growing files: once a bitmap, or
  /// more than 5000 offsets, always a bitmap.
  DeletionVector Union(const DeletionVector& other) const;

  /// Compares the sets; the form does not matter.
  bool operator==(const DeletionVector& other) const { return offsets_ == other.offsets_; }
  size_t memory_bytes() const { return sizeof(*this) + offsets_.memory_bytes(); }

 private:
  RoaringSet offsets_;
  DeletionForm form_ = DeletionForm::kArray;
};

/// Walks the runs of live offsets inside a range, ascending, without allocating.
class LiveRangeCursor {
 public:
  LiveRangeCursor(const DeletionVector& deletions, OffsetRange within)
      : dead_(deletions.offsets(), within), next_(within.begin), end_(within.end) {}
  /// Gives the next maximal run; false when there is none.
  bool Next(OffsetRange* run);

 private:
  RoaringRunCursor dead_;
  uint64_t next_;
  uint64_t end_;
};

}  // namespace pennon
