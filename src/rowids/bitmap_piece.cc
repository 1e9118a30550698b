#include "rowids/bitmap_piece.h"

#include <bit>
#include <cstring>

#include "base/little_endian.h"

namespace pennon {

BitmapPiece::BitmapPiece(const BitmapView& bitmap, const BitmapRanks& ranks, uint64_t start,
                         const PieceRows& rows) {
  const uint64_t first = Select(bitmap, ranks, rows.position);
  const uint64_t last = Select(bitmap, ranks, rows.position + rows.count - 1);
  first_word_ = first / 64;
  words_.resize(last / 64 - first_word_ + 1);
  for (uint64_t i = 0; i < words_.size(); ++i) words_[i] = bitmap.Word(first_word_ + i);
  words_.front() &= ~uint64_t{0} << (first % 64);
  words_.back() &= ~uint64_t{0} >> (63 - last % 64);
  if (!rows.removed.empty()) Remove(bitmap, ranks, rows);
  Describe(start, rows);
}

void BitmapPiece::Remove(const BitmapView& bitmap, const BitmapRanks& ranks,
                         const PieceRows& rows) {
  uint64_t at = first_word_;
  uint64_t before = Rank(bitmap, ranks, at * 64);
  uint64_t word = bitmap.Word(at);
  auto ones = static_cast<uint64_t>(std::popcount(word));
  for (const uint32_t removed : rows.removed) {
    const uint64_t position = removed - rows.removed_origin;
    while (position >= before + ones) {
      before += ones;
      word = bitmap.Word(++at);
      ones = static_cast<uint64_t>(std::popcount(word));
    }
    const uint32_t bit = SelectInWord(word, static_cast<uint32_t>(position - before));
    words_[at - first_word_] &= ~(uint64_t{1} << bit);
  }
}

void BitmapPiece::Describe(uint64_t start, const PieceRows& rows) {
  size_t front = 0;
  while (words_[front] == 0) ++front;
  size_t back = words_.size() - 1;
  while (words_[back] == 0) --back;
  smallest_bit_ = front * 64 + static_cast<uint64_t>(std::countr_zero(words_[front]));
  const uint64_t largest_bit =
      back * 64 + 63 - static_cast<uint64_t>(std::countl_zero(words_[back]));
  const uint64_t id_of_zero = start + first_word_ * 64;
  statistics_.count = rows.num_kept();
  statistics_.smallest = id_of_zero + smallest_bit_;
  statistics_.largest = id_of_zero + largest_bit;
  if (statistics_.num_holes() == 0) return;
  // Bits outside of the two bounds count as ones.
  const auto zeros = [&](size_t i) {
    uint64_t word = ~words_[i];
    if (i == front) word &= ~uint64_t{0} << (smallest_bit_ % 64);
    if (i == back) word &= ~uint64_t{0} >> (63 - largest_bit % 64);
    return word;
  };
  size_t first = front;
  while (zeros(first) == 0) ++first;
  size_t last = back;
  while (zeros(last) == 0) --last;
  statistics_.first_hole =
      id_of_zero + first * 64 + static_cast<uint64_t>(std::countr_zero(zeros(first)));
  statistics_.last_hole =
      id_of_zero + last * 64 + 63 - static_cast<uint64_t>(std::countl_zero(zeros(last)));
}

void BitmapPiece::WriteBody(char* to) const {
  const uint64_t num_bytes = statistics_.bitmap_bytes();
  const auto shift = static_cast<unsigned>(smallest_bit_ % 64);
  const size_t from = smallest_bit_ / 64;
  const auto shifted = [&](size_t i) {
    uint64_t word = words_[from + i] >> shift;
    if (shift != 0 && from + i + 1 < words_.size()) word |= words_[from + i + 1] << (64 - shift);
    return word;
  };
  const uint64_t num_words = num_bytes / 8;
  for (uint64_t i = 0; i < num_words; ++i) StoreLittleEndian<uint64_t>(to + 8 * i, shifted(i));
  if (num_bytes % 8 == 0) return;
  const uint64_t rest = shifted(num_words);
  std::memcpy(to + 8 * num_words, &rest, num_bytes % 8);
}

}  // namespace pennon
