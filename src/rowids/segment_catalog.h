/// \file
/// All segments of a version by the ids they may hold: ranges answered by arithmetic, single segments by their
/// bytes, overlapping ones by groups, and arrays of any order whose bounds nobody knows yet.
/// Spec: design.md, heading 3.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rowids/fragment_table.h"
#include "rowids/id_directory.h"
#include "rowids/id_group.h"

namespace pennon {

class SegmentCatalog {
 public:
  /// What a catalog is made of: members, and ranges whose rows begin at a known offset.
  struct Parts {
    std::vector<IdDirectory::Entry> ranges;
    std::vector<Member> members;

    /// Adds the segments of one sequence. Cost: their number; short arrays of any order are read for their bounds.
    void AddSequence(uint32_t ordinal, std::span<const Segment> segments, uint64_t physical_rows);
  };

  explicit SegmentCatalog(Parts parts);
  SegmentCatalog() = default;

  /// Remembers where the last of several ids was looked for.
  struct Cursor {
    size_t starting = 0;
  };

  /// Calls `fn(ordinal, offset)` for every row that holds `id`; no order. The cursor, which
  /// may be null, makes ids that lie near the last one quicker. The sequences of all fragments in the catalog are there. Thread-safe.
  template <typename Fn>
  void ForEachSlot(const FragmentTable& fragments, MergeBudget* budget, uint64_t id, Cursor* cursor, Fn&& fn) const {
    const size_t starting = cursor == nullptr ? directory_.CountStartingAtOrBelow(id)
                                              : directory_.CountStartingAtOrBelow(id, cursor->starting);
    if (cursor != nullptr) cursor->starting = starting;
    directory_.ForEachHolding(id, starting, [&](size_t i) {
      const auto entry = directory_.entry(i);
      const uint32_t ordinal = entry.what & kOrdinalMask;
      switch (entry.what & ~kOrdinalMask) {
        case kRange:
          fn(ordinal, entry.where + (id - entry.smallest));
          break;
        case kSegment:
          SearchMember(fragments, ordinal, entry.where, id, [&](uint64_t offset) { fn(ordinal, offset); });
          break;
        default:
          groups_[entry.where]->ForEachSlot(fragments, budget, id, fn);
      }
      return true;
    });
    if (loose_.empty()) return;
    const SegmentCatalog* refined = refined_->get();
    if (refined != nullptr) return refined->ForEachSlot(fragments, budget, id, nullptr, fn);
    for (const auto& [ordinal, offset] : Refine(fragments, id)) fn(ordinal, offset);
  }

  /// For reports. Cost: a sort of the entries.
  uint64_t OverlapDepth() const;
  size_t num_entries() const { return directory_.size(); }
  size_t num_groups() const { return groups_.size(); }
  uint64_t num_grouped_rows() const;
  uint64_t num_loose_bytes() const;
  uint64_t memory_bytes() const;

 private:
  static constexpr uint32_t kOrdinalMask = 0x3FFFFFFFu;
  static constexpr uint32_t kRange = 0u << 30;
  static constexpr uint32_t kSegment = 1u << 30;
  static constexpr uint32_t kGroup = 2u << 30;

  // Reads the loose arrays once: learns their bounds, makes the refined catalog, and returns the slots of `id`.
  std::vector<std::pair<uint32_t, uint64_t>> Refine(const FragmentTable& fragments, uint64_t id) const;

  IdDirectory directory_;
  std::vector<std::unique_ptr<IdGroup>> groups_;
  std::vector<Member> loose_;
  std::unique_ptr<PublishOnce<SegmentCatalog>> refined_;
};

}  // namespace pennon
