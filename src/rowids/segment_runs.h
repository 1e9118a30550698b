/// \file
/// The ids of a segment as runs of consecutive ids, in row order: what slicing, masking, choosing a
/// form and bulk reading are made of. Nothing is ever allocated by the span of a segment. Spec:
/// format/row-ids.md, headings 1 and 2.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "rowids/segment.h"

namespace pennon {

namespace internal {

template <typename Fn>
uint64_t ForEachRunOfHoles(const Segment& segment, const SegmentIndex& index, uint64_t position,
                           uint64_t count, Fn&& fn) {
  // From the start on, every hole is walked over, which shows disorder; elsewhere a search finds
  // the place.
  uint64_t value = position == 0 ? segment.start : ValueInSegment(segment, index, position);
  uint64_t done = 0;
  for (uint64_t k = value - segment.start - position; done < count && k < segment.array.count;
       ++k) {
    const uint64_t hole = segment.array[k];
    if (hole < value) return done;  // not ascending
    const uint64_t length = std::min(hole - value, count - done);
    if (length > 0) fn(value, length);
    done += length;
    value = hole + 1;
  }
  const uint64_t left = std::min(count - done, segment.end - std::min(segment.end, value));
  if (left > 0) fn(value, left);
  return done + left;
}

template <typename Fn>
uint64_t ForEachRunOfArray(const Segment& segment, uint64_t position, uint64_t count, Fn&& fn) {
  constexpr uint64_t kIdsAtOnce = 512;
  std::array<uint64_t, kIdsAtOnce> ids;
  for (uint64_t done = 0; done < count;) {
    const uint64_t part = std::min(count - done, kIdsAtOnce);
    ReadPacked(segment.array, position + done, std::span(ids).first(part));
    for (uint64_t i = 0; i < part;) {
      const uint64_t first = ids[i];
      uint64_t length = 1;
      // 0 never continues a run: it can only follow the largest id by wrapping around.
      while (i + length < part && first + length != 0 && ids[i + length] == first + length)
        ++length;
      fn(first, length);
      i += length;
    }
    done += part;
  }
  return count;
}

template <typename Fn>
uint64_t ForEachRunOfRangeRun(const Segment& segment, const SegmentIndex& index, uint64_t position,
                              uint64_t count, Fn&& fn) {
  const auto& positions = index.positions;
  auto range = static_cast<size_t>(std::upper_bound(positions.begin(), positions.end(), position) -
                                   positions.begin()) -
               1;
  for (uint64_t done = 0; done < count; ++range) {
    const uint64_t skip = position + done - positions[range];
    const uint64_t length =
        std::min<uint64_t>(positions[range + 1] - positions[range] - skip, count - done);
    fn(segment.start + index.starts[range] + skip, length);
    done += length;
  }
  return count;
}

}  // namespace internal

/// Calls `fn(first_id, length)` for the ids at [position, position + count), which lie inside of
/// the segment. Runs are not empty; two that follow each other may touch. Returns the number of ids
/// given out: less than `count` only if the body is corrupt.
template <typename Fn>
uint64_t ForEachRun(const Segment& segment, const SegmentIndex& index, uint64_t position,
                    uint64_t count, Fn&& fn) {
  if (count == 0) return 0;
  switch (segment.form) {
    case SegmentForm::kRange:
      fn(segment.start + position, count);
      return count;
    case SegmentForm::kRangeWithHoles:
      return internal::ForEachRunOfHoles(segment, index, position, count, fn);
    case SegmentForm::kRangeWithBitmap: {
      uint64_t left = count;
      ForEachOneRun(segment.bitmap, Select(segment.bitmap, index.ranks, position),
                    [&](uint64_t bit, uint64_t length) {
                      length = std::min(length, left);
                      fn(segment.start + bit, length);
                      left -= length;
                      return left > 0;
                    });
      return count - left;
    }
    case SegmentForm::kRangeRun:
      return internal::ForEachRunOfRangeRun(segment, index, position, count, fn);
    default:
      return internal::ForEachRunOfArray(segment, position, count, fn);
  }
}

/// As ForEachRun without the rows at `removed`, which ascend strictly and lie among those asked
/// for. They are counted so that the row at `position` has the number `first_number`.
template <typename Fn>
uint64_t ForEachRunExcept(const Segment& segment, const SegmentIndex& index, uint64_t position,
                          uint64_t count, std::span<const uint32_t> removed, uint64_t first_number,
                          Fn&& fn) {
  uint64_t number = first_number;
  auto next = removed.begin();
  const uint64_t given =
      ForEachRun(segment, index, position, count, [&](uint64_t first, uint64_t length) {
        uint64_t done = 0;
        for (; next != removed.end() && *next < number + length; ++next) {
          const uint64_t cut = *next - number;
          if (cut > done) fn(first + done, cut - done);
          done = cut + 1;
        }
        if (done < length) fn(first + done, length - done);
        number += length;
      });
  return given - static_cast<uint64_t>(next - removed.begin());
}

/// Writes the ids at [position, position + out.size()), which lie inside of the segment. Returns
/// the number written: less than asked only if the body is corrupt.
uint64_t ReadSegmentValues(const Segment& segment, const SegmentIndex& index, uint64_t position,
                           std::span<uint64_t> out);

}  // namespace pennon
