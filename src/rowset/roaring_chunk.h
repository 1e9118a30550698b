/// \file
/// One chunk of a roaring set: the values that share their high 16 bits, held as 16-bit units in
/// the smallest of three forms, each with what it needs to answer rank at once. Pure functions;
/// nothing here allocates but Append*.
/// Spec: format/table.md, heading 3 (deletion files); the portable roaring format, containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pennon {

inline constexpr uint32_t kChunkValues = 65536;
inline constexpr size_t kChunkWords = kChunkValues / 64;
inline constexpr size_t kChunkBitmapUnits = kChunkValues / 16;
/// On disk a chunk with more values than this is a bitmap, one with fewer an array (runs aside).
inline constexpr uint32_t kChunkArrayValuesMax = 4096;

enum class ChunkKind : uint8_t {
  kArray,   ///< The values, ascending.
  kRuns,    ///< First values of all runs, then last values of all runs, then the number of values
            ///< before each run.
  kBitmap,  ///< One bit a value, lowest first, then the number of values before each block of 512
            ///< bits.
};

/// A chunk as it lies in memory. Borrows; holds at least one value. Its form is a function of its
/// values alone, so equal chunks have equal units.
struct ChunkView {
  ChunkKind kind = ChunkKind::kArray;
  uint32_t count = 0;
  std::span<const uint16_t> units;

  size_t num_runs() const { return units.size() / 3; }
};

/// Bits of one whole chunk, value v at bit v % 64 of word v / 64.
using ChunkWords = std::span<uint64_t, kChunkWords>;
using ConstChunkWords = std::span<const uint64_t, kChunkWords>;

/// Says whether `value` is in the chunk. At most 12 probes.
bool ChunkContains(const ChunkView& chunk, uint16_t value);
/// Returns the number of values below `value`. At most 12 probes.
uint32_t ChunkRank(const ChunkView& chunk, uint16_t value);
/// Returns the k-th (from 0) of the 65536 values that is not in the chunk; k < 65536 - count.
uint32_t ChunkSelectAbsent(const ChunkView& chunk, uint32_t k);
/// Sets the bits of the chunk's values in `words`; others stay.
void ChunkSetBits(const ChunkView& chunk, ChunkWords words);

/// Consecutive values [first, last].
struct ChunkRun {
  uint16_t first = 0;
  uint16_t last = 0;
};

/// Walks the maximal runs of a chunk in ascending order.
class ChunkRunCursor {
 public:
  ChunkRunCursor() = default;  // at the end of nothing
  /// Starts at the run that holds `from`, or at the next one; a run that began below `from` is cut.
  ChunkRunCursor(const ChunkView& chunk, uint32_t from);
  /// Gives the next run [begin, end), 0 <= begin < end <= 65536; false when there is none.
  bool Next(uint32_t* begin, uint32_t* end);

 private:
  ChunkView chunk_;
  uint32_t from_ = 0;
  size_t position_ = 0;  // index of a value (array) or of a run (runs); a value itself (bitmap)
};

/// Appends the values of `words`, at least one, in their smallest form, and returns its kind;
/// `count` receives how many there are.
ChunkKind AppendChunk(ConstChunkWords words, std::vector<uint16_t>* units, uint32_t* count);
/// The same from values, strictly ascending, at least one. One pass; no bitmap is made unless it is
/// the result.
ChunkKind AppendChunk(std::span<const uint16_t> values, std::vector<uint16_t>* units);
/// The same from maximal runs, ascending, at least one. Work follows the number of runs where they
/// stay runs.
ChunkKind AppendChunk(std::span<const ChunkRun> runs, std::vector<uint16_t>* units,
                      uint32_t* count);

}  // namespace pennon
