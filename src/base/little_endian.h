/// \file
/// Unaligned little-endian loads and stores. The format is little-endian throughout.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace pennon {

static_assert(std::endian::native == std::endian::little,
              "only little-endian machines are supported");

/// Loads a T from bytes that need not be aligned. The caller has checked that sizeof(T) bytes are
/// there.
template <typename T>
inline T LoadLittleEndian(const void* bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Stores `value` to bytes that need not be aligned.
template <typename T>
inline void StoreLittleEndian(void* bytes, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(bytes, &value, sizeof(T));
}

/// Appends the bytes of `value` to `out`.
template <typename T>
inline void AppendLittleEndian(std::string& out, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace pennon
