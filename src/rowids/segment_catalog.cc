#include "rowids/segment_catalog.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace pennon {
namespace {

// An unsorted array up to so many bytes is searched as quickly as a sorted one, and read for its
// bounds at once.
constexpr uint64_t kShortArrayBytes = 4096;
// What a search of a longer array without a table costs: half a dozen misses, and as many branches
// that nobody can foresee.
constexpr uint32_t kArraySearchNs = 600;
// Fewer segments than this over one id are asked one by one for good.
constexpr uint64_t kDearDepth = 4;
// So many groups over one id are taken over from an earlier version; what is left is grouped anew,
// so that the many small updates of a long-lived table come together again.
constexpr ptrdiff_t kGroupsOverOneId = 3;
// A sequence of very short segments is kept as a whole: an entry for each would take more than its
// ids.
constexpr size_t kManySegments = 64;
constexpr uint64_t kShortSegmentRows = 4;

uint64_t RowsAtMost(const Segment& segment) {
  return segment.is_uncounted() ? segment.bitmap.num_bits : segment.num_rows;
}

// The ones of a bitmap are estimated from a few words in its middle.
uint64_t RowsAbout(const Segment& segment) {
  constexpr uint64_t kSampledWords = 8;
  const uint64_t num_words = segment.bitmap.num_words();
  if (!segment.is_uncounted() || num_words <= kSampledWords) return RowsAtMost(segment);
  uint64_t ones = 0;
  for (uint64_t i = 0; i < kSampledWords; ++i) {
    ones += static_cast<uint64_t>(
        std::popcount(segment.bitmap.Word((num_words - kSampledWords) / 2 + i)));
  }
  return num_words * (ones + 1) / kSampledWords;
}

Member MemberOf(uint32_t ordinal, uint32_t which, const Segment& segment, const ValueBounds& bounds,
                uint64_t physical_rows) {
  Member member{.ordinal = ordinal,
                .segment = which,
                .smallest = bounds.smallest,
                .largest = bounds.largest,
                // A header may claim more than there is.
                .num_rows = std::min(RowsAbout(segment), physical_rows)};
  constexpr uint64_t kSearchedAtOnce = 64;
  const bool has_values =
      segment.form == SegmentForm::kSortedArray || segment.form == SegmentForm::kRangeWithHoles;
  if (has_values && segment.array.count > kSearchedAtOnce) member.search_ns = kArraySearchNs;
  if (segment.form != SegmentForm::kArray) return member;
  if (segment.array.size_bytes() <= kShortArrayBytes) {
    const auto exact = BoundsOf(segment.array);
    member.smallest = exact.smallest;
    member.largest = exact.largest;
  } else {
    member.scan_bytes = segment.array.size_bytes();
    member.is_loose = segment.array.width > 2;
  }
  return member;
}

}  // namespace

void SegmentCatalog::Parts::AddSequence(uint32_t ordinal, std::span<const Segment> segments,
                                        uint64_t physical_rows) {
  uint64_t rows = 0;
  for (const Segment& segment : segments) rows += RowsAtMost(segment);
  if (segments.size() > kManySegments && rows / kShortSegmentRows < segments.size()) {
    Member whole{.ordinal = ordinal,
                 .segment = Member::kWholeSequence,
                 .smallest = ~uint64_t{0},
                 .largest = 0,
                 .num_rows = std::min(rows, physical_rows),
                 .scan_bytes = segments.size() * sizeof(Segment)};
    for (const Segment& segment : segments) {
      if (const auto bounds = HeaderBounds(segment)) {
        whole.smallest = std::min(whole.smallest, bounds->smallest);
        whole.largest = std::max(whole.largest, bounds->largest);
      }
    }
    if (whole.smallest <= whole.largest) members.push_back(whole);
    return;
  }
  uint64_t offset = 0;
  bool is_offset_known = true;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (const auto bounds = HeaderBounds(segment)) {
      // Rows behind the fragment's last are told apart when they are found, so such a range takes
      // the long way.
      if (segment.form == SegmentForm::kRange && is_offset_known && offset <= physical_rows &&
          segment.num_rows <= physical_rows - offset && physical_rows <= uint64_t{1} << 32) {
        ranges.push_back(
            {bounds->smallest, bounds->largest, kRange | ordinal, static_cast<uint32_t>(offset)});
      } else {
        members.push_back(
            MemberOf(ordinal, static_cast<uint32_t>(i), segment, *bounds, physical_rows));
      }
    }
    is_offset_known = is_offset_known && !segment.is_uncounted();
    offset += segment.is_uncounted() ? 0 : segment.num_rows;
  }
}

