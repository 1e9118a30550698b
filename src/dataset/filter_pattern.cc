#include "dataset/filter_pattern.h"

#include <cstring>

#include "dataset/filter_text.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view kUnicodeWord = "\\p{L}\\p{M}\\p{Nd}\\p{Pc}\\p{Nl}";
constexpr std::string_view kUnicodeSpace = "\\t-\\r\\x{85}\\p{Z}";

}  // namespace

LikePattern::LikePattern(std::string_view pattern, bool ignores_ascii_case)
    : ignores_case_(ignores_ascii_case) {
  const auto add_text = [&](char c) {
    if (pieces_.empty() || pieces_.back().kind != Piece::Kind::kText)
      pieces_.push_back({Piece::Kind::kText, ""});
    pieces_.back().text += ignores_case_ ? LowerAscii(c) : c;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      add_text(pattern[++i]);
    } else if (c == '%') {
      if (pieces_.empty() || pieces_.back().kind != Piece::Kind::kAny)
        pieces_.push_back({Piece::Kind::kAny, ""});
    } else if (c == '_') {
      pieces_.push_back({Piece::Kind::kOne, ""});
    } else {
      add_text(c);
    }
  }
  const auto is = [&](size_t index, Piece::Kind kind) { return pieces_[index].kind == kind; };
  using enum Piece::Kind;
  if (pieces_.empty()) {
    shape_ = Shape::kExact;
  } else if (pieces_.size() == 1 && is(0, kText)) {
    shape_ = Shape::kExact;
    text_ = pieces_[0].text;
  } else if (pieces_.size() == 1 && is(0, kAny)) {
    shape_ = Shape::kPrefix;
  } else if (pieces_.size() == 2 && is(0, kText) && is(1, kAny)) {
    shape_ = Shape::kPrefix;
    text_ = pieces_[0].text;
  } else if (pieces_.size() == 2 && is(0, kAny) && is(1, kText)) {
    shape_ = Shape::kSuffix;
    text_ = pieces_[1].text;
  } else if (pieces_.size() == 3 && is(0, kAny) && is(1, kText) && is(2, kAny)) {
    shape_ = Shape::kPart;
    text_ = pieces_[1].text;
  }
}

bool LikePattern::SameAt(std::string_view text, size_t position, std::string_view part) const {
  if (text.size() - position < part.size()) return false;
  if (!ignores_case_) return std::memcmp(text.data() + position, part.data(), part.size()) == 0;
  for (size_t i = 0; i < part.size(); ++i) {
    if (LowerAscii(text[position + i]) != part[i]) return false;
  }
  return true;
}

size_t LikePattern::Find(std::string_view text, std::string_view part) const {
  if (!ignores_case_) {
    const void* found = memmem(text.data(), text.size(), part.data(), part.size());
    return found == nullptr ? std::string_view::npos
                            : static_cast<size_t>(static_cast<const char*>(found) - text.data());
  }
  for (size_t i = 0; i + part.size() <= text.size(); ++i) {
    if (SameAt(text, i, part)) return i;
  }
  return std::string_view::npos;
}

bool LikePattern::Matches(std::string_view text) const {
  switch (shape_) {
    case Shape::kExact:
      return text.size() == text_.size() && SameAt(text, 0, text_);
    case Shape::kPrefix:
      return SameAt(text, 0, text_);
    case Shape::kSuffix:
      return text.size() >= text_.size() && SameAt(text, text.size() - text_.size(), text_);
    case Shape::kPart:
      return text_.empty() || Find(text, text_) != std::string_view::npos;
    case Shape::kGeneral:
      break;
  }
  return MatchesGeneral(text);
}

/// Goes back to the last % only, so the time is at most text times pattern.
bool LikePattern::MatchesGeneral(std::string_view text) const {
  size_t piece = 0, position = 0;
  size_t any_piece = pieces_.size(), any_position = 0;
  while (true) {
    bool fits = true;
    if (piece == pieces_.size()) {
      if (position == text.size()) return true;
      fits = false;
    } else if (pieces_[piece].kind == Piece::Kind::kAny) {
      any_piece = piece++;
      any_position = position;
      continue;
    } else if (pieces_[piece].kind == Piece::Kind::kOne) {
      fits = position < text.size();
      if (fits) position += Utf8CharacterSize(text, position);
    } else {
      fits = SameAt(text, position, pieces_[piece].text);
      if (fits) position += pieces_[piece].text.size();
    }
    if (fits) {
      ++piece;
      continue;
    }
    if (any_piece == pieces_.size() || any_position >= text.size()) return false;
    any_position += Utf8CharacterSize(text, any_position);
    position = any_position;
    piece = any_piece + 1;
  }
}

