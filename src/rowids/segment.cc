#include "rowids/segment.h"

#include <fmt/format.h>

#include <algorithm>

#include "pennon/base/error.h"

namespace pennon {
namespace {

// The holes of a segment before its row at `position`: how many of them have at most so many rows
// before them.
uint64_t HolesBefore(const Segment& segment, const SegmentIndex& index, uint64_t position) {
  const PackedArray& holes = segment.array;
  StretchTable::Bounds bounds{0, holes.count};
  if (!index.rows_before_holes.empty()) bounds = index.rows_before_holes.Find(position + 1);
  while (bounds.begin < bounds.end) {
    const uint64_t middle = bounds.begin + (bounds.end - bounds.begin) / 2;
    const uint64_t hole = holes[middle];
    if (hole >= segment.start + middle && hole - segment.start - middle > position) {
      bounds.end = middle;
    } else {
      bounds.begin = middle + 1;
    }
  }
  return bounds.begin;
}

StretchTable TableOfRowsBeforeHoles(const Segment& segment) {
  const PackedArray& holes = segment.array;
  if (holes.count > 0xFFFFFFFFu) return {};
  constexpr uint64_t kPerStretch = 4;
  return WithElementType(holes, [&](auto type) {
    using T = decltype(type);
    return StretchTable(holes.count, kPerStretch, holes.base - segment.start, [&](uint64_t i) {
      return static_cast<T>(LoadLittleEndian<T>(holes.data + i * sizeof(T)) - static_cast<T>(i));
    });
  });
}

// The range of a run that starts last at or before `offset`, if there is one.
std::optional<uint64_t> RangeAtOrBefore(const SegmentIndex& index, uint64_t offset) {
  const PackedArray starts{reinterpret_cast<const char*>(index.starts.data()), index.starts.size(),
                           0, 4};
  const uint64_t next = LowerBound(starts, index.table, offset + 1);
  if (next == 0) return std::nullopt;
  return next - 1;
}

std::optional<uint64_t> FindInRangeRun(const SegmentIndex& index, uint64_t offset) {
  const auto range = RangeAtOrBefore(index, offset);
  if (!range) return std::nullopt;
  const uint64_t position = index.positions[*range] + (offset - index.starts[*range]);
  if (position >= index.positions[*range + 1]) return std::nullopt;
  return position;
}

}  // namespace

std::string_view SegmentFormName(SegmentForm form) {
  switch (form) {
    case SegmentForm::kRangeWithHoles:
      return "range_with_holes";
    case SegmentForm::kRangeWithBitmap:
      return "range_with_bitmap";
    case SegmentForm::kSortedArray:
      return "sorted_array";
    case SegmentForm::kArray:
      return "array";
    default:
      return "range";
  }
}

SegmentIndex MakeSegmentIndex(const Segment& segment) {
  SegmentIndex index;
  if (segment.form == SegmentForm::kRangeWithBitmap) {
    index.ranks = MakeRanks(segment.bitmap);
  } else if (segment.form == SegmentForm::kRangeRun) {
    index.starts.reserve(segment.num_wire_segments);
    index.positions.reserve(segment.num_wire_segments + 1);
    uint32_t position = 0;
    std::string_view bytes = segment.wire;
    while (!bytes.empty()) {
      // Parsed once already when the run was folded, so it cannot fail now.
      const auto range = TakeWireSegment(&bytes, 0).ValueOr(Segment{});
      index.starts.push_back(static_cast<uint32_t>(range.start - segment.start));
      index.positions.push_back(position);
      position += static_cast<uint32_t>(range.num_rows);
    }
    index.positions.push_back(position);
    const auto& starts = index.starts;
    index.table = MakeTable({reinterpret_cast<const char*>(starts.data()), starts.size(), 0, 4});
  } else if (ProfitsFromIndex(segment)) {
    index.table = MakeTable(segment.array);
    if (segment.form == SegmentForm::kRangeWithHoles)
      index.rows_before_holes = TableOfRowsBeforeHoles(segment);
  }
  return index;
}

arrow::Status ValidateSegmentBody(const Segment& segment, uint64_t origin) {
  const bool holes = segment.form == SegmentForm::kRangeWithHoles;
  if (!holes && segment.form != SegmentForm::kSortedArray) return arrow::Status::OK();
  const auto descent = FirstDescent(segment.array);
  if (!descent) return arrow::Status::OK();
  const uint64_t offset = origin + static_cast<uint64_t>(segment.array.data - segment.wire.data()) +
                          *descent * segment.array.width;
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("row id sequence is corrupt: {} not strictly ascending at byte {}",
                               holes ? "holes are" : "sorted array is", offset));
}