SegmentCatalog::SegmentCatalog(Parts parts) { Arrange(std::move(parts)); }

SegmentCatalog::SegmentCatalog(Parts parts, const Earlier& earlier, MergeBudget* budget) {
  TakeOver(earlier, budget, &parts);
  Arrange(std::move(parts));
}

void SegmentCatalog::AddGroup(std::unique_ptr<IdGroup> group, Parts* parts) {
  parts->ranges.push_back(
      {group->smallest(), group->largest(), kGroup, static_cast<uint32_t>(groups_.size())});
  groups_.push_back(std::move(group));
}

void SegmentCatalog::Arrange(Parts parts) {
  auto& entries = parts.ranges;
  auto& members = parts.members;
  const auto loose = std::stable_partition(members.begin(), members.end(),
                                           [](const Member& m) { return !m.is_loose; });
  loose_.assign(loose, members.end());
  members.erase(loose, members.end());
  if (!loose_.empty()) refined_ = std::make_unique<PublishOnce<SegmentCatalog>>();

  const auto by_smallest = [](const Member& a, const Member& b) { return a.smallest < b.smallest; };
  if (!std::is_sorted(members.begin(), members.end(), by_smallest)) {
    std::stable_sort(members.begin(), members.end(), by_smallest);
  }
  // Members whose bounds hang together: a group if many overlap at once, or if one is dear by
  // itself.
  std::vector<uint32_t> singles;
  for (size_t begin = 0; begin < members.size();) {
    uint64_t largest = members[begin].largest;
    bool is_dear = members[begin].scan_bytes > 0;
    size_t end = begin + 1;
    for (; end < members.size() && members[end].smallest <= largest; ++end) {
      largest = std::max(largest, members[end].largest);
      is_dear = is_dear || members[end].scan_bytes > 0;
    }
    const std::span<const Member> together(members.data() + begin, end - begin);
    if (!is_dear && together.size() >= kDearDepth) {
      std::vector<IdDirectory::Entry> bounds;
      for (const Member& member : together)
        bounds.push_back({member.smallest, member.largest, 0, 0});
      is_dear = IdDirectory(std::move(bounds)).OverlapDepth() >= kDearDepth;
    }
    if (is_dear) {
      AddGroup(std::make_unique<IdGroup>(std::vector<Member>(together.begin(), together.end())),
               &parts);
    } else {
      for (const Member& member : together) {
        entries.push_back({member.smallest, member.largest, kSegment | member.ordinal,
                           static_cast<uint32_t>(singles.size())});
        singles.push_back(member.segment);
      }
    }
    begin = end;
  }
  directory_ = IdDirectory(std::move(entries));
  if (!directory_.disjoint() && !groups_.empty() && groups_.size() <= kCoversMax) {
    std::vector<IdDirectory::Entry> others;
    for (size_t i = 0; i < directory_.size(); ++i) {
      const auto entry = directory_.entry(i);
      if ((entry.what & ~kOrdinalMask) == kGroup) {
        covers_.push_back({entry.smallest, entry.largest, groups_[entry.where].get()});
      } else {
        others.push_back(entry);
      }
    }
    directory_ = IdDirectory(std::move(others));
  }
  is_all_loose_ = num_entries() == 0;
  num_singles_ = singles.size();
  singles_ = std::make_unique<SingleSegment[]>(num_singles_);
  for (size_t i = 0; i < num_singles_; ++i) singles_[i].segment = singles[i];
}

