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
#include <span>
#include <vector>

#include "rowids/large_pages.h"
#include "rowids/slot_array.h"

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
  /// some megabytes while it works.
  static MergedRun Build(const MergePlan& plan, const Walk& walk);

  /// Calls `fn(Slot)` for every slot of `id`.
  template <typename Fn>
  void ForEachSlot(uint64_t id, Fn&& fn) const;
  /// The same for an id of one slot or none: returns how many, or 2 for an id with more.
  uint32_t FindOnly(uint64_t id, Slot* slot) const {
    const uint64_t place = id - begin_;
    uint64_t element = 0;
    SlotArray::Element first;
    if (!ElementOf(place, &element) || !slots_.Get(element, &first)) return 0;
    *slot = first.slot;
    return first.has_more ? 2 : 1;
  }

  /// The same in line for ids as dense as those of most merged runs, which have four bytes each; 2
  /// for others.
  uint32_t FindDense(uint64_t id, Slot* slot) const {
    const uint64_t place = id - begin_;
    if (form_ != Form::kDirect || place >= span_ || slots_.bytes_per_slot() != 4) return 2;
    SlotArray::Element first;
    if (!slots_.GetOfFour(place, &first)) return 0;
    *slot = first.slot;
    return first.has_more ? 2 : 1;
  }

  void Prefetch(uint64_t id) const {
    const uint64_t place = id - begin_;
    if (place >= span_) return;
    if (form_ == Form::kDirect) {
      slots_.Prefetch(place);
    } else if (form_ == Form::kRanked) {
      __builtin_prefetch(&lines_[place / Line::kPlaces]);
    }
  }

  /// About 8 bytes an id, 12 at most; more for ids listed over and over or very far apart from each
  /// other.
  uint64_t memory_bytes() const;

 private:
  enum class Form : uint8_t {
    kDirect,  ///< One element a place in the id space.
    kRanked,  ///< A bit a place, an element an id.
    kSorted,  ///< Sorted ids beside elements, cut where their high halves change.
  };
  // 448 places: the ids before them, and a bit each.
  struct alignas(64) Line {
    static constexpr uint64_t kPlaces = 448;
    uint64_t ids_before = 0;
    uint64_t words[7] = {};
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
  // Puts all rows into slots_, for forms whose elements are known before.
  void PutAll(const MergePlan& plan, const Walk& walk);
  void PrefetchForPut(std::span<const uint64_t> ids, size_t i) const;
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
    // All words are counted under masks: quicker than a loop whose end cannot be foreseen.
    const uint64_t below = (uint64_t{1} << (bit % 64)) - 1;
    uint64_t before = line.ids_before;
    for (uint64_t i = 0; i < std::size(line.words); ++i) {
      const uint64_t mask = i < bit / 64 ? ~uint64_t{0} : (i == bit / 64 ? below : 0);
      before += static_cast<uint64_t>(std::popcount(line.words[i] & mask));
    }
    *element = before;
    return true;
  }
  void Put(uint64_t element, uint64_t place, Slot slot) {
    if (!slots_.Put(element, slot)) more_.push_back({begin_ + place, slot});
  }

  Form form_ = Form::kDirect;
  uint64_t begin_ = 0;
  uint64_t span_ = 0;
  SlotArray slots_;
  std::vector<Line, LargePages<Line>> lines_;
  std::vector<uint32_t> lows_;  // kSorted: low halves of the places
  std::vector<Stretch> stretches_;
  std::vector<More> more_;  // further slots, by id
};

template <typename Fn>
void MergedRun::ForEachSlot(uint64_t id, Fn&& fn) const {
  const uint64_t place = id - begin_;
  uint64_t element = 0;
  SlotArray::Element first;
  if (!ElementOf(place, &element) || !slots_.Get(element, &first)) return;
  fn(first.slot);
  if (!first.has_more) return;
  const auto begin =
      std::lower_bound(more_.begin(), more_.end(), id,
                       [](const More& more, uint64_t value) { return more.id < value; });
  for (auto more = begin; more != more_.end() && more->id == id; ++more) fn(more->slot);
}

}  // namespace pennon
