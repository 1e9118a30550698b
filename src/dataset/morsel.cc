#include "dataset/morsel.h"

#include <arrow/array/array_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// With more than one range for so many rows, reading all rows and dropping some is cheaper than
/// picking ranges.
constexpr uint64_t kRowsPerRangeMin = 8;

arrow::Status CheckStop(const MorselOptions& options) {
  if (options.is_cancelled != nullptr && *options.is_cancelled) {
    return MakeError(ErrorKind::kCancelled, "scan was closed");
  }
  if (options.stop_token.IsStopRequested())
    return MakeError(ErrorKind::kCancelled, "scan was cancelled");
  return arrow::Status::OK();
}

uint64_t BatchRows(double row_bytes, const MorselOptions& options) {
  const double by_bytes = static_cast<double>(options.batch_bytes) / std::max(row_bytes, 1.0);
  const auto rows = static_cast<uint64_t>(std::clamp(by_bytes, 1.0, 1e12));
  return std::max<uint64_t>(1, std::min(rows, options.batch_rows));
}

/// Rows of ranges as they come, in pieces.
class RangeCursor {
 public:
  explicit RangeCursor(const RowRanges& ranges) : ranges_(ranges) {}

  /// Calls `take(range)` for the parts of the next `count` rows.
  template <typename Take>
  void Next(uint64_t count, Take&& take) {
    while (count > 0) {
      const RowRange& range = ranges_[at_];
      const uint64_t part = std::min(count, range.size() - done_);
      take(RowRange{range.begin + done_, range.begin + done_ + part});
      count -= part;
      done_ += part;
      if (done_ == range.size()) {
        ++at_;
        done_ = 0;
      }
    }
  }

 private:
  const RowRanges& ranges_;
  size_t at_ = 0;
  uint64_t done_ = 0;
};

void AppendRange(const RowRange& range, RowRanges* out) {
  if (!out->empty() && out->back().end == range.begin) {
    out->back().end = range.end;
  } else {
    out->push_back(range);
  }
}

/// Calls `take(begin, end)` for the runs of rows that pass.
template <typename Take>
void ForEachRun(const RowSelection& selection, Take&& take) {
  const auto& words = selection.words();
  const auto num_rows = static_cast<uint64_t>(selection.num_rows());
  uint64_t row = 0;
  while (row < num_rows) {
    uint64_t word = words[row / 64] >> (row % 64);
    if (word == 0) {
      row = (row / 64 + 1) * 64;
      continue;
    }
    row += static_cast<uint64_t>(std::countr_zero(word));
    const uint64_t begin = row;
    while (row < num_rows) {
      word = ~words[row / 64] >> (row % 64);
      // Bits shifted in are zero, so a run that reaches the end of its word goes on in the next.
      const uint64_t left = 64 - row % 64;
      const auto ones = word == 0 ? left : static_cast<uint64_t>(std::countr_zero(word));
      row += std::min(ones, left);
      if (ones < left) break;
    }
    row = std::min(row, num_rows);
    take(begin, row);
  }
}

/// Which rows pass all terms.
arrow::Result<RowSelection> Evaluate(const FilterStage& stage, const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(RowSelection selection, stage.terms[0].Evaluate(batch));
  for (size_t i = 1; i < stage.terms.size() && selection.count() > 0; ++i) {
    ARROW_ASSIGN_OR_RAISE(const RowSelection more, stage.terms[i].Evaluate(batch));
    std::vector<uint64_t> words = selection.words();
    for (size_t w = 0; w < words.size(); ++w) words[w] &= more.words()[w];
    selection = RowSelection(std::move(words), selection.num_rows());
  }
  return selection;
}

/// Rows that passed a stage, and of the columns that it read those that the output shows.
struct Passed {
  RowRanges rows;
  uint64_t num_rows = 0;
  /// One batch for each piece that was evaluated, only with passing rows. Kept when asked for.
  Batches inputs;
};

