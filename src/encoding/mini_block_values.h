/// \file
/// Decodes the values of one mini-block chunk.
/// Spec: format/data-file.md, heading 7 (the mini-block forms).
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <span>

#include "encoding/decode_scratch.h"
#include "encoding/row_range.h"
#include "encoding/value_builder.h"
#include "encoding/value_encoding.h"

namespace pennon {

/// Appends to `out` the values `keep` (ascending ranges below `num_values`) of a chunk that holds
/// `num_values`. `buffers`: the chunk's value buffers without padding. Cost: one pass over what is
/// kept, or over the chunk where the encoding allows no less. Errors: kCorrupt, kTooLarge.
arrow::Status DecodeMiniBlock(const ValueEncoding& encoding,
                              std::span<const std::span<const uint8_t>> buffers,
                              uint64_t num_values, std::span<const RowRange> keep,
                              DecodeScratch* scratch, ValueBuilder* out);

}  // namespace pennon
