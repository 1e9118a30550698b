#include "base/uuid.h"

#include <fmt/format.h>

#include <cstdint>
#include <random>

namespace pennon {

std::string MakeUuid() {
  std::random_device random;
  const auto word = [&random] { return (uint64_t{random()} << 32) | random(); };
  const uint64_t high = (word() & ~0xF000ull) | 0x4000ull;
  const uint64_t low = (word() & ~(3ull << 62)) | (1ull << 63);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                     high & 0xFFFF, low >> 48, low & 0xFFFFFFFFFFFFull);
}

}  // namespace pennon
