/// \file
/// A piece of a scan: rows of one fragment, read, filtered and given out as batches by one thread.
/// Spec: format/data-file.md, heading 12.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dataset/column_reader.h"
#include "dataset/fragment_rows.h"
#include "dataset/scan_plan.h"

namespace pennon {

/// A fragment and its files, opened when the first of its morsels needs them. Safe for concurrent
/// use.
class ScanFragment {
 public:
  ScanFragment(const ScanPlan& plan, std::shared_ptr<const FragmentRows> rows)
      : plan_(plan), rows_(std::move(rows)) {}

  const ScanPlan& plan() const { return plan_; }
  const FragmentRows& rows() const { return *rows_; }
  arrow::Result<const FragmentColumns*> FilterSystems() {
    return Open(plan_.on_systems.inputs, &filter_systems_);
  }
  arrow::Result<const FragmentColumns*> FilterData() {
    return Open(plan_.on_data.inputs, &filter_data_);
  }
  arrow::Result<const FragmentColumns*> Rest() { return Open(plan_.rest, &rest_); }

 private:
  arrow::Result<const FragmentColumns*> Open(const Projection& projection,
                                             std::optional<FragmentColumns>* columns);

  const ScanPlan& plan_;
  const std::shared_ptr<const FragmentRows> rows_;
  std::mutex mutex_;
  std::optional<FragmentColumns> filter_systems_;
  std::optional<FragmentColumns> filter_data_;
  std::optional<FragmentColumns> rest_;
};

/// Rows of a fragment, deleted ones not yet taken out.
struct Morsel {
  std::shared_ptr<ScanFragment> fragment;
  RowRanges candidates;
};

/// What every morsel of a scan is told.
struct MorselOptions {
  uint64_t batch_rows = 0;
  uint64_t batch_bytes = 0;
  arrow::StopToken stop_token = arrow::StopToken::Unstoppable();
  /// Set when nobody waits for the result any more.
  const std::atomic<bool>* is_cancelled = nullptr;
};

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

/// Reads the morsel: live rows that pass the filter, with the columns of the output, in order of
/// their offsets.
arrow::Result<Batches> ReadMorsel(const Morsel& morsel, const MorselOptions& options);

/// Counts these rows.
arrow::Result<uint64_t> CountMorsel(const Morsel& morsel, const MorselOptions& options);

}  // namespace pennon
