// Functions on text. Positions and lengths count characters, from 1.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "dataset/filter_kernel.h"
#include "dataset/filter_text.h"
#include "dataset/filter_unicode.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Datum;
using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

/// Longest text that one value may become, and the values of one batch together.
constexpr size_t kTextBytesMax = size_t{1} << 26;
constexpr size_t kBatchBytesMax = size_t{1} << 28;

arrow::Status TextTooLong() {
  return MakeError(
      ErrorKind::kTooLarge,
      "text made by a filter function is longer than 64 MiB, or than 256 MiB in one batch");
}

/// Byte offset of character `count` (from 0), or the size when there are fewer.
size_t OffsetOfCharacter(std::string_view text, int64_t count) {
  size_t offset = 0;
  for (; count > 0 && offset < text.size(); --count) offset += Utf8CharacterSize(text, offset);
  return offset;
}

/// Makes one text a row. `make(row, &out)` returns whether there is a value.
template <typename Builder, typename Make>
arrow::Result<ArrayPtr> BuildTextWith(const KernelCall& call, Make&& make) {
  Builder builder(call.options.type, call.pool);
  std::string out;
  size_t total_bytes = 0;
  for (int64_t row = 0; row < call.length; ++row) {
    out.clear();
    ARROW_ASSIGN_OR_RAISE(const bool has_value, make(row, &out));
    total_bytes += out.size();
    if (total_bytes > kBatchBytesMax) return TextTooLong();
    ARROW_RETURN_NOT_OK(has_value ? builder.Append(out) : builder.AppendNull());
  }
  return builder.Finish();
}
template <typename Make>
arrow::Result<ArrayPtr> BuildText(const KernelCall& call, Make&& make) {
  switch (call.options.type->id()) {
    case Type::LARGE_STRING:
      return BuildTextWith<arrow::LargeStringBuilder>(call, make);
    case Type::LARGE_BINARY:
      return BuildTextWith<arrow::LargeBinaryBuilder>(call, make);
    case Type::BINARY:
      return BuildTextWith<arrow::BinaryBuilder>(call, make);
    default:
      return BuildTextWith<arrow::StringBuilder>(call, make);
  }
}

/// A text from the first argument, never null otherwise.
template <typename Make>
arrow::Result<ArrayPtr> MapText(const KernelCall& call, Make&& make) {
  const TextArgument text(call.arguments[0]);
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row)) return false;
    ARROW_RETURN_NOT_OK(make(text.At(row), out));
    return true;
  });
}

/// A truth value from two texts.
template <typename Test>
arrow::Result<ArrayPtr> TestTexts(const KernelCall& call, Test&& test) {
  const TextArgument text(call.arguments[0]), other(call.arguments[1]);
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  for (int64_t row = 0; row < call.length; ++row) {
    if (text.IsNull(row) || other.IsNull(row)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(test(text.At(row), other.At(row)));
    }
  }
  return builder.Finish();
}

/// A number from the first argument, of the type in the options (int32 or int64).
template <typename Count>
arrow::Result<ArrayPtr> CountText(const KernelCall& call, Count&& count) {
  const TextArgument text(call.arguments[0]);
  const auto run = [&](auto builder) -> arrow::Result<ArrayPtr> {
    using Value = typename decltype(builder)::value_type;
    ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
    for (int64_t row = 0; row < call.length; ++row) {
      if (text.IsNull(row)) {
        builder.UnsafeAppendNull();
      } else {
        builder.UnsafeAppend(static_cast<Value>(count(text.At(row))));
      }
    }
    return builder.Finish();
  };
  return call.options.type->id() == Type::INT64 ? run(arrow::Int64Builder(call.pool))
                                                : run(arrow::Int32Builder(call.pool));
}

bool Contains(std::string_view text, std::string_view part) {
  return part.empty() || memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}
