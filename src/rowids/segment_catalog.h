/// \file
/// All segments of a version by the ids they may hold: ranges answered by arithmetic, single
/// segments by their bytes, overlapping ones by groups, and arrays of any order whose bounds nobody
/// knows yet. Spec: design.md, heading 3.
#pragma once

#include <arrow/status.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rowids/fragment_table.h"
#include "rowids/id_directory.h"
#include "rowids/id_group.h"
#include "rowids/window_search.h"

namespace pennon {

class SegmentCatalog {
 public:
  /// What a catalog is made of: members, and ranges whose rows begin at a known offset.
  struct Parts {
    std::vector<IdDirectory::Entry> ranges;
    std::vector<Member> members;

    /// Adds the segments of one sequence. Cost: their number; short arrays of any order are read
    /// for their bounds.
    void AddSequence(uint32_t ordinal, std::span<const Segment> segments, uint64_t physical_rows);
  };

  /// The catalog of an earlier version, and the fragments of both.
  struct Earlier {
    const SegmentCatalog& catalog;
    const FragmentTable& earlier_fragments;
    const FragmentTable& fragments;
  };

  explicit SegmentCatalog(Parts parts);
  /// The same, taking over from an earlier version the merged groups whose segments are all there
  /// and the bounds of unsorted arrays. Merged bytes count against `budget`.
  SegmentCatalog(Parts parts, const Earlier& earlier, MergeBudget* budget);
  SegmentCatalog() = default;

  /// Where an id was looked up in the directory; good for asking about the same id, and quick for a
  /// near one.
  struct Place {
    size_t starting = 0;
    size_t starting_refined = 0;  // in the catalog that loose arrays were refined to
  };

  /// Looks `id` up and fetches what ForEachSlot will look at into the cache. Asking for a few dozen
  /// ids at a time in this way hides most of the waiting.
  void Prefetch(const FragmentTable& fragments, uint64_t id, Place* place) const;

  /// Calls `fn(ordinal, offset)` for every row that holds `id`; no order. `place` is of this or
  /// another id. The sequences of all fragments in the catalog are there. Thread-safe.
  template <typename Fn>
  void ForEachSlot(const FragmentTable& fragments, MergeBudget* budget, uint64_t id, Place* place,
                   Fn&& fn) const {
    place->starting = directory_.CountStartingAtOrBelow(id, place->starting);
    if (directory_.disjoint()) {
      const size_t i = place->starting - 1;
      if (place->starting > 0 && directory_.largest(i) >= id)
        VisitEntry(fragments, budget, i, id, fn);
    } else {
      directory_.ForEachHolding(id, place->starting, [&](size_t i) {
        VisitEntry(fragments, budget, i, id, fn);
        return true;
      });
    }
    for (const Cover& cover : covers_) {
      if (id >= cover.smallest && id <= cover.largest)
        cover.group->ForEachSlot(fragments, budget, id, fn);
    }
    if (loose_.empty()) return;
    const SegmentCatalog* refined = refined_->get();
    if (refined != nullptr) {
      Place there{.starting = place->starting_refined};
      refined->ForEachSlot(fragments, budget, id, &there, fn);
      place->starting_refined = there.starting;
      return;
    }
    for (const auto& [ordinal, offset] : Refine(fragments, id)) fn(ordinal, offset);
  }

  /// So many groups at most are asked beside the directory, see Few.
  static constexpr size_t kCoversMax = 4;

  /// Slots of an id that can be told at a glance: of one entry and of each of those groups.
  struct Few {
    struct Slot {
      uint32_t ordinal;
      uint64_t offset;
    };
    uint32_t count = 0;
    std::array<Slot, 1 + kCoversMax> slots;  // not cleared: this is made for each look-up
  };
  /// The same as ForEachSlot for an id of a few slots, where everything that holds it is ready and
  /// nothing has to be merged; false where only ForEachSlot can tell.
  bool FindFew(uint64_t id, Place* place, Few* few) const {
    few->count = 0;
    if (loose_.empty()) return FindFew(id, &place->starting, few);
    const SegmentCatalog* refined = refined_->get();
    if (!is_all_loose_ || refined == nullptr) return false;
    return refined->FindFew(id, &place->starting_refined, few);
  }

