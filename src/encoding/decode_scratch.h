/// \file
/// Memory that decoding reuses from chunk to chunk and from value to value.
#pragma once

#include <cstdint>
#include <vector>

namespace pennon {

struct DecodeScratch {
  /// One group of unpacked words.
  std::vector<uint8_t> unpacked;
  /// Where the bytes of a run of FSST codes have gone.
  std::vector<uint32_t> positions;
  /// One inflated buffer.
  std::vector<uint8_t> inflated;
};

}  // namespace pennon
