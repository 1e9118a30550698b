#include "rowids/segment_catalog.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pennon {
namespace {

// An unsorted array up to so many bytes is searched as quickly as a sorted one, and read for its bounds at once.
constexpr uint64_t kShortArrayBytes = 4096;
// Fewer segments than this over one id are asked one by one for good.
constexpr uint64_t kDearDepth = 4;
// A sequence of very short segments is kept as a whole: an entry for each would take more than its ids.
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
    ones += static_cast<uint64_t>(std::popcount(segment.bitmap.Word((num_words - kSampledWords) / 2 + i)));
  }
  return num_words * (ones + 1) / kSampledWords;
}

Member MemberOf(uint32_t ordinal, uint32_t which, const Segment& segment, const ValueBounds& bounds) {
  Member member{ordinal, which, bounds.smallest, bounds.largest, RowsAbout(segment), 0, false};
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

void SegmentCatalog::Parts::AddSequence(uint32_t ordinal, std::span<const Segment> segments, uint64_t physical_rows) {
  uint64_t rows = 0;
  for (const Segment& segment : segments) rows += RowsAtMost(segment);
  if (segments.size() > kManySegments && rows / kShortSegmentRows < segments.size()) {
    Member whole{ordinal, Member::kWholeSequence, ~uint64_t{0}, 0, rows, segments.size() * sizeof(Segment), false};
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
      // Rows behind the fragment's last are told apart when they are found, so such a range takes the long way.
      if (segment.form == SegmentForm::kRange && is_offset_known && offset <= physical_rows &&
          segment.num_rows <= physical_rows - offset && physical_rows <= uint64_t{1} << 32) {
        ranges.push_back({bounds->smallest, bounds->largest, kRange | ordinal, static_cast<uint32_t>(offset)});
      } else {
        members.push_back(MemberOf(ordinal, static_cast<uint32_t>(i), segment, *bounds));
      }
    }
    is_offset_known = is_offset_known && !segment.is_uncounted();
    offset += segment.is_uncounted() ? 0 : segment.num_rows;
  }
}

SegmentCatalog::SegmentCatalog(Parts parts) {
  auto& entries = parts.ranges;
  auto& members = parts.members;
  const auto loose = std::stable_partition(members.begin(), members.end(), [](const Member& m) { return !m.is_loose; });
  loose_.assign(loose, members.end());
  members.erase(loose, members.end());
  if (!loose_.empty()) refined_ = std::make_unique<PublishOnce<SegmentCatalog>>();

  const auto by_smallest = [](const Member& a, const Member& b) { return a.smallest < b.smallest; };
  if (!std::is_sorted(members.begin(), members.end(), by_smallest)) {
    std::stable_sort(members.begin(), members.end(), by_smallest);
  }
  // Members whose bounds hang together: a group if many overlap at once, or if one is dear by itself.
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
      for (const Member& member : together) bounds.push_back({member.smallest, member.largest, 0, 0});
      is_dear = IdDirectory(std::move(bounds)).OverlapDepth() >= kDearDepth;
    }
    if (is_dear) {
      entries.push_back({members[begin].smallest, largest, kGroup, static_cast<uint32_t>(groups_.size())});
      groups_.push_back(std::make_unique<IdGroup>(std::vector<Member>(together.begin(), together.end())));
    } else {
      for (const Member& member : together) {
        entries.push_back({member.smallest, member.largest, kSegment | member.ordinal, member.segment});
      }
    }
    begin = end;
  }
  directory_ = IdDirectory(std::move(entries));
}

std::vector<std::pair<uint32_t, uint64_t>> SegmentCatalog::Refine(const FragmentTable& fragments, uint64_t id) const {
  std::vector<std::pair<uint32_t, uint64_t>> slots;
  Parts parts;
  for (const Member& loose : loose_) {
    const RowIdSequence& sequence = *fragments.SequenceIfThere(loose.ordinal);
    const auto scan = ScanAnyOrder(sequence.segments()[loose.segment].array, id);
    if (scan.found) slots.emplace_back(loose.ordinal, sequence.FirstPosition(loose.segment) + *scan.found);
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
  uint64_t depth = directory_.OverlapDepth();
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
  uint64_t bytes = sizeof(*this) + directory_.memory_bytes() + loose_.capacity() * sizeof(Member);
  for (const auto& group : groups_) bytes += group->memory_bytes();
  if (refined_ != nullptr && refined_->get() != nullptr) bytes += refined_->get()->memory_bytes();
  return bytes;
}

}  // namespace pennon