  /// Whether every id is told about by one entry of the directory, so that FindLive may be asked.
  bool is_plain() const { return directory_.disjoint() && covers_.empty() && loose_.empty(); }
  /// Where the row is, for an id whose row surely lives and that lies in what most ids lie in: a
  /// range, a sorted array, ids merged densely. False where only FindFew or ForEachSlot can tell.
  /// In line, and calls nothing: the less code, the more look-ups the processor has in hand while
  /// they wait for memory.
  __attribute__((always_inline)) bool FindLive(const FragmentTable& fragments, uint64_t id,
                                               RowAddress* address) const {
    return FindLiveAt(fragments, id, directory_.CountStartingAtOrBelow(id), address);
  }
  /// The same, and quick for an id near the one that `place` is of.
  __attribute__((always_inline)) bool FindLive(const FragmentTable& fragments, uint64_t id,
                                               Place* place, RowAddress* address) const {
    place->starting = directory_.CountStartingAtOrBelow(id, place->starting);
    return FindLiveAt(fragments, id, place->starting, address);
  }

  /// For reports. Cost: a sort of the entries.
  uint64_t OverlapDepth() const;
  size_t num_entries() const { return directory_.size() + covers_.size(); }
  /// Segments that are asked one by one, each with a body of its own.
  size_t num_singles() const { return num_singles_; }
  size_t num_groups() const { return groups_.size(); }
  uint64_t num_grouped_rows() const;
  uint64_t num_loose_bytes() const;
  uint64_t memory_bytes() const;

 private:
  // What an entry of the directory stands for, and its `where`.
  static constexpr uint32_t kOrdinalMask = 0x3FFFFFFFu;
  static constexpr uint32_t kRange = 0u << 30;    // offset of its first row
  static constexpr uint32_t kSegment = 1u << 30;  // place in singles_
  static constexpr uint32_t kGroup = 2u << 30;    // place in groups_

  // A segment of the directory, ready to be searched without detours.
  struct ReadySegment {
    const RowIdSequence* sequence = nullptr;
    Segment segment;
    uint32_t number = 0;
    mutable std::atomic<const SegmentIndex*> index{nullptr};
    mutable std::atomic<uint64_t> first_position{kUnknown};
    static constexpr uint64_t kUnknown = ~uint64_t{0};
  };
  // A sorted array of a fragment without deletions, once it has a table: all that FindLive needs.
  struct alignas(64) NearSegment {
    const char* data = nullptr;
    uint64_t count = 0;
    uint64_t base = 0;
    const StretchTable* table = nullptr;
    uint64_t first_address = 0;
  };
  struct SingleSegment {
    uint32_t segment = 0;
    PublishOnce<ReadySegment> ready;
    PublishOnce<NearSegment> near;
  };

  __attribute__((always_inline)) bool FindLiveAt(const FragmentTable& fragments, uint64_t id,
                                                 size_t starting, RowAddress* address) const {
    if (starting == 0 || id > directory_.largest(starting - 1)) return false;
    const uint32_t what = directory_.what(starting - 1);
    const uint32_t where = directory_.where(starting - 1);
    const uint32_t kind = what & ~kOrdinalMask;
    uint32_t ordinal = what & kOrdinalMask;
    uint64_t offset = 0;
    if (kind == kSegment) {
      const NearSegment* near = singles_[where].near.get();
      if (near == nullptr) return false;
      const uint64_t position = FindNear(near->data, near->count, near->table->LikelyWithin(id),
                                         static_cast<uint32_t>(id - near->base));
      *address = RowAddress{near->first_address + position};
      return position != kNotNear;
    }
    if (kind == kRange) {
      offset = where + (id - directory_.smallest(starting - 1));
    } else if (groups_[where]->FindDense(id, &ordinal, &offset) != 1) {
      return false;
    }
    if (!fragments.IsSurelyLive(ordinal, offset)) return false;
    *address = MakeRowAddress(fragments.id(ordinal), RowOffset{static_cast<uint32_t>(offset)});
    return true;
  }

  struct Cover {
    uint64_t smallest = 0;
    uint64_t largest = 0;
    const IdGroup* group = nullptr;
  };
  template <typename Fn>
  void VisitEntry(const FragmentTable& fragments, MergeBudget* budget, size_t i, uint64_t id,
                  Fn& fn) const {
    const auto entry = directory_.entry(i);
    const uint32_t ordinal = entry.what & kOrdinalMask;
    switch (entry.what & ~kOrdinalMask) {
      case kRange:
        return fn(ordinal, entry.where + (id - entry.smallest));
      case kSegment:
        return SearchSingle(fragments, ordinal, entry.where, id, fn);
      default:
        return groups_[entry.where]->ForEachSlot(fragments, budget, id, fn);
    }
  }

  const ReadySegment& Ready(const FragmentTable& fragments, uint32_t ordinal,
                            uint32_t single) const {
    const auto& ready = singles_[single].ready;
    if (const ReadySegment* made = ready.get()) return *made;
    return MakeReady(fragments, ordinal, single);
  }
  const ReadySegment& MakeReady(const FragmentTable& fragments, uint32_t ordinal,
                                uint32_t single) const;

