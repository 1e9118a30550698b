/// \file
/// Spells wire bytes of row id sequences by hand, right and wrong ones, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/wire.h"

namespace pennon::testing_support {

inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

inline std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<uint8_t>(byte) >> 4];
    hex += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return hex;
}

inline std::string Field(uint32_t number, std::string_view bytes) {
  std::string out;
  AppendBytesField(out, number, bytes);
  return out;
}
inline std::string Scalar(uint32_t number, uint64_t value) {
  std::string out;
  AppendVarintField(out, number, value);
  return out;
}
template <typename T>
std::string Words(std::initializer_list<uint64_t> values) {
  std::string out;
  for (const uint64_t value : values) {
    const T word = static_cast<T>(value);
    out.append(reinterpret_cast<const char*>(&word), sizeof(T));
  }
  return out;
}

inline std::string U16(uint64_t base, std::initializer_list<uint64_t> offsets) {
  return Field(1, Scalar(1, base) + Field(2, Words<uint16_t>(offsets)));
}
inline std::string U32(uint64_t base, std::initializer_list<uint64_t> offsets) {
  return Field(2, Scalar(1, base) + Field(2, Words<uint32_t>(offsets)));
}
inline std::string U64(std::initializer_list<uint64_t> values) {
  return Field(3, Field(2, Words<uint64_t>(values)));
}

/// Messages U64Segment.
inline std::string RangeSegment(uint64_t start, uint64_t end) {
  return Field(1, Scalar(1, start) + Scalar(2, end));
}
inline std::string HolesSegment(uint64_t start, uint64_t end, std::string_view array) {
  return Field(2, Scalar(1, start) + Scalar(2, end) + Field(3, array));
}
inline std::string BitmapSegment(uint64_t start, uint64_t end, std::string_view bitmap) {
  return Field(3, Scalar(1, start) + Scalar(2, end) + Field(3, bitmap));
}
inline std::string SortedSegment(std::string_view array) { return Field(4, array); }
inline std::string ArraySegment(std::string_view array) { return Field(5, array); }

/// A sequence of one segment.
inline std::string Sequence(std::string_view segment) { return Field(1, segment); }

}  // namespace pennon::testing_support
