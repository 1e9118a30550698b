/// \file
/// Small encoders for tests, straight from the sheet: what the decoders are to read.
/// Spec: format/data-file.md, heading 7.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/little_endian.h"

namespace pennon::v21 {

/// Packs one group of 1024 values (missing ones are zero) in FastLanes order.
template <typename T>
std::string PackGroup(std::vector<T> values, unsigned width) {
  constexpr unsigned kBits = sizeof(T) * 8;
  constexpr unsigned kLanes = 1024 / kBits;
  constexpr unsigned kOrder[] = {0, 4, 2, 6, 1, 5, 3, 7};
  values.resize(1024);
  std::vector<T> words(1024 * width / kBits, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned row = 0; row < kBits; ++row) {
      const T value = values[kOrder[row / 8] * 16 + (row % 8) * 128 + lane];
      for (unsigned b = 0; b < width; ++b) {
        const unsigned bit = row * width + b;
        if ((value >> b) & 1) {
          words[bit / kBits * kLanes + lane] |= static_cast<T>(T{1} << (bit % kBits));
        }
      }
    }
  }
  std::string out(words.size() * sizeof(T), '\0');
  if (!out.empty()) std::memcpy(out.data(), words.data(), out.size());
  return out;
}

/// The inline form: the width as a word in front.
template <typename T>
std::string PackInline(const std::vector<T>& values, unsigned width) {
  std::string out;
  AppendLittleEndian(out, static_cast<T>(width));
  return out + PackGroup(values, width);
}

/// The mini-block form of strings: offsets from the start of the buffer, then bytes.
template <typename Offset>
std::string VariableChunk(const std::vector<std::string>& values) {
  std::string out;
  auto at = static_cast<Offset>((values.size() + 1) * sizeof(Offset));
  AppendLittleEndian(out, at);
  for (const std::string& value : values) {
    at = static_cast<Offset>(at + value.size());
    AppendLittleEndian(out, at);
  }
  for (const std::string& value : values) out += value;
  out.resize((out.size() + sizeof(Offset) - 1) / sizeof(Offset) * sizeof(Offset), '\0');
  return out;
}

/// The block form of strings: widths, position of the bytes, offsets from zero.
inline std::string VariableBlock(const std::vector<std::string>& values) {
  std::string out;
  AppendLittleEndian<uint32_t>(out, 32);
  AppendLittleEndian<uint32_t>(out, static_cast<uint32_t>(8 + 4 * (values.size() + 1)));
  uint32_t at = 0;
  AppendLittleEndian(out, at);
  for (const std::string& value : values) {
    at += static_cast<uint32_t>(value.size());
    AppendLittleEndian(out, at);
  }
  for (const std::string& value : values) out += value;
  return out;
}

/// An FSST table of these symbols.
inline std::string SymbolTable(const std::vector<std::string>& symbols) {
  std::string table;
  AppendLittleEndian<uint64_t>(table, (uint64_t{0x46535354} << 32) | (1u << 24) | symbols.size());
  for (const std::string& symbol : symbols) {
    table += symbol;
    table.append(8 - symbol.size(), '\0');
  }
  for (const std::string& symbol : symbols) table.push_back(static_cast<char>(symbol.size()));
  table.resize(2312, '\0');
  return table;
}

/// Codes of a string: the longest symbol that fits, else an escape.
inline std::string EncodeSymbols(const std::vector<std::string>& symbols, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t best = symbols.size();
    for (size_t s = 0; s < symbols.size(); ++s) {
      if (text.starts_with(symbols[s]) &&
          (best == symbols.size() || symbols[s].size() > symbols[best].size())) {
        best = s;
      }
    }
    if (best == symbols.size()) {
      out.push_back('\xff');
      out.push_back(text[0]);
      text.remove_prefix(1);
    } else {
      out.push_back(static_cast<char>(best));
      text.remove_prefix(symbols[best].size());
    }
  }
  return out;
}

/// An uncompressed LZ4 block of one literal run with its size in front.
inline std::string LiteralLz4(const std::string& bytes) {
  std::string out;
  AppendLittleEndian(out, static_cast<uint32_t>(bytes.size()));
  if (bytes.size() < 15) {
    out.push_back(static_cast<char>(bytes.size() << 4));
  } else {
    out.push_back('\xf0');
    size_t left = bytes.size() - 15;
    for (; left >= 255; left -= 255) out.push_back('\xff');
    out.push_back(static_cast<char>(left));
  }
  return out + bytes;
}

}  // namespace pennon::v21
