#include "dataset/morsel_source.h"

#include <algorithm>
#include <utility>

namespace pennon {
namespace {

/// Chunks of pages hold a power of two of values: morsels that end with them do not decode one
/// twice.
constexpr uint64_t kRowsAlign = 4096;

/// True if all that a fragment holds is small: it is read at once, without a look at its files
/// first.
bool IsSmall(const Fragment& fragment, uint64_t bytes) {
  uint64_t total = 0;
  for (const DataFile& file : fragment.files) {
    if (file.size_bytes == 0) return false;
    total += file.size_bytes;
  }
  return total <= bytes / 4;
}

}  // namespace

arrow::Result<double> MorselSource::EstimateRowBytes() {
  double bytes = 0;
  if (!plan_.on_data.empty()) {
    ARROW_ASSIGN_OR_RAISE(const FragmentColumns* columns, fragment_->FilterData());
    ARROW_ASSIGN_OR_RAISE(bytes, columns->EstimateRowBytes());
  }
  if (wants_rest_) {
    ARROW_ASSIGN_OR_RAISE(const FragmentColumns* columns, fragment_->Rest());
    ARROW_ASSIGN_OR_RAISE(const double rest, columns->EstimateRowBytes());
    bytes += rest;
  }
  return std::max(bytes, 1.0);
}

arrow::Status MorselSource::OpenStep() {
  const ScanStep& step = plan_.steps[step_];
  auto rows =
      std::make_shared<const FragmentRows>(*table_.snapshot, *table_.session, *step.fragment);
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, rows->NumPhysicalRows());
  rows_.clear();
  range_ = 0;
  if (!step.candidates.has_value()) {
    if (num_rows > 0) rows_.push_back({0, num_rows});
  } else {
    for (const RowRange& range : *step.candidates) {
      if (range.begin < num_rows) rows_.push_back({range.begin, std::min(range.end, num_rows)});
    }
  }
  fragment_ = std::make_shared<ScanFragment>(plan_, std::move(rows));
  if (rows_.empty()) return arrow::Status::OK();
  if (IsSmall(*step.fragment, size_.bytes)) {
    row_bytes_ = static_cast<double>(size_.bytes) / static_cast<double>(num_rows) / 2;
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(row_bytes_, EstimateRowBytes());
  return arrow::Status::OK();
}

arrow::Result<std::optional<SizedMorsel>> MorselSource::Next() {
  while (fragment_ == nullptr || range_ == rows_.size()) {
    if (fragment_ != nullptr) ++step_;
    fragment_ = nullptr;
    if (step_ == plan_.steps.size()) return std::nullopt;
    ARROW_RETURN_NOT_OK(OpenStep());
  }
  const auto by_bytes =
      static_cast<uint64_t>(std::clamp(static_cast<double>(size_.bytes) / row_bytes_, 1.0, 1e15));
  uint64_t wanted = std::min({next_rows_, by_bytes, size_.rows_max});
  next_rows_ = std::min(next_rows_ * 2, uint64_t{1} << 40);
  SizedMorsel out;
  out.morsel.fragment = fragment_;
  uint64_t num_rows = 0;
  while (range_ < rows_.size() && num_rows < wanted) {
    RowRange& range = rows_[range_];
    uint64_t end = std::min(range.end, range.begin + (wanted - num_rows));
    // The last piece of a range may be cut at a chunk's border, if that leaves something of it.
    if (end < range.end && end / kRowsAlign * kRowsAlign > range.begin)
      end = end / kRowsAlign * kRowsAlign;
    out.morsel.candidates.push_back({range.begin, end});
    num_rows += end - range.begin;
    range.begin = end;
    if (range.begin < range.end) break;
    ++range_;
  }
  out.bytes = static_cast<uint64_t>(static_cast<double>(num_rows) * row_bytes_);
  return out;
}

}  // namespace pennon