void SegmentCatalog::CollectGroups(std::vector<const IdGroup*>* groups) const {
  for (const auto& group : groups_) groups->push_back(group.get());
  if (const SegmentCatalog* refined = loose_.empty() ? nullptr : refined_->get())
    refined->CollectGroups(groups);
}

void SegmentCatalog::TakeOver(const Earlier& earlier, MergeBudget* budget, Parts* parts) {
  const auto key = [](uint32_t ordinal, uint32_t segment) {
    return (uint64_t{ordinal} << 32) | segment;
  };
  // The ordinal here of a fragment of the earlier version, if it is the same.
  const auto now = [&](uint32_t ordinal) -> std::optional<uint32_t> {
    const auto found = earlier.fragments.OrdinalOf(earlier.earlier_fragments.id(ordinal));
    if (!found || earlier.fragments.is_spilled(*found) ||
        earlier.earlier_fragments.is_spilled(ordinal) ||
        earlier.fragments.row_ids(*found) != earlier.earlier_fragments.row_ids(ordinal)) {
      return std::nullopt;
    }
    return static_cast<uint32_t>(*found);
  };
  std::vector<const IdGroup*> groups;
  earlier.catalog.CollectGroups(&groups);
  std::stable_sort(groups.begin(), groups.end(), [](const IdGroup* a, const IdGroup* b) {
    return a->num_rows() > b->num_rows();
  });
  std::unordered_set<uint64_t> taken;
  std::unordered_map<uint64_t, ValueBounds> bounds;
  for (const IdGroup* group : groups) {
    std::vector<uint32_t> ordinal_of;
    bool is_all_there = true;
    for (const uint32_t ordinal : group->ordinals()) {
      const auto found = now(ordinal);
      is_all_there = is_all_there && found;
      ordinal_of.push_back(found.value_or(kOrdinalMask));
    }
    auto rebound = group->Rebind(std::move(ordinal_of));
    for (const Member& member : rebound->members()) {
      if (member.scan_bytes > 0)
        bounds[key(member.ordinal, member.segment)] = {member.smallest, member.largest};
    }
    if (!is_all_there) continue;
    const uint64_t merged = group->merged_bytes();
    const auto overlaps = std::count_if(groups_.begin(), groups_.end(), [&](const auto& other) {
      return other->smallest() <= group->largest() && group->smallest() <= other->largest();
    });
    if (merged == 0 || overlaps >= kGroupsOverOneId || !budget->Take(merged)) continue;
    for (const Member& member : rebound->members())
      taken.insert(key(member.ordinal, member.segment));
    AddGroup(std::move(rebound), parts);
  }
  std::erase_if(parts->members, [&](const Member& member) {
    return taken.count(key(member.ordinal, member.segment)) > 0;
  });
  for (Member& member : parts->members) {
    const auto known =
        member.is_loose ? bounds.find(key(member.ordinal, member.segment)) : bounds.end();
    if (known == bounds.end()) continue;
    member.smallest = known->second.smallest;
    member.largest = known->second.largest;
    member.is_loose = false;
  }
}

const SegmentCatalog::ReadySegment& SegmentCatalog::MakeReady(const FragmentTable& fragments,
                                                              uint32_t ordinal,
                                                              uint32_t single) const {
  auto ready = std::make_unique<ReadySegment>();
  ready->sequence = fragments.SequenceIfThere(ordinal);
  ready->number = singles_[single].segment;
  ready->segment = ready->sequence->segments()[ready->number];
  return singles_[single].ready.Set(std::move(ready));
}

void SegmentCatalog::MakeNear(const FragmentTable& fragments, uint32_t ordinal, uint32_t single,
                              const SegmentIndex& index) const {
  const ReadySegment& ready = Ready(fragments, ordinal, single);
  const Segment& segment = ready.segment;
  const uint64_t first = FirstPositionOf(ready);
  if (!fragments.IsSurelyLive(ordinal, first + segment.array.count - 1)) return;
  const auto first_address =
      MakeRowAddress(fragments.id(ordinal), RowOffset{static_cast<uint32_t>(first)});
  singles_[single].near.Set(std::make_unique<const NearSegment>(
      NearSegment{segment.array.data, segment.array.count, segment.array.base, &index.table,
                  ToInteger(first_address)}));
}

