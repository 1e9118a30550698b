/// \file
/// Reads chosen rows, by their ids or by where they lie.
/// Spec: format/table.md, headings 1 (row address) and 3 (deletion files); format/row-ids.md,
/// heading 6.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pennon/base/ids.h"
#include "pennon/dataset/dataset.h"
#include "pennon/dataset/filter.h"
#include "pennon/dataset/locate.h"
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

struct TakeSpec {
  ColumnSelection select;
  /// Rows for which it is not true count as missing, with the reason kFilteredOut. Made by
  /// ParseFilter over FilterSchema.
  std::optional<Filter> filter;
};

/// One row for each id asked for.
struct AlignedRows {
  /// Row i belongs to the i-th id; it is null in every column if there is no row. Its fields are
  /// nullable, whatever the table's are.
  std::shared_ptr<arrow::Table> rows;
  /// kLive, or why row i is null.
  std::vector<RowPlace> places;
};

/// An id without a row.
struct MissingRow {
  uint64_t position = 0;  ///< Among the ids asked for.
  RowId row_id{0};
  RowPlace place = RowPlace::kNeverGiven;
  bool operator==(const MissingRow&) const = default;
};

/// The rows that are there, and the ids that are not.
struct FoundRows {
  std::shared_ptr<arrow::Table> rows;
  std::vector<MissingRow> missing;  ///< In the order asked.
};

/// Returns the rows of ids, position-true: in the order asked, an id asked for twice comes twice,
/// an id without a row is a null row with its reason. On a table without stable ids an id is an
/// address. Cost: LocateRowIds and TakeAddresses for the live rows; with a filter its columns are
/// read for all of them, the others only for those that pass. Errors: as LocateRowIds and Scan;
/// kInvalidArgument also for a filter that fails on a row.
PENNON_EXPORT arrow::Result<AlignedRows> TakeRowIdsAligned(const Dataset& dataset,
                                                           std::span<const uint64_t> row_ids,
                                                           const TakeSpec& spec = {});

/// Returns the rows of ids, compact: only those that are there, in the order asked, with the list
/// of the missing. Cost and errors as TakeRowIdsAligned.
PENNON_EXPORT arrow::Result<FoundRows> TakeRowIdsFound(const Dataset& dataset,
                                                       std::span<const uint64_t> row_ids,
                                                       const TakeSpec& spec = {});

}  // namespace pennon
