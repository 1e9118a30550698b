#include "rowids/array_piece.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/little_endian.h"

namespace pennon {
namespace {

constexpr uint64_t kBlock = 1024;
/// Short stretches between removed rows are copied as one of this length.
constexpr uint64_t kShort = 16;

/// Calls `fn(begin, end)` for the stretches of positions between removed rows.
template <typename Fn>
void ForEachStretch(const PieceRows& rows, Fn&& fn) {
  uint64_t at = rows.position;
  for (const uint32_t removed : rows.removed) {
    const uint64_t position = removed - rows.removed_origin;
    fn(at, position);
    at = position + 1;
  }
  fn(at, rows.position + rows.count);
}

/// Calls `fn(span of T)` for the kept values, block after block, as they lie in the array.
template <typename T, typename Fn>
void ForEachBlock(const PackedArray& array, const PieceRows& rows, Fn&& fn) {
  std::array<T, kBlock + kShort> block;
  uint64_t filled = 0;
  const auto flush = [&] {
    if (filled != 0) fn(std::span<const T>(block.data(), filled));
    filled = 0;
  };
  const auto take = [&](uint64_t begin, uint64_t end) {
    if (end - begin <= kShort && begin + kShort <= array.count) {
      if (filled >= kBlock) flush();
      std::memcpy(block.data() + filled, array.data + begin * sizeof(T), kShort * sizeof(T));
      filled += end - begin;
      return;
    }
    while (begin < end) {
      if (filled >= kBlock) flush();
      const uint64_t part = std::min(end - begin, kBlock - filled);
      std::memcpy(block.data() + filled, array.data + begin * sizeof(T), part * sizeof(T));
      filled += part;
      begin += part;
    }
  };
  ForEachStretch(rows, take);
  flush();
}

/// Copies the kept values as they lie.
template <typename T>
void CopyKept(const PackedArray& array, const PieceRows& rows, char* to) {
  char* const end_of_room = to + rows.num_kept() * sizeof(T);
  ForEachStretch(rows, [&](uint64_t begin, uint64_t end) {
    const char* const from = array.data + begin * sizeof(T);
    const uint64_t size = (end - begin) * sizeof(T);
    if (end - begin <= kShort && begin + kShort <= array.count &&
        to + kShort * sizeof(T) <= end_of_room) {
      std::memcpy(to, from, kShort * sizeof(T));
    } else {
      std::memcpy(to, from, size);
    }
    to += size;
  });
}

template <typename T>
class Collector {
 public:
  void Add(std::span<const T> values) {
    T smallest = values[0];
    T largest = values[0];
    T descents = static_cast<T>(has_last_ && values[0] <= last_ ? 1 : 0);  // few values: fits
    for (size_t i = 1; i < values.size(); ++i) {
      smallest = std::min(smallest, values[i]);
      largest = std::max(largest, values[i]);
      descents = static_cast<T>(descents + (values[i] <= values[i - 1] ? 1 : 0));
    }
    smallest_ = has_last_ ? std::min(smallest_, smallest) : smallest;
    largest_ = has_last_ ? std::max(largest_, largest) : largest;
    num_descents_ += descents;
    if (num_descents_ == 0) FindHoles(values);
    last_ = values.back();
    has_last_ = true;
    count_ += values.size();
  }

  /// Values that do not lie above the one before.
  uint64_t num_descents() const { return num_descents_; }

  RunStatistics Finish(uint64_t base) const {
    RunStatistics statistics;
    statistics.count = count_;
    statistics.ascending = num_descents_ == 0;
    if (count_ == 0) return statistics;
    statistics.smallest = base + smallest_;
    statistics.largest = base + largest_;
    if (has_hole_) {
      statistics.first_hole = base + first_hole_;
      statistics.last_hole = base + last_hole_;
    }
    return statistics;
  }

 private:
  void FindHoles(std::span<const T> values) {
    const auto before = [&](size_t i) { return i == 0 ? last_ : values[i - 1]; };
    const size_t begin = has_last_ ? 0 : 1;
    const uint64_t span = values.back() - (has_last_ ? last_ : values[0]);
    if (span == values.size() - begin) return;
    if (!has_hole_) {
      size_t i = begin;
      while (values[i] - before(i) == 1) ++i;
      first_hole_ = static_cast<T>(before(i) + 1);
      has_hole_ = true;
    }
    size_t i = values.size() - 1;
    while (values[i] - before(i) == 1) --i;
    last_hole_ = static_cast<T>(values[i] - 1);
  }

