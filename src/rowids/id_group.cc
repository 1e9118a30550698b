#include "rowids/id_group.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rowids/segment_runs.h"

namespace pennon {
namespace {

// A block of so many rows is merged at once: in four bytes each it fills a large page of memory.
constexpr uint64_t kRowsPerBlock = uint64_t{1} << 19;
// However many rows there are said to be.
constexpr uint64_t kBlocksMax = uint64_t{1} << 16;
// More are not merged.
constexpr uint64_t kSlotsMax = uint64_t{1} << 40;
// What merging costs for each row, and which share of it must be paid in dear look-ups first.
constexpr uint64_t kMergeNsPerRow = 2;
constexpr uint64_t kPaidShare = 8;
// What a look-up in a merged run costs, about.
constexpr uint64_t kMergedNs = 100;
constexpr uint64_t kBytesPerRowMax = 12;
constexpr uint64_t kBytesPerBlockMax = 4096;

// Gives the rows of a member whose ids lie in [begin, begin + span) to `take(offset, ids)`, a few
// thousand at a time.
template <typename Take>
void WalkMember(const RowIdSequence& sequence, const Member& member, uint64_t begin, uint64_t span,
                Take&& take) {
  constexpr uint64_t kIdsAtOnce = 4096;
  std::array<uint64_t, kIdsAtOnce> ids;
  const bool whole = member.segment == Member::kWholeSequence;
  const size_t stop = whole ? sequence.segments().size() : member.segment + size_t{1};
  const uint64_t last = begin + (span - 1);
  for (size_t i = whole ? 0 : member.segment; i < stop; ++i) {
    const Segment& segment = sequence.segments()[i];
    const SegmentIndex& index = sequence.IndexOf(i);
    uint64_t position = 0;
    uint64_t end = CountRows(segment, &index);
    if (segment.is_ascending()) {
      position = CountBelow(segment, index, begin);
      if (last != ~uint64_t{0}) end = CountBelow(segment, index, last + 1);
    }
    const uint64_t first = sequence.FirstPosition(i);
    while (position < end) {
      const auto part = std::span(ids).first(std::min(end - position, kIdsAtOnce));
      const uint64_t given = ReadSegmentValues(segment, index, position, part);
      take(first + position, std::span<const uint64_t>(part.first(given)));
      if (given < part.size()) break;  // the body is corrupt
      position += given;
    }
  }
}

uint64_t CountRowsIn(const RowIdSequence& sequence, const Member& member, uint64_t begin,
                     uint64_t last) {
  if (member.segment == Member::kWholeSequence) return sequence.size();
  const Segment& segment = sequence.segments()[member.segment];
  const SegmentIndex& index = sequence.IndexOf(member.segment);
  if (!segment.is_ascending()) return CountRows(segment, &index);
  const uint64_t below = CountBelow(segment, index, begin);
  const uint64_t end =
      last == ~uint64_t{0} ? CountRows(segment, &index) : CountBelow(segment, index, last + 1);
  return end > below ? end - below : 0;  // a body out of order may count backwards
}

}  // namespace

IdGroup::IdGroup(std::vector<Member> members) : members_(std::move(members)) {
  std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
    return std::pair(a.smallest, a.ordinal) < std::pair(b.smallest, b.ordinal);
  });
  std::vector<IdDirectory::Entry> entries;
  entries.reserve(members_.size());
  smallest_ = members_.front().smallest;
  largest_ = members_.front().largest;
  for (const Member& member : members_) {
    entries.push_back({member.smallest, member.largest, 0, 0});
    largest_ = std::max(largest_, member.largest);
    num_rows_ += member.num_rows;
    in_any_order_ = in_any_order_ || member.scan_bytes > 0;
    ordinals_.push_back(member.ordinal);
  }
  directory_ = IdDirectory(std::move(entries));
  std::sort(ordinals_.begin(), ordinals_.end());
  ordinals_.erase(std::unique(ordinals_.begin(), ordinals_.end()), ordinals_.end());
  ordinals_.shrink_to_fit();
  for (const Member& member : members_) {
    const auto at = std::lower_bound(ordinals_.begin(), ordinals_.end(), member.ordinal);
    fragment_of_member_.push_back(static_cast<uint32_t>(at - ordinals_.begin()));
  }
  // A part of an unsorted array costs as much to get at as all of it, so those are merged as a
  // whole.
  const uint64_t num_blocks =
      in_any_order_ ? 1 : std::min(num_rows_ / kRowsPerBlock + 1, kBlocksMax);
  while (block_shift_ < 63 && ((largest_ - smallest_) >> block_shift_) >= num_blocks)
    ++block_shift_;
  num_blocks_ = static_cast<size_t>((largest_ - smallest_) >> block_shift_) + 1;
  blocks_ = std::shared_ptr<Block[]>(new Block[num_blocks_]);
  const uint64_t price = num_rows_ / num_blocks_ * kMergeNsPerRow / kPaidShare + 1;
  for (size_t i = 0; i < num_blocks_; ++i)
    blocks_[i].price_ns.store(price, std::memory_order_relaxed);
}

std::unique_ptr<IdGroup> IdGroup::Rebind(std::vector<uint32_t> ordinal_of) const {
  std::unique_ptr<IdGroup> rebound(new IdGroup(*this));
  for (size_t i = 0; i < members_.size(); ++i)
    rebound->members_[i].ordinal = ordinal_of[fragment_of_member_[i]];
  rebound->ordinals_ = std::move(ordinal_of);
  return rebound;
}

