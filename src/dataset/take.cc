#include "pennon/dataset/take.h"

#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked_math.h"
#include "dataset/column_reader.h"
#include "dataset/gather_rows.h"
#include "dataset/open_table.h"
#include "dataset/projection.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Rows that are read together; a request for more is answered piece by piece.
constexpr size_t kRowsTogetherMax = size_t{1} << 20;
/// Rows of one fragment that are worth a thread of their own.
constexpr size_t kRowsApartMin = 256;
/// How many fragments one task reads at most, and tasks for each thread: of fragments with many
/// rows, and with few.
constexpr size_t kFragmentsTogetherMax = 256;
constexpr size_t kTasksPerThread = 4;
constexpr size_t kSmallTasksPerThread = 2;

/// One fragment's part of a request.
struct FragmentTake {
  const Fragment* fragment = nullptr;
  /// Ascending, each once.
  std::vector<uint32_t> offsets;
};

/// Rows of a request by fragment, and where each row asked for comes out when fragments are read
/// one after the other.
struct GroupedRows {
  std::vector<FragmentTake> fragments;
  std::vector<int64_t> position_of;
  bool is_in_order = true;
};

arrow::Status NotLive(uint64_t address) {
  return MakeError(ErrorKind::kNotFound,
                   fmt::format("no live row is at address {}: fragment {}, offset {}", address,
                               ToInteger(FragmentOf(RowAddress{address})),
                               ToInteger(OffsetOf(RowAddress{address}))));
}

/// Finds fragments by id: the manifest lists them ascending.
const Fragment* FindFragment(const Manifest& manifest, FragmentId id) {
  const auto& fragments = manifest.fragments;
  const auto found =
      std::partition_point(fragments.begin(), fragments.end(),
                           [&](const Fragment& fragment) { return fragment.id < id; });
  return found == fragments.end() || found->id != id ? nullptr : &*found;
}

GroupedRows GroupByFragment(const Manifest& manifest, std::span<const uint64_t> addresses) {
  GroupedRows grouped;
  std::vector<uint32_t> order(addresses.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!std::is_sorted(addresses.begin(), addresses.end())) {
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return addresses[a] < addresses[b]; });
  }
  grouped.position_of.resize(addresses.size());
  int64_t position = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const RowAddress address{addresses[order[i]]};
    const bool is_repeated = i > 0 && addresses[order[i - 1]] == addresses[order[i]];
    if (!is_repeated) {
      if (grouped.fragments.empty() || grouped.fragments.back().fragment == nullptr ||
          grouped.fragments.back().fragment->id != FragmentOf(address)) {
        grouped.fragments.push_back({FindFragment(manifest, FragmentOf(address)), {}});
      }
      grouped.fragments.back().offsets.push_back(ToInteger(OffsetOf(address)));
      position += i > 0 ? 1 : 0;
    }
    grouped.position_of[order[i]] = position;
    grouped.is_in_order &= !is_repeated && order[i] == i;
  }
  return grouped;
}

/// Whether rows of the fragment are read in chunks. Where each value is a read of its own, as
/// at 2.0, a second thread gains nothing and both read what lies where they meet.
bool IsChunked(const Fragment& fragment) {
  return std::all_of(fragment.files.begin(), fragment.files.end(), [](const DataFile& file) {
    return file.major_version == 2 && file.minor_version >= 1;
  });
}

/// Cuts the parts of large fragments when there are fewer fragments than threads. Rows keep their
/// positions.
void SplitForThreads(int num_threads, GroupedRows* grouped) {
  const auto threads = static_cast<size_t>(num_threads);
  if (grouped->fragments.size() >= threads) return;
  std::vector<FragmentTake> parts;
  for (FragmentTake& take : grouped->fragments) {
    const size_t num_rows = take.offsets.size();
    const size_t num_parts =
        IsChunked(*take.fragment) ? std::clamp(num_rows / kRowsApartMin, size_t{1}, threads) : 1;
    for (size_t i = 0; i < num_parts; ++i) {
      const auto begin = take.offsets.begin() + static_cast<ptrdiff_t>(num_rows * i / num_parts);
      const auto end =
          take.offsets.begin() + static_cast<ptrdiff_t>(num_rows * (i + 1) / num_parts);
      parts.push_back({take.fragment, {begin, end}});
    }
  }
  grouped->fragments = std::move(parts);
}

