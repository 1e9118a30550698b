/// \file
/// Segments whose ids overlap so much that asking each of them is dear. They are asked one by one
/// at first; the group watches what that costs and merges a stretch of ids once the look-ups in it
/// would have paid for merging. Spec: design.md, heading 3. See
/// docs/decisions/102-adaptive-row-id-index.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rowids/fragment_table.h"
#include "rowids/id_directory.h"
#include "rowids/merged_run.h"
#include "rowids/publish_once.h"
#include "rowids/slot_array.h"

namespace pennon {

/// A segment of a fragment's sequence, or all of it.
struct Member {
  static constexpr uint32_t kWholeSequence = 0xFFFFFFFFu;
  uint32_t ordinal = 0;  ///< Of the fragment.
  uint32_t segment = 0;
  uint64_t smallest = 0;
  uint64_t largest = 0;
  uint64_t num_rows = 0;  ///< About.
  /// Bytes to go through when it is searched for one id; 0 where a search does not go through all.
  uint64_t scan_bytes = 0;
  /// What a search without aids costs beside that, about.
  uint32_t search_ns = 80;
  /// The bounds are only what the width of an unsorted array allows.
  bool is_loose = false;
};

/// Bytes that merged runs of one index may take in all.
class MergeBudget {
 public:
  explicit MergeBudget(uint64_t bytes_max)
      : left_(static_cast<int64_t>(std::min(bytes_max, kBytesMax))) {}

  /// Takes `bytes`, or nothing and returns false.
  bool Take(uint64_t bytes) {
    const auto wanted = static_cast<int64_t>(std::min(bytes, kBytesMax));
    if (left_.fetch_sub(wanted, std::memory_order_relaxed) >= wanted) return true;
    left_.fetch_add(wanted, std::memory_order_relaxed);
    return false;
  }
  void GiveBack(uint64_t bytes) {
    left_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kBytesMax = uint64_t{1} << 62;
  std::atomic<int64_t> left_;
};

/// Calls `fn(offset)` for the rows of a member that hold `id`: none or one. The fragment's sequence
/// is there. `may_index`: as RowIdSequence::FindIn.
template <typename Fn>
void SearchMember(const FragmentTable& fragments, uint32_t ordinal, uint32_t segment, uint64_t id,
                  bool may_index, Fn&& fn) {
  const RowIdSequence& sequence = *fragments.SequenceIfThere(ordinal);
  if (segment == Member::kWholeSequence) {
    if (const auto position = sequence.PositionOf(RowId{id})) fn(uint64_t{ToInteger(*position)});
  } else if (const auto position = sequence.FindIn(segment, RowId{id}, may_index)) {
    fn(sequence.FirstPosition(segment) + *position);
  }
}

class IdGroup {
 public:
  /// `members` are of fragments whose sequences are there, none of them loose.
  explicit IdGroup(std::vector<Member> members);

  /// The same segments in another version, where `ordinal_of[i]` is now the ordinal of fragment i
  /// of ordinals(). Merged stretches are shared, those to come as well.
  std::unique_ptr<IdGroup> Rebind(std::vector<uint32_t> ordinal_of) const;

  uint64_t smallest() const { return smallest_; }
  uint64_t largest() const { return largest_; }
  std::span<const Member> members() const { return members_; }
  /// The fragments, by the numbers that merged slots use.
  std::span<const uint32_t> ordinals() const { return ordinals_; }
  /// Bytes of all stretches merged so far.
  uint64_t merged_bytes() const;

  /// Calls `fn(ordinal, offset)` for every row of the group that holds `id`, which lies in its
  /// bounds. Thread-safe; may merge on the way, within `budget`.
  template <typename Fn>
  void ForEachSlot(const FragmentTable& fragments, MergeBudget* budget, uint64_t id,
                   Fn&& fn) const {
    const Block& block = blocks_[(id - smallest_) >> block_shift_];
    const MergedRun* run = block.run.get();
    if (run == nullptr && !block.is_taken.load(std::memory_order_relaxed)) {
      uint64_t cost = 0;
      directory_.ForEachHolding(id, directory_.CountStartingAtOrBelow(id), [&](size_t i) {
        cost += CostOf(members_[i]);
        return true;
      });
      run = Pay(fragments, budget, block, cost);
    }
    if (run != nullptr) {
      run->ForEachSlot(id, [&](Slot slot) { fn(ordinals_[slot.fragment], uint64_t{slot.offset}); });
      return;
    }
    // Aids to search the members would be of no use any more once they are merged.
    const bool may_index = block.is_taken.load(std::memory_order_relaxed);
    directory_.ForEachHolding(id, directory_.CountStartingAtOrBelow(id), [&](size_t i) {
      const Member& member = members_[i];
      SearchMember(fragments, member.ordinal, member.segment, id, may_index,
                   [&](uint64_t offset) { fn(member.ordinal, offset); });
      return true;
    });
  }

