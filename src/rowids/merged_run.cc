#include "rowids/merged_run.h"

#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "rowids/packed_array.h"
#include "rowids/radix_sort.h"

namespace pennon {
namespace {

// Hands rows on to `apply` in an order that stays near one place of a large table for long: rows
// are collected, dealt by place into as many stretches as the processor can write to at once, and
// handed on stretch by stretch.
template <typename Row, typename Apply>
class RowDealer {
 public:
  RowDealer(uint64_t span, Apply apply) : apply_(std::move(apply)) {
    while ((span - 1) >> shift_ >= kStretches) ++shift_;
    rows_.reserve(kRowsAtOnce);
  }
  void Add(const Row& row) {
    rows_.push_back(row);
    if (rows_.size() == kRowsAtOnce) Flush();
  }
  void Flush() {
    std::array<uint32_t, kStretches> places{};
    for (const Row& row : rows_) ++places[row.place >> shift_];
    uint32_t place = 0;
    for (uint32_t& count : places) place += std::exchange(count, place);
    dealt_.resize(rows_.size());
    for (const Row& row : rows_) dealt_[places[row.place >> shift_]++] = row;
    for (const Row& row : dealt_) apply_(row);
    rows_.clear();
  }

 private:
  static constexpr uint64_t kStretches = 128;
  static constexpr size_t kRowsAtOnce = size_t{1} << 20;

  Apply apply_;
  uint32_t shift_ = 0;
  std::vector<Row> rows_;
  std::vector<Row> dealt_;
};

// Calls `fn(place, slot)` for each row that the plan covers.
template <typename Fn>
void ForEachRow(const MergePlan& plan, const MergedRun::Walk& walk, Fn&& fn) {
  walk([&](uint32_t fragment, uint64_t offset, std::span<const uint64_t> ids) {
    if (fragment >= plan.num_fragments || offset + ids.size() > uint64_t{plan.offset_max} + 1)
      return;
    auto row_offset = static_cast<uint32_t>(offset);
    for (const uint64_t id : ids) {
      const uint64_t place = id - plan.begin;
      if (place < plan.span) fn(place, Slot{fragment, row_offset});
      ++row_offset;
    }
  });
}

// A table larger than this is written stretch by stretch.
constexpr uint64_t kCachedBytes = uint64_t{1} << 20;

}  // namespace

MergedRun::Form MergedRun::FormFor(const MergePlan& plan) {
  // Bytes an id: direct = width / density, ranked = width + 1/7 / density, sorted = width + 4.
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
    const auto put = [&](const Row& row) { run.Put(row.place, row.place, row.slot); };
    if (plan.in_any_order && run.slots_.memory_bytes() > kCachedBytes) {
      RowDealer<Row, decltype(put)> dealer(plan.span, put);
      ForEachRow(plan, walk, [&](uint64_t place, Slot slot) { dealer.Add({place, slot}); });
      dealer.Flush();
    } else {
      ForEachRow(plan, walk, [&](uint64_t place, Slot slot) { put({place, slot}); });
    }
  } else if (run.form_ == Form::kRanked) {
    run.BuildRanked(plan, walk);
  } else {
    run.BuildSorted(plan, walk);
  }
  std::stable_sort(run.more_.begin(), run.more_.end(),
                   [](const More& a, const More& b) { return a.id < b.id; });
  run.more_.shrink_to_fit();
  return run;
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
    for (const uint64_t word : line.words) num_ids += static_cast<uint64_t>(std::popcount(word));
  }
  slots_ = SlotArray(num_ids, plan.num_fragments, plan.offset_max);
  const auto put = [&](const Row& row) {
    uint64_t element = 0;
    if (RankedElement(row.place, &element)) Put(element, row.place, row.slot);
  };
  if (plan.in_any_order && slots_.memory_bytes() > kCachedBytes) {
    RowDealer<Row, decltype(put)> dealer(plan.span, put);
    ForEachRow(plan, walk, [&](uint64_t place, Slot slot) { dealer.Add({place, slot}); });
    dealer.Flush();
  } else {
    ForEachRow(plan, walk, [&](uint64_t place, Slot slot) { put({place, slot}); });
  }
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
  return sizeof(*this) + slots_.memory_bytes() + lines_.capacity() * sizeof(Line) +
         lows_.capacity() * sizeof(uint32_t) + stretches_.capacity() * sizeof(Stretch) +
         more_.capacity() * sizeof(More);
}

}  // namespace pennon
