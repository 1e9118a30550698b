/// \file
/// Reads rows of a table as a stream of batches, and counts them.
/// Spec: format/table.md, heading 3; format/data-file.md, heading 12; format/row-ids.md, heading 6.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pennon/base/ids.h"
#include "pennon/dataset/dataset.h"
#include "pennon/dataset/filter.h"
#include "pennon/export.h"

namespace pennon {

/// Columns that every table has beside its own; all are uint64.
inline constexpr char kRowIdColumn[] = "_rowid";
inline constexpr char kRowAddressColumn[] = "_rowaddr";
inline constexpr char kRowCreatedAtColumn[] = "_row_created_at_version";
inline constexpr char kRowLastUpdatedAtColumn[] = "_row_last_updated_at_version";

/// Which columns come out, and how.
struct ColumnSelection {
  /// Paths of fields ("a", "s.x", "`odd name`.x") and names of system columns, in the order wanted;
  /// a nested path becomes a column of that name. Absent: all columns of the table.
  std::optional<std::vector<std::string>> columns;
  /// Appends the system columns that `columns` does not name already, in this order.
  bool with_row_id = false;
  bool with_row_address = false;
  bool with_row_versions = false;
  /// Blob columns as large_binary, their bytes fetched, instead of as descriptors of where these
  /// lie.
  bool blobs_as_bytes = false;
};

struct ScanSpec {
  ColumnSelection select;
  /// Rows for which it is not true do not come out. Made by ParseFilter over FilterSchema.
  std::optional<Filter> filter;
  /// Of the rows that come out: skips the first `offset` and stops after `limit`.
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
  /// Fragments to read, in this order, each once. Absent: all, ascending.
  std::optional<std::vector<FragmentId>> fragments;
  /// Largest batch. Batches may be smaller: one never holds rows of two fragments.
  uint64_t batch_rows = uint64_t{1} << 17;
  /// Batches are made smaller when their rows are expected to take more; one row may.
  uint64_t batch_bytes = uint64_t{16} << 20;
  /// False: batches come in the order in which they are ready.
  bool ordered = true;
  /// Bytes of decoded rows that may wait for the consumer, about. Less means less work ahead of it.
  uint64_t read_ahead_bytes = uint64_t{16} << 20;
  /// Ends the scan with kCancelled.
  arrow::StopToken stop_token = arrow::StopToken::Unstoppable();
};

/// Returns the schema of the columns selected, with field and schema metadata. No store call.
/// Errors: kInvalidArgument (a path that leads nowhere, a column named twice).
PENNON_EXPORT arrow::Result<std::shared_ptr<arrow::Schema>> ScanSchema(
    const Dataset& dataset, const ColumnSelection& select = {});

/// Returns what filters are parsed against: the table's fields and the system columns.
PENNON_EXPORT arrow::Result<std::shared_ptr<arrow::Schema>> FilterSchema(const Dataset& dataset);

/// Starts a scan: live rows in the order of fragments and their offsets. Work is done ahead of the
/// consumer on the threads of the handle, which the reader keeps alive, and on the consumer's own
/// while it waits for a batch (with more than one thread); closing or destroying the reader stops
/// it. Rows are read as they lie in the version of the handle, whatever others write
/// meanwhile. Cost: deletion files and the ends of data files once a handle; then the pages of the
/// columns needed, in few large reads. With a filter, its columns first, the others only for rows
/// that pass. Terms of the filter over `_rowid` and
/// `_rowaddr` are decided without reading data, fragments that they rule out are not opened.
/// Memory: `read_ahead_bytes` and one batch a thread.
/// Errors: kInvalidArgument (see ScanSchema; fragments that are not there or named twice); while
/// reading also kCorrupt (file, column and page), kIo, kTooLarge, kCancelled.
PENNON_EXPORT arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan(
    std::shared_ptr<const Dataset> dataset, ScanSpec spec);

struct CountSpec {
  std::optional<Filter> filter;
  std::optional<std::vector<FragmentId>> fragments;
  arrow::StopToken stop_token = arrow::StopToken::Unstoppable();
};

/// Returns the number of live rows, or of those that pass the filter.
/// Cost: nothing is read without a filter, if the manifest records row counts; with one, its
/// columns. Errors: as Scan.
PENNON_EXPORT arrow::Result<uint64_t> CountRows(const Dataset& dataset, const CountSpec& spec = {});

}  // namespace pennon