arrow::Result<ArrayPtr> StartsWith(const KernelCall& call) {
  return TestTexts(call, [](std::string_view text, std::string_view part) {
    return text.substr(0, part.size()) == part;
  });
}
arrow::Result<ArrayPtr> EndsWith(const KernelCall& call) {
  return TestTexts(call, [](std::string_view text, std::string_view part) {
    return text.size() >= part.size() && text.substr(text.size() - part.size()) == part;
  });
}
arrow::Result<ArrayPtr> ContainsText(const KernelCall& call) { return TestTexts(call, Contains); }

/// Whether every word of the second text is a word of the first.
arrow::Result<ArrayPtr> ContainsTokens(const KernelCall& call) {
  const auto words = [](std::string_view text) {
    std::vector<std::string_view> found;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const bool is_part =
          i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                              static_cast<unsigned char>(text[i]) >= 0x80);
      if (is_part) continue;
      if (i > begin) found.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
    return found;
  };
  return TestTexts(call, [&](std::string_view text, std::string_view tokens) {
    const auto have = words(text);
    const auto wanted = words(tokens);
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view word) {
      return std::find(have.begin(), have.end(), word) != have.end();
    });
  });
}

/// Letter case by Arrow's simple mappings, with the long ones put in first.
template <std::string (*kExpand)(std::string_view)>
arrow::Result<ArrayPtr> ChangeCase(const KernelCall& call, const char* function) {
  const TextArgument text(call.arguments[0]);
  ARROW_ASSIGN_OR_RAISE(ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  bool expands = false;
  for (int64_t row = 0; row < call.length && !expands; ++row)
    expands = !text.IsNull(row) && MayExpand(text.At(row));
  if (expands) {
    ARROW_ASSIGN_OR_RAISE(values, MapText(call, [](std::string_view from, std::string* out) {
                            *out = kExpand(from);
                            return arrow::Status::OK();
                          }));
  }
  return CallArrow(call, function, {values});
}
arrow::Result<ArrayPtr> Upper(const KernelCall& call) {
  return ChangeCase<ExpandForUpper>(call, "utf8_upper");
}
arrow::Result<ArrayPtr> Lower(const KernelCall& call) {
  return ChangeCase<ExpandForLower>(call, "utf8_lower");
}

arrow::Result<ArrayPtr> CharacterLength(const KernelCall& call) {
  return CountText(call, CountUtf8Characters);
}
arrow::Result<ArrayPtr> OctetLength(const KernelCall& call) {
  return CountText(call, [](std::string_view text) { return text.size(); });
}
arrow::Result<ArrayPtr> BitLength(const KernelCall& call) {
  return CountText(call, [](std::string_view text) { return text.size() * 8; });
}
arrow::Result<ArrayPtr> Ascii(const KernelCall& call) {
  return CountText(call, [](std::string_view text) {
    size_t position = 0;
    return text.empty() ? 0 : DecodeUtf8(text, &position);
  });
}

arrow::Result<ArrayPtr> Strpos(const KernelCall& call) {
  const TextArgument part(call.arguments[1]);
  const TextArgument text(call.arguments[0]);
  const auto run = [&](auto builder) -> arrow::Result<ArrayPtr> {
    for (int64_t row = 0; row < call.length; ++row) {
      if (text.IsNull(row) || part.IsNull(row)) {
        ARROW_RETURN_NOT_OK(builder.AppendNull());
        continue;
      }
      const size_t found = text.At(row).find(part.At(row));
      const size_t position = found == std::string_view::npos
                                  ? 0
                                  : CountUtf8Characters(text.At(row).substr(0, found)) + 1;
      ARROW_RETURN_NOT_OK(
          builder.Append(static_cast<typename decltype(builder)::value_type>(position)));
    }
    return builder.Finish();
  };
  return call.options.type->id() == Type::INT64 ? run(arrow::Int64Builder(call.pool))
                                                : run(arrow::Int32Builder(call.pool));
}

arrow::Result<ArrayPtr> Substr(const KernelCall& call) {
  const TextArgument text(call.arguments[0]);
  ARROW_ASSIGN_OR_RAISE(const auto start,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  const bool has_length = call.arguments.size() > 2;
  ARROW_ASSIGN_OR_RAISE(const auto length,
                        IntegerArgument::Make(call.arguments.back(), call.length, call.pool));
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || start.IsNull(row) || (has_length && length.IsNull(row))) return false;
    const std::string_view value = text.At(row);
    const int64_t first = start.At(row);
    int64_t end = std::numeric_limits<int64_t>::max();  // Behind the last character, from 1.
    if (has_length) {
      if (length.At(row) < 0)
        return MakeError(ErrorKind::kInvalidArgument, "substr: the length is negative");
      if (__builtin_add_overflow(first, length.At(row), &end))
        end = std::numeric_limits<int64_t>::max();
    }
    const int64_t begin = std::max<int64_t>(first, 1);
    if (end <= begin) return true;
    const size_t from = OffsetOfCharacter(value, begin - 1);
    *out = value.substr(from, OffsetOfCharacter(value.substr(from), end - begin));
    return true;
  });
}

