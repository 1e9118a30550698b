/// \file
/// The slots of all ids in one stretch of the id space, merged from many segments into one
/// structure that answers in one or two cache misses. Knows nothing of deletions, so it outlives
/// them. Spec: design.md, heading 3 (the compact merged run). See
/// docs/decisions/102-adaptive-row-id-index.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "rowids/dense_slots.h"
#include "rowids/large_pages.h"
#include "rowids/slot_array.h"
#include "rowids/tile_merge.h"

namespace pennon {

/// Ids [begin, begin + span) and what is known before they are merged.
struct MergePlan {
  uint64_t begin = 0;
  uint64_t span = 0;
  uint64_t num_slots = 0;  ///< At least as many as the walk gives out.
  uint32_t num_fragments = 0;
  uint32_t offset_max = 0;
  bool in_any_order = false;  ///< The walk jumps about in the id space.
};

class MergedRun {
 public:
  /// Takes the ids of consecutive rows, the first of them at `offset`.
  using Taker =
      std::function<void(uint32_t fragment, uint64_t offset, std::span<const uint64_t> ids)>;
  /// Gives all rows of the plan to a taker, in the same way each time.
  using Walk = std::function<void(const Taker&)>;

  /// Merges what `walk` gives out. Ids outside of the plan, and slots beyond what it promised, are
  /// left out. Cost: one or two walks; for ids far apart a sort. Memory: see memory_bytes(), and
  /// 16 bytes a row while ids far apart are sorted.
  static MergedRun Build(const MergePlan& plan, const Walk& walk);

  /// Whether the ids are so dense, and slots of such a size, that BuildDense may be asked.
  static bool IsDense(const MergePlan& plan) {
    return !plan.in_any_order && FormFor(plan) == Form::kDirect &&
           DenseSlots::Fits(plan.num_fragments, plan.offset_max);
  }
  /// As Build, from segments in place of a walk, and several times as quick. Nothing if it would
  /// take more than `bytes_max`, for so many ids have several slots.
  static std::optional<MergedRun> BuildDense(const MergePlan& plan,
                                             std::span<const AscendingRows> rows,
                                             uint64_t bytes_max);

  /// Calls `fn(Slot)` for every slot of `id`.
  template <typename Fn>
  void ForEachSlot(uint64_t id, Fn&& fn) const;
  /// The same for an id of one slot or none: returns how many, or 2 for an id with more.
  uint32_t FindOnly(uint64_t id, Slot* slot) const {
    const uint64_t place = id - begin_;
    if (form_ == Form::kDense) return place < span_ ? dense_.view().Find(place, slot) : 0;
    uint64_t element = 0;
    SlotArray::Element first;
    if (!ElementOf(place, &element) || !slots_.Get(element, &first)) return 0;
    *slot = first.slot;
    return first.has_more ? 2 : 1;
  }

  /// The slots by place, of a run that BuildDense made.
  std::optional<DenseSlots::View> dense() const {
    if (form_ != Form::kDense) return std::nullopt;
    return dense_.view();
  }

  /// In line wherever it is called: GCC takes a function that only fetches ahead for one that does
  /// nothing, and leaves calls of it out.
  __attribute__((always_inline)) void Prefetch(uint64_t id) const {
    const uint64_t place = id - begin_;
    if (place >= span_) return;
    if (form_ == Form::kDense) {
      const auto view = dense_.view();
      __builtin_prefetch(view.data + place * view.bytes_per_slot);
    } else if (form_ == Form::kDirect) {
      slots_.Prefetch(place);
    } else if (form_ == Form::kRanked) {
      __builtin_prefetch(&lines_[place / Line::kPlaces]);
    }
  }

  /// 3 to 12 bytes an id, mostly 3 to 7, and 16 for every slot of an id beyond its first (of a
  /// dense run for every slot of an id that has several); more for ids very far apart from each
  /// other.
  uint64_t memory_bytes() const;

