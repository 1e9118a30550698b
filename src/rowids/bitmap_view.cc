#include "rowids/bitmap_view.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <algorithm>

namespace pennon {
namespace {

uint64_t CountWords(const BitmapView& bitmap, uint64_t begin, uint64_t end) {
  uint64_t ones = 0;
  for (uint64_t i = begin; i < end; ++i)
    ones += static_cast<uint64_t>(std::popcount(bitmap.Word(i)));
  return ones;
}

#if defined(__AVX2__)
// Ones of 64 bytes: of every nibble by a table, then of the bytes together.
uint32_t CountBlock(const char* data) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low_nibbles = _mm256_set1_epi8(15);
  const auto ones_of = [&](const char* at) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i low = _mm256_and_si256(bytes, low_nibbles);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_nibbles);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
  };
  const __m256i ones = _mm256_add_epi8(ones_of(data), ones_of(data + 32));
  const __m256i sums = _mm256_sad_epu8(ones, _mm256_setzero_si256());
  const __m128i half =
      _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(half) + _mm_extract_epi32(half, 2));
}
#else
uint32_t CountBlock(const char* data) {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < BitmapRanks::kWordsPerBlock; ++i)
    ones += static_cast<uint64_t>(std::popcount(LoadLittleEndian<uint64_t>(data + 8 * i)));
  return static_cast<uint32_t>(ones);
}
#endif
static_assert(BitmapRanks::kWordsPerBlock == 8);

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
    for (; block < std::min(end, full / kBlock); ++block) {
      ranks.ones_before[block] = ones;
      ones += CountBlock(bitmap.data + 8 * block * kBlock);
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
