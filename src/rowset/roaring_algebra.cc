#include "rowset/roaring_algebra.h"

#include <algorithm>
#include <array>

#include "rowset/roaring_builder.h"

namespace pennon {
namespace {

using Words = std::array<uint64_t, kChunkWords>;

// Walks the chunks of both sets in step. `combine` joins the words of the right chunk into those of
// the left one; chunks of one side alone are kept as the flags say.
template <typename Combine>
RoaringSet Merge(const RoaringSet& left, const RoaringSet& right, bool keep_left, bool keep_right,
                 Combine combine) {
  static const RoaringChunks kNone;
  const RoaringChunks& a = left.empty() ? kNone : *left.chunks();
  const RoaringChunks& b = right.empty() ? kNone : *right.chunks();
  RoaringBuilder builder;
  size_t i = 0;
  size_t j = 0;
  while (i < a.entries.size() || j < b.entries.size()) {
    const uint32_t left_key = i < a.entries.size() ? a.entries[i].key : kChunkValues;
    const uint32_t right_key = j < b.entries.size() ? b.entries[j].key : kChunkValues;
    const auto key = static_cast<uint16_t>(std::min(left_key, right_key));
    if (left_key < right_key) {
      if (keep_left) builder.Add(key, a.View(i));
      ++i;
    } else if (right_key < left_key) {
      if (keep_right) builder.Add(key, b.View(j));
      ++j;
    } else {
      Words ours{};
      Words theirs{};
      ChunkSetBits(a.View(i++), ours);
      ChunkSetBits(b.View(j++), theirs);
      uint64_t any = 0;
      for (size_t word = 0; word < kChunkWords; ++word) {
        ours[word] = combine(ours[word], theirs[word]);
        any |= ours[word];
      }
      if (any != 0) builder.Add(key, ConstChunkWords(ours));
    }
  }
  return builder.Finish();
}

}  // namespace

RoaringSet Union(const RoaringSet& left, const RoaringSet& right) {
  if (left.empty()) return right;
  if (right.empty()) return left;
  return Merge(left, right, true, true, [](uint64_t a, uint64_t b) { return a | b; });
}

RoaringSet Intersect(const RoaringSet& left, const RoaringSet& right) {
  return Merge(left, right, false, false, [](uint64_t a, uint64_t b) { return a & b; });
}

RoaringSet Subtract(const RoaringSet& left, const RoaringSet& right) {
  if (right.empty()) return left;
  return Merge(left, right, true, false, [](uint64_t a, uint64_t b) { return a & ~b; });
}

}  // namespace pennon
