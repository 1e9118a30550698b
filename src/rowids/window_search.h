/// \file
/// Search in an ascending array whose answer is known to lie near a place: the lesser elements of a
/// window around it are counted. Spec: design.md, heading 3 (one or two cache misses a look-up).
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/little_endian.h"
#include "rowids/stretch_table.h"

namespace pennon {

/// Elements that are looked at together.
inline constexpr uint64_t kSearchWindow = 16;

/// How many of the kSearchWindow elements of width T at `data` are less than `value`. Short code on
/// purpose: the processor then begins with the next look-up while this one waits for memory.
template <typename T>
uint64_t CountLess(const char* data, T value) {
#if defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    const __m256i pivot = _mm256_set1_epi32(static_cast<int>(value));
    const auto not_less = [&](uint64_t i) {
      const __m256i elements =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + i * sizeof(T)));
      const __m256i is_largest = _mm256_cmpeq_epi32(_mm256_max_epu32(elements, pivot), elements);
      return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is_largest)));
    };
    return kSearchWindow -
           static_cast<uint64_t>(std::popcount(not_less(0) | not_less(kSearchWindow / 2) << 8));
  }
#endif
  T below = 0;
  for (uint64_t i = 0; i < kSearchWindow; ++i) {
    const T element = LoadLittleEndian<T>(data + i * sizeof(T));
    below = static_cast<T>(below + (element < value ? 1 : 0));
  }
  return below;
}

/// Index of `value` if it lies in the window around `likely` among `count` >= kSearchWindow
/// elements of 4 bytes, kNotNear if it does not: then it lies elsewhere or nowhere.
inline constexpr uint64_t kNotNear = ~uint64_t{0};
inline uint64_t FindNear(const char* data, uint64_t count, uint64_t likely, uint32_t value) {
  const uint64_t from =
      std::min(likely - std::min(likely, kSearchWindow / 2), count - kSearchWindow);
  data += from * sizeof(value);
#if defined(__AVX2__)
  const __m256i pivot = _mm256_set1_epi32(static_cast<int>(value));
  const auto equal = [&](uint64_t i) {
    const __m256i elements =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + i * sizeof(value)));
    return static_cast<uint32_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(elements, pivot))));
  };
  const uint32_t found = equal(0) | equal(kSearchWindow / 2) << 8;
#else
  uint32_t found = 0;
  for (uint32_t i = 0; i < kSearchWindow; ++i)
    found |= (LoadLittleEndian<uint32_t>(data + i * sizeof(value)) == value ? 1u : 0u) << i;
#endif
  if (found == 0) return kNotNear;
  return from + static_cast<uint64_t>(std::countr_zero(found));
}

/// Index of the first of `count` >= kSearchWindow elements that is not less than `value`. It lies
/// in [guess.bounds.begin, guess.bounds.end], and all elements before are less; on an array that is
/// not ascending some index <= count is returned. Nothing in it depends on what the processor
/// cannot foresee, unless values are spread unevenly.
template <typename T>
uint64_t LowerBoundNear(const char* data, uint64_t count, StretchTable::Guess guess, T value) {
  constexpr uint64_t kWindowsMax = 8;
  auto [begin, end] = guess.bounds;
  uint64_t from = guess.likely - std::min(guess.likely, kSearchWindow / 2);
  if (end - begin > kWindowsMax * kSearchWindow) [[unlikely]] {
    while (end - begin > kSearchWindow / 2) {
      const uint64_t middle = begin + (end - begin) / 2;
      if (LoadLittleEndian<T>(data + middle * sizeof(T)) < value) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    from = begin;
  }
  from = std::min(from, count - kSearchWindow);
  while (true) {
    const uint64_t below = CountLess<T>(data + from * sizeof(T), value);
    if (below == 0 && from > begin) [[unlikely]] {
      end = from;
      from = from < kSearchWindow ? 0 : from - kSearchWindow;
    } else if (below == kSearchWindow && from + kSearchWindow < end) [[unlikely]] {
      begin = from + kSearchWindow;
      from = std::min(begin, count - kSearchWindow);
    } else {
      return from + below;
    }
  }
}

}  // namespace pennon
