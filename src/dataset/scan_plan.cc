#include "dataset/scan_plan.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

bool IsOnSystemsOnly(const Filter& filter) {
  const auto& names = filter.column_names();
  return std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return FindSystemColumn(name).has_value(); });
}

arrow::Result<FilterStage> MakeStage(const TableSchema& schema, std::vector<Filter> terms) {
  FilterStage stage;
  std::vector<arrow::FieldRef> fields;
  for (const Filter& term : terms) {
    for (const arrow::FieldRef& field : term.fields()) {
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    }
  }
  ARROW_ASSIGN_OR_RAISE(stage.inputs, MakeFilterProjection(schema, fields));
  stage.terms = std::move(terms);
  return stage;
}

arrow::Status SplitFilter(const TableSchema& schema, const Filter& filter, ScanPlan* plan) {
  if (filter.is_always()) return arrow::Status::OK();
  plan->is_never = filter.is_never();
  if (plan->is_never) return arrow::Status::OK();
  std::vector<Filter> on_systems;
  std::vector<Filter> on_data;
  for (Filter& term : filter.Conjuncts()) {
    (IsOnSystemsOnly(term) ? on_systems : on_data).push_back(std::move(term));
  }
  // A filter of one kind is kept whole: evaluated at once it saves work that its terms on their own
  // would do.
  if (on_data.empty()) {
    on_systems = {filter};
  } else if (on_systems.empty()) {
    on_data = {filter};
  }
  ARROW_ASSIGN_OR_RAISE(plan->on_systems, MakeStage(schema, std::move(on_systems)));
  ARROW_ASSIGN_OR_RAISE(plan->on_data, MakeStage(schema, std::move(on_data)));
  return arrow::Status::OK();
}

/// Finds an output column among the filter's inputs. Only whole roots are alike: the filter may
/// read a part of one.
std::optional<int> FindInput(const ProjectedColumn& wanted, const Projection& output,
                             const Projection& inputs) {
  for (size_t i = 0; i < inputs.columns.size(); ++i) {
    const ProjectedColumn& input = inputs.columns[i];
    if (wanted.system.has_value() != input.system.has_value()) continue;
    if (wanted.system.has_value()) {
      if (wanted.system == input.system) return static_cast<int>(i);
      continue;
    }
    const FieldTree& root = output.roots[wanted.root];
    if (wanted.path.empty() && root.id == inputs.roots[input.root].id &&
        wanted.field->type()->Equals(*input.field->type(), true)) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

void SplitOutput(ScanPlan* plan) {
  const Projection& output = plan->output;
  plan->rest = output;
  plan->rest.columns.clear();
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<bool> is_needed(output.roots.size(), false);
  for (const ProjectedColumn& column : output.columns) {
    std::optional<int> input;
    if (!plan->on_data.empty()) input = FindInput(column, output, plan->on_data.inputs);
    plan->reused.push_back(input);
    plan->in_rest.push_back(static_cast<int>(plan->rest.columns.size()));
    if (input.has_value()) continue;
    plan->rest.columns.push_back(column);
    fields.push_back(column.field);
    if (!column.system.has_value()) is_needed[column.root] = true;
  }
  // Roots that only reused columns came from are not read again.
  std::vector<FieldTree> roots;
  std::vector<size_t> moved(output.roots.size(), 0);
  for (size_t i = 0; i < output.roots.size(); ++i) {
    moved[i] = roots.size();
    if (is_needed[i]) roots.push_back(output.roots[i]);
  }
  plan->rest.roots = std::move(roots);
  for (ProjectedColumn& column : plan->rest.columns) {
    if (!column.system.has_value()) column.root = moved[column.root];
  }
  plan->rest.schema = arrow::schema(std::move(fields));
}

arrow::Result<std::vector<ScanStep>> ChooseFragments(
    const Manifest& manifest, const std::optional<std::vector<FragmentId>>& wanted) {
  std::vector<ScanStep> steps;
  if (!wanted.has_value()) {
    steps.reserve(manifest.fragments.size());
    for (const Fragment& fragment : manifest.fragments) steps.push_back({&fragment, std::nullopt});
    return steps;
  }
  std::unordered_map<uint32_t, const Fragment*> by_id;
  for (const Fragment& fragment : manifest.fragments)
    by_id.emplace(ToInteger(fragment.id), &fragment);
  for (const FragmentId id : *wanted) {
    const auto found = by_id.find(ToInteger(id));
    if (found == by_id.end()) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("fragment is not in this version: {}", ToInteger(id)));
    }
    if (found->second == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("fragment is named twice: {}", ToInteger(id)));
    }
    steps.push_back({found->second, std::nullopt});
    found->second = nullptr;
  }
  return steps;
}

}  // namespace

RowRanges IntersectRanges(const RowRanges& left, const RowRanges& right) {
  RowRanges out;
  size_t l = 0;
  size_t r = 0;
  while (l < left.size() && r < right.size()) {
    const RowRange both{std::max(left[l].begin, right[r].begin),
                        std::min(left[l].end, right[r].end)};
    if (both.begin < both.end) out.push_back(both);
    ++(left[l].end < right[r].end ? l : r);
  }
  return out;
}

void KeepAddresses(const std::vector<RowNumberRange>& ranges, std::vector<ScanStep>* steps) {
  std::vector<ScanStep> kept;
  for (ScanStep& step : *steps) {
    const uint64_t first = ToInteger(MakeRowAddress(step.fragment->id, RowOffset{0}));
    const uint64_t last = first + UINT32_MAX;
    RowRanges offsets;
    // Ranges ascend: those before the fragment are skipped by bisection.
    auto range = std::partition_point(ranges.begin(), ranges.end(),
                                      [&](const RowNumberRange& r) { return r.last < first; });
    for (; range != ranges.end() && range->first <= last; ++range) {
      offsets.push_back(
          {std::max(range->first, first) - first, std::min(range->last, last) - first + 1});
    }
    if (step.candidates.has_value()) offsets = IntersectRanges(*step.candidates, offsets);
    if (offsets.empty()) continue;
    step.candidates = std::move(offsets);
    kept.push_back(std::move(step));
  }
  *steps = std::move(kept);
}

arrow::Result<ScanPlan> MakeScanPlan(const ScanPlanInput& input) {
  ScanPlan plan;
  ARROW_ASSIGN_OR_RAISE(plan.output, MakeProjection(input.schema, input.select));
  if (input.filter.has_value())
    ARROW_RETURN_NOT_OK(SplitFilter(input.schema, *input.filter, &plan));
  SplitOutput(&plan);
  ARROW_ASSIGN_OR_RAISE(plan.steps, ChooseFragments(input.manifest, input.fragments));
  if (plan.is_never) plan.steps.clear();
  if (!input.filter.has_value()) return plan;
  if (const auto& bounds = input.filter->row_addresses(); !bounds.is_unbounded()) {
    KeepAddresses(bounds.ranges, &plan.steps);
  }
  // Without stable ids a row's id is its address.
  if (const auto& bounds = input.filter->row_ids();
      !input.manifest.has_stable_row_ids() && !bounds.is_unbounded()) {
    KeepAddresses(bounds.ranges, &plan.steps);
  }
  return plan;
}

}  // namespace pennon
