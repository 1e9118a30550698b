#include "dataset/filter_unicode.h"

#include <algorithm>

namespace pennon {
namespace {

struct Expansion {
  uint32_t from;
  uint32_t to[3];  ///< Zeros behind the last.
};

/// Characters whose upper case is more than one character, by code.
constexpr Expansion kUpper[] = {
    {0x00DF, {0x0053, 0x0053}},         {0x0149, {0x02BC, 0x004E}},
    {0x01F0, {0x004A, 0x030C}},         {0x0390, {0x0399, 0x0308, 0x0301}},
    {0x03B0, {0x03A5, 0x0308, 0x0301}}, {0x0587, {0x0535, 0x0552}},
    {0x1E96, {0x0048, 0x0331}},         {0x1E97, {0x0054, 0x0308}},
    {0x1E98, {0x0057, 0x030A}},         {0x1E99, {0x0059, 0x030A}},
    {0x1E9A, {0x0041, 0x02BE}},         {0x1F50, {0x03A5, 0x0313}},
    {0x1F52, {0x03A5, 0x0313, 0x0300}}, {0x1F54, {0x03A5, 0x0313, 0x0301}},
    {0x1F56, {0x03A5, 0x0313, 0x0342}}, {0x1F80, {0x1F08, 0x0399}},
    {0x1F81, {0x1F09, 0x0399}},         {0x1F82, {0x1F0A, 0x0399}},
    {0x1F83, {0x1F0B, 0x0399}},         {0x1F84, {0x1F0C, 0x0399}},
    {0x1F85, {0x1F0D, 0x0399}},         {0x1F86, {0x1F0E, 0x0399}},
    {0x1F87, {0x1F0F, 0x0399}},         {0x1F88, {0x1F08, 0x0399}},
    {0x1F89, {0x1F09, 0x0399}},         {0x1F8A, {0x1F0A, 0x0399}},
    {0x1F8B, {0x1F0B, 0x0399}},         {0x1F8C, {0x1F0C, 0x0399}},
    {0x1F8D, {0x1F0D, 0x0399}},         {0x1F8E, {0x1F0E, 0x0399}},
    {0x1F8F, {0x1F0F, 0x0399}},         {0x1F90, {0x1F28, 0x0399}},
    {0x1F91, {0x1F29, 0x0399}},         {0x1F92, {0x1F2A, 0x0399}},
    {0x1F93, {0x1F2B, 0x0399}},         {0x1F94, {0x1F2C, 0x0399}},
    {0x1F95, {0x1F2D, 0x0399}},         {0x1F96, {0x1F2E, 0x0399}},
    {0x1F97, {0x1F2F, 0x0399}},         {0x1F98, {0x1F28, 0x0399}},
    {0x1F99, {0x1F29, 0x0399}},         {0x1F9A, {0x1F2A, 0x0399}},
    {0x1F9B, {0x1F2B, 0x0399}},         {0x1F9C, {0x1F2C, 0x0399}},
    {0x1F9D, {0x1F2D, 0x0399}},         {0x1F9E, {0x1F2E, 0x0399}},
    {0x1F9F, {0x1F2F, 0x0399}},         {0x1FA0, {0x1F68, 0x0399}},
    {0x1FA1, {0x1F69, 0x0399}},         {0x1FA2, {0x1F6A, 0x0399}},
    {0x1FA3, {0x1F6B, 0x0399}},         {0x1FA4, {0x1F6C, 0x0399}},
    {0x1FA5, {0x1F6D, 0x0399}},         {0x1FA6, {0x1F6E, 0x0399}},
    {0x1FA7, {0x1F6F, 0x0399}},         {0x1FA8, {0x1F68, 0x0399}},
    {0x1FA9, {0x1F69, 0x0399}},         {0x1FAA, {0x1F6A, 0x0399}},
    {0x1FAB, {0x1F6B, 0x0399}},         {0x1FAC, {0x1F6C, 0x0399}},
    {0x1FAD, {0x1F6D, 0x0399}},         {0x1FAE, {0x1F6E, 0x0399}},
    {0x1FAF, {0x1F6F, 0x0399}},         {0x1FB2, {0x1FBA, 0x0399}},
    {0x1FB3, {0x0391, 0x0399}},         {0x1FB4, {0x0386, 0x0399}},
    {0x1FB6, {0x0391, 0x0342}},         {0x1FB7, {0x0391, 0x0342, 0x0399}},
    {0x1FBC, {0x0391, 0x0399}},         {0x1FC2, {0x1FCA, 0x0399}},
    {0x1FC3, {0x0397, 0x0399}},         {0x1FC4, {0x0389, 0x0399}},
    {0x1FC6, {0x0397, 0x0342}},         {0x1FC7, {0x0397, 0x0342, 0x0399}},
    {0x1FCC, {0x0397, 0x0399}},         {0x1FD2, {0x0399, 0x0308, 0x0300}},
    {0x1FD3, {0x0399, 0x0308, 0x0301}}, {0x1FD6, {0x0399, 0x0342}},
    {0x1FD7, {0x0399, 0x0308, 0x0342}}, {0x1FE2, {0x03A5, 0x0308, 0x0300}},
    {0x1FE3, {0x03A5, 0x0308, 0x0301}}, {0x1FE4, {0x03A1, 0x0313}},
    {0x1FE6, {0x03A5, 0x0342}},         {0x1FE7, {0x03A5, 0x0308, 0x0342}},
    {0x1FF2, {0x1FFA, 0x0399}},         {0x1FF3, {0x03A9, 0x0399}},
    {0x1FF4, {0x038F, 0x0399}},         {0x1FF6, {0x03A9, 0x0342}},
    {0x1FF7, {0x03A9, 0x0342, 0x0399}}, {0x1FFC, {0x03A9, 0x0399}},
    {0xFB00, {0x0046, 0x0046}},         {0xFB01, {0x0046, 0x0049}},
    {0xFB02, {0x0046, 0x004C}},         {0xFB03, {0x0046, 0x0046, 0x0049}},
    {0xFB04, {0x0046, 0x0046, 0x004C}}, {0xFB05, {0x0053, 0x0054}},
    {0xFB06, {0x0053, 0x0054}},         {0xFB13, {0x0544, 0x0546}},
    {0xFB14, {0x0544, 0x0535}},         {0xFB15, {0x0544, 0x053B}},
    {0xFB16, {0x054E, 0x0546}},         {0xFB17, {0x0544, 0x053D}},
};

constexpr uint32_t kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedCapitalI = 0x130;

/// Letters that have case, near enough for the rule of the final sigma.
bool IsCased(uint32_t code) {
  if (code < 0x80) return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
  return (code >= 0xC0 && code < 0x250 && code != 0xD7 && code != 0xF7) ||
         (code >= 0x370 && code < 0x590) || (code >= 0x10A0 && code < 0x1100) ||
         (code >= 0x1C80 && code < 0x2000) || (code >= 0xA640 && code < 0xA7FF);
}
/// Characters that the rule of the final sigma looks through.
bool IsCaseIgnorable(uint32_t code) {
  return code == '\'' || code == '.' || code == ':' || code == '^' || code == '`' || code == 0xA8 ||
         code == 0xAD || code == 0xAF || code == 0xB4 || code == 0xB7 || code == 0xB8 ||
         (code >= 0x2B0 && code < 0x370) || code == 0x2019;
}

}  // namespace

uint32_t DecodeUtf8(std::string_view text, size_t* position) {
  const auto lead = static_cast<unsigned char>(text[*position]);
  const size_t size = std::min<size_t>(lead < 0xC0   ? 1
                                       : lead < 0xE0 ? 2
                                       : lead < 0xF0 ? 3
                                                     : 4,
                                       text.size() - *position);
  uint32_t code = size == 1 ? lead : lead & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[*position + i]) & 0x3Fu);
  *position += size;
  return code;
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0 | code >> 6);
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out += static_cast<char>(0xE0 | code >> 12);
    *out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out += static_cast<char>(0xF0 | code >> 18);
    *out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    *out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool MayExpand(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0xC3; });
}

