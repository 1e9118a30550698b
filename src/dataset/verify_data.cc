#include "dataset/verify_data.h"

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "dataset/column_reader.h"
#include "dataset/fragment_rows.h"
#include "dataset/projection.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Rows decoded at once, and about how many bytes of them.
constexpr uint64_t kRowsMax = 32768;
constexpr double kBytesMax = 16 << 20;
/// Rows whose pages are fetched together.
constexpr uint64_t kWindowBatches = 4;

struct FieldFault {
  std::string column;
  arrow::Status status;
};

/// What decoding one fragment came to.
struct FragmentOutcome {
  std::vector<FieldFault> faults;
  uint64_t num_columns = 0;
};

uint64_t RowsTogether(double row_bytes) {
  const double rows = kBytesMax / std::max(row_bytes, 1.0);
  return std::clamp(static_cast<uint64_t>(std::min(rows, 1e9)), uint64_t{1}, kRowsMax);
}

arrow::Status DecodeField(const std::shared_ptr<const FragmentRows>& rows, const FieldTree& root) {
  ColumnSelection select;
  select.blobs_as_bytes = true;
  ARROW_ASSIGN_OR_RAISE(const Projection projection, MakeProjection({{root}, {}}, select));
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, rows->NumPhysicalRows());
  ARROW_ASSIGN_OR_RAISE(const auto columns, FragmentColumns::Make(rows, projection));
  ARROW_ASSIGN_OR_RAISE(const double row_bytes, columns.EstimateRowBytes());
  const uint64_t batch_rows = RowsTogether(row_bytes);
  for (uint64_t begin = 0; begin < num_rows;) {
    const uint64_t end = std::min(num_rows, begin + batch_rows * kWindowBatches);
    ARROW_ASSIGN_OR_RAISE(const auto window, ColumnWindow::Open(columns, {{begin, end}}));
    while (window->rows_left() > 0) {
      ARROW_ASSIGN_OR_RAISE(const auto batch,
                            window->Next(std::min(window->rows_left(), batch_rows)));
      const auto valid = batch->ValidateFull();
      if (!valid.ok()) {
        return MakeError(
            ErrorKind::kCorrupt,
            fmt::format("values do not fit their type: rows from {}: {}", begin, MessageOf(valid)));
      }
    }
    begin = end;
  }
  return arrow::Status::OK();
}

/// Whether the manifest says that a file of the fragment is of a version that is not read.
bool HasUnreadVersion(const Fragment& fragment) {
  return std::any_of(fragment.files.begin(), fragment.files.end(), [](const DataFile& file) {
    const bool is_first =
        file.major_version == 0 && file.minor_version == 3;  // 2.0 by its old name
    return !is_first && !(file.major_version == 2 && file.minor_version <= 2);
  });
}

FragmentOutcome DecodeFragment(const OpenTable& table, const Fragment& fragment) {
  FragmentOutcome outcome;
  const auto rows = std::make_shared<const FragmentRows>(*table.snapshot, *table.session, fragment);
  for (const FieldTree& root : table.schema.fields) {
    arrow::Status status = DecodeField(rows, root);
    if (status.ok()) {
      ++outcome.num_columns;
    } else {
      outcome.faults.push_back({root.name, std::move(status)});
    }
  }
  return outcome;
}

}  // namespace

arrow::Status VerifyData(const OpenTable& table, const std::vector<bool>& skip, FaultSink* sink,
                         VerifyCounters* checked, std::vector<std::string>* not_checked) {
  const auto& fragments = table.snapshot->manifest.fragments;
  std::vector<FragmentOutcome> outcomes(fragments.size());
  table.session->pool().ForEach(fragments.size(), [&](size_t i) {
    if (!skip[i]) outcomes[i] = DecodeFragment(table, fragments[i]);
  });
  uint64_t num_unread = 0;
  for (size_t i = 0; i < fragments.size(); ++i) {
    checked->num_columns_decoded += outcomes[i].num_columns;
    if (!outcomes[i].faults.empty() && HasUnreadVersion(fragments[i])) {
      ++num_unread;
      continue;
    }
    for (const FieldFault& fault : outcomes[i].faults) {
      if (KindOf(fault.status) == ErrorKind::kCancelled) return fault.status;
      sink->Error("data_unreadable", {.fragment = fragments[i].id},
                  fmt::format("column '{}' of fragment {} cannot be decoded: {}", fault.column,
                              ToInteger(fragments[i].id), MessageOf(fault.status)));
    }
  }
  if (num_unread > 0) {
    not_checked->push_back(fmt::format(
        "the values of {} fragment(s), whose files are of a version that is not read", num_unread));
  }
  return arrow::Status::OK();
}

}  // namespace pennon
