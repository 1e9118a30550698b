/// \file
/// Decodes values that lie whole, one after the other: those of full-zip pages and of packed
/// structs. Spec: format/data-file.md, heading 7 (the per-value forms).
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>

#include "encoding/decode_scratch.h"
#include "encoding/leaf_type.h"
#include "encoding/value_builder.h"
#include "encoding/value_encoding.h"

namespace pennon {

/// Returns the bytes of one value. Errors: kCorrupt: the encoding has no fixed width or does not
/// suit the type.
arrow::Result<uint64_t> ZippedBytes(const ValueEncoding& encoding, const LeafType& type);

/// Appends `count` fixed-width values; value i starts at `first + i * stride`. ZippedBytes has
/// accepted encoding and type.
arrow::Status AppendZipped(const ValueEncoding& encoding, const uint8_t* first, uint64_t stride,
                           uint64_t count, ValueBuilder* out);

/// Checks that a variable-width encoding suits the type. Errors: kCorrupt.
arrow::Status CheckZippedVariable(const ValueEncoding& encoding, const LeafType& type);

/// Appends one variable-width value; CheckZippedVariable has accepted encoding and type.
/// Errors: kCorrupt, kTooLarge.
arrow::Status AppendZippedVariable(const ValueEncoding& encoding, std::span<const uint8_t> value,
                                   DecodeScratch* scratch, ValueBuilder* out);

}  // namespace pennon