void SegmentCatalog::Prefetch(const FragmentTable& fragments, uint64_t id, Place* place) const {
  place->starting = directory_.CountStartingAtOrBelow(id, place->starting);
  directory_.ForEachHolding(id, place->starting, [&](size_t i) {
    const auto entry = directory_.entry(i);
    const uint32_t ordinal = entry.what & kOrdinalMask;
    if ((entry.what & ~kOrdinalMask) == kGroup) {
      groups_[entry.where]->Prefetch(id);
    } else if ((entry.what & ~kOrdinalMask) == kSegment) {
      const ReadySegment& ready = Ready(fragments, ordinal, entry.where);
      if (const SegmentIndex* index = ready.index.load(std::memory_order_acquire)) {
        PrefetchInSegment(ready.segment, *index, id);
      }
    } else if ((entry.what & ~kOrdinalMask) == kRange) {
      fragments.Prefetch(ordinal, static_cast<uint32_t>(entry.where + (id - entry.smallest)));
    }
    return true;
  });
  for (const Cover& cover : covers_) {
    if (id >= cover.smallest && id <= cover.largest) cover.group->Prefetch(id);
  }
  if (const SegmentCatalog* refined = loose_.empty() ? nullptr : refined_->get()) {
    Place there{.starting = place->starting_refined};
    refined->Prefetch(fragments, id, &there);
    place->starting_refined = there.starting;
  }
}

std::vector<std::pair<uint32_t, uint64_t>> SegmentCatalog::Refine(const FragmentTable& fragments,
                                                                  uint64_t id) const {
  std::vector<std::pair<uint32_t, uint64_t>> slots;
  Parts parts;
  for (const Member& loose : loose_) {
    const RowIdSequence& sequence = *fragments.SequenceIfThere(loose.ordinal);
    const auto scan = ScanAnyOrder(sequence.segments()[loose.segment].array, id);
    if (scan.found)
      slots.emplace_back(loose.ordinal, sequence.FirstPosition(loose.segment) + *scan.found);
    Member exact = loose;
    exact.smallest = scan.bounds.smallest;
    exact.largest = scan.bounds.largest;
    exact.is_loose = false;
    parts.members.push_back(exact);
  }
  refined_->Set(std::make_unique<const SegmentCatalog>(std::move(parts)));
  return slots;
}

uint64_t SegmentCatalog::OverlapDepth() const {
  std::vector<IdDirectory::Entry> entries;
  for (size_t i = 0; i < directory_.size(); ++i) entries.push_back(directory_.entry(i));
  for (const Cover& cover : covers_) entries.push_back({cover.smallest, cover.largest, 0, 0});
  uint64_t depth = IdDirectory(std::move(entries)).OverlapDepth();
  for (const auto& group : groups_) depth = std::max(depth, group->OverlapDepth());
  return depth;
}

uint64_t SegmentCatalog::num_grouped_rows() const {
  uint64_t rows = 0;
  for (const auto& group : groups_) rows += group->num_rows();
  return rows;
}

uint64_t SegmentCatalog::num_loose_bytes() const {
  uint64_t bytes = 0;
  for (const Member& member : loose_) bytes += member.scan_bytes;
  return bytes;
}

uint64_t SegmentCatalog::memory_bytes() const {
  uint64_t bytes = sizeof(*this) + directory_.memory_bytes() + covers_.capacity() * sizeof(Cover) +
                   loose_.capacity() * sizeof(Member) + num_singles_ * sizeof(SingleSegment);
  for (size_t i = 0; i < num_singles_; ++i) {
    if (singles_[i].ready.get() != nullptr) bytes += sizeof(ReadySegment);
    if (singles_[i].near.get() != nullptr) bytes += sizeof(NearSegment);
  }
  for (const auto& group : groups_) bytes += group->memory_bytes();
  if (refined_ != nullptr && refined_->get() != nullptr) bytes += refined_->get()->memory_bytes();
  return bytes;
}

}  // namespace pennon
