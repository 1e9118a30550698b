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
  const uint64_t num_blocks = (num_words + kBlock - 1) / kBlock;
  ranks.ones_before.resize(num_blocks);
  uint64_t block = 0;
  for (uint64_t group = 0; block < num_blocks; ++group) {
    ranks.group_ones_before.push_back(ranks.total);
    const uint64_t end = std::min(num_blocks, (group + 1) * BitmapRanks::kBlocksPerGroup);
    uint32_t ones = 0;
    // Whole blocks count a number of words that the compiler knows.
    for (; block < std::min(end, full / kBlock); ++block) {
      ranks.ones_before[block] = ones;
      ones += static_cast<uint32_t>(CountFullWords(bitmap.data + 8 * block * kBlock, kBlock));
    }
    for (; block < end; ++block) {
      ranks.ones_before[block] = ones;
      const uint64_t begin = block * kBlock;
      ones += static_cast<uint32_t>(CountWords(bitmap, begin, std::min(num_words, begin + kBlock)));
    }
    ranks.total += ones;
  }
  return ranks;
}

uint64_t Rank(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t bit) {
  constexpr uint64_t kBlock = BitmapRanks::kWordsPerBlock;
  if (bit >= bitmap.num_bits) return ranks.total;
  const uint64_t word_index = bit / 64;
  const uint64_t block = word_index / kBlock;
  const uint64_t first = block * kBlock;
  const uint64_t below = (uint64_t{1} << (bit % 64)) - 1;
  uint64_t ones = ranks.Before(block);
  if (first + kBlock > bitmap.size_bytes() / 8) {
    ones += CountWords(bitmap, first, word_index);
    return ones + static_cast<uint64_t>(std::popcount(bitmap.Word(word_index) & below));
  }
  // All words of the block are counted under masks: quicker than a loop whose end cannot be
  // foreseen.
  const uint64_t within = word_index % kBlock;
  for (uint64_t i = 0; i < kBlock; ++i) {
    const uint64_t mask = i < within ? ~uint64_t{0} : (i == within ? below : 0);
    ones += static_cast<uint64_t>(
        std::popcount(LoadLittleEndian<uint64_t>(bitmap.data + 8 * (first + i)) & mask));
  }
  return ones;
}

uint64_t Select(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t rank) {
  uint64_t low = 0;
  uint64_t length = ranks.ones_before.size() - 1;
  // The last block with at most `rank` ones before it lies in [low, low + length].
  while (length > 0) {
    const uint64_t half = (length + 1) / 2;
    const bool below = ranks.Before(low + half) <= rank;
    low = below ? low + half : low;
    length = below ? length - half : half - 1;
  }
  uint64_t left = rank - ranks.Before(low);
  uint64_t i = low * BitmapRanks::kWordsPerBlock;
  while (true) {
    const uint64_t word = bitmap.Word(i);
    const auto ones = static_cast<uint64_t>(std::popcount(word));
    if (left < ones) return i * 64 + SelectInWord(word, static_cast<uint32_t>(left));
    left -= ones;
    ++i;
  }
}

}  // namespace pennon