/// True if every row of the part lives.
arrow::Result<bool> AllLive(const OpenTable& table, const Fragment* fragment,
                            std::span<const uint32_t> offsets) {
  if (fragment == nullptr) return false;
  const FragmentRows rows(*table.snapshot, *table.session, *fragment);
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, rows.NumPhysicalRows());
  ARROW_ASSIGN_OR_RAISE(const auto deletions, rows.Deletions());
  return std::all_of(offsets.begin(), offsets.end(), [&](uint32_t offset) {
    return offset < num_rows && !deletions->Contains(RowOffset{offset});
  });
}

/// Refuses rows that are not there; names the first one in the order in which they were asked for.
arrow::Status CheckLive(const OpenTable& table, std::span<const uint64_t> addresses,
                        const GroupedRows& grouped) {
  bool all_live = true;
  for (const FragmentTake& take : grouped.fragments) {
    ARROW_ASSIGN_OR_RAISE(const bool live, AllLive(table, take.fragment, take.offsets));
    all_live &= live;
  }
  if (all_live) return arrow::Status::OK();
  for (const uint64_t address : addresses) {
    const Fragment* fragment =
        FindFragment(table.snapshot->manifest, FragmentOf(RowAddress{address}));
    const uint32_t offset = ToInteger(OffsetOf(RowAddress{address}));
    ARROW_ASSIGN_OR_RAISE(const bool live, AllLive(table, fragment, {&offset, 1}));
    if (!live) return NotLive(address);
  }
  return MakeError(ErrorKind::kInternal, "a row that is not there could not be named");
}

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

/// Reads rows of fragment after fragment, those of fragments with like files into one batch.
arrow::Result<Batches> ReadRows(const OpenTable& table, const Projection& projection,
                                std::span<const FragmentTake> takes) {
  Batches batches;
  std::optional<FragmentColumns> first;  // of the open window
  std::unique_ptr<ColumnWindow> window;
  const auto flush = [&] {
    if (window == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto batch, window->Next(window->rows_left()));
    batches.push_back(std::move(batch));
    window = nullptr;
    return arrow::Status::OK();
  };
  for (const FragmentTake& take : takes) {
    auto rows =
        std::make_shared<const FragmentRows>(*table.snapshot, *table.session, *take.fragment);
    ARROW_ASSIGN_OR_RAISE(auto columns, FragmentColumns::Make(std::move(rows), projection,
                                                              first ? &*first : nullptr));
    RowRanges ranges = RangesOfOffsets(take.offsets);
    if (window != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const bool has_joined, window->Join(columns, ranges));
      if (has_joined) continue;
    }
    ARROW_RETURN_NOT_OK(flush());
    first = std::move(columns);
    ARROW_ASSIGN_OR_RAISE(window, ColumnWindow::Open(*first, std::move(ranges)));
  }
  ARROW_RETURN_NOT_OK(flush());
  return batches;
}

/// How many fragments one task reads: few enough to keep all threads busy, not so few that tasks
/// and batches cost more than their rows.
size_t FragmentsTogether(std::span<const FragmentTake> takes, size_t num_threads) {
  size_t num_rows = 0;
  for (const FragmentTake& take : takes) num_rows += take.offsets.size();
  const size_t shared_out = takes.size() / (num_threads * kTasksPerThread);
  const size_t worth_a_task =
      std::min(CeilDivide(kRowsApartMin * takes.size(), std::max(num_rows, size_t{1})),
               CeilDivide(takes.size(), num_threads * kSmallTasksPerThread));
  return std::clamp(std::max(shared_out, worth_a_task), size_t{1}, kFragmentsTogetherMax);
}