  uint64_t count_ = 0;
  T smallest_ = 0;
  T largest_ = 0;
  T first_hole_ = 0;
  T last_hole_ = 0;
  T last_ = 0;
  bool has_last_ = false;
  bool has_hole_ = false;
  uint64_t num_descents_ = 0;
};

template <typename T, typename Out>
void WriteOffsets(const PackedArray& array, const PieceRows& rows, uint64_t base, char* to) {
  const auto shift = static_cast<Out>(array.base - base);
  if (sizeof(T) == sizeof(Out) && shift == 0) return CopyKept<T>(array, rows, to);
  ForEachBlock<T>(array, rows, [&](std::span<const T> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<Out>(static_cast<Out>(values[i]) + shift);
      StoreLittleEndian<Out>(to + i * sizeof(Out), value);
    }
    to += values.size() * sizeof(Out);
  });
}

template <typename T>
void WriteFrom(const PackedArray& array, const PieceRows& rows, uint8_t width, uint64_t base,
               char* to) {
  switch (width) {
    case 2:
      return WriteOffsets<T, uint16_t>(array, rows, base, to);
    case 4:
      return WriteOffsets<T, uint32_t>(array, rows, base, to);
    default:
      return WriteOffsets<T, uint64_t>(array, rows, 0, to);
  }
}

template <typename T>
Collector<T> Collect(const PackedArray& array, const PieceRows& rows) {
  Collector<T> collector;
  ForEachBlock<T>(array, rows, [&](std::span<const T> values) { collector.Add(values); });
  return collector;
}

/// The rows from the first that is kept to the last, and what is removed between them.
PieceRows Trimmed(PieceRows rows) {
  auto& removed = rows.removed;
  while (!removed.empty() && removed.front() - rows.removed_origin == rows.position) {
    removed = removed.subspan(1);
    ++rows.position;
    --rows.count;
  }
  while (!removed.empty() &&
         removed.back() - rows.removed_origin + 1 == rows.position + rows.count) {
    removed = removed.first(removed.size() - 1);
    --rows.count;
  }
  return rows;
}

/// Adds removed rows between the kept ones of an ascending array to its holes.
void AddRemoved(const PackedArray& array, const PieceRows& rows, RunStatistics* statistics) {
  const uint64_t first = array[rows.removed.front() - rows.removed_origin];
  const uint64_t last = array[rows.removed.back() - rows.removed_origin];
  const bool has_holes = statistics->num_holes() != 0;
  statistics->first_hole = has_holes ? std::min(statistics->first_hole, first) : first;
  statistics->last_hole = has_holes ? std::max(statistics->last_hole, last) : last;
  statistics->count -= rows.removed.size();
}

/// True if a removed value is the smallest or the largest of all.
bool RemovesBound(const PackedArray& array, const PieceRows& rows, const RunStatistics& all) {
  bool removes = false;
  for (const uint32_t removed : rows.removed) {
    const uint64_t value = array[removed - rows.removed_origin];
    removes |= value == all.smallest || value == all.largest;
  }
  return removes;
}

struct Described {
  RunStatistics statistics;
  bool all_ascending = false;
};

/// Looks at all values first, which is quicker than to look at the kept ones alone, and at these
/// only if that does not tell. `rows` are trimmed.
template <typename T>
Described Describe(const PackedArray& array, const PieceRows& rows) {
  const Collector<T> all = Collect<T>(array, {rows.position, rows.count});
  Described described{all.Finish(array.base), all.num_descents() == 0};
  if (rows.removed.empty()) return described;
  if (described.all_ascending) {
    AddRemoved(array, rows, &described.statistics);
  } else if (all.num_descents() > 2 * rows.removed.size() &&
             !RemovesBound(array, rows, described.statistics)) {
    // A removed value takes two descents away at most: some are left.
    described.statistics.count -= rows.removed.size();
  } else {
    described.statistics = Collect<T>(array, rows).Finish(array.base);
  }
  return described;
}

/// A bitmap of which whole words are changed where there are any.
class BitWriter {
 public:
  BitWriter(char* bytes, uint64_t num_bytes) : bytes_(bytes), words_end_(num_bytes / 8 * 64) {}

  template <bool kSet>
  void Write(uint64_t bit) const {
    if (bit < words_end_) [[likely]] {
      char* const at = bytes_ + bit / 64 * 8;
      const auto word = LoadLittleEndian<uint64_t>(at);
      const uint64_t mask = uint64_t{1} << (bit % 64);
      StoreLittleEndian<uint64_t>(at, kSet ? word | mask : word & ~mask);
    } else {
      const auto byte = static_cast<uint8_t>(bytes_[bit / 8]);
      const unsigned mask = 1u << (bit % 8);
      bytes_[bit / 8] = static_cast<char>(kSet ? byte | mask : byte & ~mask);
    }
  }

 private:
  char* const bytes_;
  const uint64_t words_end_;  // the first bit that lies in no whole word
};

}  // namespace

ArrayPiece::ArrayPiece(const PackedArray& array, const PieceRows& rows)
    : array_(array), rows_(Trimmed(rows)) {
  const Described described =
      WithElementType(array, [&](auto type) { return Describe<decltype(type)>(array_, rows_); });
  statistics_ = described.statistics;
  all_ascending_ = described.all_ascending;
}

void ArrayPiece::WriteValues(uint8_t width, char* to) const {
  WithElementType(array_, [&](auto type) {
    WriteFrom<decltype(type)>(array_, rows_, width, statistics_.smallest, to);
  });
}

void ArrayPiece::WriteBitmap(char* to) const {
  // Bits of removed values are set with the others and taken away again, if all of them ascend.
  PieceRows to_set = rows_;
  if (all_ascending_) to_set.removed = {};
  const BitWriter writer(to, statistics_.bitmap_bytes());
  WithElementType(array_, [&](auto type) {
    using T = decltype(type);
    const uint64_t base = array_.base - statistics_.smallest;
    ForEachBlock<T>(array_, to_set, [&](std::span<const T> values) {
      for (const T value : values) writer.Write<true>(base + value);
    });
  });
  if (!all_ascending_) return;
  for (const uint32_t removed : rows_.removed)
    writer.Write<false>(array_[removed - rows_.removed_origin] - statistics_.smallest);
}

}  // namespace pennon
