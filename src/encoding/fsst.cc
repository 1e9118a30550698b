#include "encoding/fsst.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr size_t kTableBytes = 2312;
constexpr uint64_t kMagic = 0x46535354;
constexpr uint64_t kCodedBit = uint64_t{1} << 24;
constexpr uint8_t kEscape = 255;

/// Whether one of four bytes is the escape.
inline bool HasEscape(uint32_t codes) {
  return ((~codes - 0x01010101u) & codes & 0x80808080u) != 0;
}

}  // namespace

arrow::Result<FsstTable> FsstTable::Parse(std::string_view bytes) {
  if (bytes.size() != kTableBytes) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("FSST symbol table has the wrong size: expected {} bytes, got {}",
                                 kTableBytes, bytes.size()));
  }
  const auto header = LoadLittleEndian<uint64_t>(bytes.data());
  if (header >> 32 != kMagic)
    return MakeError(ErrorKind::kCorrupt, "FSST symbol table has a wrong magic number");
  FsstTable table;
  table.is_coded_ = (header & kCodedBit) != 0;
  const size_t num_symbols = header & 0xFF;
  const char* symbols = bytes.data() + 8;
  const char* lengths = symbols + 8 * num_symbols;
  for (size_t i = 0; i < num_symbols; ++i) {
    const auto length = static_cast<uint8_t>(lengths[i]);
    if (length < 1 || length > 8) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("FSST symbol has an impossible length: symbol {}, {} bytes", i,
                                   unsigned{length}));
    }
    table.symbols_[i] = LoadLittleEndian<uint64_t>(symbols + 8 * i);
    table.lengths_[i] = length;
    table.longest_ = std::max<uint64_t>(table.longest_, length);
  }
  return table;
}

uint8_t* FsstTable::Decode(std::span<const uint8_t> coded, uint8_t* out) const {
  const uint8_t* in = coded.data();
  const uint8_t* const end = in + coded.size();
  if (!is_coded_) {
    if (!coded.empty()) std::memcpy(out, in, coded.size());
    return out + coded.size();
  }
  const auto put = [&](uint8_t code) {
    std::memcpy(out, &symbols_[code], 8);
    out += lengths_[code];
  };
  while (end - in >= 4) {
    const auto codes = LoadLittleEndian<uint32_t>(in);
    if (!HasEscape(codes)) [[likely]] {
      put(static_cast<uint8_t>(codes));
      put(static_cast<uint8_t>(codes >> 8));
      put(static_cast<uint8_t>(codes >> 16));
      put(static_cast<uint8_t>(codes >> 24));
      in += 4;
      continue;
    }
    while (*in != kEscape) put(*in++);
    if (end - in >= 2) *out++ = in[1];
    in += 2;
  }
  while (in < end) {
    if (*in != kEscape) {
      put(*in++);
      continue;
    }
    if (end - in >= 2) *out++ = in[1];
    in += 2;
  }
  return out;
}

uint8_t* FsstTable::DecodeRun(std::span<const uint8_t> coded, uint8_t* out,
                              uint32_t* positions) const {
  const uint8_t* const in = coded.data();
  const size_t size = coded.size();
  uint8_t* const begin = out;
  if (!is_coded_) {
    for (size_t i = 0; i <= size; ++i) positions[i] = static_cast<uint32_t>(i);
    if (size != 0) std::memcpy(out, in, size);
    return out + size;
  }
  const auto put = [&](size_t at, uint8_t code) {
    positions[at] = static_cast<uint32_t>(out - begin);
    std::memcpy(out, &symbols_[code], 8);
    out += lengths_[code];
  };
  const auto put_literal = [&](size_t at) {
    positions[at] = positions[at + 1] = static_cast<uint32_t>(out - begin);
    if (at + 1 < size) *out++ = in[at + 1];
    return at + 2;
  };
  size_t at = 0;
  while (at + 4 <= size) {
    const auto codes = LoadLittleEndian<uint32_t>(in + at);
    if (!HasEscape(codes)) [[likely]] {
      put(at, static_cast<uint8_t>(codes));
      put(at + 1, static_cast<uint8_t>(codes >> 8));
      put(at + 2, static_cast<uint8_t>(codes >> 16));
      put(at + 3, static_cast<uint8_t>(codes >> 24));
      at += 4;
      continue;
    }
    while (in[at] != kEscape) {
      put(at, in[at]);
      ++at;
    }
    at = put_literal(at);
  }
  while (at < size) {
    if (in[at] != kEscape) {
      put(at, in[at]);
      ++at;
    } else {
      at = put_literal(at);
    }
  }
  positions[size] = static_cast<uint32_t>(out - begin);
  return out;
}

}  // namespace pennon