arrow::Result<Passed> RunStage(const FilterStage& stage, const FragmentColumns& columns,
                               const RowRanges& rows, bool keep_inputs,
                               const MorselOptions& options) {
  Passed passed;
  ARROW_ASSIGN_OR_RAISE(const double row_bytes, columns.EstimateRowBytes());
  const uint64_t batch_rows = BatchRows(row_bytes, options);
  ARROW_ASSIGN_OR_RAISE(auto window, ColumnWindow::Open(columns, rows));
  RangeCursor cursor(rows);
  while (window->rows_left() > 0) {
    ARROW_RETURN_NOT_OK(CheckStop(options));
    const uint64_t count = std::min(batch_rows, window->rows_left());
    ARROW_ASSIGN_OR_RAISE(auto batch, window->Next(count));
    ARROW_ASSIGN_OR_RAISE(const RowSelection selection, Evaluate(stage, *batch));
    passed.num_rows += static_cast<uint64_t>(selection.count());
    uint64_t row = 0;
    ForEachRun(selection, [&](uint64_t begin, uint64_t end) {
      cursor.Next(begin - row, [](const RowRange&) {});
      cursor.Next(end - begin, [&](const RowRange& range) { AppendRange(range, &passed.rows); });
      row = end;
    });
    cursor.Next(count - row, [](const RowRange&) {});
    if (!keep_inputs || selection.count() == 0) continue;
    if (selection.count() < selection.num_rows()) {
      ARROW_ASSIGN_OR_RAISE(const auto kept,
                            arrow::compute::Filter(arrow::Datum(batch), selection.ToMask()));
      batch = kept.record_batch();
    }
    passed.inputs.push_back(std::move(batch));
  }
  return passed;
}

/// Live rows that pass the terms over system columns.
arrow::Result<RowRanges> CandidateRows(const Morsel& morsel, const MorselOptions& options) {
  const ScanPlan& plan = morsel.fragment->plan();
  ARROW_ASSIGN_OR_RAISE(RowRanges rows, morsel.fragment->rows().LiveRows(morsel.candidates));
  if (plan.on_systems.empty() || rows.empty()) return rows;
  ARROW_ASSIGN_OR_RAISE(const FragmentColumns* systems, morsel.fragment->FilterSystems());
  ARROW_ASSIGN_OR_RAISE(Passed passed, RunStage(plan.on_systems, *systems, rows, false, options));
  return std::move(passed.rows);
}

/// Reads `rows` of the columns and gives them out in batches of at most `batch_rows`.
class RestReader {
 public:
  static arrow::Result<std::unique_ptr<RestReader>> Open(const FragmentColumns& columns,
                                                         RowRanges rows) {
    auto reader = std::make_unique<RestReader>();
    const uint64_t wanted = CountRows(rows);
    // One read over everything between the first row and the last costs less than many small ones.
    if (!columns.projection().columns.empty() && rows.size() > 1 &&
        rows.size() * kRowsPerRangeMin > rows.back().end - rows.front().begin) {
      reader->chosen_ = std::move(rows);
      reader->base_ = reader->chosen_.front().begin;
      rows = {{reader->base_, reader->chosen_.back().end}};
    }
    reader->rows_left_ = wanted;
    ARROW_ASSIGN_OR_RAISE(reader->window_, ColumnWindow::Open(columns, std::move(rows)));
    return reader;
  }

  uint64_t rows_left() const { return rows_left_; }

  /// Returns the next batch, `count` rows or fewer.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next(uint64_t count) {
    count = std::min(count, rows_left_);
    rows_left_ -= count;
    if (chosen_.empty()) return window_->Next(count);
    // Read from the next row wanted to the last one of this batch, then drop what lies between.
    if (!cursor_.has_value()) cursor_.emplace(chosen_);
    RowRanges wanted;
    cursor_->Next(count, [&](const RowRange& range) { wanted.push_back(range); });
    if (wanted.empty()) return window_->Next(0);
    const uint64_t first = read_;
    const uint64_t num_read = wanted.back().end - base_ - first;
    read_ += num_read;
    ARROW_ASSIGN_OR_RAISE(auto batch, window_->Next(num_read));
    std::vector<uint64_t> words((num_read + 63) / 64, 0);
    for (const RowRange& range : wanted) {
      for (uint64_t row = range.begin - base_ - first; row < range.end - base_ - first; ++row) {
        words[row / 64] |= uint64_t{1} << row % 64;
      }
    }
    const RowSelection mask(std::move(words), static_cast<int64_t>(num_read));
    ARROW_ASSIGN_OR_RAISE(const auto kept,
                          arrow::compute::Filter(arrow::Datum(batch), mask.ToMask()));
    return kept.record_batch();
  }

 private:
  std::unique_ptr<ColumnWindow> window_;
  uint64_t rows_left_ = 0;
  /// The rows wanted when the window has others too.
  RowRanges chosen_;
  std::optional<RangeCursor> cursor_;
  uint64_t base_ = 0;
  uint64_t read_ = 0;
};

