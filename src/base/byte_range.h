/// \file
/// A range of bytes of one file.
#pragma once

#include <cstdint>

namespace pennon {

/// Half-open range of bytes [begin, end) of one file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

}  // namespace pennon