/// left and right: a negative count leaves that many characters out at the other end.
arrow::Result<ArrayPtr> TakeEnd(const KernelCall& call, bool from_left) {
  const TextArgument text(call.arguments[0]);
  ARROW_ASSIGN_OR_RAISE(const auto count,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || count.IsNull(row)) return false;
    const std::string_view value = text.At(row);
    const auto characters = static_cast<int64_t>(CountUtf8Characters(value));
    int64_t wanted = count.At(row);
    if (wanted < 0) wanted = wanted < -characters ? 0 : characters + wanted;
    wanted = std::min(wanted, characters);
    const size_t cut = OffsetOfCharacter(value, from_left ? wanted : characters - wanted);
    *out = from_left ? value.substr(0, cut) : value.substr(cut);
    return true;
  });
}
arrow::Result<ArrayPtr> Left(const KernelCall& call) { return TakeEnd(call, true); }
arrow::Result<ArrayPtr> Right(const KernelCall& call) { return TakeEnd(call, false); }

bool HasCharacter(std::string_view set, std::string_view character) {
  for (size_t i = 0; i < set.size(); i += Utf8CharacterSize(set, i)) {
    if (set.substr(i, Utf8CharacterSize(set, i)) == character) return true;
  }
  return false;
}

template <bool kLeft, bool kRight>
arrow::Result<ArrayPtr> Trim(const KernelCall& call) {
  const TextArgument text(call.arguments[0]);
  const TextArgument given(call.arguments.back());
  const bool has_set = call.arguments.size() > 1;
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || (has_set && given.IsNull(row))) return false;
    std::string_view value = text.At(row);
    const std::string_view set = has_set ? given.At(row) : " ";
    while (kLeft && !value.empty()) {
      const size_t size = Utf8CharacterSize(value, 0);
      if (!HasCharacter(set, value.substr(0, size))) break;
      value.remove_prefix(size);
    }
    while (kRight && !value.empty()) {
      size_t last = value.size() - 1;
      while (last > 0 && (static_cast<unsigned char>(value[last]) & 0xC0) == 0x80) --last;
      if (!HasCharacter(set, value.substr(last))) break;
      value = value.substr(0, last);
    }
    *out = value;
    return true;
  });
}

/// Joins its arguments. With the flag nulls are left out, else one null makes the result null. The
/// word is the separator's presence: "ws" takes it from the first argument.
arrow::Result<ArrayPtr> Concat(const KernelCall& call) {
  std::vector<TextArgument> parts(call.arguments.begin(), call.arguments.end());
  const bool has_separator = call.options.word == "ws";
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (has_separator && parts[0].IsNull(row)) return false;
    bool is_first = true;
    for (size_t i = has_separator ? 1 : 0; i < parts.size(); ++i) {
      if (parts[i].IsNull(row)) {
        if (!call.options.flag) return false;
        continue;
      }
      if (has_separator && !is_first) out->append(parts[0].At(row));
      is_first = false;
      out->append(parts[i].At(row));
      if (out->size() > kTextBytesMax) return TextTooLong();
    }
    return true;
  });
}