/// Reads live rows at addresses in any order, duplicates allowed.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeTogether(
    const OpenTable& table, const Projection& projection, std::span<const uint64_t> addresses) {
  GroupedRows grouped = GroupByFragment(table.snapshot->manifest, addresses);
  ARROW_RETURN_NOT_OK(CheckLive(table, addresses, grouped));
  SplitForThreads(table.session->pool().num_threads(), &grouped);
  if (projection.columns.empty()) {
    return arrow::RecordBatch::Make(projection.schema, static_cast<int64_t>(addresses.size()),
                                    std::vector<std::shared_ptr<arrow::Array>>{});
  }
  const std::span<const FragmentTake> takes = grouped.fragments;
  const size_t num_together =
      FragmentsTogether(takes, static_cast<size_t>(table.session->pool().num_threads()));
  std::vector<arrow::Result<Batches>> parts(CeilDivide(takes.size(), num_together), Batches{});
  table.session->pool().ForEach(parts.size(), [&](size_t i) {
    const size_t begin = i * num_together;
    parts[i] = ReadRows(table, projection,
                        takes.subspan(begin, std::min(num_together, takes.size() - begin)));
  });
  Batches batches;
  for (auto& part : parts) {
    ARROW_RETURN_NOT_OK(part.status());
    std::move(part->begin(), part->end(), std::back_inserter(batches));
  }
  std::shared_ptr<arrow::RecordBatch> joined;
  if (batches.empty()) {
    ARROW_ASSIGN_OR_RAISE(joined, arrow::RecordBatch::MakeEmpty(projection.schema));
  } else if (batches.size() == 1) {
    joined = std::move(batches[0]);
  } else {
    ARROW_ASSIGN_OR_RAISE(joined, arrow::ConcatenateRecordBatches(batches));
  }
  if (grouped.is_in_order) return joined;
  return GatherRows(*joined, grouped.position_of, joined->schema());
}

arrow::Result<std::shared_ptr<arrow::Table>> TakeAll(const OpenTable& table,
                                                     std::span<const uint64_t> addresses,
                                                     const ColumnSelection& select) {
  ARROW_ASSIGN_OR_RAISE(const Projection projection, MakeProjection(table.schema, select));
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  do {
    const auto piece = addresses.first(std::min(addresses.size(), kRowsTogetherMax));
    ARROW_ASSIGN_OR_RAISE(auto batch, TakeTogether(table, projection, piece));
    batches.push_back(std::move(batch));
    addresses = addresses.subspan(piece.size());
  } while (!addresses.empty());
  return arrow::Table::FromRecordBatches(projection.schema, batches);
}

/// Finds the addresses of positions among all live rows.
arrow::Result<std::vector<uint64_t>> AddressesOf(const OpenTable& table,
                                                 std::span<const uint64_t> positions) {
  const auto& fragments = table.snapshot->manifest.fragments;
  // first_live[i]: live rows in the fragments before i.
  std::vector<uint64_t> first_live = {0};
  first_live.reserve(fragments.size() + 1);
  for (const Fragment& fragment : fragments) {
    const FragmentRows rows(*table.snapshot, *table.session, fragment);
    ARROW_ASSIGN_OR_RAISE(const uint64_t live, rows.NumLiveRows());
    first_live.push_back(first_live.back() + live);
  }
  std::vector<uint64_t> addresses;
  addresses.reserve(positions.size());
  for (const uint64_t position : positions) {
    if (position >= first_live.back()) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("row offset is behind the last row: {}, the table has {}",
                                   position, first_live.back()));
    }
    const auto next = std::upper_bound(first_live.begin(), first_live.end(), position);
    const auto index = static_cast<size_t>(next - first_live.begin()) - 1;
    const FragmentRows rows(*table.snapshot, *table.session, fragments[index]);
    ARROW_ASSIGN_OR_RAISE(const auto deletions, rows.Deletions());
    const auto offset = deletions->LiveOffset(position - first_live[index]);
    if (!offset.has_value()) {
      return MakeError(
          ErrorKind::kCorrupt,
          fmt::format("deletions of fragment {} leave fewer rows than the manifest says",
                      ToInteger(fragments[index].id)));
    }
    addresses.push_back(ToInteger(MakeRowAddress(fragments[index].id, *offset)));
  }
  return addresses;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Table>> TakeOffsets(const Dataset& dataset,
                                                         std::span<const uint64_t> offsets,
                                                         const ColumnSelection& select) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenForReading(dataset));
  ARROW_ASSIGN_OR_RAISE(const auto addresses, AddressesOf(*table, offsets));
  return TakeAll(*table, addresses, select);
}

arrow::Result<std::shared_ptr<arrow::Table>> TakeAddresses(const Dataset& dataset,
                                                           std::span<const uint64_t> addresses,
                                                           const ColumnSelection& select) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenForReading(dataset));
  return TakeAll(*table, addresses, select);
}

}  // namespace pennon
