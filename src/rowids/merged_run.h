/// \file
/// The slots of all ids in one stretch of the id space, merged from many segments into one
/// structure that answers in one or two cache misses. Knows nothing of deletions, so it outlives
/// them. Spec: design.md, heading 3 (the compact merged run). See
/// docs/decisions/102-adaptive-row-id-index.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rowids/bitmap_view.h"
#include "rowids/packed_array.h"
#include "rowids/slot_array.h"

namespace pennon {

/// Ids [begin, begin + span) and what is known before they are merged.
struct MergePlan {
  uint64_t begin = 0;
  uint64_t span = 0;
  uint64_t num_slots = 0;  ///< At least as many as the walk gives out.
  uint32_t num_fragments = 0;
  uint32_t offset_max = 0;
};

class MergedRun {
 public:
  MergedRun() = default;

  /// Merges what `walk(fn)` gives out: `fn(fragment, offset, first_id, length)` for runs of
  /// consecutive ids in consecutive rows; it is walked twice and must be the same. Ids outside of
  /// the plan, and slots beyond what it promised, are left out. Cost: two passes; for ids far apart
  /// a sort. Memory: see memory_bytes().
  template <typename Walk>
  static MergedRun Build(const MergePlan& plan, Walk&& walk);

  /// Calls `fn(Slot)` for every slot of `id`.
  template <typename Fn>
  void ForEachSlot(uint64_t id, Fn&& fn) const;

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
  struct Pair {
    uint64_t key;
    Slot slot;
  };
  struct Stretch {
    uint64_t high;  // of the places in it
    uint64_t first_element;
  };

  static Form FormFor(const MergePlan& plan);
  void CountLines();
  void TakeSorted(std::vector<Pair>* pairs, const MergePlan& plan);
  bool SortedElement(uint64_t place, uint64_t* element) const;
  void Put(uint64_t element, uint64_t id, Slot slot) {
    if (!slots_.Put(element, slot)) more_.push_back({id, slot});
  }
  bool RankedElement(uint64_t place, uint64_t* element) const {
    const Line& line = lines_[place / Line::kPlaces];
    const uint64_t bit = place % Line::kPlaces;
    const uint64_t word = line.words[bit / 64];
    if (((word >> (bit % 64)) & 1) == 0) return false;
    uint64_t before = line.ids_before;
    for (uint64_t i = 0; i < bit / 64; ++i)
      before += static_cast<uint64_t>(std::popcount(line.words[i]));
    *element =
        before + static_cast<uint64_t>(std::popcount(word & ((uint64_t{1} << (bit % 64)) - 1)));
    return true;
  }

  Form form_ = Form::kDirect;
  uint64_t begin_ = 0;
  uint64_t span_ = 0;
  SlotArray slots_;
  std::vector<Line> lines_;
  std::vector<uint32_t> lows_;  // kSorted: low halves of the places
  std::vector<Stretch> stretches_;
  std::vector<More> more_;  // further slots, by id
};

// ---------------------------------------------------------------------------------------------------------------

template <typename Walk>
MergedRun MergedRun::Build(const MergePlan& plan, Walk&& walk) {
  MergedRun run;
  run.form_ = FormFor(plan);
  run.begin_ = plan.begin;
  run.span_ = plan.span;
  // Calls `fn(place, slot)` for each row that the plan covers.
  const auto each = [&](auto&& fn) {
    walk([&](uint32_t fragment, uint64_t offset, uint64_t first, uint64_t length) {
      if (fragment >= plan.num_fragments || offset + length > uint64_t{plan.offset_max} + 1) return;
      for (uint64_t i = 0; i < length; ++i) {
        const uint64_t place = first + i - plan.begin;
        if (place < plan.span) fn(place, Slot{fragment, static_cast<uint32_t>(offset + i)});
      }
    });
  };
  switch (run.form_) {
    case Form::kDirect:
      run.slots_ = SlotArray(plan.span, plan.num_fragments, plan.offset_max);
      each([&](uint64_t place, Slot slot) { run.Put(place, plan.begin + place, slot); });
      break;
    case Form::kRanked: {
      run.lines_.resize(plan.span / Line::kPlaces + 1);
      each([&](uint64_t place, Slot) {
        const uint64_t bit = place % Line::kPlaces;
        run.lines_[place / Line::kPlaces].words[bit / 64] |= uint64_t{1} << (bit % 64);
      });
      run.CountLines();
      const Line& last = run.lines_.back();
      uint64_t num_ids = last.ids_before;
      for (const uint64_t word : last.words) num_ids += static_cast<uint64_t>(std::popcount(word));
      run.slots_ = SlotArray(num_ids, plan.num_fragments, plan.offset_max);
      each([&](uint64_t place, Slot slot) {
        uint64_t element = 0;
        if (run.RankedElement(place, &element)) run.Put(element, plan.begin + place, slot);
      });
      break;
    }
    case Form::kSorted: {
      std::vector<Pair> pairs;
      pairs.reserve(plan.num_slots);
      each([&](uint64_t place, Slot slot) { pairs.push_back({place, slot}); });
      run.TakeSorted(&pairs, plan);
    }
  }
  std::sort(run.more_.begin(), run.more_.end(),
            [](const More& a, const More& b) { return a.id < b.id; });
  run.more_.shrink_to_fit();
  return run;
}

template <typename Fn>
void MergedRun::ForEachSlot(uint64_t id, Fn&& fn) const {
  const uint64_t place = id - begin_;
  if (place >= span_) return;
  uint64_t element = place;
  if (form_ == Form::kRanked) {
    if (!RankedElement(place, &element)) return;
  } else if (form_ == Form::kSorted) {
    if (!SortedElement(place, &element)) return;
  }
  SlotArray::Element first;
  if (!slots_.Get(element, &first)) return;
  fn(first.slot);
  if (!first.has_more) return;
  const auto begin =
      std::lower_bound(more_.begin(), more_.end(), id,
                       [](const More& more, uint64_t value) { return more.id < value; });
  for (auto more = begin; more != more_.end() && more->id == id; ++more) fn(more->slot);
}

}  // namespace pennon
