/// \file
/// Reads strings that lie as offsets followed by bytes, plain or FSST-coded.
/// Spec: format/data-file.md, headings 7.3 and 7.10.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <span>

#include "encoding/decode_scratch.h"
#include "encoding/fsst.h"
#include "encoding/row_range.h"
#include "encoding/value_builder.h"

namespace pennon {

/// Appends the values `keep` of a mini-block buffer: num_values + 1 offsets of `offset_bits` (32 or
/// 64) bits, counted from the start of the buffer, then bytes. `symbols`: the bytes are codes of
/// that table; null: plain. Errors: kCorrupt, kTooLarge.
arrow::Status DecodeVariableChunk(uint64_t offset_bits, const FsstTable* symbols,
                                  std::span<const uint8_t> buffer, uint64_t num_values,
                                  std::span<const RowRange> keep, DecodeScratch* scratch,
                                  ValueBuilder* out);

/// Appends all values of a block: a small header, offsets from 0, bytes. Errors: kCorrupt,
/// kTooLarge.
arrow::Status DecodeVariableBlock(std::span<const uint8_t> block, uint64_t num_values,
                                  ValueBuilder* out);

}  // namespace pennon
