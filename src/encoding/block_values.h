/// \file
/// Decodes values that lie in one buffer as a whole: levels and page dictionaries.
/// Spec: format/data-file.md, heading 7 (the block forms).
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <span>

#include "encoding/decode_scratch.h"
#include "encoding/value_builder.h"
#include "encoding/value_encoding.h"

namespace pennon {

/// Appends the `num_values` values of a block. Errors: kCorrupt, kTooLarge.
arrow::Status DecodeBlock(const ValueEncoding& encoding, std::span<const uint8_t> block,
                          uint64_t num_values, DecodeScratch* scratch, ValueBuilder* out);

/// Appends a stream of levels to a builder of two-byte words and returns their number. It is
/// `num_levels`, but for runs longer than the sixteen bits of a chunk's count: those of older
/// writers count themselves. Errors: kCorrupt, kTooLarge.
arrow::Result<uint64_t> DecodeLevels(const ValueEncoding& encoding, std::span<const uint8_t> block,
                                     uint64_t num_levels, DecodeScratch* scratch,
                                     ValueBuilder* out);

}  // namespace pennon