  template <typename Fn>
  void SearchSingle(const FragmentTable& fragments, uint32_t ordinal, uint32_t single, uint64_t id,
                    Fn& fn) const {
    const ReadySegment& ready = Ready(fragments, ordinal, single);
    if (!MayHold(ready.segment, id)) return;
    const SegmentIndex* index = ready.index.load(std::memory_order_acquire);
    if (index == nullptr) {
      index = ready.sequence->IndexForSearch(ready.number);
      if (index != nullptr) ready.index.store(index, std::memory_order_release);
    }
    // Before anything is said of the id: it may be the last one that comes this way.
    if (index != nullptr && CanBeNear(ready.segment, *index) &&
        singles_[single].near.get() == nullptr) {
      MakeNear(fragments, ordinal, single, *index);
    }
    const auto position =
        FindInSegment(ready.segment, index != nullptr ? *index : kNoSegmentIndex, id);
    if (position) fn(ordinal, FirstPositionOf(ready) + *position);
  }
  static uint64_t FirstPositionOf(const ReadySegment& ready) {
    uint64_t first = ready.first_position.load(std::memory_order_relaxed);
    if (first != ReadySegment::kUnknown) return first;
    first = ready.sequence->FirstPosition(ready.number);
    ready.first_position.store(first, std::memory_order_relaxed);
    return first;
  }
  static bool CanBeNear(const Segment& segment, const SegmentIndex& index) {
    return segment.form == SegmentForm::kSortedArray && segment.array.width == sizeof(uint32_t) &&
           segment.array.count >= kSearchWindow && !index.table.empty();
  }
  // Makes `near` of a single segment that can have one, unless rows of its fragment are deleted.
  void MakeNear(const FragmentTable& fragments, uint32_t ordinal, uint32_t single,
                const SegmentIndex& index) const;

  bool FindFew(uint64_t id, size_t* starting, Few* few) const {
    if (!directory_.disjoint()) return false;
    *starting = directory_.CountStartingAtOrBelow(id, *starting);
    if (*starting > 0) {
      const auto entry = directory_.entry(*starting - 1);
      if (id <= entry.largest && !FindInEntry(entry, id, few)) return false;
    }
    for (const Cover& cover : covers_) {
      if (id < cover.smallest || id > cover.largest) continue;
      if (!FindInGroup(*cover.group, id, few)) return false;
    }
    return true;
  }
  bool FindInEntry(const IdDirectory::Entry& entry, uint64_t id, Few* few) const {
    const uint32_t ordinal = entry.what & kOrdinalMask;
    const uint32_t kind = entry.what & ~kOrdinalMask;
    if (kind == kRange) {
      few->slots[0] = {ordinal, entry.where + (id - entry.smallest)};
      few->count = 1;
      return true;
    }
    if (kind == kGroup) return FindInGroup(*groups_[entry.where], id, few);
    const ReadySegment* ready = singles_[entry.where].ready.get();
    if (ready == nullptr) return false;
    const SegmentIndex* index = ready->index.load(std::memory_order_acquire);
    const uint64_t first = ready->first_position.load(std::memory_order_relaxed);
    if (index == nullptr || first == ReadySegment::kUnknown) return false;
    const auto position = FindInSegment(ready->segment, *index, id);
    few->slots[0] = {ordinal, first + position.value_or(0)};
    few->count = position.has_value() ? 1 : 0;
    return true;
  }
  static bool FindInGroup(const IdGroup& group, uint64_t id, Few* few) {
    auto& slot = few->slots[few->count];
    const uint32_t num_slots = group.FindOnly(id, &slot.ordinal, &slot.offset);
    few->count += num_slots;
    return num_slots < 2;
  }

  // Groups of this catalog and of what it was refined to.
  void CollectGroups(std::vector<const IdGroup*>* groups) const;
  // Moves what can be taken over out of `parts` into this catalog's groups.
  void TakeOver(const Earlier& earlier, MergeBudget* budget, Parts* parts);
  void AddGroup(std::unique_ptr<IdGroup> group, Parts* parts);
  void Arrange(Parts parts);

  // Reads the loose arrays once: learns their bounds, makes the refined catalog, and returns the
  // slots of `id`.
  std::vector<std::pair<uint32_t, uint64_t>> Refine(const FragmentTable& fragments,
                                                    uint64_t id) const;

  IdDirectory directory_;
  // A few groups that would make the entries of the directory overlap are asked beside it.
  std::vector<Cover> covers_;
  std::unique_ptr<SingleSegment[]> singles_;
  size_t num_singles_ = 0;
  std::vector<std::unique_ptr<IdGroup>> groups_;
  std::vector<Member> loose_;
  bool is_all_loose_ = false;  // there is nothing else
  std::unique_ptr<PublishOnce<SegmentCatalog>> refined_;
};

}  // namespace pennon
