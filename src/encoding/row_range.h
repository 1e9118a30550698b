/// \file
/// Which rows of a column are wanted: sorted, disjoint half-open ranges. A scan asks for one range,
/// a take for as many as there are runs of neighbouring rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pennon {

/// Rows [begin, end), counted from the start of a column, or of a page where stated.
struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// Ascending, disjoint, none empty.
using RowRanges = std::vector<RowRange>;

/// Returns how many rows the ranges hold.
inline uint64_t CountRows(std::span<const RowRange> ranges) {
  uint64_t rows = 0;
  for (const RowRange& range : ranges) rows += range.size();
  return rows;
}

/// Returns the ranges of strictly ascending row offsets; neighbours become one range.
inline RowRanges RangesOfOffsets(std::span<const uint32_t> offsets) {
  RowRanges ranges;
  for (const uint32_t offset : offsets) {
    if (!ranges.empty() && ranges.back().end == offset) {
      ++ranges.back().end;
    } else {
      ranges.push_back({offset, uint64_t{offset} + 1});
    }
  }
  return ranges;
}

}  // namespace pennon
