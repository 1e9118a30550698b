#include "rowids/bitmap_view.h"

#include <algorithm>

namespace pennon {
namespace {

uint64_t CountWords(const BitmapView& bitmap, uint64_t begin, uint64_t end) {
  uint64_t ones = 0;
  for (uint64_t i = begin; i < end; ++i)
    ones += static_cast<uint64_t>(std::popcount(bitmap.Word(i)));
  return ones;
}

// As above for words that all lie fully inside the bitmap.
uint64_t CountFullWords(const char* data, uint64_t num_words) {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < num_words; ++i) {
    ones += static_cast<uint64_t>(std::popcount(LoadLittleEndian<uint64_t>(data + 8 * i)));
  }
  return ones;
}

}  // namespace

uint64_t CountOnes(const BitmapView& bitmap) {
  const uint64_t full = bitmap.size_bytes() / 8;
  return CountFullWords(bitmap.data, full) + CountWords(bitmap, full, bitmap.num_words());
}

BitmapRanks MakeRanks(const BitmapView& bitmap) {
  constexpr uint64_t kBlock = BitmapRanks::kWordsPerBlock;
  BitmapRanks ranks;
  const uint64_t num_words = bitmap.num_words();
  const uint64_t full = bitmap.size_bytes() / 8;
  ranks.ones_before.reserve((num_words + kBlock - 1) / kBlock);
  for (uint64_t begin = 0; begin < num_words; begin += kBlock) {
    ranks.ones_before.push_back(ranks.total);
    const uint64_t end = std::min(num_words, begin + kBlock);
    ranks.total += end <= full ? CountFullWords(bitmap.data + 8 * begin, end - begin)
                               : CountWords(bitmap, begin, end);
  }
  return ranks;
}

uint64_t Rank(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t bit) {
  if (bit >= bitmap.num_bits) return ranks.total;
  const uint64_t word_index = bit / 64;
  const uint64_t block = word_index / BitmapRanks::kWordsPerBlock;
  const uint64_t first = block * BitmapRanks::kWordsPerBlock;
  uint64_t ones =
      ranks.ones_before[block] + CountFullWords(bitmap.data + 8 * first, word_index - first);
  const uint64_t below = (uint64_t{1} << (bit % 64)) - 1;
  return ones + static_cast<uint64_t>(std::popcount(bitmap.Word(word_index) & below));
}

uint64_t Select(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t rank) {
  const auto& before = ranks.ones_before;
  const auto block =
      static_cast<uint64_t>(std::upper_bound(before.begin(), before.end(), rank) - before.begin()) -
      1;
  uint64_t left = rank - before[block];
  uint64_t i = block * BitmapRanks::kWordsPerBlock;
  while (true) {
    const uint64_t word = bitmap.Word(i);
    const auto ones = static_cast<uint64_t>(std::popcount(word));
    if (left < ones) return i * 64 + SelectInWord(word, static_cast<uint32_t>(left));
    left -= ones;
    ++i;
  }
}

}  // namespace pennon