 private:
  enum class Form : uint8_t {
    kDense,   ///< A slot a place in the id space, or all slots of its id in more_.
    kDirect,  ///< One element a place in the id space.
    kRanked,  ///< A bit a place, an element an id.
    kSorted,  ///< Sorted ids beside elements, cut where their high halves change.
  };
  // 384 places, a bit each, in one cache line with the ids before them.
  struct alignas(64) Line {
    static constexpr uint64_t kWords = 6;
    static constexpr uint64_t kPlaces = kWords * 64;
    static constexpr uint64_t kCountBits = 9;
    uint64_t ids_before = 0;
    uint64_t word_counts = 0;  // ids before each of the words, kCountBits each
    uint64_t words[kWords] = {};

    uint64_t Before(uint64_t word) const {
      return ids_before + ((word_counts >> (kCountBits * word)) & ((1u << kCountBits) - 1));
    }
  };
  struct More {
    uint64_t id;
    Slot slot;
  };
  struct Row {
    uint64_t place;
    Slot slot;
  };
  struct Stretch {
    uint64_t high;  // of the places in it
    uint64_t first_element;
  };

  static Form FormFor(const MergePlan& plan);
  void SortMore();
  // Puts all rows into slots_, for forms whose elements are known before.
  void PutAll(const MergePlan& plan, const Walk& walk);
  __attribute__((always_inline)) inline void PrefetchForPut(std::span<const uint64_t> ids,
                                                            size_t i) const;
  void BuildRanked(const MergePlan& plan, const Walk& walk);
  void BuildSorted(const MergePlan& plan, const Walk& walk);
  // Where the first slot of the id at `place` is to be looked for; false if there is none.
  bool ElementOf(uint64_t place, uint64_t* element) const {
    *element = place;
    if (place >= span_) return false;
    if (form_ == Form::kRanked) return RankedElement(place, element);
    return form_ != Form::kSorted || SortedElement(place, element);
  }
  bool SortedElement(uint64_t place, uint64_t* element) const;
  bool RankedElement(uint64_t place, uint64_t* element) const {
    const Line& line = lines_[place / Line::kPlaces];
    const uint64_t bit = place % Line::kPlaces;
    const uint64_t word = line.words[bit / 64];
    if (((word >> (bit % 64)) & 1) == 0) return false;
    const uint64_t below = word & ((uint64_t{1} << (bit % 64)) - 1);
    *element = line.Before(bit / 64) + static_cast<uint64_t>(std::popcount(below));
    return true;
  }
  void Put(uint64_t element, uint64_t place, Slot slot) {
    if (!slots_.Put(element, slot)) more_.push_back({begin_ + place, slot});
  }

  Form form_ = Form::kDirect;
  uint64_t begin_ = 0;
  uint64_t span_ = 0;
  DenseSlots dense_;
  SlotArray slots_;
  std::vector<Line, LargePages<Line>> lines_;
  std::vector<uint32_t> lows_;  // kSorted: low halves of the places
  std::vector<Stretch> stretches_;
  std::vector<More> more_;  // further slots, by id; kDense: all slots of ids that have several
};

template <typename Fn>
void MergedRun::ForEachSlot(uint64_t id, Fn&& fn) const {
  const uint64_t place = id - begin_;
  if (form_ == Form::kDense) {
    Slot only;
    const uint32_t num_slots = place < span_ ? dense_.view().Find(place, &only) : 0;
    if (num_slots == 1) fn(only);
    if (num_slots < 2) return;
  } else {
    uint64_t element = 0;
    SlotArray::Element first;
    if (!ElementOf(place, &element) || !slots_.Get(element, &first)) return;
    fn(first.slot);
    if (!first.has_more) return;
  }
  const auto begin =
      std::lower_bound(more_.begin(), more_.end(), id,
                       [](const More& more, uint64_t value) { return more.id < value; });
  for (auto more = begin; more != more_.end() && more->id == id; ++more) fn(more->slot);
}

}  // namespace pennon
