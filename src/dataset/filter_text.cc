#include "dataset/filter_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "pennon/base/error.h"

namespace pennon {

size_t Utf8CharacterSize(std::string_view text, size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, text.size() - position);
}

size_t CountUtf8Characters(std::string_view text) {
  size_t count = 0;
  for (char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

size_t FindInvalidUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    size_t size = lead >= 0xC2 && lead < 0xE0   ? 2
                  : lead >= 0xE0 && lead < 0xF0 ? 3
                  : lead >= 0xF0 && lead < 0xF5 ? 4
                                                : 0;
    if (size == 0 || i + size > text.size()) return i;
    uint32_t code = lead & (0x7Fu >> size);
    for (size_t k = 1; k < size; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return i;
      code = code << 6 | (next & 0x3Fu);
    }
    const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return i;
    i += size;
  }
  return std::string_view::npos;
}

arrow::Status FilterError(std::string_view text, SqlPlace place, std::string_view message) {
  constexpr size_t kNearBytesMax = 40;
  place.begin = std::min(place.begin, text.size());
  place.end = std::clamp(place.end, place.begin, text.size());
  if (place.begin == text.size()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("{} at the end of the filter", message));
  }
  std::string_view near = text.substr(place.begin, place.end - place.begin);
  if (near.empty()) near = text.substr(place.begin, Utf8CharacterSize(text, place.begin));
  const bool is_cut = near.size() > kNearBytesMax;
  if (is_cut) {
    size_t cut = kNearBytesMax;
    while (cut > 0 && (static_cast<unsigned char>(near[cut]) & 0xC0) == 0x80) --cut;
    near = near.substr(0, cut);
  }
  std::string shown;
  for (char byte : near) {
    shown += static_cast<unsigned char>(byte) < 0x20 ? ' ' : byte;
  }
  return MakeError(ErrorKind::kInvalidArgument,
                   fmt::format("{} at character {} near \"{}{}\"", message,
                               CountUtf8Characters(text.substr(0, place.begin)) + 1, shown,
                               is_cut ? "..." : ""));
}

}  // namespace pennon
