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
  /// The values are `base + value_at(i)` for i in [0, count), count < 2^32. Cost: one pass at
  /// memory speed, if the compiler can read values side by side.
  template <typename ValueAt>
  StretchTable(uint64_t count, uint64_t per_stretch, uint64_t base, ValueAt&& value_at);

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
    const Bounds bounds = Find(value);
    const bool is_within = value > first_ && value - first_ <= span_;
    return {bounds, is_within ? LikelyWithin(value) : bounds.begin};
  }
  /// Where the element is to be expected, for a value from the first one to the last.
  uint64_t LikelyWithin(uint64_t value) const {
    const uint64_t stretch = StretchOf(value - first_);
    const uint64_t fraction = (value - first_) * stretches_per_value_;
    const uint64_t begin = begins_[stretch];
    // A stretch is shorter than 2^32, so half of the fraction's bits tell enough.
    return begin + (((begins_[stretch + 1] - begin) * (fraction >> 32)) >> 32);
  }
  uint64_t memory_bytes() const { return begins_.capacity() * sizeof(uint32_t); }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr uint64_t kCountedAtOnce = 64;

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
StretchTable::StretchTable(uint64_t count, uint64_t per_stretch, uint64_t base,
                           ValueAt&& value_at) {
  using Value = decltype(value_at(uint64_t{0}));
  if (count == 0 || value_at(count - 1) < value_at(0)) return;
  const uint64_t first = value_at(0);
  first_ = base + first;
  span_ = uint64_t{value_at(count - 1)} - first;
  // Fewer stretches than values they are cut from, so that the fraction is one.
  const uint64_t num_stretches =
      std::max<uint64_t>(1, std::min<uint64_t>(count / per_stretch, span_));
  begins_.reserve(num_stretches + 1);
  begins_.push_back(0);
  if (span_ > 0) {
    stretches_per_value_ = static_cast<uint64_t>((Wide{num_stretches} << 64) / (Wide{span_} + 1));
    // The least distance that lies in stretch s is s * 2^64 / stretches_per_value_, rounded up.
    const auto step = static_cast<uint64_t>((Wide{1} << 64) / stretches_per_value_);
    const auto step_rest = static_cast<uint64_t>((Wide{1} << 64) % stretches_per_value_);
    uint64_t border = 0;
    uint64_t rest = 0;
    uint64_t i = 0;
    const bool is_counted = per_stretch >= kCountedAtOnce / 2;
    for (uint64_t s = 1; s < num_stretches; ++s) {
      border += step;
      const bool carries = rest >= stretches_per_value_ - step_rest;
      rest = carries ? rest - (stretches_per_value_ - step_rest) : rest + step_rest;
      border += carries ? 1 : 0;
      const uint64_t distance = border + (rest > 0 ? 1 : 0);
      if (distance > span_) break;  // rounding leaves the last stretches empty
      const auto least = static_cast<Value>(first + distance);
      // Whole windows: where exactly a long stretch ends cannot be foreseen.
      bool goes_on = is_counted;
      while (goes_on && count - i >= kCountedAtOnce) {
        Value less = 0;
        for (uint64_t k = 0; k < kCountedAtOnce; ++k)
          less = static_cast<Value>(less + (value_at(i + k) < least ? 1 : 0));
        i += less;
        goes_on = less == kCountedAtOnce;
      }
      if (goes_on || !is_counted) {
        while (i < count && value_at(i) < least) ++i;
      }
      begins_.push_back(static_cast<uint32_t>(i));
    }
  }
  while (begins_.size() < num_stretches) begins_.push_back(static_cast<uint32_t>(count));
  begins_.push_back(static_cast<uint32_t>(count));
}

}  // namespace pennon
