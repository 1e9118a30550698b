#include "rowids/bitmap_view.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>

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

constexpr uint64_t kBlocksAtOnce = 4;
constexpr uint64_t kBlockBytes = 64;
using BlockCounts = std::array<uint64_t, kBlocksAtOnce>;

#if defined(__AVX2__)
// Ones of each of four blocks: of every nibble by a table, then of the bytes together.
BlockCounts CountBlocks(const char* data) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low_nibbles = _mm256_set1_epi8(15);
  const auto ones_of_bytes = [&](const char* at) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i low = _mm256_and_si256(bytes, low_nibbles);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_nibbles);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
  };
  const auto ones_of_quarters = [&](const char* at) {
    return _mm256_sad_epu8(_mm256_add_epi8(ones_of_bytes(at), ones_of_bytes(at + 32)),
                           _mm256_setzero_si256());
  };
  const auto join_halves = [](__m256i a, __m256i b) {
    return _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
  };
  const __m256i first = join_halves(ones_of_quarters(data), ones_of_quarters(data + kBlockBytes));
  const __m256i second = join_halves(ones_of_quarters(data + 2 * kBlockBytes),
                                     ones_of_quarters(data + 3 * kBlockBytes));
  const __m256i counts = _mm256_add_epi64(_mm256_permute2x128_si256(first, second, 0x20),
                                          _mm256_permute2x128_si256(first, second, 0x31));
  BlockCounts out;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.data()), counts);
  return out;
}
#else
BlockCounts CountBlocks(const char* data) {
  BlockCounts out{};
  for (uint64_t i = 0; i < kBlocksAtOnce * kBlockBytes; i += 8)
    out[i / kBlockBytes] +=
        static_cast<uint64_t>(std::popcount(LoadLittleEndian<uint64_t>(data + i)));
  return out;
}
#endif
static_assert(BitmapRanks::kWordsPerBlock * 8 == kBlockBytes);

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
    const uint64_t end_of_full = std::min(end, full / kBlock);
    for (; block + kBlocksAtOnce <= end_of_full; block += kBlocksAtOnce) {
      const BlockCounts counts = CountBlocks(bitmap.data + block * kBlockBytes);
      for (uint64_t i = 0; i < kBlocksAtOnce; ++i) {
        ranks.ones_before[block + i] = ones;
        ones += static_cast<uint32_t>(counts[i]);
      }
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