arrow::Result<std::string> WithBackslashEscape(std::string_view pattern, std::string_view escape) {
  if (escape == "\\") return std::string(pattern);
  if (escape.empty() || Utf8CharacterSize(escape, 0) != escape.size()) {
    return MakeError(ErrorKind::kInvalidArgument, "the escape of like must be one character");
  }
  std::string result;
  for (size_t i = 0; i < pattern.size();) {
    size_t size = Utf8CharacterSize(pattern, i);
    if (pattern.substr(i, size) == escape && i + size < pattern.size()) {
      i += size;
      size = Utf8CharacterSize(pattern, i);
      result += '\\';
    } else if (pattern[i] == '\\') {
      result += '\\';
    }
    result += pattern.substr(i, size);
    i += size;
  }
  return result;
}

std::string LikeToRegex(std::string_view pattern, bool ignores_case) {
  std::string regex = ignores_case ? "(?is)\\A" : "(?s)\\A";
  const auto add_literal = [&](char c) {
    if (std::strchr("\\.+*?()|[]{}^$", c) != nullptr && c != '\0') regex += '\\';
    regex += c;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      add_literal(pattern[++i]);
    } else if (pattern[i] == '%') {
      regex += ".*";
    } else if (pattern[i] == '_') {
      regex += '.';
    } else {
      add_literal(pattern[i]);
    }
  }
  return regex + "\\z";
}

arrow::Result<std::string> TranslateRegex(std::string_view pattern, std::string_view flags) {
  std::string prefix;
  for (char flag : flags) {
    if (std::strchr("ims", flag) == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       std::string("unknown flag of a regular expression: ") + flag);
    }
    if (prefix.find(flag) == std::string::npos) prefix += flag;
  }
  std::string result = prefix.empty() ? "" : "(?" + prefix + ")";
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '\\' || i + 1 == pattern.size()) {
      if (c == '[') in_class = true;
      if (c == ']') in_class = false;
      result += c;
      continue;
    }
    const char escaped = pattern[++i];
    const auto add_class = [&](std::string_view members) {
      result += in_class ? std::string(members) : "[" + std::string(members) + "]";
    };
    if (escaped == 'd') {
      result += "\\p{Nd}";
    } else if (escaped == 'D') {
      result += "\\P{Nd}";
    } else if (escaped == 'w') {
      add_class(kUnicodeWord);
    } else if (escaped == 's') {
      add_class(kUnicodeSpace);
    } else if (escaped == 'W' && !in_class) {
      result += "[^" + std::string(kUnicodeWord) + "]";
    } else if (escaped == 'S' && !in_class) {
      result += "[^" + std::string(kUnicodeSpace) + "]";
    } else {
      result += '\\';
      result += escaped;
    }
  }
  return result;
}

std::string NameRegexGroups(std::string_view pattern, int* num_groups) {
  std::string result;
  *num_groups = 0;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    result += c;
    if (c == '\\' && i + 1 < pattern.size()) {
      result += pattern[++i];
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '(' && !in_class) {
      const bool is_special = i + 1 < pattern.size() && pattern[i + 1] == '?';
      const std::string_view rest = pattern.substr(i + 1);
      size_t name_end = std::string_view::npos;
      if (rest.substr(0, 3) == "?P<" || rest.substr(0, 2) == "?<") name_end = pattern.find('>', i);
      if (is_special && name_end == std::string_view::npos) continue;
      result += "?P<g" + std::to_string(++*num_groups) + ">";
      if (name_end != std::string_view::npos) i = name_end;
    }
  }
  return *num_groups == 0 ? "(?P<g1>" + result + ")" : result;
}

std::string TranslateReplacement(std::string_view replacement) {
  std::string result;
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    const char next = i + 1 < replacement.size() ? replacement[i + 1] : '\0';
    if ((c == '$' || c == '\\') && IsDigit(next)) {
      result += '\\';
      result += next;
      ++i;
    } else if (c == '$' && next == '{' && i + 3 < replacement.size() &&
               IsDigit(replacement[i + 2]) && replacement[i + 3] == '}') {
      result += '\\';
      result += replacement[i + 2];
      i += 3;
    } else if (c == '$' && next == '$') {
      result += '$';
      ++i;
    } else if (c == '\\') {
      result += "\\\\";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace pennon
