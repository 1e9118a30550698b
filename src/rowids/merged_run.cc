#include "rowids/merged_run.h"

#include <bit>

#include "rowids/radix_sort.h"

namespace pennon {
MergedRun::Form MergedRun::FormFor(const MergePlan& plan) {
  // Bytes an id: direct = width / density, ranked = width + 1/7 / density, sorted = width + the
  // id's own.
  if (plan.span / 5 * 3 <= plan.num_slots) return Form::kDirect;
  if (plan.span / 16 <= plan.num_slots) return Form::kRanked;
  return Form::kSorted;
}

void MergedRun::CountLines() {
  uint64_t before = 0;
  for (auto& line : lines_) {
    line.ids_before = before;
    for (const uint64_t word : line.words) before += static_cast<uint64_t>(std::popcount(word));
  }
}

void MergedRun::TakeSorted(std::vector<Pair>* pairs, const MergePlan& plan) {
  // Stable, so that an id's first slot is the one that was walked first, as in the other forms.
  RadixSort(pairs, [](const Pair& pair) { return pair.key; });
  uint64_t num_ids = 0;
  for (size_t i = 0; i < pairs->size(); ++i)
    num_ids += i == 0 || (*pairs)[i - 1].key != (*pairs)[i].key ? 1 : 0;
  slots_ = SlotArray(num_ids, plan.num_fragments, plan.offset_max);
  lows_.reserve(num_ids);
  for (size_t i = 0; i < pairs->size(); ++i) {
    const auto [place, slot] = (*pairs)[i];
    if (i == 0 || (*pairs)[i - 1].key != place) {
      if (stretches_.empty() || stretches_.back().high != place >> 32) {
        stretches_.push_back({place >> 32, lows_.size()});
      }
      lows_.push_back(static_cast<uint32_t>(place));
    }
    Put(lows_.size() - 1, plan.begin + place, slot);
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
