/// \file
/// Reads chosen rows, by where they lie.
/// Spec: format/table.md, headings 1 (row address) and 3 (deletion files).
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>

#include "pennon/dataset/dataset.h"
#include "pennon/dataset/scan.h"
#include "pennon/export.h"

namespace pennon {

/// Returns the rows at positions among the live rows of the table (0 is the first row of a scan),
/// in the order asked; a position asked for twice comes twice. Cost: only pages, or chunks inside
/// of pages, that hold the rows; fragments are read in parallel. Errors: kInvalidArgument for a
/// position behind the last row, naming it; else as Scan.
PENNON_EXPORT arrow::Result<std::shared_ptr<arrow::Table>> TakeOffsets(
    const Dataset& dataset, std::span<const uint64_t> offsets, const ColumnSelection& select = {});

/// The same for row addresses. Errors: kNotFound for an address where no live row is, naming the
/// first such.
PENNON_EXPORT arrow::Result<std::shared_ptr<arrow::Table>> TakeAddresses(
    const Dataset& dataset, std::span<const uint64_t> addresses,
    const ColumnSelection& select = {});

}  // namespace pennon
