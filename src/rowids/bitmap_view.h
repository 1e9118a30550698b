/// \file
/// Questions to a presence bitmap in its encoded bytes: rank, select, and runs of ones. Bit i is
/// byte i/8, weight 1 << (i % 8). Spec: format/row-ids.md, heading 1 (bitmap is least significant
/// bit first).
#pragma once

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/little_endian.h"

namespace pennon {

/// Borrows the bytes. Bits at and beyond `num_bits` are zero; whoever makes one has checked that.
struct BitmapView {
  const char* data = nullptr;
  uint64_t num_bits = 0;

  uint64_t size_bytes() const { return (num_bits + 7) / 8; }
  uint64_t num_words() const { return (num_bits + 63) / 64; }
  bool Test(uint64_t bit) const {
    return ((static_cast<uint8_t>(data[bit / 8]) >> (bit % 8)) & 1) != 0;
  }
  /// Bits [bit, bit + 64), zero beyond the end; `bit` is below num_bits.
  uint64_t WordFrom(uint64_t bit) const {
    const uint64_t byte = bit / 8;
    const uint64_t shift = bit % 8;
    if (byte + 9 <= size_bytes()) {
      const uint64_t low = LoadLittleEndian<uint64_t>(data + byte) >> shift;
      // Shifted twice, for a shift by 64 is none.
      return low | static_cast<uint64_t>(static_cast<uint8_t>(data[byte + 8])) << 1 << (63 - shift);
    }
    uint64_t word = 0;
    std::memcpy(&word, data + byte, std::min<uint64_t>(8, size_bytes() - byte));
    return word >> shift;
  }
  /// Bits [64 i, 64 i + 64), zero beyond the end.
  uint64_t Word(uint64_t i) const {
    if (8 * i + 8 <= size_bytes()) return LoadLittleEndian<uint64_t>(data + 8 * i);
    uint64_t word = 0;
    std::memcpy(&word, data + 8 * i, size_bytes() - 8 * i);
    return word;
  }
};

/// Ones before each block of a bitmap, and in all. An aid made once; costs 4 bytes for 64 of the
/// bitmap.
struct BitmapRanks {
  static constexpr uint64_t kWordsPerBlock = 8;
  static constexpr uint64_t kBlocksPerGroup = uint64_t{1} << 20;
  std::vector<uint64_t> group_ones_before;
  std::vector<uint32_t> ones_before;  // since the start of the block's group
  uint64_t total = 0;

  uint64_t Before(uint64_t block) const {
    return group_ones_before[block / kBlocksPerGroup] + ones_before[block];
  }
  uint64_t memory_bytes() const {
    return group_ones_before.capacity() * sizeof(uint64_t) +
           ones_before.capacity() * sizeof(uint32_t);
  }
};

/// Cost: one pass over the bitmap.
uint64_t CountOnes(const BitmapView& bitmap);
BitmapRanks MakeRanks(const BitmapView& bitmap);

/// Ones before `bit`, which is <= num_bits. Cost: constant (8 words counted).
uint64_t Rank(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t bit);

/// Position of the one with `rank` ones before it; rank < total. Cost: logarithmic in the blocks.
uint64_t Select(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t rank);

/// Position of the n-th set bit of `word` (from 0); it has more than n.
inline uint32_t SelectInWord(uint64_t word, uint32_t n) {
#if defined(__BMI2__)
  return static_cast<uint32_t>(std::countr_zero(_pdep_u64(uint64_t{1} << n, word)));
#endif
  for (; n > 0; --n) word &= word - 1;
  return static_cast<uint32_t>(std::countr_zero(word));
}

/// Calls `fn(first_bit, length)` for the maximal runs of ones from `bit` on, in order, until `fn`
/// returns false.
template <typename Fn>
void ForEachOneRun(const BitmapView& bitmap, uint64_t bit, Fn&& fn) {
  if (bit >= bitmap.num_bits) return;
  uint64_t word_index = bit / 64;
  uint64_t word = bitmap.Word(word_index) & (~uint64_t{0} << (bit % 64));
  const uint64_t num_words = bitmap.num_words();
  while (true) {
    while (word == 0) {
      if (++word_index == num_words) return;
      word = bitmap.Word(word_index);
    }
    const auto low = static_cast<uint64_t>(std::countr_zero(word));
    const uint64_t first = word_index * 64 + low;
    uint64_t zeros = ~(word | (low == 0 ? 0 : (~uint64_t{0} >> (64 - low))));
    while (zeros == 0) {
      if (++word_index == num_words) {
        fn(first, word_index * 64 - first);
        return;
      }
      word = bitmap.Word(word_index);
      zeros = ~word;
    }
    const auto stop = static_cast<uint64_t>(std::countr_zero(zeros));
    if (!fn(first, word_index * 64 + stop - first)) return;
    word &= ~uint64_t{0} << stop;
  }
}

}  // namespace pennon
