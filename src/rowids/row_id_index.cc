#include "rowids/row_id_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/batch_order.h"
#include "rowids/segment_catalog.h"

namespace pennon {
namespace {

// A batch in any order is answered as it comes, so many ids at a time, unless there are more
// segments than would stay in the cache: then ids of one segment had better come after each other.
constexpr size_t kIdsAtOnce = 32;
constexpr size_t kSinglesInCache = 1000;

arrow::Status LiveTwice(RowId id, RowAddress one, RowAddress other) {
  const auto [first, second] = std::minmax(one, other);
  return MakeError(
      ErrorKind::kCorrupt,
      fmt::format(
          "row id is live twice: id {} at fragment {} offset {} (address {}) and at fragment {} "
          "offset {} (address {})",
          ToInteger(id), ToInteger(FragmentOf(first)), ToInteger(OffsetOf(first)), ToInteger(first),
          ToInteger(FragmentOf(second)), ToInteger(OffsetOf(second)), ToInteger(second)));
}

// Makes up its mind about one id from the slots that carry it, as far as deletion vectors are
// there.
class Verdict {
 public:
  explicit Verdict(const FragmentTable& fragments) : fragments_(fragments) {}

  void Add(uint32_t ordinal, uint64_t offset) {
    if (offset >= fragments_.physical_rows(ordinal)) {
      trouble_ = Trouble::kBehind;
      second_ = ordinal;
      return;
    }
    const auto address =
        MakeRowAddress(fragments_.id(ordinal), RowOffset{static_cast<uint32_t>(offset)});
    const auto is_deleted = fragments_.IsDeletedIfKnown(ordinal, static_cast<uint32_t>(offset));
    if (!is_deleted) {
      if (num_wanted_ < wanted_.size()) wanted_[num_wanted_++] = ordinal;
    } else if (*is_deleted) {
      // Addresses start with the fragment's number, so the largest lies in the youngest fragment.
      if (!is_live_ && (!is_stale_ || address > address_)) address_ = address;
      is_stale_ = true;
    } else if (is_live_) {
      trouble_ = Trouble::kTwice;
      second_ = ToInteger(address);
    } else {
      is_live_ = true;
      address_ = address;
    }
  }

  /// Some fragments whose deletion vectors must be loaded before the verdict stands; empty when it
  /// does.
  std::span<const uint32_t> wanted() const { return std::span(wanted_).first(num_wanted_); }
  bool is_live() const { return is_live_; }

  arrow::Status Check(RowId id) const {
    if (trouble_ == Trouble::kNone) return arrow::Status::OK();
    if (trouble_ == Trouble::kTwice) return LiveTwice(id, address_, RowAddress{second_});
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("row id lies behind the rows of its fragment: id {}, fragment {} of {} rows",
                    ToInteger(id), ToInteger(fragments_.id(second_)),
                    fragments_.physical_rows(second_)));
  }

  RowLocation Location(RowId id, uint64_t next_row_id) const {
    if (is_live_) return {address_, RowState::kLive};
    if (is_stale_) return {address_, RowState::kDeleted};
    return {RowAddress{}, ToInteger(id) < next_row_id ? RowState::kGone : RowState::kNeverGiven};
  }

 private:
  enum class Trouble : uint8_t { kNone, kTwice, kBehind };

  const FragmentTable& fragments_;
  RowAddress address_{};  // of the live slot, else of the youngest stale one
  bool is_live_ = false;
  bool is_stale_ = false;
  Trouble trouble_ = Trouble::kNone;
  uint32_t num_wanted_ = 0;
  uint64_t second_ = 0;  // kTwice: the other address; kBehind: the ordinal
  std::array<uint32_t, 8> wanted_;
};

}  // namespace

struct RowIdIndex::State {
  struct Places {
    SegmentCatalog::Place inlined;
    SegmentCatalog::Place spilled;
  };

  explicit State(const RowIdIndexInput& input)
      : fragments(input.fragments, input.owner, input.source),
        next_row_id(input.next_row_id),
        budget(input.merged_bytes_max) {}

  template <typename Fn>
  void ForEachSlot(uint64_t id, Places* places, Fn&& fn) const;

