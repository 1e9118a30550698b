/// \file
/// A table over ascending values that tells, for any value, which few elements it may lie among:
/// equal stretches of the value space, and the first element of each.
#pragma once

#include <algorithm>
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
  /// `end`; all elements before `begin` are less.
  Bounds Find(uint64_t value) const {
    if (value <= first_) return {0, 0};
    if (value - first_ > span_) return {begins_.back(), begins_.back()};
    const uint64_t stretch = StretchOf(value - first_);
    return {begins_[stretch], begins_[stretch + 1]};
  }
  /// The same, and where in between the element is to be expected if values are spread evenly.
  struct Guess {
    Bounds bounds;
    uint64_t likely = 0;
  };
  Guess FindLikely(uint64_t value) const {
    if (value <= first_) return {{0, 0}, 0};
    if (value - first_ > span_) return {{begins_.back(), begins_.back()}, begins_.back()};
    const Wide product = Wide{value - first_} * stretches_per_value_;
    const auto stretch = static_cast<uint64_t>(product >> 64);
    const Bounds bounds{begins_[stretch], begins_[stretch + 1]};
    const auto fraction = static_cast<uint64_t>(product);
    const uint64_t length = bounds.end - bounds.begin;
    return {bounds, bounds.begin + static_cast<uint64_t>((Wide{fraction} * length) >> 64)};
  }
  uint64_t memory_bytes() const { return begins_.capacity() * sizeof(uint32_t); }

 private:
  __extension__ using Wide = unsigned __int128;

  // Where `distance` from the first value lies, in steps of span / stretches; it is <= span_.
  uint64_t StretchOf(uint64_t distance) const {
    return static_cast<uint64_t>((Wide{distance} * stretches_per_value_) >> 64);
  }

  uint64_t first_ = 0;
  uint64_t span_ = 0;                 // from the first value to the last
  uint64_t stretches_per_value_ = 0;  // a fraction of 2^64
  std::vector<uint32_t> begins_;
};

template <typename ValueAt>
StretchTable::StretchTable(uint64_t count, uint64_t per_stretch, ValueAt&& value_at) {
  if (count == 0 || value_at(count - 1) < value_at(0)) return;
  first_ = value_at(0);
  span_ = value_at(count - 1) - first_;
  // Fewer stretches than values they are cut from, so that the fraction is one.
  const uint64_t num_stretches =
      std::max<uint64_t>(1, std::min<uint64_t>(count / per_stretch, span_));
  if (span_ > 0) {
    stretches_per_value_ = static_cast<uint64_t>((Wide{num_stretches} << 64) / (Wide{span_} + 1));
  }
  begins_.reserve(num_stretches + 1);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t value = value_at(i);
    if (value < first_ || value - first_ > span_) break;  // out of order
    const uint64_t stretch = StretchOf(value - first_);
    while (begins_.size() <= stretch) begins_.push_back(static_cast<uint32_t>(i));
  }
  while (begins_.size() <= num_stretches) begins_.push_back(static_cast<uint32_t>(count));
}

}  // namespace pennon