std::optional<ValueBounds> HeaderBounds(const Segment& segment) {
  const auto& array = segment.array;
  switch (segment.form) {
    case SegmentForm::kSortedArray:
      if (array.empty()) return std::nullopt;
      return ValueBounds{array.front(), array.back()};
    case SegmentForm::kArray: {
      if (array.empty()) return std::nullopt;
      const uint64_t most = array.width == 2   ? 0xFFFFu
                            : array.width == 4 ? 0xFFFFFFFFu
                                               : ~uint64_t{0};
      return ValueBounds{array.base, array.base + std::min(most, ~uint64_t{0} - array.base)};
    }
    default:
      if (segment.start == segment.end || (segment.num_rows == 0 && !segment.is_uncounted()))
        return std::nullopt;
      return ValueBounds{segment.start, segment.end - 1};
  }
}

uint64_t CountRows(const Segment& segment, const SegmentIndex* index) {
  if (!segment.is_uncounted()) return segment.num_rows;
  return index != nullptr ? index->ranks.total : CountOnes(segment.bitmap);
}

std::optional<uint64_t> FindInSegment(const Segment& segment, const SegmentIndex& index,
                                      uint64_t id) {
  if (!segment.is_array() && (id < segment.start || id >= segment.end)) return std::nullopt;
  const uint64_t offset = id - segment.start;
  switch (segment.form) {
    case SegmentForm::kRange:
      return offset;
    case SegmentForm::kRangeWithHoles: {
      const uint64_t before = LowerBound(segment.array, index.table, id);
      if (before < segment.array.count && segment.array[before] == id) return std::nullopt;
      // Only a corrupt body has more holes before a place than places, or a position behind the
      // last.
      if (before > offset || offset - before >= segment.num_rows) return std::nullopt;
      return offset - before;
    }
    case SegmentForm::kRangeWithBitmap:
      if (!segment.bitmap.Test(offset)) return std::nullopt;
      return Rank(segment.bitmap, index.ranks, offset);
    case SegmentForm::kRangeRun:
      return FindInRangeRun(index, offset);
    case SegmentForm::kSortedArray: {
      const uint64_t position = LowerBound(segment.array, index.table, id);
      if (position == segment.array.count || segment.array[position] != id) return std::nullopt;
      return position;
    }
    case SegmentForm::kArray:
      return FindAnyOrder(segment.array, id);
  }
  return std::nullopt;
}

void PrefetchInSegment(const Segment& segment, const SegmentIndex& index, uint64_t id) {
  if (segment.form == SegmentForm::kRangeWithBitmap && id >= segment.start && id < segment.end) {
    const uint64_t offset = id - segment.start;
    __builtin_prefetch(segment.bitmap.data + offset / 8);
    __builtin_prefetch(&index.ranks.ones_before[offset / 64 / BitmapRanks::kWordsPerBlock]);
  } else if (segment.form != SegmentForm::kRangeRun && !index.table.empty()) {
    // The window around the likely place, of two lines at most but for the widest elements.
    const uint64_t likely = index.table.FindLikely(id).likely;
    const char* const at = segment.array.data + likely * segment.array.width;
    __builtin_prefetch(at - std::min<uint64_t>(likely, 8) * segment.array.width);
    __builtin_prefetch(
        at + std::min<uint64_t>(segment.array.count - likely, 8) * segment.array.width - 1);
  }
}

uint64_t CountBelow(const Segment& segment, const SegmentIndex& index, uint64_t id) {
  if (segment.is_array()) return LowerBound(segment.array, index.table, id);
  if (id <= segment.start) return 0;
  if (id >= segment.end) return CountRows(segment, &index);
  const uint64_t offset = id - segment.start;
  switch (segment.form) {
    case SegmentForm::kRangeWithHoles:
      return std::min(segment.num_rows,
                      offset - std::min(offset, LowerBound(segment.array, index.table, id)));
    case SegmentForm::kRangeWithBitmap:
      return Rank(segment.bitmap, index.ranks, offset);
    case SegmentForm::kRangeRun: {
      const uint64_t range = RangeAtOrBefore(index, offset).value_or(0);
      return std::min<uint64_t>(index.positions[range] + (offset - index.starts[range]),
                                index.positions[range + 1]);
    }
    default:
      return offset;
  }
}

uint64_t ValueInSegment(const Segment& segment, const SegmentIndex& index, uint64_t position) {
  switch (segment.form) {
    case SegmentForm::kRange:
      return segment.start + position;
    case SegmentForm::kRangeWithHoles:
      return segment.start + position + HolesBefore(segment, index, position);
    case SegmentForm::kRangeWithBitmap:
      return segment.start + Select(segment.bitmap, index.ranks, position);
    case SegmentForm::kRangeRun: {
      const auto next = std::upper_bound(index.positions.begin(), index.positions.end(), position);
      const auto range = static_cast<size_t>(next - index.positions.begin()) - 1;
      return segment.start + index.starts[range] + (position - index.positions[range]);
    }
    default:
      return segment.array[position];
  }
}

}  // namespace pennon
