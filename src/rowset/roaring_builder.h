/// \file
/// How a roaring set lies in memory, and the one place that makes it, chunk by chunk in ascending
/// order.
#pragma once

#include <memory>
#include <vector>

#include "rowset/roaring_chunk.h"
#include "rowset/roaring_set.h"

namespace pennon {

/// Where one chunk's units lie, and how many values precede it.
struct ChunkEntry {
  uint32_t first_unit = 0;
  uint32_t rank = 0;
  uint16_t key = 0;
  ChunkKind kind = ChunkKind::kArray;
  bool operator==(const ChunkEntry&) const = default;
};

/// All chunks of a set that is not empty.
struct RoaringChunks {
  std::vector<ChunkEntry> entries;
  std::vector<uint16_t> units;
  uint64_t count = 0;

  ChunkView View(size_t i) const {
    const bool last = i + 1 == entries.size();
    const size_t begin = entries[i].first_unit;
    const size_t end = last ? units.size() : entries[i + 1].first_unit;
    const uint64_t rank_behind = last ? count : entries[i + 1].rank;
    return {entries[i].kind, static_cast<uint32_t>(rank_behind - entries[i].rank),
            std::span<const uint16_t>(units).subspan(begin, end - begin)};
  }
  /// Index of the first chunk whose key is not below `key`.
  size_t LowerBound(uint32_t key) const {
    // Chunks without gaps, as in nearly every fragment with many deletions, lie at the index of
    // their key.
    if (key < entries.size() && entries[key].key == key) return key;
    size_t low = 0;
    size_t high = entries.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (entries[middle].key < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Collects chunks of strictly ascending keys, each with at least one value.
class RoaringBuilder {
 public:
  void Add(uint16_t key, std::span<const uint16_t> values);
  void Add(uint16_t key, ConstChunkWords words);
  /// Runs are maximal and ascending.
  void Add(uint16_t key, std::span<const ChunkRun> runs);
  /// Copies a chunk that is in its smallest form already.
  void Add(uint16_t key, const ChunkView& chunk);
  RoaringSet Finish();

 private:
  void AddEntry(uint16_t key, size_t first_unit, ChunkKind kind, uint32_t count);

  RoaringChunks chunks_;
};

}  // namespace pennon
