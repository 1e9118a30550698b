/// \file
/// A row slot for each place of a stretch of ids, in three or four bytes. Spec: design.md, heading
/// 3 (packed ids and addresses). See docs/decisions/102-adaptive-row-id-index.md.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/little_endian.h"
#include "rowids/large_pages.h"
#include "rowids/slot_array.h"

namespace pennon {

/// Filled once from the front to the back, then read by any number of threads.
class DenseSlots {
 public:
  /// A place without a slot, and one whose slots, several, are kept elsewhere. In three bytes their
  /// low three.
  static constexpr uint32_t kAbsent = ~uint32_t{0};
  static constexpr uint32_t kMany = kAbsent - 1;

  /// How slots are read; borrows the bytes.
  struct View {
    const char* data = nullptr;
    uint32_t mask = 0;
    uint8_t bytes_per_slot = 0;
    uint8_t offset_bits = 0;

    /// Returns how many slots the place has: none, one, or 2 for several.
    uint32_t Find(uint64_t place, Slot* slot) const {
      const auto packed = LoadLittleEndian<uint32_t>(data + place * bytes_per_slot) & mask;
      if (packed >= mask - 1) return packed == mask ? 0 : 2;
      slot->fragment = packed >> offset_bits;
      slot->offset = packed & ~(~uint32_t{0} << offset_bits);
      return 1;
    }
  };

  /// Whether slots of so many fragments of so many rows take four bytes or less.
  static bool Fits(uint32_t num_fragments, uint32_t offset_max) {
    return EndOfSlots(num_fragments, offset_max) <= kMany;
  }

  DenseSlots() = default;
  /// For slots that fit; the bytes are to be filled. Memory: 3 or 4 bytes a place.
  DenseSlots(uint64_t num_places, uint32_t num_fragments, uint32_t offset_max)
      : offset_bits_(OffsetBits(offset_max)),
        bytes_per_slot_(EndOfSlots(num_fragments, offset_max) <= (kMany & kThreeBytes) ? 3 : 4),
        // Slots are read and written four bytes at a time.
        bytes_(num_places * bytes_per_slot_ + 1) {}

  uint32_t Pack(Slot slot) const { return (slot.fragment << offset_bits_) | slot.offset; }
  Slot Unpack(uint32_t packed) const {
    return {packed >> offset_bits_, packed & ~(~uint32_t{0} << offset_bits_)};
  }
  /// Writes slots, packed or one of the two constants, at `place` and behind it. Places behind must
  /// not have been written yet.
  void Fill(uint64_t place, std::span<const uint32_t> packed) {
    char* to = bytes_.data() + place * bytes_per_slot_;
    for (const uint32_t slot : packed) {
      StoreLittleEndian(to, slot);
      to += bytes_per_slot_;
    }
  }

  View view() const {
    return {bytes_.data(), bytes_per_slot_ == 3 ? kThreeBytes : ~uint32_t{0}, bytes_per_slot_,
            offset_bits_};
  }
  uint64_t memory_bytes() const { return bytes_.capacity(); }

 private:
  static constexpr uint32_t kThreeBytes = 0xFFFFFF;

  static uint8_t OffsetBits(uint32_t offset_max) {
    return static_cast<uint8_t>(std::bit_width(offset_max));
  }
  // All packed slots are less.
  static uint64_t EndOfSlots(uint32_t num_fragments, uint32_t offset_max) {
    return uint64_t{num_fragments} << std::bit_width(offset_max);
  }

  uint8_t offset_bits_ = 0;
  uint8_t bytes_per_slot_ = 4;
  std::vector<char, LargePages<char>> bytes_;
};

}  // namespace pennon