arrow::Result<ArrayPtr> Replace(const KernelCall& call) {
  const TextArgument text(call.arguments[0]), from(call.arguments[1]), to(call.arguments[2]);
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || from.IsNull(row) || to.IsNull(row)) return false;
    const std::string_view value = text.At(row), part = from.At(row), with = to.At(row);
    size_t position = 0;
    while (position <= value.size()) {
      if (part.empty()) {  // In front of each character and at the end.
        out->append(with);
        if (position == value.size()) break;
        const size_t size = Utf8CharacterSize(value, position);
        out->append(value.substr(position, size));
        position += size;
      } else {
        const size_t found = std::min(value.find(part, position), value.size());
        out->append(value.substr(position, found - position));
        if (found == value.size()) break;
        out->append(with);
        position = found + part.size();
      }
      if (out->size() > kTextBytesMax) return TextTooLong();
    }
    return true;
  });
}

arrow::Result<ArrayPtr> Reverse(const KernelCall& call) {
  return MapText(call, [](std::string_view text, std::string* out) {
    out->resize(text.size());
    size_t end = text.size();
    for (size_t i = 0; i < text.size();) {
      const size_t size = Utf8CharacterSize(text, i);
      end -= size;
      std::copy_n(text.data() + i, size, out->data() + end);
      i += size;
    }
    return arrow::Status::OK();
  });
}

arrow::Result<ArrayPtr> Repeat(const KernelCall& call) {
  const TextArgument text(call.arguments[0]);
  ARROW_ASSIGN_OR_RAISE(const auto count,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || count.IsNull(row)) return false;
    const auto times = static_cast<size_t>(std::max<int64_t>(count.At(row), 0));
    const std::string_view value = text.At(row);
    if (!value.empty() && times > kTextBytesMax / value.size()) return TextTooLong();
    for (size_t i = 0; i < times && !value.empty(); ++i) out->append(value);
    return true;
  });
}

arrow::Result<ArrayPtr> Pad(const KernelCall& call, bool on_left) {
  const TextArgument text(call.arguments[0]);
  ARROW_ASSIGN_OR_RAISE(const auto width,
                        IntegerArgument::Make(call.arguments[1], call.length, call.pool));
  const TextArgument given(call.arguments.back());
  const bool has_fill = call.arguments.size() > 2;
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || width.IsNull(row) || (has_fill && given.IsNull(row))) return false;
    const std::string_view value = text.At(row), fill = has_fill ? given.At(row) : " ";
    const int64_t wanted = std::max<int64_t>(width.At(row), 0);
    const auto have = static_cast<int64_t>(CountUtf8Characters(value));
    if (wanted <= have || fill.empty()) {
      *out = value.substr(0, OffsetOfCharacter(value, wanted));
      return true;
    }
    if (static_cast<size_t>(wanted) > kTextBytesMax / 4) return TextTooLong();
    std::string padding;
    for (int64_t missing = wanted - have; missing > 0;) {
      const size_t end = OffsetOfCharacter(fill, missing);
      padding.append(fill.substr(0, end));
      missing -= static_cast<int64_t>(CountUtf8Characters(fill.substr(0, end)));
    }
    *out = on_left ? padding + std::string(value) : std::string(value) + padding;
    return true;
  });
}
arrow::Result<ArrayPtr> LeftPad(const KernelCall& call) { return Pad(call, true); }
arrow::Result<ArrayPtr> RightPad(const KernelCall& call) { return Pad(call, false); }

