#include "encoding/fastlanes.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/little_endian.h"

namespace pennon {
namespace {

/// Order in which eighths of a lane's rows follow each other; its own inverse.
constexpr std::array<uint32_t, 8> kOrder = {0, 4, 2, 6, 1, 5, 3, 7};

template <typename T>
constexpr unsigned kBits = sizeof(T) * 8;
template <typename T>
constexpr unsigned kLanes = kFastLanesGroup / kBits<T>;

constexpr size_t kVectorBytes = 32;
template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;

template <typename T>
inline Vector<T> LoadVector(const uint8_t* bytes) {
  Vector<T> vector;
  std::memcpy(&vector, bytes, sizeof(vector));
  return vector;
}

template <typename T>
constexpr T Mask(unsigned width) {
  return width == kBits<T> ? static_cast<T>(~T{0})
                           : static_cast<T>((uint64_t{1} << (width % 64)) - 1);
}

/// Writes the values in their order, the lanes of one row after the other: stores that follow each
/// other are a third quicker than loads that need no repeating. The loop over the rows unrolls,
/// which turns shifts, masks and addresses into constants.
template <typename T, unsigned W>
void UnpackWidth(const uint8_t* packed, uint8_t* out) {
#if defined(__clang__)
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 64
#endif
  for (unsigned i = 0; i < kBits<T>; ++i) {
    // 128 values hold a row of each eighth of the rows, as kOrder has them.
    constexpr unsigned kEighths = kBits<T> / 8;
    const unsigned row = kOrder[i % kEighths * (kLanes<T> / 16)] * 8 + i / kEighths;
    const unsigned bit = row * W;
    const unsigned shift = bit % kBits<T>;
    const uint8_t* const words = packed + bit / kBits<T> * kLanes<T> * sizeof(T);
#if !defined(__clang__)
#pragma GCC unroll 1
#endif
    for (size_t lane = 0; lane < kLanes<T>; lane += kVectorBytes / sizeof(T)) {
      Vector<T> value = {};
      if constexpr (W != 0)
        value = LoadVector<T>(words + lane * sizeof(T)) >> static_cast<T>(shift);
      if (shift + W > kBits<T>) {
        value |= LoadVector<T>(words + (kLanes<T> + lane) * sizeof(T))
                 << static_cast<T>((kBits<T> - shift) % kBits<T>);
      }
      if (shift + W != kBits<T>) value &= Mask<T>(W);
      std::memcpy(out + (i * kLanes<T> + lane) * sizeof(T), &value, sizeof(value));
    }
  }
}

template <typename T>
using Kernel = void (*)(const uint8_t*, uint8_t*);

template <typename T, size_t... W>
constexpr std::array<Kernel<T>, sizeof...(W)> MakeKernels(std::index_sequence<W...>) {
  return {&UnpackWidth<T, static_cast<unsigned>(W)>...};
}

}  // namespace

template <typename T>
void UnpackFastLanes(const uint8_t* packed, unsigned width, uint8_t* out) {
  static constexpr auto kKernels = MakeKernels<T>(std::make_index_sequence<kBits<T> + 1>());
  kKernels[width](packed, out);
}

template <typename T>
T FastLanesValue(const uint8_t* packed, unsigned width, uint32_t index) {
  if (width == 0) return 0;
  const uint32_t rest = index % 128;
  const uint32_t lane = rest % kLanes<T>;
  const unsigned row = kOrder[(rest - lane) / 16] * 8 + index / 128;
  const unsigned bit = row * width;
  const unsigned shift = bit % kBits<T>;
  const size_t word = bit / kBits<T>;
  uint64_t value =
      uint64_t{LoadLittleEndian<T>(packed + (word * kLanes<T> + lane) * sizeof(T))} >> shift;
  if (shift + width > kBits<T>) {
    value |= uint64_t{LoadLittleEndian<T>(packed + ((word + 1) * kLanes<T> + lane) * sizeof(T))}
             << (kBits<T> - shift);
  }
  return static_cast<T>(value & Mask<T>(width));
}

template void UnpackFastLanes<uint8_t>(const uint8_t*, unsigned, uint8_t*);
template void UnpackFastLanes<uint16_t>(const uint8_t*, unsigned, uint8_t*);
template void UnpackFastLanes<uint32_t>(const uint8_t*, unsigned, uint8_t*);
template void UnpackFastLanes<uint64_t>(const uint8_t*, unsigned, uint8_t*);
template uint8_t FastLanesValue<uint8_t>(const uint8_t*, unsigned, uint32_t);
template uint16_t FastLanesValue<uint16_t>(const uint8_t*, unsigned, uint32_t);
template uint32_t FastLanesValue<uint32_t>(const uint8_t*, unsigned, uint32_t);
template uint64_t FastLanesValue<uint64_t>(const uint8_t*, unsigned, uint32_t);

}  // namespace pennon
