/// \file
/// What a scan has to do: decided from the manifest and the request alone, before anything is read.
/// Spec: format/table.md, heading 3; format/row-ids.md, heading 6.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/projection.h"
#include "file/data_file_reader.h"
#include "format/manifest.h"
#include "format/schema.h"
#include "pennon/dataset/filter.h"
#include "pennon/dataset/scan.h"

namespace pennon {

/// A fragment to read, and which of its offsets may pass.
struct ScanStep {
  const Fragment* fragment = nullptr;
  /// Ranges of offsets, deleted rows counted; absent: all.
  std::optional<RowRanges> candidates;
};

/// Terms of a filter that are decided together, and the columns they look at.
struct FilterStage {
  std::vector<Filter> terms;
  Projection inputs;

  bool empty() const { return terms.empty(); }
};

struct ScanPlan {
  /// Terms over system columns alone: decided without reading data files, unless row ids lie in
  /// one.
  FilterStage on_systems;
  /// The other terms.
  FilterStage on_data;
  Projection output;
  /// For each column of the output its place among the inputs of `on_data`, if it is read there in
  /// full.
  std::vector<std::optional<int>> reused;
  /// The columns of the output that are read after the filter; all of them when there is none.
  Projection rest;
  /// For each column of the output its place in `rest`, if it is not reused.
  std::vector<int> in_rest;
  /// In the order of the result.
  std::vector<ScanStep> steps;
  /// The filter lets nothing pass, whatever the data.
  bool is_never = false;

  bool has_filter() const { return !on_systems.empty() || !on_data.empty(); }
};

/// What a plan is made of.
struct ScanPlanInput {
  const Manifest& manifest;
  const TableSchema& schema;
  const ColumnSelection& select;
  const std::optional<Filter>& filter;
  const std::optional<std::vector<FragmentId>>& fragments;
};

/// Makes the plan. Cost: the number of fragments. Errors: kInvalidArgument (columns, fragments that
/// are not there or named twice).
arrow::Result<ScanPlan> MakeScanPlan(const ScanPlanInput& input);

/// Rows that lie in both; each ascending and disjoint.
RowRanges IntersectRanges(const RowRanges& left, const RowRanges& right);

/// Keeps of every step the rows whose addresses lie in `ranges`; steps without any go.
void KeepAddresses(const std::vector<RowNumberRange>& ranges, std::vector<ScanStep>* steps);

}  // namespace pennon
