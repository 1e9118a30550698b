/// \file
/// How values are compressed: the description tree of a page, checked and in a form the decoders
/// walk quickly. Spec: format/data-file.md, heading 7.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/fsst.h"
#include "encoding/general_compression.h"

namespace pennon {

namespace proto21 {
class Encoding;
}

enum class EncodingKind : uint8_t {
  kFlat,
  kVariable,
  kConstant,
  kOutOfLineBitpacking,
  kInlineBitpacking,
  kFsst,
  kRle,
  kByteStreamSplit,
  kGeneral,
  kFixedSizeList,
  kPackedStruct,
  kVariablePackedStruct,
};

/// Returns the word of the sheet, for errors.
const char* EncodingKindName(EncodingKind kind);

struct ValueEncoding {
  EncodingKind kind = EncodingKind::kFlat;
  /// Flat: bits of a value. Variable: bits of an offset (32 or 64). Bit packing: bits before
  /// packing (8, 16, 32 or 64). Rle and byte stream split: bits of a value.
  uint64_t bits = 0;
  /// Out-of-line bit packing: bits after packing, at most `bits`.
  uint32_t packed_bits = 0;
  /// General.
  CompressionScheme scheme = CompressionScheme::kLz4;
  /// Fixed-size list.
  uint64_t list_size = 0;
  bool has_validity = false;
  /// Constant: whether it has a value (else null), and which.
  bool has_value = false;
  std::string value;
  /// Fsst.
  std::shared_ptr<const FsstTable> symbols;
  /// Packed structs: bits of each child's values, or of its lengths if it is variable.
  std::vector<uint64_t> child_bits;
  std::vector<bool> child_is_variable;
  /// What lies inside: one of fsst, general, fixed-size list, packed struct; one a field of a
  /// variable packed struct.
  std::vector<ValueEncoding> children;
};

/// Checks and converts one description. Errors: kCorrupt; kUnsupportedFeature for what 2.1 and 2.2
/// never hold.
arrow::Result<ValueEncoding> MakeValueEncoding(const proto21::Encoding& message);

/// The same from the message's bytes. Errors: also kCorrupt when they do not parse.
arrow::Result<ValueEncoding> ParseValueEncoding(std::string_view message);

}  // namespace pennon