  // Answers for an id whose slots can be told at a glance and are as they should be; false where it
  // takes more to make up one's mind.
  bool FindAtAGlance(uint64_t id, SegmentCatalog::Place* place, RowLocation* location) const {
    if (id - sole.first_id < sole.num_rows) {
      *location = {RowAddress{sole.first_address + (id - sole.first_id)}, RowState::kLive};
      return true;
    }
    return FindAmongFew(id, place, location);
  }
  __attribute__((noinline)) bool FindAmongFew(uint64_t id, SegmentCatalog::Place* place,
                                              RowLocation* location) const {
    SegmentCatalog::Few few;
    if (!catalog.FindFew(id, place, &few) || !spilled.empty()) return false;
    if (few.count == 1 && fragments.IsSurelyLive(few.slots[0].ordinal, few.slots[0].offset)) {
      *location = {AddressOf(few.slots[0].ordinal, few.slots[0].offset), RowState::kLive};
      return true;
    }
    return Judge(few, id, location);
  }
  RowAddress AddressOf(uint32_t ordinal, uint64_t offset) const {
    return MakeRowAddress(fragments.id(ordinal), RowOffset{static_cast<uint32_t>(offset)});
  }
  // The same from the slots, which are known to be all.
  __attribute__((noinline)) bool Judge(const SegmentCatalog::Few& few, uint64_t id,
                                       RowLocation* location) const {
    RowState state = id < next_row_id ? RowState::kGone : RowState::kNeverGiven;
    RowAddress address{};
    for (uint32_t i = 0; i < few.count; ++i) {
      const auto [ordinal, offset] = few.slots[i];
      const RowAddress here = AddressOf(ordinal, offset);
      if (!fragments.IsSurelyLive(ordinal, offset)) {
        if (offset >= fragments.physical_rows(ordinal)) return false;
        const auto is_deleted = fragments.IsDeletedIfKnown(ordinal, static_cast<uint32_t>(offset));
        if (!is_deleted) return false;
        if (*is_deleted) {
          if (state != RowState::kLive && (state != RowState::kDeleted || here > address))
            address = here;
          if (state != RowState::kLive) state = RowState::kDeleted;
          continue;
        }
      }
      if (state == RowState::kLive) return false;  // live twice
      state = RowState::kLive;
      address = here;
    }
    *location = {address, state};
    return true;
  }

  // Loads the spilled sequences that are not there and catalogs them. Two threads may both do it;
  // one result stays.
  arrow::Status LoadSpilled() const {
    if (spilled_catalog.get() != nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(fragments.LoadSequences(spilled));
    SegmentCatalog::Parts parts;
    for (const uint32_t ordinal : spilled) {
      const auto* sequence = fragments.SequenceIfThere(ordinal);
      parts.AddSequence(ordinal, sequence->segments(), fragments.physical_rows(ordinal));
    }
    spilled_catalog.Set(std::make_unique<const SegmentCatalog>(std::move(parts)));
    return arrow::Status::OK();
  }

  // A table of one fragment whose ids are one range and all of whose rows live.
  struct SoleRange {
    uint64_t first_id = 0;
    uint64_t num_rows = 0;  // 0 for any other table
    uint64_t first_address = 0;
  };
  static SoleRange SoleRangeOf(const RowIdIndexInput& input, std::span<const Segment> segments) {
    if (input.fragments.size() != 1 || segments.size() != 1) return {};
    const IndexedFragment& fragment = input.fragments[0];
    const bool is_sole = segments[0].form == SegmentForm::kRange && !fragment.has_deletions &&
                         segments[0].num_rows <= fragment.physical_rows;
    if (!is_sole) return {};
    return {segments[0].start, segments[0].num_rows,
            ToInteger(MakeRowAddress(fragment.id, RowOffset{0}))};
  }

  SoleRange sole;
  FragmentTable fragments;
  uint64_t next_row_id;
  SegmentCatalog catalog;         // of the inline sequences
  std::vector<uint32_t> spilled;  // ordinals
  bool may_find_live = false;     // what the catalog has found in line need not be looked at again
  PublishOnce<SegmentCatalog> spilled_catalog;
  mutable MergeBudget budget;
  uint64_t encoded_bytes = 0;
};

RowIdIndex::RowIdIndex(std::unique_ptr<const State> state) : state_(std::move(state)) {}
RowIdIndex::~RowIdIndex() = default;

arrow::Result<std::shared_ptr<const RowIdIndex>> RowIdIndex::Make(const RowIdIndexInput& input,
                                                                  const RowIdIndex* previous) {
  if (input.fragments.size() > std::numeric_limits<uint32_t>::max() / 4) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("too many fragments to index: {}", input.fragments.size()));
  }
  auto state = std::make_unique<State>(input);
  SegmentCatalog::Parts parts;
  parts.ranges.reserve(input.fragments.size());
  std::vector<Segment> segments;
  for (size_t i = 0; i < input.fragments.size(); ++i) {
    const auto& fragment = input.fragments[i];
    if (fragment.is_spilled) {
      state->spilled.push_back(static_cast<uint32_t>(i));
      continue;
    }
    segments.clear();
    const auto status = ReadSegments(fragment.row_ids, &segments);
    if (!status.ok())
      return AddContext(status, fmt::format(" (fragment {})", ToInteger(fragment.id)));
    parts.AddSequence(static_cast<uint32_t>(i), segments, fragment.physical_rows);
    state->encoded_bytes += fragment.row_ids.size();
  }
  state->sole = State::SoleRangeOf(input, segments);
  if (previous == nullptr) {
    state->catalog = SegmentCatalog(std::move(parts));
  } else {
    const State& earlier = *previous->state_;
    state->fragments.Adopt(earlier.fragments);
    state->catalog = SegmentCatalog(
        std::move(parts), {earlier.catalog, earlier.fragments, state->fragments}, &state->budget);
  }
  state->may_find_live = state->catalog.is_plain() && state->spilled.empty();
  return std::shared_ptr<const RowIdIndex>(new RowIdIndex(std::move(state)));
}

