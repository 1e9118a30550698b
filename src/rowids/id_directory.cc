#include "rowids/id_directory.h"

#include <algorithm>
#include <bit>

namespace pennon {

IdDirectory::IdDirectory(std::vector<Entry> entries) {
  const auto by_smallest = [](const Entry& a, const Entry& b) { return a.smallest < b.smallest; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_smallest)) {
    std::sort(entries.begin(), entries.end(), by_smallest);
  }
  smallest_.reserve(entries.size());
  largest_.reserve(entries.size());
  payload_.reserve(entries.size());
  bool overlaps = false;
  for (const auto& entry : entries) {
    overlaps = overlaps || (!largest_.empty() && entry.smallest <= largest_.back());
    smallest_.push_back(entry.smallest);
    largest_.push_back(entry.largest);
    payload_.push_back({entry.what, entry.where});
  }
  if (overlaps) BuildLevels();
  BuildTable();
}

void IdDirectory::BuildLevels() {
  const std::vector<uint64_t>* below = &largest_;
  do {
    std::vector<uint64_t> level;
    level.reserve((below->size() + kFanOut - 1) / kFanOut);
    for (size_t begin = 0; begin < below->size(); begin += kFanOut) {
      const auto from = below->begin() + static_cast<ptrdiff_t>(begin);
      const auto stop = from + static_cast<ptrdiff_t>(std::min(kFanOut, below->size() - begin));
      level.push_back(*std::max_element(from, stop));
    }
    levels_.push_back(std::move(level));
    below = &levels_.back();
  } while (below->size() > kFanOut);
}

void IdDirectory::BuildTable() {
  constexpr size_t kSearchedWithout = 16;
  if (smallest_.size() <= kSearchedWithout) return;
  const uint64_t span = smallest_.back() - smallest_.front();
  const auto stretches_max = static_cast<uint64_t>(std::bit_ceil(smallest_.size()));
  while ((span >> shift_) >= stretches_max) ++shift_;
  const auto num_stretches = static_cast<size_t>(span >> shift_) + 1;
  table_.resize(num_stretches + 1);
  size_t entry = 0;
  for (size_t stretch = 0; stretch < num_stretches; ++stretch) {
    while (entry < smallest_.size() && ((smallest_[entry] - smallest_.front()) >> shift_) < stretch) ++entry;
    table_[stretch] = static_cast<uint32_t>(entry);
  }
  table_[num_stretches] = static_cast<uint32_t>(smallest_.size());
}

size_t IdDirectory::CountStartingAtOrBelow(uint64_t id) const {
  if (smallest_.empty() || id < smallest_.front()) return 0;
  if (id >= smallest_.back()) return smallest_.size();
  size_t low = 1;
  size_t high = smallest_.size();
  if (!table_.empty()) {
    const auto stretch = static_cast<size_t>((id - smallest_.front()) >> shift_);
    low = table_[stretch];
    high = table_[stretch + 1];
  }
  // [0, low) start at or below the id, [high, size) behind it.
  size_t length = high - low;
  while (length > 0) {
    const size_t half = length / 2;
    const bool below = smallest_[low + half] <= id;
    low = below ? low + half + 1 : low;
    length = below ? length - half - 1 : half;
  }
  return low;
}

uint64_t IdDirectory::OverlapDepth() const {
  std::vector<uint64_t> ends = largest_;
  std::sort(ends.begin(), ends.end());
  uint64_t depth = 0;
  size_t closed = 0;
  for (size_t i = 0; i < smallest_.size(); ++i) {
    while (ends[closed] < smallest_[i]) ++closed;
    depth = std::max<uint64_t>(depth, i + 1 - closed);
  }
  return depth;
}

uint64_t IdDirectory::memory_bytes() const {
  uint64_t bytes = smallest_.capacity() * sizeof(uint64_t) + largest_.capacity() * sizeof(uint64_t) +
                   payload_.capacity() * sizeof(Payload) + table_.capacity() * sizeof(uint32_t);
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(uint64_t);
  return bytes;
}

}  // namespace pennon
