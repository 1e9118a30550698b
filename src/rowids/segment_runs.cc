#include "rowids/segment_runs.h"

namespace pennon {
namespace {

// Bit by bit with a shortcut for full words: as quick on sparse bitmaps as on dense ones.
uint64_t ReadBitmap(const Segment& segment, const SegmentIndex& index, uint64_t position,
                    std::span<uint64_t> out) {
  const BitmapView& bitmap = segment.bitmap;
  const uint64_t first = Select(bitmap, index.ranks, position);
  uint64_t* to = out.data();
  uint64_t* const end = to + out.size();
  const uint64_t num_words = bitmap.num_words();
  uint64_t i = first / 64;
  uint64_t word = bitmap.Word(i) & (~uint64_t{0} << (first % 64));
  while (true) {
    const uint64_t base = segment.start + 64 * i;
    if (word == ~uint64_t{0} && end - to >= 64) {
      for (uint64_t bit = 0; bit < 64; ++bit) to[bit] = base + bit;
      to += 64;
    } else {
      for (; word != 0 && to != end; word &= word - 1) {
        *to++ = base + static_cast<uint64_t>(std::countr_zero(word));
      }
    }
    if (to == end || ++i == num_words) break;
    word = bitmap.Word(i);
  }
  return static_cast<uint64_t>(to - out.data());
}

}  // namespace

uint64_t ReadSegmentValues(const Segment& segment, const SegmentIndex& index, uint64_t position,
                           std::span<uint64_t> out) {
  if (out.empty()) return 0;
  if (segment.is_array()) {
    ReadPacked(segment.array, position, out);
    return out.size();
  }
  if (segment.form == SegmentForm::kRangeWithBitmap)
    return ReadBitmap(segment, index, position, out);
  uint64_t* to = out.data();
  return ForEachRun(segment, index, position, out.size(), [&](uint64_t first, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i) to[i] = first + i;
    to += length;
  });
}

}  // namespace pennon
