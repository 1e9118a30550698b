/// \file
/// Aligned columns and readable numbers for people at a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pennon::cli {

enum class Align { kLeft, kRight };

struct TextColumn {
  std::string title;
  Align align = Align::kLeft;
};

/// Lines of one table, two spaces between columns, no trailing blanks.
class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Format() const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// 1234567 -> "1,234,567".
std::string FormatCount(uint64_t value);

/// 1536 -> "1.5 kB"; thousands, as disks count.
std::string FormatBytes(uint64_t value);

/// "1 row", "2 rows".
std::string FormatNumberOf(uint64_t value, std::string_view noun);

}  // namespace pennon::cli
