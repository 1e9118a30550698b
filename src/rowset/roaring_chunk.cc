#include "rowset/roaring_chunk.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/little_endian.h"

namespace pennon {
namespace {

constexpr size_t kUnitsPerWord = 4;
constexpr size_t kWordsPerBlock = 8;
constexpr size_t kBlocks = kChunkWords / kWordsPerBlock;
constexpr size_t kBitmapTotalUnits = kChunkBitmapUnits + kBlocks;

uint64_t WordAt(std::span<const uint16_t> units, size_t word) {
  return LoadLittleEndian<uint64_t>(units.data() + word * kUnitsPerWord);
}

uint64_t BitsBelow(uint32_t bit) { return (uint64_t{1} << bit) - 1; }

uint32_t PopCount(uint64_t word) { return static_cast<uint32_t>(std::popcount(word)); }

// Index of the first element of an ascending span that is not less than `value`.
size_t LowerBound(std::span<const uint16_t> values, uint32_t value) {
  return static_cast<size_t>(std::lower_bound(values.begin(), values.end(), value) -
                             values.begin());
}

// Index of the first run that ends at or behind `value`.
size_t RunAt(const ChunkView& chunk, uint32_t value) {
  const size_t n = chunk.num_runs();
  return LowerBound(chunk.units.subspan(n, n), value);
}

// First bit >= `from` that is set in the chunk's bitmap xor `flip`; 65536 when there is none.
uint32_t NextBit(std::span<const uint16_t> units, uint32_t from, uint64_t flip) {
  if (from >= kChunkValues) return kChunkValues;
  size_t word = from / 64;
  uint64_t bits = (WordAt(units, word) ^ flip) & ~BitsBelow(from % 64);
  while (bits == 0) {
    if (++word == kChunkWords) return kChunkValues;
    bits = WordAt(units, word) ^ flip;
  }
  return static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(bits));
}

uint32_t BitmapRank(std::span<const uint16_t> units, uint32_t value) {
  const size_t word = value / 64;
  const size_t block = word / kWordsPerBlock;
  uint32_t rank = units[kChunkBitmapUnits + block];
  for (size_t i = block * kWordsPerBlock; i < word; ++i) rank += PopCount(WordAt(units, i));
  return rank + PopCount(WordAt(units, word) & BitsBelow(value % 64));
}

uint32_t BitmapSelectAbsent(std::span<const uint16_t> units, uint32_t k) {
  // The last block before which at most k values are absent.
  size_t low = 0;
  size_t high = kBlocks;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    const auto absent = static_cast<uint32_t>(middle * 512) - units[kChunkBitmapUnits + middle];
    (absent <= k ? low : high) = middle;
  }
  uint32_t left = k - (static_cast<uint32_t>(low * 512) - units[kChunkBitmapUnits + low]);
  size_t word = low * kWordsPerBlock;
  uint64_t absent = ~WordAt(units, word);
  while (PopCount(absent) <= left) {
    left -= PopCount(absent);
    absent = ~WordAt(units, ++word);
  }
  for (; left > 0; --left) absent &= absent - 1;
  return static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(absent));
}

// Sets the bits [begin, end), at least one.
void SetBits(uint32_t begin, uint32_t end, ChunkWords words) {
  const size_t first = begin / 64;
  const size_t last = (end - 1) / 64;
  const uint64_t head = ~BitsBelow(begin % 64);
  const uint64_t tail = end % 64 == 0 ? ~uint64_t{0} : BitsBelow(end % 64);
  if (first == last) {
    words[first] |= head & tail;
    return;
  }
  words[first] |= head;
  for (size_t i = first + 1; i < last; ++i) words[i] = ~uint64_t{0};
  words[last] |= tail;
}

// Whether runs take fewer units than the form they compete with.
bool RunsAreSmaller(size_t num_runs, size_t count) {
  return 3 * num_runs < (count <= kChunkArrayValuesMax ? count : kBitmapTotalUnits);
}

