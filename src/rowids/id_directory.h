/// \file
/// Which of many intervals of ids hold an id: intervals in order of their smallest id, searched by
/// prefix table, with the largest ids of whole blocks above them where intervals overlap. Spec:
/// design.md, heading 3 (the directory); format/row-ids.md, heading 6.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rowids/stretch_table.h"

namespace pennon {

/// Built once, then read by any number of threads.
class IdDirectory {
 public:
  struct Entry {
    uint64_t smallest = 0;
    uint64_t largest = 0;  ///< Inclusive.
    /// Not looked at; what the entry stands for.
    uint32_t what = 0;
    uint32_t where = 0;
  };

  /// Takes entries in any order. Cost: a sort, unless they ascend already.
  explicit IdDirectory(std::vector<Entry> entries);
  IdDirectory() = default;

  size_t size() const { return rest_.size(); }
  Entry entry(size_t i) const {
    return {smallest_[i], rest_[i].largest, rest_[i].what, rest_[i].where};
  }
  uint64_t smallest(size_t i) const { return smallest_[i]; }
  uint64_t largest(size_t i) const { return rest_[i].largest; }
  uint32_t what(size_t i) const { return rest_[i].what; }
  uint32_t where(size_t i) const { return rest_[i].where; }
  /// Entries whose smallest id is at most `id`: they are [0, result).
  size_t CountStartingAtOrBelow(uint64_t id) const {
    if (table_.empty()) return CountFew(id);
    if (id == ~uint64_t{0}) return size();
    return CountAmong(id, table_.Find(id + 1));
  }
  /// The same when it is likely to be `hint`, as for an id near the last one.
  size_t CountStartingAtOrBelow(uint64_t id, size_t hint) const {
    const bool fits =
        hint > 0 && smallest_[hint - 1] <= id && (hint == size() || id < smallest_[hint]);
    return fits ? hint : CountStartingAtOrBelow(id);
  }
  /// Whether no id lies in two entries.
  bool disjoint() const { return levels_.empty(); }
  /// Largest number of entries that hold one id. Cost: a sort.
  uint64_t OverlapDepth() const;
  uint64_t memory_bytes() const;

  /// Calls `fn(i)` for every entry that holds `id`, ascending, until it returns false; `starting`
  /// is CountStartingAtOrBelow(id). Cost: the number of such entries, each times the height of the
  /// levels.
  template <typename Fn>
  void ForEachHolding(uint64_t id, size_t starting, Fn&& fn) const {
    if (starting == 0) return;
    if (disjoint()) {
      if (rest_[starting - 1].largest >= id) fn(starting - 1);
      return;
    }
    const size_t top = levels_.size() - 1;
    Visit(id, starting, top, 0, levels_[top].size(), fn);
  }

 private:
  static constexpr size_t kFanOut = 16;
  static constexpr size_t kSearchedWithout = 16;  // entries without a table
  static constexpr size_t kWindow = 4;
  static constexpr size_t kCountedAtOnce = 64;
  struct Rest {
    uint64_t largest;
    uint32_t what;
    uint32_t where;
  };

  void BuildLevels();

  // How many of few_ are at most `id`: all of them are looked at, in a dozen instructions.
  size_t CountFew(uint64_t id) const {
    if (num_few_ <= 1) return few_[0] <= Signed(id) ? num_few_ : 0;
#if defined(__AVX2__)
    const __m256i pivot = _mm256_set1_epi64x(Signed(id));
    const auto above = [&](size_t i) {
      return _mm256_cmpgt_epi64(
          _mm256_load_si256(reinterpret_cast<const __m256i*>(few_.data() + i)), pivot);
    };
    // Eight bytes of ones for each value above become two.
    const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(above(0), above(4)),
                                              _mm256_packs_epi32(above(8), above(12)));
    const auto bits = static_cast<uint32_t>(_mm256_movemask_epi8(packed));
    const size_t count = kSearchedWithout - static_cast<size_t>(std::popcount(bits)) / 2;
#else
    size_t count = 0;
    for (const int64_t smallest : few_) count += smallest <= Signed(id) ? 1 : 0;
#endif
    // The padding is the largest number there is, which may be asked for.
    return count < num_few_ ? count : num_few_;
  }
  // In the same order, as the processor compares numbers.
  static int64_t Signed(uint64_t id) { return static_cast<int64_t>(id ^ (uint64_t{1} << 63)); }

  // How many of kWindow values are at most `id`.
  static uint64_t CountAtMost(const uint64_t* values, uint64_t id) {
    using Four = uint64_t __attribute__((vector_size(32)));
    static_assert(kWindow == 4);
    Four four;
    std::memcpy(&four, values, sizeof(four));
    const auto is_more = four > id;  // all ones: -1 each
    return kWindow + static_cast<uint64_t>(is_more[0] + is_more[1] + is_more[2] + is_more[3]);
  }

  // As CountStartingAtOrBelow, for a result that lies in [bounds.begin, bounds.end]. Counts whole
  // windows: a search would end where the processor cannot foresee it.
  size_t CountAmong(uint64_t id, StretchTable::Bounds bounds) const {
    while (bounds.end - bounds.begin > kCountedAtOnce) {
      const uint64_t middle = bounds.begin + (bounds.end - bounds.begin) / 2;
      if (smallest_[middle] <= id) {
        bounds.begin = middle + 1;
      } else {
        bounds.end = middle;
      }
    }
    while (true) {
      const uint64_t starting = CountAtMost(&smallest_[bounds.begin], id);
      if (starting < kWindow || bounds.begin + kWindow >= bounds.end) {
        return std::min<uint64_t>(bounds.begin + starting, size());
      }
      bounds.begin += kWindow;
    }
  }

  // Visits the blocks [begin, end) of a level; level 0 has the largest id of each kFanOut entries.
  template <typename Fn>
  bool Visit(uint64_t id, size_t starting, size_t level, size_t begin, size_t end, Fn& fn) const {
    for (size_t block = begin; block < end; ++block) {
      const size_t first = block * kFanOut;
      if (level == 0 && first >= starting) return true;
      if (levels_[level][block] < id) continue;
      if (level > 0) {
        const size_t stop = first + kFanOut < levels_[level - 1].size() ? first + kFanOut
                                                                        : levels_[level - 1].size();
        if (!Visit(id, starting, level - 1, first, stop, fn)) return false;
        continue;
      }
      const size_t stop = first + kFanOut < starting ? first + kFanOut : starting;
      for (size_t i = first; i < stop; ++i) {
        if (rest_[i].largest >= id && !fn(i)) return false;
      }
    }
    return true;
  }

  // The smallest ids of a directory without a table.
  alignas(32) std::array<int64_t, kSearchedWithout> few_{};
  size_t num_few_ = 0;
  std::vector<uint64_t> smallest_;  // and a window of padding
  std::vector<Rest> rest_;
  StretchTable table_;  // over smallest_, unless there are few
  std::vector<std::vector<uint64_t>> levels_;
};

}  // namespace pennon
