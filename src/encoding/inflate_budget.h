/// \file
/// Inflating within a budget: no more memory is taken than allowed, whatever a damaged buffer
/// claims. Spec: format/data-file.md, heading 7.11.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>
#include <vector>

#include "encoding/general_compression.h"
#include "encoding/growing_buffer.h"

namespace pennon {

/// Returns InflatedSize if the budget allows it and the bytes can hold that much. Errors: kCorrupt,
/// kTooLarge.
arrow::Result<uint64_t> CheckedInflatedSize(CompressionScheme scheme,
                                            std::span<const uint8_t> bytes,
                                            const BufferBudget& budget);

/// Inflates into `out`, which it sizes. Errors: kCorrupt, kTooLarge.
arrow::Status InflateChecked(CompressionScheme scheme, std::span<const uint8_t> bytes,
                             const BufferBudget& budget, std::vector<uint8_t>* out);

}  // namespace pennon