void AppendBitmap(ConstChunkWords words, std::vector<uint16_t>* units) {
  const size_t begin = units->size();
  units->resize(begin + kBitmapTotalUnits);
  std::memcpy(units->data() + begin, words.data(), kChunkBitmapUnits * sizeof(uint16_t));
  uint32_t rank = 0;
  for (size_t block = 0; block < kBlocks; ++block) {
    (*units)[begin + kChunkBitmapUnits + block] = static_cast<uint16_t>(rank);
    for (size_t i = 0; i < kWordsPerBlock; ++i) rank += PopCount(words[block * kWordsPerBlock + i]);
  }
}

// Writes runs into the three columns of their form, one after the other.
class RunWriter {
 public:
  RunWriter(size_t num_runs, std::vector<uint16_t>* units) : n_(num_runs) {
    units->resize(units->size() + 3 * num_runs);
    out_ = units->data() + (units->size() - 3 * num_runs);
  }
  void Add(uint32_t first, uint32_t last) {
    out_[i_] = static_cast<uint16_t>(first);
    out_[n_ + i_] = static_cast<uint16_t>(last);
    out_[2 * n_ + i_] = static_cast<uint16_t>(rank_);
    rank_ += last - first + 1;
    ++i_;
  }

 private:
  size_t n_;
  uint16_t* out_;
  size_t i_ = 0;
  uint32_t rank_ = 0;
};

size_t CountRuns(ConstChunkWords words) {
  size_t runs = 0;
  uint64_t carry = 0;  // the highest bit of the word before
  for (const uint64_t word : words) {
    runs += PopCount(word & ~((word << 1) | carry));
    carry = word >> 63;
  }
  return runs;
}

}  // namespace

bool ChunkContains(const ChunkView& chunk, uint16_t value) {
  switch (chunk.kind) {
    case ChunkKind::kArray: {
      const size_t i = LowerBound(chunk.units, value);
      return i < chunk.units.size() && chunk.units[i] == value;
    }
    case ChunkKind::kRuns: {
      const size_t i = RunAt(chunk, value);
      return i < chunk.num_runs() && chunk.units[i] <= value;
    }
    case ChunkKind::kBitmap:
      return ((WordAt(chunk.units, value / 64u) >> (value % 64u)) & 1) != 0;
  }
  return false;
}

uint32_t ChunkRank(const ChunkView& chunk, uint16_t value) {
  switch (chunk.kind) {
    case ChunkKind::kArray:
      return static_cast<uint32_t>(LowerBound(chunk.units, value));
    case ChunkKind::kRuns: {
      const size_t n = chunk.num_runs();
      const size_t i = RunAt(chunk, value);
      if (i == n) return chunk.count;
      const uint32_t inside = value > chunk.units[i] ? value - chunk.units[i] : 0u;
      return chunk.units[2 * n + i] + inside;
    }
    case ChunkKind::kBitmap:
      return BitmapRank(chunk.units, value);
  }
  return 0;
}