/// Cuts rows of the filter's inputs to the batches of the rest.
class InputCursor {
 public:
  explicit InputCursor(Batches batches) : batches_(std::move(batches)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Column(int column, uint64_t begin,
                                                      uint64_t count) const {
    arrow::ArrayVector pieces;
    uint64_t first = 0;
    for (const auto& batch : batches_) {
      const auto rows = static_cast<uint64_t>(batch->num_rows());
      const uint64_t from = std::max(begin, first);
      const uint64_t to = std::min(begin + count, first + rows);
      if (from < to) {
        pieces.push_back(batch->column(column)->Slice(static_cast<int64_t>(from - first),
                                                      static_cast<int64_t>(to - from)));
      }
      first += rows;
    }
    if (pieces.size() == 1) return pieces[0];
    return arrow::Concatenate(pieces);
  }

 private:
  const Batches batches_;
};

}  // namespace

arrow::Result<const FragmentColumns*> ScanFragment::Open(const Projection& projection,
                                                         std::optional<FragmentColumns>* columns) {
  const std::lock_guard lock(mutex_);
  if (!columns->has_value()) {
    ARROW_ASSIGN_OR_RAISE(*columns, FragmentColumns::Make(rows_, projection));
  }
  return &**columns;
}

arrow::Result<Batches> ReadMorsel(const Morsel& morsel, const MorselOptions& options) {
  const ScanPlan& plan = morsel.fragment->plan();
  ARROW_ASSIGN_OR_RAISE(RowRanges rows, CandidateRows(morsel, options));
  Batches out;
  if (rows.empty()) return out;
  std::optional<InputCursor> inputs;
  if (!plan.on_data.empty()) {
    const bool keep_inputs =
        std::any_of(plan.reused.begin(), plan.reused.end(),
                    [](const std::optional<int>& input) { return input.has_value(); });
    ARROW_ASSIGN_OR_RAISE(const FragmentColumns* data, morsel.fragment->FilterData());
    ARROW_ASSIGN_OR_RAISE(Passed passed, RunStage(plan.on_data, *data, rows, keep_inputs, options));
    rows = std::move(passed.rows);
    if (rows.empty()) return out;
    inputs.emplace(std::move(passed.inputs));
  }
  ARROW_ASSIGN_OR_RAISE(const FragmentColumns* rest, morsel.fragment->Rest());
  double row_bytes = 0;
  if (!plan.rest.columns.empty()) {
    ARROW_ASSIGN_OR_RAISE(row_bytes, rest->EstimateRowBytes());
  }
  const uint64_t batch_rows = BatchRows(row_bytes, options);
  ARROW_ASSIGN_OR_RAISE(auto reader, RestReader::Open(*rest, std::move(rows)));
  uint64_t done = 0;
  while (reader->rows_left() > 0) {
    ARROW_RETURN_NOT_OK(CheckStop(options));
    const uint64_t count = std::min(batch_rows, reader->rows_left());
    ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next(count));
    std::vector<std::shared_ptr<arrow::Array>> columns;
    columns.reserve(plan.output.columns.size());
    for (size_t i = 0; i < plan.output.columns.size(); ++i) {
      if (!plan.reused[i].has_value()) {
        columns.push_back(batch->column(plan.in_rest[i]));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto column, inputs->Column(*plan.reused[i], done, count));
      columns.push_back(std::move(column));
    }
    out.push_back(arrow::RecordBatch::Make(plan.output.schema, static_cast<int64_t>(count),
                                           std::move(columns)));
    done += count;
  }
  return out;
}

arrow::Result<uint64_t> CountMorsel(const Morsel& morsel, const MorselOptions& options) {
  const ScanPlan& plan = morsel.fragment->plan();
  ARROW_ASSIGN_OR_RAISE(const RowRanges rows, CandidateRows(morsel, options));
  if (plan.on_data.empty() || rows.empty()) return CountRows(rows);
  ARROW_ASSIGN_OR_RAISE(const FragmentColumns* data, morsel.fragment->FilterData());
  ARROW_ASSIGN_OR_RAISE(const Passed passed, RunStage(plan.on_data, *data, rows, false, options));
  return passed.num_rows;
}

}  // namespace pennon