MergePlan IdGroup::PlanFor(const FragmentTable& fragments, size_t block) const {
  MergePlan plan;
  plan.begin = smallest_ + (uint64_t{block} << block_shift_);
  const uint64_t last =
      std::min(largest_ - plan.begin, (uint64_t{1} << block_shift_) - 1) + plan.begin;
  plan.span = last - plan.begin + 1;
  plan.num_fragments = static_cast<uint32_t>(ordinals_.size());
  plan.in_any_order = in_any_order_;
  for (const Member& member : members_) {
    if (member.smallest > last || member.largest < plan.begin) continue;
    const RowIdSequence& sequence = *fragments.SequenceIfThere(member.ordinal);
    const uint64_t rows = sequence.size();
    if (rows == 0) continue;
    plan.num_slots += CountRowsIn(sequence, member, plan.begin, last);
    // Ids behind the rows of a fragment are corrupt, and who knows how many: they are asked for.
    if (rows > fragments.physical_rows(member.ordinal) || plan.num_slots > kSlotsMax) {
      plan.num_slots = 0;
      break;
    }
    plan.offset_max = std::max(plan.offset_max,
                               static_cast<uint32_t>(std::min(rows - 1, uint64_t{~uint32_t{0}})));
  }
  return plan;
}

std::vector<AscendingRows> IdGroup::RowsOf(const FragmentTable& fragments,
                                           const MergePlan& plan) const {
  std::vector<AscendingRows> rows;
  for (size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.smallest > plan.begin + (plan.span - 1) || member.largest < plan.begin) continue;
    if (member.segment == Member::kWholeSequence) return {};
    const RowIdSequence& sequence = *fragments.SequenceIfThere(member.ordinal);
    const uint64_t first = sequence.FirstPosition(member.segment);
    const uint64_t stop = sequence.FirstPosition(member.segment + size_t{1});
    if (stop > uint64_t{plan.offset_max} + 1) return {};  // there are no such rows
    const Segment& segment = sequence.segments()[member.segment];
    if (!segment.is_ascending()) return {};  // a short one
    rows.push_back({&segment, &sequence.IndexOf(member.segment),
                    Slot{fragment_of_member_[i], static_cast<uint32_t>(first)}});
  }
  return rows;
}

MergedRun IdGroup::Merge(const FragmentTable& fragments, const MergePlan& plan,
                         uint64_t bytes_max) const {
  if (MergedRun::IsDense(plan)) {
    const auto rows = RowsOf(fragments, plan);
    if (!rows.empty()) {
      if (auto run = MergedRun::BuildDense(plan, rows, bytes_max)) return std::move(*run);
    }
  }
  return MergedRun::Build(plan, [&](const MergedRun::Taker& take) {
    for (size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      if (member.smallest > plan.begin + (plan.span - 1) || member.largest < plan.begin) continue;
      WalkMember(*fragments.SequenceIfThere(member.ordinal), member, plan.begin, plan.span,
                 [&](uint64_t offset, std::span<const uint64_t> ids) {
                   take(fragment_of_member_[i], offset, ids);
                 });
    }
  });
}

const MergedRun* IdGroup::Pay(const FragmentTable& fragments, MergeBudget* budget,
                              const Block& block, uint64_t cost_ns) const {
  // What a merged run would have cost is not lost by asking.
  if (cost_ns <= kMergedNs) return nullptr;
  const uint64_t due = cost_ns - kMergedNs;
  const uint64_t paid = block.paid_ns.fetch_add(due, std::memory_order_relaxed) + due;
  if (paid < block.price_ns.load(std::memory_order_relaxed)) return nullptr;
  if (block.is_taken.exchange(true, std::memory_order_relaxed)) return block.run.get();
  const MergePlan plan = PlanFor(fragments, static_cast<size_t>(&block - blocks_.get()));
  // Blocks are cut by ids, so one may hold many more rows than the others. Then it must earn more.
  const uint64_t price = plan.num_slots * kMergeNsPerRow / kPaidShare;
  if (paid < price) {
    block.price_ns.store(price, std::memory_order_relaxed);
    block.is_taken.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  if (plan.num_slots == 0) return nullptr;
  const uint64_t allowed = plan.num_slots * kBytesPerRowMax + kBytesPerBlockMax;
  if (!budget->Take(allowed)) return nullptr;
  auto run = std::make_unique<const MergedRun>(Merge(fragments, plan, allowed));
  const uint64_t used = run->memory_bytes();
  if (used > allowed) {  // ids too far apart, or listed over and over
    budget->GiveBack(allowed);
    return nullptr;
  }
  budget->GiveBack(allowed - used);
  const MergedRun& kept = block.run.Set(std::move(run));
  if (const auto dense = kept.dense()) {
    block.dense = *dense;
    block.is_dense.store(true, std::memory_order_release);
  }
  return &kept;
}

uint64_t IdGroup::merged_bytes() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < num_blocks_; ++i) {
    if (const auto* run = blocks_[i].run.get()) bytes += run->memory_bytes();
  }
  return bytes;
}

uint64_t IdGroup::memory_bytes() const {
  uint64_t bytes = sizeof(*this) + members_.capacity() * sizeof(Member) +
                   directory_.memory_bytes() +
                   (ordinals_.capacity() + fragment_of_member_.capacity()) * sizeof(uint32_t) +
                   num_blocks_ * sizeof(Block) + merged_bytes();
  return bytes;
}

}  // namespace pennon
