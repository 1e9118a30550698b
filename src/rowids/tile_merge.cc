#include "rowids/tile_merge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "rowids/segment_runs.h"

namespace pennon {
namespace {

// Slots of so many ids fit the first cache beside what is read. Tiles are larger where segments
// have fewer rows than this in one.
constexpr uint64_t kTileIdsMin = uint64_t{1} << 13;
constexpr uint64_t kRowsInTileMin = 128;

struct Tile {
  uint64_t begin = 0;
  uint64_t size = 0;
};

// The rows of a segment from a position on.
class Cursor {
 public:
  Cursor(const AscendingRows& rows, uint64_t begin)
      : rows_(&rows), position_(CountBelow(*rows.segment, *rows.index, begin)) {}

  // Calls `fn(place, position)` for the rows whose ids lie in the tile, and moves behind them.
  // Returns how many rows were passed.
  template <typename Fn>
  uint64_t Take(const Tile& tile, Fn&& fn) {
    const uint64_t before = position_;
    const Segment& segment = *rows_->segment;
    if (segment.form == SegmentForm::kSortedArray && segment.array.width == sizeof(uint32_t)) {
      TakeFromArray(tile, fn);
    } else if (segment.form == SegmentForm::kRangeWithBitmap) {
      TakeFromBitmap(tile, fn);
    } else {
      TakeFromOther(tile, fn);
    }
    return position_ - before;
  }

  // The same, writing slots that count up from `first` at the segment's first row to `packed`,
  // which has room for kFillSlack slots behind the tile and may be written to there.
  static constexpr uint64_t kFillSlack = 64;
  uint64_t Fill(const Tile& tile, uint32_t first, uint32_t* packed) {
    const uint64_t before = position_;
    if (rows_->segment->form == SegmentForm::kRangeWithBitmap) {
      FillFromBitmap(tile, first, packed);
      return position_ - before;
    }
    return Take(tile, [&](uint64_t place, uint64_t position) {
      packed[place] = first + static_cast<uint32_t>(position);
    });
  }

  const AscendingRows& rows() const { return *rows_; }

 private:
  template <typename Fn>
  void TakeFromArray(const Tile& tile, Fn& fn) {
    const PackedArray& array = rows_->segment->array;
    const uint64_t shift = array.base - tile.begin;
    uint64_t i = position_;
    for (; i < array.count; ++i) {
      const uint64_t place = shift + LoadLittleEndian<uint32_t>(array.data + i * sizeof(uint32_t));
      if (place < tile.size) [[likely]] {
        fn(place, i);
      } else if (tile.begin + place >= tile.begin) {
        break;
      }  // or else the array does not ascend
    }
    position_ = i;
  }

  // Calls `fn(place, word)` for the words of the bitmap in the tile: bit k is the row at place + k.
  template <typename Fn>
  void ForEachWord(const Tile& tile, Fn&& fn) const {
    const Segment& segment = *rows_->segment;
    const BitmapView& bitmap = segment.bitmap;
    const uint64_t lead = tile.begin < segment.start ? segment.start - tile.begin : 0;
    const uint64_t first = tile.begin < segment.start ? 0 : tile.begin - segment.start;
    if (lead >= tile.size || first >= bitmap.num_bits) return;
    const uint64_t end = std::min(bitmap.num_bits - first, tile.size - lead) + first;
    uint64_t bit = first;
    for (; end - bit >= 64; bit += 64) fn(lead + (bit - first), bitmap.WordFrom(bit));
    if (bit == end) return;
    fn(lead + (bit - first), bitmap.WordFrom(bit) & ((uint64_t{1} << (end - bit)) - 1));
  }

  template <typename Fn>
  void TakeFromBitmap(const Tile& tile, Fn& fn) {
    ForEachWord(tile, [&](uint64_t place, uint64_t word) {
      for (; word != 0; word &= word - 1, ++position_)
        fn(place + static_cast<uint64_t>(std::countr_zero(word)), position_);
    });
  }

