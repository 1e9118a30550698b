/// \file
/// An array of row slots, each packed into as few whole bytes as the fragments and offsets at hand
/// need. Spec: design.md, heading 3 (packed ids and addresses).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/little_endian.h"
#include "rowids/large_pages.h"

namespace pennon {

/// Where a row lies, its fragment named by its place in a list that the owner keeps.
struct Slot {
  uint32_t fragment = 0;
  uint32_t offset = 0;

  bool operator==(const Slot&) const = default;
};

class SlotArray {
 public:
  struct Element {
    Slot slot;
    bool has_more = false;  ///< The id has further slots, kept elsewhere.
  };

  SlotArray() = default;
  /// All elements absent. Memory: `count` times bytes_per_slot().
  SlotArray(uint64_t count, uint32_t num_fragments, uint32_t offset_max);

  /// Bytes that an element of such an array takes: 4 to 8. Fewer would do for small tables, and are
  /// dear to write in any order.
  static uint32_t WidthFor(uint32_t num_fragments, uint32_t offset_max) {
    const uint32_t bits =
        OffsetBits(offset_max) + static_cast<uint32_t>(std::bit_width(uint64_t{num_fragments})) + 1;
    return std::max(4u, (bits + 7) / 8);
  }
  uint32_t bytes_per_slot() const { return width_; }
  uint64_t memory_bytes() const { return bytes_.capacity(); }

  /// The element, or false if there is none.
  bool Get(uint64_t i, Element* element) const {
    const uint64_t packed = Load(i);
    if (packed == mask_) return false;
    element->has_more = (packed & 1) != 0;
    element->slot.offset = static_cast<uint32_t>((packed >> 1) & offset_mask_);
    element->slot.fragment = static_cast<uint32_t>((packed >> 1) >> offset_bits_);
    return true;
  }
  /// Sets an absent element and returns true; marks one that is there as having more and returns
  /// false.
  bool Put(uint64_t i, Slot slot) {
    const uint64_t packed = Load(i);
    if (packed != mask_) {
      Store(i, packed | 1);
      return false;
    }
    Store(i, ((uint64_t{slot.fragment} << offset_bits_) | slot.offset) << 1);
    return true;
  }
  /// Puts slots of one fragment, their offsets counting up from that of `first`, at the elements
  /// that `element_of(i)` names for i in [0, count), or nowhere for kNowhere. Calls `again(i)` for
  /// those that Put would return false for. The same as Put one by one, without looking at the
  /// array's own shape each time.
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  template <typename ElementOf, typename Again>
  void PutRun(Slot first, size_t count, ElementOf&& element_of, Again&& again) {
    if (width_ != 4) {
      for (size_t i = 0; i < count; ++i, ++first.offset) {
        const uint64_t element = element_of(i);
        if (element != kNowhere && !Put(element, first)) again(i);
      }
      return;
    }
    char* const data = bytes_.data();
    auto packed =
        static_cast<uint32_t>(((uint64_t{first.fragment} << offset_bits_) | first.offset) << 1);
    for (size_t i = 0; i < count; ++i, packed += 2) {
      const uint64_t element = element_of(i);
      if (element == kNowhere) continue;
      char* const at = data + element * 4;
      const auto before = LoadLittleEndian<uint32_t>(at);
      if (before == ~uint32_t{0}) [[likely]] {
        StoreLittleEndian(at, packed);
      } else {
        StoreLittleEndian(at, before | 1);
        again(i);
      }
    }
  }
  __attribute__((always_inline)) void Prefetch(uint64_t i) const {
    __builtin_prefetch(bytes_.data() + i * width_);
  }
  __attribute__((always_inline)) void PrefetchForPut(uint64_t i) const {
    __builtin_prefetch(bytes_.data() + i * width_, 1);
  }

 private:
  static uint32_t OffsetBits(uint32_t offset_max) {
    return static_cast<uint32_t>(std::bit_width(offset_max | 1u));
  }
  // Elements are read and written eight bytes at a time; the array has room for that behind its
  // end.
  uint64_t Load(uint64_t i) const {
    if (width_ == 4) return LoadLittleEndian<uint32_t>(bytes_.data() + i * 4);
    return LoadLittleEndian<uint64_t>(bytes_.data() + i * width_) & mask_;
  }
  void Store(uint64_t i, uint64_t packed) {
    char* at = bytes_.data() + i * width_;
    // Most arrays; an element wide, so that a neighbour that was just written need not be waited
    // for.
    if (width_ == 4) return StoreLittleEndian(at, static_cast<uint32_t>(packed));
    const uint64_t others = LoadLittleEndian<uint64_t>(at) & ~mask_;
    StoreLittleEndian(at, others | packed);
  }

  uint32_t width_ = 8;
  uint32_t offset_bits_ = 32;
  uint64_t offset_mask_ = 0xFFFFFFFFu;
  uint64_t mask_ =
      ~uint64_t{0};  // an absent element has all bits set: no fragment has the last number
  std::vector<char, LargePages<char>> bytes_;
};

inline SlotArray::SlotArray(uint64_t count, uint32_t num_fragments, uint32_t offset_max)
    : width_(WidthFor(num_fragments, offset_max)),
      offset_bits_(OffsetBits(offset_max)),
      offset_mask_((uint64_t{1} << offset_bits_) - 1),
      mask_(~uint64_t{0} >> (64 - 8 * width_)),
      bytes_(count * width_ + 8, '\xFF') {}

}  // namespace pennon