uint32_t ChunkSelectAbsent(const ChunkView& chunk, uint32_t k) {
  if (chunk.kind == ChunkKind::kBitmap) return BitmapSelectAbsent(chunk.units, k);
  // Before element (or run) i lie first[i] - rank[i] absent values: look for the first with more
  // than k of them.
  const bool runs = chunk.kind == ChunkKind::kRuns;
  const size_t n = runs ? chunk.num_runs() : chunk.units.size();
  const auto rank = [&](size_t i) {
    return runs ? chunk.units[2 * n + i] : static_cast<uint32_t>(i);
  };
  size_t low = 0;
  size_t high = n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (chunk.units[middle] - rank(middle) > k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return k + (low == n ? chunk.count : rank(low));
}

void ChunkSetBits(const ChunkView& chunk, ChunkWords words) {
  if (chunk.kind == ChunkKind::kBitmap) {
    for (size_t i = 0; i < kChunkWords; ++i) words[i] |= WordAt(chunk.units, i);
    return;
  }
  ChunkRunCursor cursor(chunk, 0);
  uint32_t begin = 0;
  uint32_t end = 0;
  while (cursor.Next(&begin, &end)) SetBits(begin, end, words);
}

ChunkRunCursor::ChunkRunCursor(const ChunkView& chunk, uint32_t from) : chunk_(chunk), from_(from) {
  switch (chunk.kind) {
    case ChunkKind::kArray:
      position_ = LowerBound(chunk.units, from);
      break;
    case ChunkKind::kRuns:
      position_ = RunAt(chunk, from);
      break;
    case ChunkKind::kBitmap:
      position_ = from;
      break;
  }
}

bool ChunkRunCursor::Next(uint32_t* begin, uint32_t* end) {
  const auto units = chunk_.units;
  switch (chunk_.kind) {
    case ChunkKind::kArray: {
      if (position_ == units.size()) return false;
      *begin = units[position_];
      uint32_t next = *begin + 1;
      while (++position_ < units.size() && units[position_] == next) ++next;
      *end = next;
      return true;
    }
    case ChunkKind::kRuns: {
      const size_t n = chunk_.num_runs();
      if (position_ == n) return false;
      *begin = std::max<uint32_t>(units[position_], from_);
      *end = units[n + position_] + 1u;
      ++position_;
      return true;
    }
    case ChunkKind::kBitmap:
      *begin = NextBit(units, static_cast<uint32_t>(position_), 0);
      if (*begin == kChunkValues) return false;
      *end = NextBit(units, *begin, ~uint64_t{0});
      position_ = *end;
      return true;
  }
  return false;
}

ChunkKind AppendChunk(ConstChunkWords words, std::vector<uint16_t>* units, uint32_t* count) {
  uint32_t num_values = 0;
  for (const uint64_t word : words) num_values += PopCount(word);
  *count = num_values;
  const size_t num_runs = CountRuns(words);
  if (RunsAreSmaller(num_runs, num_values)) {
    RunWriter writer(num_runs, units);
    const std::span<const uint16_t> bits(reinterpret_cast<const uint16_t*>(words.data()),
                                         kChunkBitmapUnits);
    for (uint32_t begin = NextBit(bits, 0, 0); begin < kChunkValues;) {
      const uint32_t end = NextBit(bits, begin, ~uint64_t{0});
      writer.Add(begin, end - 1);
      begin = NextBit(bits, end, 0);
    }
    return ChunkKind::kRuns;
  }
  if (num_values > kChunkArrayValuesMax) {
    AppendBitmap(words, units);
    return ChunkKind::kBitmap;
  }
  size_t position = units->size();
  units->resize(position + num_values);
  for (size_t i = 0; i < kChunkWords; ++i) {
    for (uint64_t bits = words[i]; bits != 0; bits &= bits - 1) {
      (*units)[position++] =
          static_cast<uint16_t>(i * 64 + static_cast<size_t>(std::countr_zero(bits)));
    }
  }
  return ChunkKind::kArray;
}

ChunkKind AppendChunk(std::span<const uint16_t> values, std::vector<uint16_t>* units) {
  size_t num_runs = 1;
  for (size_t i = 1; i < values.size(); ++i) num_runs += values[i] != values[i - 1] + 1 ? 1 : 0;
  if (RunsAreSmaller(num_runs, values.size())) {
    RunWriter writer(num_runs, units);
    size_t first = 0;
    for (size_t i = 1; i <= values.size(); ++i) {
      if (i < values.size() && values[i] == values[i - 1] + 1) continue;
      writer.Add(values[first], values[i - 1]);
      first = i;
    }
    return ChunkKind::kRuns;
  }
  if (values.size() <= kChunkArrayValuesMax) {
    units->insert(units->end(), values.begin(), values.end());
    return ChunkKind::kArray;
  }
  std::array<uint64_t, kChunkWords> words{};
  for (const uint16_t value : values) words[value / 64u] |= uint64_t{1} << (value % 64u);
  AppendBitmap(words, units);
  return ChunkKind::kBitmap;
}

ChunkKind AppendChunk(std::span<const ChunkRun> runs, std::vector<uint16_t>* units,
                      uint32_t* count) {
  uint32_t num_values = 0;
  for (const ChunkRun& run : runs) num_values += run.last - run.first + 1u;
  if (RunsAreSmaller(runs.size(), num_values)) {
    RunWriter writer(runs.size(), units);
    for (const ChunkRun& run : runs) writer.Add(run.first, run.last);
    *count = num_values;
    return ChunkKind::kRuns;
  }
  std::array<uint64_t, kChunkWords> words{};
  for (const ChunkRun& run : runs) SetBits(run.first, run.last + 1u, words);
  return AppendChunk(ConstChunkWords(words), units, count);
}

}  // namespace pennon