// Asks every catalog that is there for one id.
template <typename Fn>
void RowIdIndex::State::ForEachSlot(uint64_t id, Places* places, Fn&& fn) const {
  catalog.ForEachSlot(fragments, &budget, id, &places->inlined, fn);
  if (const SegmentCatalog* loaded = spilled_catalog.get()) {
    loaded->ForEachSlot(fragments, &budget, id, &places->spilled, fn);
  }
}

arrow::Result<RowLocation> RowIdIndex::Find(RowId id) const {
  const State& state = *state_;
  RowAddress address{};
  if (state.may_find_live && state.catalog.FindLive(state.fragments, ToInteger(id), &address))
    return RowLocation{address, RowState::kLive};
  return FindWithPlace(id);
}

__attribute__((noinline)) arrow::Result<RowLocation> RowIdIndex::FindWithPlace(RowId id) const {
  SegmentCatalog::Place place;
  RowLocation location;
  if (state_->FindAtAGlance(ToInteger(id), &place, &location)) return location;
  return FindAtLength(id);
}

// Kept apart from what most look-ups are through with.
__attribute__((noinline)) arrow::Result<RowLocation> RowIdIndex::FindAtLength(RowId id) const {
  const State& state = *state_;
  State::Places places;
  while (true) {
    // Taken before asking, so that a catalog that appears meanwhile only makes for another round.
    const bool is_complete = state.spilled.empty() || state.spilled_catalog.get() != nullptr;
    Verdict verdict(state.fragments);
    state.ForEachSlot(ToInteger(id), &places,
                      [&](uint32_t ordinal, uint64_t offset) { verdict.Add(ordinal, offset); });
    if (!verdict.wanted().empty()) {
      ARROW_RETURN_NOT_OK(state.fragments.LoadDeletions(verdict.wanted()));
      continue;
    }
    ARROW_RETURN_NOT_OK(verdict.Check(id));
    if (verdict.is_live() || is_complete) return verdict.Location(id, state.next_row_id);
    ARROW_RETURN_NOT_OK(state.LoadSpilled());
  }
}

