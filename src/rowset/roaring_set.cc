#include "rowset/roaring_set.h"

#include <algorithm>
#include <utility>

#include "rowset/roaring_builder.h"

namespace pennon {
namespace {

constexpr uint64_t kValues = uint64_t{1} << 32;

uint32_t KeyOf(uint64_t value) { return static_cast<uint32_t>(value >> 16); }
uint16_t LowOf(uint64_t value) { return static_cast<uint16_t>(value); }
uint64_t FirstOf(const ChunkEntry& entry) { return uint64_t{entry.key} << 16; }

}  // namespace

RoaringSet RoaringSet::FromSorted(std::span<const uint32_t> values) {
  RoaringBuilder builder;
  std::vector<uint16_t> low;
  for (size_t i = 0; i < values.size();) {
    const uint32_t key = KeyOf(values[i]);
    low.clear();
    for (; i < values.size() && KeyOf(values[i]) == key; ++i) low.push_back(LowOf(values[i]));
    builder.Add(static_cast<uint16_t>(key), low);
  }
  return builder.Finish();
}

RoaringSet RoaringSet::FromUnsorted(std::vector<uint32_t> values) {
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return FromSorted(values);
}

RoaringSet RoaringSet::FromRange(ValueRange range) {
  RoaringBuilder builder;
  for (uint64_t begin = range.begin; begin < range.end;) {
    const uint64_t end = std::min(range.end, (begin | 0xFFFF) + 1);
    const auto key = static_cast<uint16_t>(KeyOf(begin));
    const ChunkRun run{LowOf(begin), LowOf(end - 1)};
    builder.Add(key, std::span<const ChunkRun>(&run, 1));
    begin = end;
  }
  return builder.Finish();
}

uint64_t RoaringSet::count() const { return chunks_ == nullptr ? 0 : chunks_->count; }

uint32_t RoaringSet::min() const {
  uint32_t begin = 0;
  uint32_t end = 0;
  ChunkRunCursor(chunks_->View(0), 0).Next(&begin, &end);
  return static_cast<uint32_t>(FirstOf(chunks_->entries.front())) + begin;
}

uint32_t RoaringSet::max() const {
  const size_t last = chunks_->entries.size() - 1;
  const ChunkView chunk = chunks_->View(last);
  uint32_t value = chunk.units.back();  // of an array
  if (chunk.kind == ChunkKind::kRuns) value = chunk.units[2 * chunk.num_runs() - 1];
  if (chunk.kind == ChunkKind::kBitmap) {
    value = kChunkValues - 1;
    while (!ChunkContains(chunk, static_cast<uint16_t>(value))) --value;
  }
  return static_cast<uint32_t>(FirstOf(chunks_->entries[last])) + value;
}

bool RoaringSet::Contains(uint32_t value) const {
  if (chunks_ == nullptr) return false;
  const size_t i = chunks_->LowerBound(KeyOf(value));
  return i < chunks_->entries.size() && chunks_->entries[i].key == KeyOf(value) &&
         ChunkContains(chunks_->View(i), LowOf(value));
}

uint64_t RoaringSet::Rank(uint64_t value) const {
  if (chunks_ == nullptr) return 0;
  if (value >= kValues) return chunks_->count;
  const size_t i = chunks_->LowerBound(KeyOf(value));
  if (i == chunks_->entries.size()) return chunks_->count;
  const ChunkEntry& entry = chunks_->entries[i];
  return entry.rank + (entry.key == KeyOf(value) ? ChunkRank(chunks_->View(i), LowOf(value)) : 0);
}

uint64_t RoaringSet::SelectAbsent(uint64_t k) const {
  if (chunks_ == nullptr) return k;
  // The last chunk before which at most k numbers are absent.
  const auto& entries = chunks_->entries;
  size_t low = 0;
  size_t high = entries.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (FirstOf(entries[middle]) - entries[middle].rank <= k) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return k;
  const ChunkEntry& entry = entries[low - 1];
  const ChunkView chunk = chunks_->View(low - 1);
  const uint64_t inside = k - (FirstOf(entry) - entry.rank);
  if (inside >= kChunkValues - chunk.count) return k + entry.rank + chunk.count;
  return FirstOf(entry) + ChunkSelectAbsent(chunk, static_cast<uint32_t>(inside));
}

bool RoaringSet::IsSubsetOf(const RoaringSet& other) const {
  if (count() > other.count()) return false;
  RoaringRunCursor cursor(*this);
  for (ValueRange run; cursor.Next(&run);) {
    if (other.Rank(run.end) - other.Rank(run.begin) != run.size()) return false;
  }
  return true;
}

bool RoaringSet::operator==(const RoaringSet& other) const {
  if (chunks_ == other.chunks_) return true;
  if (count() != other.count()) return false;
  return chunks_->entries == other.chunks_->entries && chunks_->units == other.chunks_->units;
}

std::vector<uint32_t> RoaringSet::ToVector() const {
  std::vector<uint32_t> values;
  values.reserve(count());
  RoaringRunCursor cursor(*this);
  for (ValueRange run; cursor.Next(&run);) {
    for (uint64_t value = run.begin; value < run.end; ++value)
      values.push_back(static_cast<uint32_t>(value));
  }
  return values;
}

size_t RoaringSet::memory_bytes() const {
  if (chunks_ == nullptr) return 0;
  return sizeof(RoaringChunks) + chunks_->entries.capacity() * sizeof(ChunkEntry) +
         chunks_->units.capacity() * sizeof(uint16_t);
}

RoaringRunCursor::RoaringRunCursor(RoaringSet set, ValueRange within)
    : set_(std::move(set)), end_(set_.empty() ? 0 : std::min(within.end, kValues)) {
  if (within.begin >= end_) {
    end_ = 0;
    return;
  }
  const RoaringChunks& chunks = *set_.chunks();
  chunk_ = chunks.LowerBound(KeyOf(within.begin));
  if (chunk_ == chunks.entries.size()) return;
  const bool inside = chunks.entries[chunk_].key == KeyOf(within.begin);
  cursor_ = ChunkRunCursor(chunks.View(chunk_), inside ? LowOf(within.begin) : 0);
}

bool RoaringRunCursor::NextInChunks(ValueRange* run) {
  if (end_ == 0) return false;
  const RoaringChunks& chunks = *set_.chunks();
  while (chunk_ < chunks.entries.size()) {
    const uint64_t first = FirstOf(chunks.entries[chunk_]);
    uint32_t begin = 0;
    uint32_t end = 0;
    if (first >= end_) return false;
    if (cursor_.Next(&begin, &end)) {
      if (first + begin >= end_) return false;
      *run = {first + begin, std::min(first + end, end_)};
      return true;
    }
    if (++chunk_ < chunks.entries.size()) cursor_ = ChunkRunCursor(chunks.View(chunk_), 0);
  }
  return false;
}

bool RoaringRunCursor::Next(ValueRange* run) {
  // A run that goes on in the next chunk is one run: look one piece ahead.
  if (pending_.size() == 0 && !NextInChunks(&pending_)) return false;
  *run = std::exchange(pending_, {});
  while (run->end % kChunkValues == 0 && NextInChunks(&pending_)) {
    if (pending_.begin != run->end) return true;
    run->end = std::exchange(pending_, {}).end;
  }
  return true;
}

}  // namespace pennon
