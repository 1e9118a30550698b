/// \file
/// Bit packing in FastLanes order: groups of 1024 values of T bits stored with W bits each.
/// Spec: format/data-file.md, headings 7.4 (order) and 7.5.
#pragma once

#include <cstdint>

namespace pennon {

/// Values of one group.
constexpr uint32_t kFastLanesGroup = 1024;

/// Bytes of one packed group; the same for every T.
constexpr uint64_t FastLanesBytes(unsigned width) {
  return uint64_t{width} * (kFastLanesGroup / 8);
}

/// Unpacks one group of 1024 values of type T (uint8_t .. uint64_t), each `width` (0 .. bits of T)
/// bits wide. Reads FastLanesBytes(width) bytes, writes 1024 * sizeof(T); neither side need be
/// aligned.
template <typename T>
void UnpackFastLanes(const uint8_t* packed, unsigned width, uint8_t* out);

/// Returns the value at `index` (below 1024) of one group without unpacking the others.
template <typename T>
T FastLanesValue(const uint8_t* packed, unsigned width, uint32_t index);

extern template void UnpackFastLanes<uint8_t>(const uint8_t*, unsigned, uint8_t*);
extern template void UnpackFastLanes<uint16_t>(const uint8_t*, unsigned, uint8_t*);
extern template void UnpackFastLanes<uint32_t>(const uint8_t*, unsigned, uint8_t*);
extern template void UnpackFastLanes<uint64_t>(const uint8_t*, unsigned, uint8_t*);
extern template uint8_t FastLanesValue<uint8_t>(const uint8_t*, unsigned, uint32_t);
extern template uint16_t FastLanesValue<uint16_t>(const uint8_t*, unsigned, uint32_t);
extern template uint32_t FastLanesValue<uint32_t>(const uint8_t*, unsigned, uint32_t);
extern template uint64_t FastLanesValue<uint64_t>(const uint8_t*, unsigned, uint32_t);

}  // namespace pennon
