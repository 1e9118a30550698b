/// \file
/// A read-only view of the format's packed integers: offsets of 2 or 4 bytes from a base, or
/// absolute values of 8 bytes, exactly as they lie on disk. Spec: format/row-ids.md, heading 1
/// (EncodedU64Array).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/little_endian.h"
#include "rowids/stretch_table.h"

namespace pennon {

/// Borrows `data`. Element i is `base + offset[i]`; whoever makes one has checked that this cannot
/// overflow.
struct PackedArray {
  const char* data = nullptr;
  uint64_t count = 0;
  uint64_t base = 0;
  /// Bytes an element: 2, 4 or 8. With 8 the base is 0.
  uint8_t width = 8;

  uint64_t operator[](uint64_t i) const {
    switch (width) {
      case 2:
        return base + LoadLittleEndian<uint16_t>(data + 2 * i);
      case 4:
        return base + LoadLittleEndian<uint32_t>(data + 4 * i);
      default:
        return LoadLittleEndian<uint64_t>(data + 8 * i);
    }
  }
  bool empty() const { return count == 0; }
  uint64_t front() const { return (*this)[0]; }
  uint64_t back() const { return (*this)[count - 1]; }
  uint64_t size_bytes() const { return count * width; }

  /// Elements [begin, begin + n).
  PackedArray Sub(uint64_t begin, uint64_t n) const {
    return {data + begin * width, n, base, width};
  }
};

/// Calls `fn` with a zero of the type that the elements have, so that hot loops see a constant
/// width.
template <typename Fn>
auto WithElementType(const PackedArray& array, Fn&& fn) {
  switch (array.width) {
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    default:
      return fn(uint64_t{});
  }
}

/// Smallest and largest element of an array that is not empty.
struct ValueBounds {
  uint64_t smallest = 0;
  uint64_t largest = 0;
};

/// Index of the first element >= `value` in an ascending array, `count` if there is none. Cost:
/// interpolation, a handful of probes on evenly spread values, never more than logarithmic plus
/// eight. On an array that is not ascending the answer is some index <= count.
uint64_t LowerBound(const PackedArray& array, uint64_t value);

/// The same with the help of a table of the array, which may be empty.
uint64_t LowerBound(const PackedArray& array, const StretchTable& table, uint64_t value);
/// A table for arrays that are searched often; about an eighth of the bytes of a 4-byte array.
/// Cost: one pass.
StretchTable MakeTable(const PackedArray& array);

/// Index of `value` in an ascending array, if it is there.
std::optional<uint64_t> FindAscending(const PackedArray& array, uint64_t value);

/// Index of the first element equal to `value` in an array of any order. Cost: one pass, at memory
/// speed.
std::optional<uint64_t> FindAnyOrder(const PackedArray& array, uint64_t value);

/// Bounds of an array of any order that is not empty, and the index of the first element equal to
/// `value`.
struct ArrayScan {
  ValueBounds bounds;
  std::optional<uint64_t> found;
};
/// Cost: one pass, at memory speed.
ArrayScan ScanAnyOrder(const PackedArray& array, uint64_t value);

/// Index i of the first pair with element i >= element i + 1, or nothing if the array is strictly
/// ascending. Cost: one pass, at memory speed.
std::optional<uint64_t> FirstDescent(const PackedArray& array);

/// Bounds of an array of any order that is not empty. Cost: one pass, at memory speed.
ValueBounds BoundsOf(const PackedArray& array);

/// Writes elements [begin, begin + out.size()) to `out`.
void ReadPacked(const PackedArray& array, uint64_t begin, std::span<uint64_t> out);

}  // namespace pennon
