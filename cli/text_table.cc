#include "text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace pennon::cli {
namespace {

/// Code points of UTF-8 text, which is what a terminal shows for most scripts.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void AppendCell(std::string& line, std::string_view cell, size_t width, Align align) {
  const std::string padding(width - std::min(width, Width(cell)), ' ');
  if (!line.empty()) line += "  ";
  if (align == Align::kRight) line += padding;
  line += cell;
  if (align == Align::kLeft) line += padding;
}

}  // namespace

std::string TextTable::Format() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = Width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, Width(row[i]));
    widths.push_back(width);
  }
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    // A first cell of blanks must not swallow the separator.
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i == 0) {
        AppendCell(line, cell_of(i), widths[i], columns_[i].align);
        if (line.empty()) line = std::string(widths[i], ' ');
      } else {
        AppendCell(line, cell_of(i), widths[i], columns_[i].align);
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([&](size_t i) -> std::string_view { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&](size_t i) -> std::string_view { return row[i]; });
  return out;
}

std::string FormatCount(uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string FormatBytes(uint64_t value) {
  if (value < 1000) return fmt::format("{} B", value);
  const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double scaled = static_cast<double>(value) / 1000;
  size_t unit = 0;
  while (scaled >= 999.95 && unit + 1 < std::size(units)) {
    scaled /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", scaled, units[unit]);
}

std::string FormatNumberOf(uint64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(value), noun,
                     value == 1            ? ""
                     : noun.ends_with("x") ? "es"
                                           : "s");
}

}  // namespace pennon::cli