  /// The same without merging or asking members, for an id that is merged and has one slot or none:
  /// returns how many, or 2 where only ForEachSlot can tell.
  uint32_t FindOnly(uint64_t id, uint32_t* ordinal, uint64_t* offset) const {
    const MergedRun* run = blocks_[(id - smallest_) >> block_shift_].run.get();
    if (run == nullptr) return 2;
    Slot slot;
    const uint32_t num_slots = run->FindOnly(id, &slot);
    if (num_slots != 1) return num_slots;
    *ordinal = ordinals_[slot.fragment];
    *offset = slot.offset;
    return 1;
  }

  /// The same in line for ids that are merged densely; 2 also for those that are not.
  uint32_t FindDense(uint64_t id, uint32_t* ordinal, uint64_t* offset) const {
    const uint64_t place = id - smallest_;
    const Block& block = blocks_[place >> block_shift_];
    if (!block.is_dense.load(std::memory_order_acquire)) return 2;
    Slot slot;
    const uint32_t num_slots = block.dense.Find(place & ~(~uint64_t{0} << block_shift_), &slot);
    if (num_slots != 1) return num_slots;
    *ordinal = ordinals_[slot.fragment];
    *offset = slot.offset;
    return 1;
  }

  /// Fetches what ForEachSlot will look at into the cache, as far as the id's stretch is merged.
  __attribute__((always_inline)) void Prefetch(uint64_t id) const {
    if (const MergedRun* run = blocks_[(id - smallest_) >> block_shift_].run.get())
      run->Prefetch(id);
  }

  uint64_t num_rows() const { return num_rows_; }
  uint64_t OverlapDepth() const { return directory_.OverlapDepth(); }
  uint64_t memory_bytes() const;

 private:
  IdGroup(const IdGroup&) = default;

  // A stretch of ids that is merged at once.
  struct Block {
    mutable std::atomic<uint64_t> paid_ns{0};
    mutable std::atomic<uint64_t> price_ns{0};
    mutable std::atomic<bool> is_taken{false};  // somebody merges it, or it is not to be merged
    mutable std::atomic<bool> is_dense{false};
    PublishOnce<MergedRun> run;
    // Of a run that is merged densely, written before is_dense is set.
    mutable DenseSlots::View dense;
  };

  // What asking a member costs in nanoseconds, about.
  static uint64_t CostOf(const Member& member) { return member.search_ns + member.scan_bytes / 8; }
  // Counts a look-up; returns the merged run if it is there afterwards.
  const MergedRun* Pay(const FragmentTable& fragments, MergeBudget* budget, const Block& block,
                       uint64_t cost_ns) const;
  // Without slots where there is nothing to merge, or no telling how much.
  MergePlan PlanFor(const FragmentTable& fragments, size_t block) const;
  MergedRun Merge(const FragmentTable& fragments, const MergePlan& plan, uint64_t bytes_max) const;
  // The members in the plan, or none where one cannot be merged by tiles.
  std::vector<AscendingRows> RowsOf(const FragmentTable& fragments, const MergePlan& plan) const;

  std::vector<Member> members_;  // by smallest id
  IdDirectory directory_;        // of the members, in the same order
  std::vector<uint32_t> ordinals_;
  std::vector<uint32_t> fragment_of_member_;
  uint64_t smallest_ = 0;
  uint64_t largest_ = 0;
  uint64_t num_rows_ = 0;
  bool in_any_order_ = false;
  uint32_t block_shift_ = 0;
  size_t num_blocks_ = 0;
  std::shared_ptr<Block[]> blocks_;
};

}  // namespace pennon
