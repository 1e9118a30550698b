/// \file
/// A compressed set of 32-bit numbers: row offsets of one fragment, or fragment ids of an index.
/// Immutable, cheap to copy, safe to share between threads. Memory follows the number of values,
/// never their span, and is near the size of the portable roaring encoding (at worst three times it
/// plus 12 bytes a chunk of 65536 values).
/// Spec: format/table.md, headings 3 (deletion files) and 10 (fragment_bitmap).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rowset/roaring_chunk.h"

namespace pennon {

struct RoaringChunks;

/// Half-open range [begin, end) of 32-bit numbers; wide enough for an end of 2^32.
struct ValueRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  bool operator==(const ValueRange&) const = default;
};

class RoaringSet {
 public:
  /// The empty set.
  RoaringSet() = default;
  explicit RoaringSet(std::shared_ptr<const RoaringChunks> chunks) : chunks_(std::move(chunks)) {}

  /// Makes a set from values that are strictly ascending. One pass.
  static RoaringSet FromSorted(std::span<const uint32_t> values);
  /// Makes a set from values in any order, duplicates allowed. Sorts unless they are sorted
  /// already.
  static RoaringSet FromUnsorted(std::vector<uint32_t> values);
  /// Makes the set of all values of `range`, range.end <= 2^32. Constant work for 65536 values.
  static RoaringSet FromRange(ValueRange range);

  bool empty() const { return chunks_ == nullptr; }
  uint64_t count() const;
  /// Smallest and largest value; only of a set that is not empty.
  uint32_t min() const;
  uint32_t max() const;

  /// Constant time: at most 16 probes for the chunk (usually one) and 12 inside it.
  bool Contains(uint32_t value) const;
  /// Returns the number of values below `value` (up to 2^32). Constant time, as Contains.
  uint64_t Rank(uint64_t value) const;
  /// Returns the k-th (from 0) number that is not in the set, 2^32 or more when all below 2^32 are
  /// used up. Constant time, as Contains.
  uint64_t SelectAbsent(uint64_t k) const;

  /// Says whether each value is in `other` too. Work follows this set's size.
  bool IsSubsetOf(const RoaringSet& other) const;
  bool operator==(const RoaringSet& other) const;

  /// Returns all values, ascending; 4 bytes each, so only for sets that are known to be small.
  std::vector<uint32_t> ToVector() const;

  size_t memory_bytes() const;
  /// The parts, for the codec and the set algebra; null for the empty set.
  const RoaringChunks* chunks() const { return chunks_.get(); }

 private:
  std::shared_ptr<const RoaringChunks> chunks_;
};

/// Walks the maximal runs of consecutive values of a set inside a range, ascending. Keeps the set
/// alive. No allocation; work follows the number of runs.
class RoaringRunCursor {
 public:
  explicit RoaringRunCursor(RoaringSet set, ValueRange within = {0, uint64_t{1} << 32});
  /// Gives the next run; false when there is none.
  bool Next(ValueRange* run);

 private:
  bool NextInChunks(ValueRange* run);

  RoaringSet set_;
  uint64_t end_;
  size_t chunk_ = 0;
  ChunkRunCursor cursor_;
  ValueRange pending_;
};

}  // namespace pennon