std::string ExpandForUpper(std::string_view text) {
  std::string result;
  for (size_t position = 0; position < text.size();) {
    const uint32_t code = DecodeUtf8(text, &position);
    const auto* found = std::lower_bound(
        std::begin(kUpper), std::end(kUpper), code,
        [](const Expansion& entry, uint32_t wanted) { return entry.from < wanted; });
    if (code < 0x80 || found == std::end(kUpper) || found->from != code) {
      AppendUtf8(code, &result);
      continue;
    }
    for (uint32_t to : found->to) {
      if (to != 0) AppendUtf8(to, &result);
    }
  }
  return result;
}

std::string ExpandForLower(std::string_view text) {
  std::string result;
  bool follows_cased = false;
  for (size_t position = 0; position < text.size();) {
    const uint32_t code = DecodeUtf8(text, &position);
    if (code == kDottedCapitalI) {
      result += "i\xCC\x87";
    } else if (code == kCapitalSigma) {
      bool precedes_cased = false;
      for (size_t next = position; next < text.size();) {
        const uint32_t ahead = DecodeUtf8(text, &next);
        if (IsCaseIgnorable(ahead)) continue;
        precedes_cased = IsCased(ahead);
        break;
      }
      AppendUtf8(follows_cased && !precedes_cased ? kFinalSigma : 0x3C3, &result);
    } else {
      AppendUtf8(code, &result);
    }
    if (!IsCaseIgnorable(code)) follows_cased = IsCased(code);
  }
  return result;
}

}  // namespace pennon