arrow::Status RowIdIndex::FindMany(std::span<const uint64_t> ids,
                                   std::span<RowLocation> locations) const {
  const State& state = *state_;
  if (ids.size() != locations.size()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("as many locations as row ids are needed: {} and {}",
                                 locations.size(), ids.size()));
  }
  const bool is_complete = state.spilled.empty() || state.spilled_catalog.get() != nullptr;
  arrow::Status status;
  std::vector<uint32_t> wanted;
  std::vector<size_t> again;  // places in the batch that need what is not loaded yet
  bool needs_spilled = false;
  const auto find = [&](uint64_t id, size_t i, State::Places* places) {
    if (state.FindAtAGlance(id, &places->inlined, &locations[i])) return;
    Verdict verdict(state.fragments);
    state.ForEachSlot(id, places,
                      [&](uint32_t ordinal, uint64_t offset) { verdict.Add(ordinal, offset); });
    const bool lacks_spilled = !is_complete && !verdict.is_live();
    if (!verdict.wanted().empty() || lacks_spilled) {
      wanted.insert(wanted.end(), verdict.wanted().begin(), verdict.wanted().end());
      needs_spilled = needs_spilled || lacks_spilled;
      again.push_back(i);
      return;
    }
    if (status.ok()) status = verdict.Check(RowId{id});
    locations[i] = verdict.Location(RowId{id}, state.next_row_id);
  };
  const auto find_live = [&](uint64_t id, size_t i, auto... place) {
    RowAddress address{};
    if (!state.catalog.FindLive(state.fragments, id, place..., &address)) return false;
    locations[i] = {address, RowState::kLive};
    return true;
  };
  if (state.catalog.num_singles() > kSinglesInCache || std::is_sorted(ids.begin(), ids.end())) {
    State::Places places;
    BatchOrder(ids).ForEach([&](uint64_t id, size_t i) {
      if (!state.may_find_live || !find_live(id, i, &places.inlined)) find(id, i, &places);
    });
  } else {
    std::array<State::Places, kIdsAtOnce> places;
    std::array<size_t, kIdsAtOnce> left;
    bool may_find_live = state.may_find_live;
    for (size_t begin = 0; begin < ids.size(); begin += kIdsAtOnce) {
      const size_t count = std::min(kIdsAtOnce, ids.size() - begin);
      size_t num_left = 0;
      for (size_t i = 0; i < count; ++i) {
        left[num_left] = i;
        num_left += may_find_live && find_live(ids[begin + i], begin + i) ? 0 : 1;
      }
      // Where the short way finds little it is not tried for a while.
      may_find_live =
          state.may_find_live && (num_left < count / 2 || begin % (64 * kIdsAtOnce) == 0);
      for (const size_t i : std::span(left).first(num_left))
        state.catalog.Prefetch(state.fragments, ids[begin + i], &places[i].inlined);
      for (const size_t i : std::span(left).first(num_left))
        find(ids[begin + i], begin + i, &places[i]);
    }
  }
  ARROW_RETURN_NOT_OK(status);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  ARROW_RETURN_NOT_OK(state.fragments.LoadDeletions(wanted));
  // A row may turn out to be deleted here and live in a spilled fragment: Find sorts that out.
  if (needs_spilled && wanted.empty()) ARROW_RETURN_NOT_OK(state.LoadSpilled());
  if (again.empty()) return arrow::Status::OK();
  std::vector<uint64_t> left;
  left.reserve(again.size());
  for (const size_t i : again) left.push_back(ids[i]);
  std::vector<RowLocation> found(left.size());
  ARROW_RETURN_NOT_OK(FindMany(left, found));
  for (size_t i = 0; i < again.size(); ++i) locations[again[i]] = found[i];
  return arrow::Status::OK();
}

arrow::Result<std::optional<RowId>> RowIdIndex::IdAt(RowAddress address) const {
  const FragmentTable& fragments = state_->fragments;
  const auto ordinal = fragments.OrdinalOf(FragmentOf(address));
  const RowOffset offset = OffsetOf(address);
  if (!ordinal || ToInteger(offset) >= fragments.physical_rows(*ordinal)) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const auto* sequence, fragments.Sequence(*ordinal));
  if (ToInteger(offset) >= sequence->size()) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("row id sequence is shorter than its fragment: fragment {}, {} ids for {} rows",
                    ToInteger(FragmentOf(address)), sequence->size(),
                    fragments.physical_rows(*ordinal)));
  }
  return sequence->Get(offset);
}

arrow::Result<std::optional<RowId>> RowIdIndex::LiveIdAt(RowAddress address) const {
  const FragmentTable& fragments = state_->fragments;
  const auto ordinal = fragments.OrdinalOf(FragmentOf(address));
  if (!ordinal) return std::nullopt;
  const auto which = static_cast<uint32_t>(*ordinal);
  ARROW_RETURN_NOT_OK(fragments.LoadDeletions(std::span(&which, 1)));
  if (fragments.IsDeletedIfKnown(*ordinal, ToInteger(OffsetOf(address))).value_or(true))
    return std::nullopt;
  return IdAt(address);
}

RowIdIndexHealth RowIdIndex::Health() const {
  RowIdIndexHealth health;
  health.num_fragments = state_->fragments.size();
  health.num_spilled = state_->spilled.size();
  health.encoded_bytes = state_->encoded_bytes;
  health.memory_bytes = memory_bytes();
  for (const SegmentCatalog* catalog : {&state_->catalog, state_->spilled_catalog.get()}) {
    if (catalog == nullptr) continue;
    health.num_entries += catalog->num_entries();
    health.num_groups += catalog->num_groups();
    health.num_grouped_rows += catalog->num_grouped_rows();
    health.overlap_depth += catalog->OverlapDepth();
    health.first_lookup_bytes += catalog->num_loose_bytes();
  }
  return health;
}

uint64_t RowIdIndex::memory_bytes() const {
  uint64_t bytes = sizeof(*this) + sizeof(State) + state_->fragments.memory_bytes() +
                   state_->catalog.memory_bytes() + state_->spilled.capacity() * sizeof(uint32_t);
  if (const auto* spilled = state_->spilled_catalog.get()) bytes += spilled->memory_bytes();
  return bytes;
}

}  // namespace pennon
