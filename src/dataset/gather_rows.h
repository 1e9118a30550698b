/// \file
/// Puts rows of a batch into another order.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>

namespace pennon {

/// Stands for a row that is null in every column.
inline constexpr int64_t kNullRow = -1;

/// Returns a batch whose i-th row is row `sources[i]` of `batch`, or null. `schema` is that of the
/// result: the batch's, with fields that may be null if a source is kNullRow. Cost: a copy of the
/// rows; a few runs of consecutive rows are copied one by one, more by Arrow's compute functions,
/// which are loaded first.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherRows(
    const arrow::RecordBatch& batch, std::span<const int64_t> sources,
    const std::shared_ptr<arrow::Schema>& schema);

}  // namespace pennon
