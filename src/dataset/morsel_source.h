/// \file
/// Cuts the steps of a scan into morsels, one after the other, so that each fits the memory it is
/// given.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "dataset/morsel.h"
#include "dataset/open_table.h"
#include "dataset/scan_plan.h"

namespace pennon {

/// How large morsels are.
struct MorselSize {
  /// The first one; each further one may be twice as large, up to the bytes and rows.
  uint64_t rows_first = 0;
  uint64_t bytes = 0;
  uint64_t rows_max = UINT64_MAX;
};

/// A morsel and the memory that its rows may take.
struct SizedMorsel {
  Morsel morsel;
  uint64_t bytes = 0;
};

/// Gives out morsels in order. Not safe for concurrent use. Borrows table and plan.
class MorselSource {
 public:
  /// `wants_rest`: whether the columns after the filter are read too.
  MorselSource(const OpenTable& table, const ScanPlan& plan, MorselSize size, bool wants_rest)
      : table_(table),
        plan_(plan),
        size_(size),
        wants_rest_(wants_rest),
        next_rows_(size.rows_first) {}

  /// Returns the next morsel or none. Cost: for a large fragment the end of its files, when it is
  /// reached first.
  arrow::Result<std::optional<SizedMorsel>> Next();

 private:
  arrow::Status OpenStep();
  arrow::Result<double> EstimateRowBytes();

  const OpenTable& table_;
  const ScanPlan& plan_;
  const MorselSize size_;
  const bool wants_rest_;
  size_t step_ = 0;
  std::shared_ptr<ScanFragment> fragment_;
  /// What is left of the step.
  RowRanges rows_;
  size_t range_ = 0;
  double row_bytes_ = 0;
  uint64_t next_rows_ = 0;
};

}  // namespace pennon
