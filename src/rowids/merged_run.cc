#include "rowids/merged_run.h"

#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "rowids/packed_array.h"
#include "rowids/radix_sort.h"

namespace pennon {
namespace {

// Calls `fn(slot, ids)` for the rows that the plan has room for; `slot` is that of the first.
template <typename Fn>
void ForEachSpan(const MergePlan& plan, const MergedRun::Walk& walk, Fn&& fn) {
  walk([&](uint32_t fragment, uint64_t offset, std::span<const uint64_t> ids) {
    if (fragment >= plan.num_fragments || offset + ids.size() > uint64_t{plan.offset_max} + 1)
      return;
    fn(Slot{fragment, static_cast<uint32_t>(offset)}, ids);
  });
}

// Calls `fn(place, slot)` for each row that the plan covers.
template <typename Fn>
void ForEachRow(const MergePlan& plan, const MergedRun::Walk& walk, Fn&& fn) {
  ForEachSpan(plan, walk, [&](Slot slot, std::span<const uint64_t> ids) {
    for (const uint64_t id : ids) {
      const uint64_t place = id - plan.begin;
      if (place < plan.span) fn(place, slot);
      ++slot.offset;
    }
  });
}

// How far ahead rows that jump about are fetched while they are merged.
constexpr size_t kRowsAhead = 32;

}  // namespace

MergedRun::Form MergedRun::FormFor(const MergePlan& plan) {
  // Bytes an id: direct = width / density, ranked = width + 1/6 / density, sorted = width + 4.
  if (plan.span / 5 * 3 <= plan.num_slots) return Form::kDirect;
  if (plan.span / 16 <= plan.num_slots) return Form::kRanked;
  return Form::kSorted;
}

MergedRun MergedRun::Build(const MergePlan& plan, const Walk& walk) {
  MergedRun run;
  run.form_ = FormFor(plan);
  run.begin_ = plan.begin;
  run.span_ = plan.span;
  if (run.form_ == Form::kDirect) {
    run.slots_ = SlotArray(plan.span, plan.num_fragments, plan.offset_max);
    run.PutAll(plan, walk);
  } else if (run.form_ == Form::kRanked) {
    run.BuildRanked(plan, walk);
  } else {
    run.BuildSorted(plan, walk);
  }
  run.SortMore();
  return run;
}

std::optional<MergedRun> MergedRun::BuildDense(const MergePlan& plan,
                                               std::span<const AscendingRows> rows,
                                               uint64_t bytes_max) {
  MergedRun run;
  run.form_ = Form::kDense;
  run.begin_ = plan.begin;
  run.span_ = plan.span;
  run.dense_ = DenseSlots(plan.span, plan.num_fragments, plan.offset_max);
  const uint64_t used = run.memory_bytes();
  if (used > bytes_max) return std::nullopt;
  const uint64_t more_max = (bytes_max - used) / sizeof(More);
  const bool is_whole = MergeTiles(
      {plan.begin, plan.span, plan.num_slots, rows},
      [&](uint64_t id, Slot slot) {
        run.more_.push_back({id, slot});
        return run.more_.size() <= more_max;
      },
      &run.dense_);
  if (!is_whole) return std::nullopt;
  run.SortMore();
  return run;
}

void MergedRun::SortMore() {
  std::stable_sort(more_.begin(), more_.end(),
                   [](const More& a, const More& b) { return a.id < b.id; });
  more_.shrink_to_fit();
}

void MergedRun::BuildRanked(const MergePlan& plan, const Walk& walk) {
  lines_.resize(plan.span / Line::kPlaces + 1);
  ForEachRow(plan, walk, [&](uint64_t place, Slot) {
    const uint64_t bit = place % Line::kPlaces;
    lines_[place / Line::kPlaces].words[bit / 64] |= uint64_t{1} << (bit % 64);
  });
  uint64_t num_ids = 0;
  for (Line& line : lines_) {
    line.ids_before = num_ids;
    for (uint64_t word = 0; word < Line::kWords; ++word) {
      line.word_counts |= (num_ids - line.ids_before) << (Line::kCountBits * word);
      num_ids += static_cast<uint64_t>(std::popcount(line.words[word]));
    }
  }
  slots_ = SlotArray(num_ids, plan.num_fragments, plan.offset_max);
  PutAll(plan, walk);
}

// Rows that jump about are misses each: those of the rows to come are made to overlap.
inline void MergedRun::PrefetchForPut(std::span<const uint64_t> ids, size_t i) const {
  if (form_ == Form::kRanked && i + 2 * kRowsAhead < ids.size()) {
    const uint64_t place = ids[i + 2 * kRowsAhead] - begin_;
    if (place < span_) __builtin_prefetch(&lines_[place / Line::kPlaces]);
  }
  if (i + kRowsAhead >= ids.size()) return;
  uint64_t element = 0;
  if (ElementOf(ids[i + kRowsAhead] - begin_, &element)) slots_.PrefetchForPut(element);
}

void MergedRun::PutAll(const MergePlan& plan, const Walk& walk) {
  const uint64_t begin = begin_;
  const uint64_t span = span_;
  ForEachSpan(plan, walk, [&](Slot slot, std::span<const uint64_t> ids) {
    const auto again = [&](size_t i) {
      more_.push_back({ids[i], Slot{slot.fragment, slot.offset + static_cast<uint32_t>(i)}});
    };
    if (form_ == Form::kDirect && !plan.in_any_order) {
      const auto element_of = [&](size_t i) {
        const uint64_t place = ids[i] - begin;
        return place < span ? place : SlotArray::kNowhere;
      };
      return slots_.PutRun(slot, ids.size(), element_of, again);
    }
    const auto element_of = [&](size_t i) {
      if (plan.in_any_order) PrefetchForPut(ids, i);
      uint64_t element = 0;
      return ElementOf(ids[i] - begin, &element) ? element : SlotArray::kNowhere;
    };
    slots_.PutRun(slot, ids.size(), element_of, again);
  });
}

void MergedRun::BuildSorted(const MergePlan& plan, const Walk& walk) {
  std::vector<Row> rows;
  rows.reserve(plan.num_slots);
  ForEachRow(plan, walk, [&](uint64_t place, Slot slot) { rows.push_back({place, slot}); });
  // Stable, so that an id's first slot is the one that was walked first, as in the other forms.
  RadixSort(&rows, [](const Row& row) { return row.place; });
  uint64_t num_ids = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    num_ids += i == 0 || rows[i - 1].place != rows[i].place ? 1 : 0;
  slots_ = SlotArray(num_ids, plan.num_fragments, plan.offset_max);
  lows_.reserve(num_ids);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto [place, slot] = rows[i];
    if (i == 0 || rows[i - 1].place != place) {
      if (stretches_.empty() || stretches_.back().high != place >> 32)
        stretches_.push_back({place >> 32, lows_.size()});
      lows_.push_back(static_cast<uint32_t>(place));
    }
    Put(lows_.size() - 1, place, slot);
  }
  stretches_.shrink_to_fit();
}

bool MergedRun::SortedElement(uint64_t place, uint64_t* element) const {
  const auto next =
      std::upper_bound(stretches_.begin(), stretches_.end(), place >> 32,
                       [](uint64_t high, const Stretch& stretch) { return high < stretch.high; });
  if (next == stretches_.begin() || std::prev(next)->high != place >> 32) return false;
  const uint64_t first = std::prev(next)->first_element;
  const uint64_t end = next == stretches_.end() ? lows_.size() : next->first_element;
  const PackedArray lows{reinterpret_cast<const char*>(lows_.data() + first), end - first, 0, 4};
  const auto found = FindAscending(lows, place & 0xFFFFFFFFu);
  if (!found) return false;
  *element = first + *found;
  return true;
}

uint64_t MergedRun::memory_bytes() const {
  return sizeof(*this) + dense_.memory_bytes() + slots_.memory_bytes() +
         lines_.capacity() * sizeof(Line) + lows_.capacity() * sizeof(uint32_t) +
         stretches_.capacity() * sizeof(Stretch) + more_.capacity() * sizeof(More);
}

}  // namespace pennon
