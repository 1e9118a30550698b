/// \file
/// Reads FSST-compressed strings: each code byte stands for a symbol of one to eight bytes.
/// Spec: format/data-file.md, heading 7.10.
#pragma once

#include <arrow/result.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace pennon {

/// One page's symbol table.
class FsstTable {
 public:
  /// Bytes that decoding may write behind the decoded bytes.
  static constexpr uint64_t kSlackBytes = 8;
  /// Longest run that DecodeRun takes: positions are 32-bit.
  static constexpr uint64_t kRunBytesMax = uint64_t{1} << 28;

  /// Parses the table as stored (2312 bytes). Errors: kCorrupt.
  static arrow::Result<FsstTable> Parse(std::string_view bytes);

  /// Upper bound of the bytes that `size` stored bytes decode to, without the slack.
  uint64_t DecodedBytesMax(uint64_t size) const { return is_coded_ ? size * longest_ : size; }

  /// Decodes one value into `out`, which has room for DecodedBytesMax(size) + kSlackBytes, and
  /// returns the end of the decoded bytes. Codes without a symbol decode to nothing and an escape
  /// at the very end is dropped: only damaged files have them, and no bytes of theirs lead outside.
  uint8_t* Decode(std::span<const uint8_t> coded, uint8_t* out) const;

  /// Decodes values that follow each other without looking where one ends, and writes to
  /// `positions`, one more than there are coded bytes, how many bytes lie before each of them: the
  /// end of a value is the position of the next one's first byte. At most kRunBytesMax. Quicker
  /// than value by value, since short values cost a wrong guess of the processor each.
  uint8_t* DecodeRun(std::span<const uint8_t> coded, uint8_t* out, uint32_t* positions) const;

 private:
  bool is_coded_ = false;
  uint64_t longest_ = 1;
  std::array<uint64_t, 256> symbols_{};
  std::array<uint8_t, 256> lengths_{};
};

}  // namespace pennon
