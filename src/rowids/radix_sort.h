/// \file
/// Sorts elements by an unsigned 64-bit key, stable, in time linear in their number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pennon {

/// Sorts by `key_of(element)`. High digits that all keys share cost nothing, so small spans are
/// quick. Memory: a second copy of the elements while it runs.
template <typename T, typename KeyOf>
void RadixSort(std::vector<T>* elements, KeyOf key_of) {
  constexpr size_t kSmall = 256;
  if (elements->size() < kSmall) {
    std::stable_sort(elements->begin(), elements->end(),
                     [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
    return;
  }
  uint64_t smallest = ~uint64_t{0};
  uint64_t largest = 0;
  bool ascends = true;
  uint64_t previous = 0;
  for (const T& element : *elements) {
    const uint64_t key = key_of(element);
    ascends = ascends && previous <= key;
    smallest = std::min(smallest, key);
    largest = std::max(largest, key);
    previous = key;
  }
  if (ascends) return;
  constexpr uint32_t kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  std::vector<T> other(elements->size());
  for (uint32_t shift = 0; shift < 64 && (largest - smallest) >> shift != 0; shift += kDigitBits) {
    const auto digit = [&](const T& element) {
      return ((key_of(element) - smallest) >> shift) & (kDigits - 1);
    };
    std::array<size_t, kDigits> places{};
    for (const T& element : *elements) ++places[digit(element)];
    size_t place = 0;
    for (size_t& count : places) place += std::exchange(count, place);
    for (const T& element : *elements) other[places[digit(element)]++] = element;
    elements->swap(other);
  }
}

}  // namespace pennon
