#include "rowids/id_directory.h"

#include <algorithm>
#include <utility>

namespace pennon {

IdDirectory::IdDirectory(std::vector<Entry> entries) {
  const auto by_smallest = [](const Entry& a, const Entry& b) { return a.smallest < b.smallest; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_smallest)) {
    std::sort(entries.begin(), entries.end(), by_smallest);
  }
  smallest_.reserve(entries.size() + kWindow);
  rest_.reserve(entries.size());
  bool overlaps = false;
  for (const auto& entry : entries) {
    overlaps = overlaps || (!rest_.empty() && entry.smallest <= rest_.back().largest);
    smallest_.push_back(entry.smallest);
    rest_.push_back({entry.largest, entry.what, entry.where});
  }
  if (entries.size() <= kSearchedWithout) {
    num_few_ = entries.size();
    for (size_t i = 0; i < few_.size(); ++i)
      few_[i] = Signed(i < num_few_ ? smallest_[i] : ~uint64_t{0});
  }
  smallest_.insert(smallest_.end(), kWindow, ~uint64_t{0});
  if (overlaps) BuildLevels();
  if (entries.size() > kSearchedWithout) {
    table_ = StretchTable(entries.size(), 1, 0, [&](uint64_t i) { return smallest_[i]; });
  }
}

void IdDirectory::BuildLevels() {
  std::vector<uint64_t> below;
  below.reserve(rest_.size());
  for (const Rest& rest : rest_) below.push_back(rest.largest);
  do {
    std::vector<uint64_t> level;
    level.reserve((below.size() + kFanOut - 1) / kFanOut);
    for (size_t begin = 0; begin < below.size(); begin += kFanOut) {
      const auto from = below.begin() + static_cast<ptrdiff_t>(begin);
      const auto stop = from + static_cast<ptrdiff_t>(std::min(kFanOut, below.size() - begin));
      level.push_back(*std::max_element(from, stop));
    }
    levels_.push_back(level);
    below = std::move(level);
  } while (below.size() > kFanOut);
}

uint64_t IdDirectory::OverlapDepth() const {
  std::vector<uint64_t> ends;
  ends.reserve(rest_.size());
  for (const Rest& rest : rest_) ends.push_back(rest.largest);
  std::sort(ends.begin(), ends.end());
  uint64_t depth = 0;
  size_t closed = 0;
  for (size_t i = 0; i < size(); ++i) {
    while (ends[closed] < smallest_[i]) ++closed;
    depth = std::max<uint64_t>(depth, i + 1 - closed);
  }
  return depth;
}

uint64_t IdDirectory::memory_bytes() const {
  uint64_t bytes = smallest_.capacity() * sizeof(uint64_t) + rest_.capacity() * sizeof(Rest) +
                   table_.memory_bytes();
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(uint64_t);
  return bytes;
}

}  // namespace pennon