  // A fixed number of slots is written for each word, since how many there are cannot be foreseen:
  // what is too much goes to the last place, which is put right afterwards.
  void FillFromBitmap(const Tile& tile, uint32_t first, uint32_t* packed) {
    constexpr uint64_t kTop = uint64_t{1} << 63;
    constexpr uint64_t kAtOnce = 8;
    uint32_t next = first + static_cast<uint32_t>(position_);
    const uint32_t begin = next;
    ForEachWord(tile, [&](uint64_t place, uint64_t word) {
      uint32_t* const at = packed + place;
      const auto ones = static_cast<uint32_t>(std::popcount(word));
      const uint32_t last = (word & kTop) != 0 ? next + ones - 1 : at[63];
      uint32_t slot = next;
      do {
        for (uint64_t k = 0; k < kAtOnce; ++k, word &= word - 1)
          at[std::countr_zero(word | kTop)] = slot++;
      } while (word != 0);
      at[63] = last;
      next += ones;
    });
    position_ += next - begin;
  }

  template <typename Fn>
  void TakeFromOther(const Tile& tile, Fn& fn) {
    const Segment& segment = *rows_->segment;
    const SegmentIndex& index = *rows_->index;
    const uint64_t last = tile.begin + (tile.size - 1);
    const uint64_t end =
        last == ~uint64_t{0} ? CountRows(segment, &index) : CountBelow(segment, index, last + 1);
    std::array<uint64_t, 512> ids;
    while (position_ < end) {
      const auto part = std::span(ids).first(std::min<uint64_t>(end - position_, ids.size()));
      const uint64_t given = ReadSegmentValues(segment, index, position_, part);
      for (uint64_t k = 0; k < given; ++k) {
        const uint64_t place = part[k] - tile.begin;
        if (place < tile.size) fn(place, position_ + k);
      }
      position_ += given;
      if (given < part.size()) break;  // the body is corrupt
    }
  }

  const AscendingRows* rows_;
  uint64_t position_;
};

uint64_t TileSize(const TileMerge& merge) {
  uint64_t size = kTileIdsMin;
  while (size < merge.span &&
         merge.num_slots / (merge.span / size) < kRowsInTileMin * merge.rows.size()) {
    size *= 2;
  }
  return size;
}

uint64_t CountPresent(std::span<const uint32_t> slots) {
  uint32_t absent = 0;
  for (const uint32_t slot : slots) absent += slot == DenseSlots::kAbsent ? 1u : 0u;
  return slots.size() - absent;
}

}  // namespace

bool MergeTiles(const TileMerge& merge, const std::function<bool(uint64_t id, Slot slot)>& keep,
                DenseSlots* slots) {
  std::vector<Cursor> cursors;
  cursors.reserve(merge.rows.size());
  for (const AscendingRows& rows : merge.rows) cursors.emplace_back(rows, merge.begin);
  std::vector<Cursor> before = cursors;
  const uint64_t tile_size = std::min(TileSize(merge), merge.span);
  std::vector<uint32_t> buffer(tile_size + Cursor::kFillSlack);
  for (uint64_t done = 0; done < merge.span; done += tile_size) {
    const Tile tile{merge.begin + done, std::min(tile_size, merge.span - done)};
    const auto packed = std::span(buffer).first(tile.size);
    std::fill(packed.begin(), packed.end(), DenseSlots::kAbsent);
    before = cursors;
    uint64_t num_rows = 0;
    for (Cursor& cursor : cursors)
      num_rows += cursor.Fill(tile, slots->Pack(cursor.rows().first), packed.data());
    // Nothing was written over if there are as many slots as rows.
    if (CountPresent(packed) != num_rows) {
      bool goes_on = true;
      cursors = before;
      std::fill(packed.begin(), packed.end(), DenseSlots::kAbsent);
      for (Cursor& cursor : cursors) {
        const uint32_t first = slots->Pack(cursor.rows().first);
        cursor.Take(tile, [&](uint64_t place, uint64_t position) {
          const uint32_t slot = first + static_cast<uint32_t>(position);
          uint32_t& present = packed[place];
          if (present == DenseSlots::kAbsent) {
            present = slot;
            return;
          }
          const uint64_t id = tile.begin + place;
          if (present != DenseSlots::kMany) goes_on = goes_on && keep(id, slots->Unpack(present));
          goes_on = goes_on && keep(id, slots->Unpack(slot));
          present = DenseSlots::kMany;
        });
      }
      if (!goes_on) return false;
    }
    slots->Fill(done, packed);
  }
  return true;
}

}  // namespace pennon
