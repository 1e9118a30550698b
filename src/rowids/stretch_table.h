/// \file
/// A table over ascending values that tells, for any value, which few elements it may lie among:
/// equal stretches of the value space, and the first element of each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace pennon {

/// Made once, for about `per_stretch` elements a stretch; 4 bytes a stretch. Values out of order (a
/// corrupt body) give a table that is of no use, and harmless.
class StretchTable {
 public:
  struct Bounds {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  StretchTable() = default;
  /// `value_at(i)` for i in [0, count), count < 2^32. Cost: one pass.
  template <typename ValueAt>
  StretchTable(uint64_t count, uint64_t per_stretch, ValueAt&& value_at);

  bool empty() const { return begins_.empty(); }
  /// Elements [begin, end) such that the first element >= `value` is one of them or the one at
  /// `end`.
  Bounds Find(uint64_t value) const {
    if (value <= first_) return {0, 0};
    const uint64_t stretch = (value - first_) >> shift_;
    if (stretch + 1 >= begins_.size()) return {begins_.back(), begins_.back()};
    return {begins_[stretch], begins_[stretch + 1]};
  }
  uint64_t memory_bytes() const { return begins_.capacity() * sizeof(uint32_t); }

 private:
  uint64_t first_ = 0;
  uint32_t shift_ = 0;
  std::vector<uint32_t> begins_;
};

template <typename ValueAt>
StretchTable::StretchTable(uint64_t count, uint64_t per_stretch, ValueAt&& value_at) {
  if (count == 0 || value_at(count - 1) < value_at(0)) return;
  first_ = value_at(0);
  const uint64_t span = value_at(count - 1) - first_;
  const uint64_t stretches_max = std::bit_ceil(count / per_stretch + 1);
  while ((span >> shift_) >= stretches_max) ++shift_;
  const uint64_t num_stretches = (span >> shift_) + 1;
  begins_.reserve(num_stretches + 1);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t stretch = (value_at(i) - first_) >> shift_;
    if (stretch >= num_stretches) break;  // out of order
    while (begins_.size() <= stretch) begins_.push_back(static_cast<uint32_t>(i));
  }
  while (begins_.size() <= num_stretches) begins_.push_back(static_cast<uint32_t>(count));
}

}  // namespace pennon
