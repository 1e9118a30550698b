/// \file
/// Compares columns of numbers with constants, 64 rows a step, into bitmaps.
/// Floats are in total order, as the reference engine has them: -NaN, -inf, ..., -0.0, 0.0, ...,
/// inf, NaN. Spec: docs/filters.md, heading "Floats".
#pragma once

#include <arrow/array/data.h>
#include <arrow/scalar.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace pennon {

/// Maps a float's bits to an integer whose order is the total order of floats.
constexpr int64_t TotalOrderKey(int64_t bits) { return bits ^ ((bits >> 63) & INT64_MAX); }
constexpr int32_t TotalOrderKey(int32_t bits) { return bits ^ ((bits >> 31) & INT32_MAX); }

/// Rows whose value lies in [first, last], or outside of it. Values are compared as integers:
/// floats and doubles by their total-order key, unsigned ones shifted so that their order is that
/// of signed ones.
struct ValueRange {
  int64_t first = 0;
  int64_t last = -1;  ///< Included; smaller than `first` for a range that holds nothing.
  bool is_outside = false;
};

/// Returns whether ValueRange can describe comparisons of this type: integers, floats, doubles,
/// dates, times, timestamps, durations.
bool HasValueRanges(const arrow::DataType& type);

/// Returns the range of values v with `v operation constant`, where operation is one of equal,
/// not_equal, less, less_equal, greater, greater_equal. Nothing when `constant` is null or its type
/// has no ranges. A float zero counts for both zeros.
std::optional<ValueRange> MakeValueRange(std::string_view operation, const arrow::Scalar& constant);

/// Sets bit i of `words` when row i is valid and in the range; clears the bits behind the last row
/// of the last word. `words` has room for (length + 63) / 64 words. One pass over the values.
void SelectInRange(const arrow::ArraySpan& values, const ValueRange& range, uint64_t* words);

/// Clears bit i of `words` where row i is null.
void ClearNulls(const arrow::ArraySpan& values, uint64_t* words);

}  // namespace pennon
