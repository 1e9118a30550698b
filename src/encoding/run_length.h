/// \file
/// Reads run-length encoded words.
/// Spec: format/data-file.md, heading 7.6.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>

#include "encoding/row_range.h"
#include "encoding/value_builder.h"

namespace pennon {

/// Returns the sum of the run lengths.
uint64_t CountRuns(std::span<const uint8_t> run_lengths);

/// Appends the words `keep` of the runs: run i has value i of `values` (each out's width wide) and
/// length i. Errors: kCorrupt: the buffers do not match, or the runs do not sum up to `num_values`.
arrow::Status DecodeRuns(std::span<const uint8_t> values, std::span<const uint8_t> run_lengths,
                         uint64_t num_values, std::span<const RowRange> keep, ValueBuilder* out);

}  // namespace pennon
