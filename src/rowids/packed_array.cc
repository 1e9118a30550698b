#include "rowids/packed_array.h"

#include <algorithm>
#include <bit>

#include "rowids/window_search.h"

namespace pennon {
namespace {

template <typename T>
T Load(const PackedArray& array, uint64_t i) {
  return LoadLittleEndian<T>(array.data + i * sizeof(T));
}

// The answer always lies in [low, high]. Guesses where an even spread would put it, narrows to a
// window around the guess as wide as random values scatter, and ends with a plain binary search.
template <typename T>
uint64_t LowerBoundOf(const PackedArray& array, T value) {
  uint64_t low = 0;
  uint64_t high = array.count;
  for (int guesses = 0; guesses < 8 && high - low > 16; ++guesses) {
    const T first = Load<T>(array, low);
    const T last = Load<T>(array, high - 1);
    if (value <= first) return low;
    if (value > last) return high;
    const double share = static_cast<double>(value - first) / static_cast<double>(last - first);
    const uint64_t width = high - low - 1;
    const uint64_t guess =
        low + std::min(width, static_cast<uint64_t>(share * static_cast<double>(width)));
    const uint64_t slack = uint64_t{1} << ((std::bit_width(width) + 1) / 2);
    const uint64_t left = guess - low > slack ? guess - slack : low;
    const uint64_t right = high - 1 - guess > slack ? guess + slack : high - 1;
    if (Load<T>(array, left) >= value) {
      high = left + 1;
    } else if (Load<T>(array, right) < value) {
      low = right + 1;
    } else {
      low = left + 1;
      high = right + 1;
    }
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (Load<T>(array, middle) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <typename T>
std::optional<uint64_t> FindAnyOrderOf(const PackedArray& array, T value) {
  constexpr uint64_t kBlock = 1024;
  for (uint64_t begin = 0; begin < array.count; begin += kBlock) {
    const uint64_t end = std::min(array.count, begin + kBlock);
    uint32_t hits = 0;
    for (uint64_t i = begin; i < end; ++i) hits += Load<T>(array, i) == value ? 1 : 0;
    if (hits == 0) continue;
    for (uint64_t i = begin; i < end; ++i) {
      if (Load<T>(array, i) == value) return i;
    }
  }
  return std::nullopt;
}

template <typename T>
ArrayScan ScanAnyOrderOf(const PackedArray& array, std::optional<T> value) {
  constexpr uint64_t kBlock = 1024;
  const T wanted = value.value_or(T{0});
  T smallest = T(~T{0});
  T largest = 0;
  ArrayScan scan;
  for (uint64_t begin = 0; begin < array.count; begin += kBlock) {
    const uint64_t end = std::min(array.count, begin + kBlock);
    T hits = 0;
    for (uint64_t i = begin; i < end; ++i) {
      const T element = Load<T>(array, i);
      smallest = std::min(smallest, element);
      largest = std::max(largest, element);
      hits = static_cast<T>(hits | (element == wanted ? 1 : 0));
    }
    if (hits == 0 || !value || scan.found) continue;
    for (uint64_t i = begin; i < end && !scan.found; ++i) {
      if (Load<T>(array, i) == wanted) scan.found = i;
    }
  }
  scan.bounds = {array.base + smallest, array.base + largest};
  return scan;
}

template <typename T>
std::optional<uint64_t> FirstDescentOf(const PackedArray& array) {
  constexpr uint64_t kBlock = 1024;
  for (uint64_t begin = 1; begin < array.count; begin += kBlock) {
    const uint64_t end = std::min(array.count, begin + kBlock);
    uint32_t descents = 0;
    for (uint64_t i = begin; i < end; ++i) {
      descents += Load<T>(array, i - 1) >= Load<T>(array, i) ? 1 : 0;
    }
    if (descents == 0) continue;
    for (uint64_t i = begin; i < end; ++i) {
      if (Load<T>(array, i - 1) >= Load<T>(array, i)) return i - 1;
    }
  }
  return std::nullopt;
}

// The value as an offset in the array's own width; nothing if no element can equal it.
template <typename T>
std::optional<T> OffsetIn(const PackedArray& array, uint64_t value) {
  if (value < array.base || value - array.base > T(~T{0})) return std::nullopt;
  return static_cast<T>(value - array.base);
}

}  // namespace

uint64_t LowerBound(const PackedArray& array, uint64_t value) {
  if (array.count == 0 || value <= array.base) return 0;
  return WithElementType(array, [&](auto type) -> uint64_t {
    using T = decltype(type);
    const auto offset = OffsetIn<T>(array, value);
    return offset ? LowerBoundOf<T>(array, *offset) : array.count;
  });
}

uint64_t LowerBound(const PackedArray& array, const StretchTable& table, uint64_t value) {
  if (table.empty()) return LowerBound(array, value);
  if (value <= array.base) return 0;
  const auto guess = table.FindLikely(value);
  return WithElementType(array, [&](auto type) -> uint64_t {
    using T = decltype(type);
    const auto offset = OffsetIn<T>(array, value);
    if (!offset) return array.count;
    if (array.count < kSearchWindow) return LowerBoundOf<T>(array, *offset);
    return LowerBoundNear<T>(array.data, array.count, guess, *offset);
  });
}

StretchTable MakeTable(const PackedArray& array) {
  constexpr uint64_t kPerStretch = 32;
  if (array.count > 0xFFFFFFFFu) return {};
  return WithElementType(array, [&](auto type) {
    using T = decltype(type);
    return StretchTable(array.count, kPerStretch, array.base,
                        [&](uint64_t i) { return Load<T>(array, i); });
  });
}

std::optional<uint64_t> FindAscending(const PackedArray& array, uint64_t value) {
  const uint64_t i = LowerBound(array, value);
  if (i < array.count && array[i] == value) return i;
  return std::nullopt;
}

std::optional<uint64_t> FindAnyOrder(const PackedArray& array, uint64_t value) {
  return WithElementType(array, [&](auto type) -> std::optional<uint64_t> {
    using T = decltype(type);
    const auto offset = OffsetIn<T>(array, value);
    return offset ? FindAnyOrderOf<T>(array, *offset) : std::nullopt;
  });
}

ArrayScan ScanAnyOrder(const PackedArray& array, uint64_t value) {
  return WithElementType(array, [&](auto type) {
    using T = decltype(type);
    return ScanAnyOrderOf<T>(array, OffsetIn<T>(array, value));
  });
}

std::optional<uint64_t> FirstDescent(const PackedArray& array) {
  return WithElementType(array, [&](auto type) { return FirstDescentOf<decltype(type)>(array); });
}

ValueBounds BoundsOf(const PackedArray& array) {
  return WithElementType(array, [&](auto type) -> ValueBounds {
    using T = decltype(type);
    T smallest = T(~T{0});
    T largest = 0;
    for (uint64_t i = 0; i < array.count; ++i) {
      const T value = Load<T>(array, i);
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
    return {array.base + smallest, array.base + largest};
  });
}

void ReadPacked(const PackedArray& array, uint64_t begin, std::span<uint64_t> out) {
  WithElementType(array, [&](auto type) {
    using T = decltype(type);
    const char* from = array.data + begin * sizeof(T);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = array.base + LoadLittleEndian<T>(from + i * sizeof(T));
    }
  });
}

}  // namespace pennon
