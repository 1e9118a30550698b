#include "number_list.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "pennon/base/error.h"

namespace pennon::cli {
namespace {

constexpr std::string_view kSeparators = ", \t\r\n";

bool ParseWhole(std::string_view text, uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

arrow::Result<uint64_t> ParseNumber(std::string_view text, NumberKind kind) {
  uint64_t value = 0;
  if (ParseWhole(text, &value)) return value;
  const size_t colon = text.find(':');
  uint64_t fragment = 0;
  uint64_t offset = 0;
  if (kind == NumberKind::kAddress && colon != std::string_view::npos &&
      ParseWhole(text.substr(0, colon), &fragment) && ParseWhole(text.substr(colon + 1), &offset) &&
      fragment <= std::numeric_limits<uint32_t>::max() &&
      offset <= std::numeric_limits<uint32_t>::max()) {
    return (fragment << 32) | offset;
  }
  return MakeError(
      ErrorKind::kInvalidArgument,
      fmt::format("{}: \"{}\"",
                  kind == NumberKind::kAddress ? "not an address (a number, or fragment:offset)"
                                               : "not a number from 0 to 2^64-1",
                  text.substr(0, 40)));
}

arrow::Result<std::string> ReadAll(std::FILE* file, const std::string& name) {
  std::string text;
  char block[1 << 16];
  while (const size_t got = std::fread(block, 1, sizeof(block), file)) text.append(block, got);
  if (std::ferror(file))
    return MakeError(ErrorKind::kIo,
                     fmt::format("cannot read: {}: {}", std::strerror(errno), name));
  return text;
}

arrow::Result<std::string> Resolve(std::string_view text) {
  if (text == "-") return ReadAll(stdin, "standard input");
  if (!text.starts_with('@')) return std::string(text);
  const std::string path(text.substr(1));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) {
    return MakeError(errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
                     fmt::format("cannot open: {}: {}", std::strerror(errno), path));
  }
  return ReadAll(file.get(), path);
}

}  // namespace

arrow::Result<std::vector<uint64_t>> ReadNumbers(std::string_view text, NumberKind kind) {
  ARROW_ASSIGN_OR_RAISE(const std::string list, Resolve(text));
  std::vector<uint64_t> numbers;
  for (size_t begin = list.find_first_not_of(kSeparators); begin != std::string::npos;) {
    const size_t end = std::min(list.find_first_of(kSeparators, begin), list.size());
    ARROW_ASSIGN_OR_RAISE(const uint64_t number,
                          ParseNumber(std::string_view(list).substr(begin, end - begin), kind));
    numbers.push_back(number);
    begin = list.find_first_not_of(kSeparators, end);
  }
  return numbers;
}

}  // namespace pennon::cli