arrow::Result<ArrayPtr> SplitPart(const KernelCall& call) {
  const TextArgument text(call.arguments[0]), delimiter(call.arguments[1]);
  ARROW_ASSIGN_OR_RAISE(const auto number,
                        IntegerArgument::Make(call.arguments[2], call.length, call.pool));
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || delimiter.IsNull(row) || number.IsNull(row)) return false;
    if (number.At(row) == 0)
      return MakeError(ErrorKind::kInvalidArgument, "split_part: the position must not be zero");
    const std::string_view value = text.At(row), cut = delimiter.At(row);
    std::vector<std::string_view> parts;
    size_t begin = 0;
    for (size_t found; !cut.empty() && (found = value.find(cut, begin)) != std::string_view::npos;
         begin = found + cut.size()) {
      parts.push_back(value.substr(begin, found - begin));
    }
    parts.push_back(value.substr(begin));
    const auto count = static_cast<int64_t>(parts.size());
    const int64_t index = number.At(row) > 0 ? number.At(row) - 1 : count + number.At(row);
    if (index >= 0 && index < count) *out = parts[static_cast<size_t>(index)];
    return true;
  });
}

arrow::Result<ArrayPtr> Translate(const KernelCall& call) {
  const TextArgument text(call.arguments[0]), from(call.arguments[1]), to(call.arguments[2]);
  const auto split = [](std::string_view characters) {
    std::vector<std::string_view> found;
    for (size_t i = 0; i < characters.size(); i += Utf8CharacterSize(characters, i)) {
      found.push_back(characters.substr(i, Utf8CharacterSize(characters, i)));
    }
    return found;
  };
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (text.IsNull(row) || from.IsNull(row) || to.IsNull(row)) return false;
    const auto wanted = split(from.At(row)), replacement = split(to.At(row));
    for (const std::string_view character : split(text.At(row))) {
      const auto found = std::find(wanted.begin(), wanted.end(), character);
      const auto index = static_cast<size_t>(found - wanted.begin());
      if (found == wanted.end()) {
        out->append(character);
      } else if (index < replacement.size()) {
        out->append(replacement[index]);
      }
    }
    return true;
  });
}

arrow::Result<ArrayPtr> Character(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto code,
                        IntegerArgument::Make(call.arguments[0], call.length, call.pool));
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (code.IsNull(row)) return false;
    const int64_t value = code.At(row);
    if (value < 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "chr: not a character: " + std::to_string(value));
    }
    AppendUtf8(static_cast<uint32_t>(value), out);
    return true;
  });
}

arrow::Result<ArrayPtr> ToHex(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const auto number,
                        IntegerArgument::Make(call.arguments[0], call.length, call.pool));
  return BuildText(call, [&](int64_t row, std::string* out) -> arrow::Result<bool> {
    if (number.IsNull(row)) return false;
    auto rest = static_cast<uint64_t>(number.At(row));
    do {
      out->insert(out->begin(), "0123456789abcdef"[rest % 16]);
      rest /= 16;
    } while (rest != 0);
    return true;
  });
}

}  // namespace

std::vector<NamedKernel> TextKernels() {
  return {{"starts_with", StartsWith},
          {"ends_with", EndsWith},
          {"contains", ContainsText},
          {"contains_tokens", ContainsTokens},
          {"upper", Upper},
          {"lower", Lower},
          {"character_length", CharacterLength},
          {"octet_length", OctetLength},
          {"bit_length", BitLength},
          {"ascii", Ascii},
          {"strpos", Strpos},
          {"substr", Substr},
          {"left", Left},
          {"right", Right},
          {"btrim", Trim<true, true>},
          {"ltrim", Trim<true, false>},
          {"rtrim", Trim<false, true>},
          {"concat", Concat},
          {"replace", Replace},
          {"reverse", Reverse},
          {"repeat", Repeat},
          {"lpad", LeftPad},
          {"rpad", RightPad},
          {"split_part", SplitPart},
          {"translate", Translate},
          {"chr", Character},
          {"to_hex", ToHex}};
}

}  // namespace pennon
