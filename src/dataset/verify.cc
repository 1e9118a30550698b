#include "pennon/dataset/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dataset/fault_sink.h"
#include "dataset/lineage_column.h"
#include "dataset/live_twice.h"
#include "dataset/open_table.h"
#include "dataset/verify_data.h"
#include "dataset/verify_files.h"
#include "dataset/verify_history.h"
#include "dataset/verify_indexes.h"
#include "dataset/verify_leftovers.h"
#include "dataset/verify_lineage.h"
#include "dataset/verify_manifest.h"
#include "dataset/verify_row_ids.h"
#include "pennon/base/error.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

/// Live ids are compared over all fragments whose ids and deletions are known; the report says what
/// was left out.
void VerifyLiveIds(const RowIdsSeen& ids,
                   const std::vector<std::optional<DeletionVector>>& deletions,
                   const Manifest& manifest, const VerifyOptions& options, FaultSink* sink,
                   VerifyReport* report) {
  std::vector<LiveIds> live;
  live.reserve(ids.good.size());
  uint64_t num_unknown = 0;
  for (const FragmentIds& item : ids.good) {
    const auto index = static_cast<size_t>(item.fragment - manifest.fragments.data());
    if (!deletions[index].has_value()) {
      ++num_unknown;
      continue;
    }
    live.push_back({item.fragment->id, item.ids, *deletions[index]});
    report->checked.num_live_ids += item.ids.size() - deletions[index]->count();
  }
  if (num_unknown > 0) {
    report->not_checked.push_back(fmt::format(
        "whether ids are live twice in {} fragment(s) with deletions{}", num_unknown,
        options.deep ? ", whose deletion files cannot be relied on" : ": that needs --deep"));
  }
  FindLiveTwice(live, options.ids_in_memory_max, [&](const LiveTwice& twice) {
    const auto place = [](RowAddress address) {
      return fmt::format("fragment {} offset {}", ToInteger(FragmentOf(address)),
                         ToInteger(OffsetOf(address)));
    };
    const std::string more =
        twice.count > 1 ? fmt::format(" (and {} ids behind it)", twice.count - 1) : "";
    sink->Error("row_id_live_twice", {.fragment = FragmentOf(twice.other), .row_id = twice.first},
                fmt::format("row id {} is live twice: {} and {}{}", ToInteger(twice.first),
                            place(twice.address), place(twice.other), more));
  });
}

/// Deletion vectors as far as they are known without reading a file.
std::vector<std::optional<DeletionVector>> KnownDeletions(const Manifest& manifest) {
  std::vector<std::optional<DeletionVector>> deletions;
  deletions.reserve(manifest.fragments.size());
  for (const Fragment& fragment : manifest.fragments) {
    deletions.push_back(fragment.deletion_file.has_value() ? std::nullopt
                                                           : std::optional(DeletionVector()));
  }
  return deletions;
}

/// Reads hidden columns. One that no file, or more than one, claims to hold is named elsewhere, and
/// so is a file that is not there.
LoadHiddenColumn HiddenColumnsOf(const Snapshot& snapshot) {
  return
      [&snapshot](const Fragment& fragment, int32_t field) -> arrow::Result<std::vector<uint64_t>> {
        int64_t carriers = 0;
        for (const DataFile& file : fragment.files) {
          carriers += std::count(file.fields.begin(), file.fields.end(), field);
        }
        if (carriers != 1)
          return MakeError(ErrorKind::kNotFound, "no single file holds the column");
        return ReadLineageColumn(snapshot, fragment, field);
      };
}

/// Reads all values, where the schema makes sense at all.
arrow::Status VerifyValues(const Dataset& dataset, const std::vector<bool>& skip, FaultSink* sink,
                           VerifyReport* report) {
  const auto table = OpenForReading(dataset);
  if (!table.ok()) {
    report->not_checked.push_back("values: " + MessageOf(table.status()));
    return arrow::Status::OK();
  }
  return VerifyData(**table, skip, sink, &report->checked, &report->not_checked);
}

arrow::Status VerifySnapshot(const Dataset& dataset, const VerifyOptions& options, FaultSink* sink,
                             VerifyReport* report) {
  const Snapshot& snapshot = *dataset.snapshot();
  const Manifest& manifest = snapshot.manifest;
  report->checked.num_fragments += manifest.fragments.size();
  for (const Fragment& fragment : manifest.fragments)
    report->checked.num_rows += fragment.physical_rows;

  VerifyManifest(manifest, sink);
  const LoadHiddenColumn load = options.deep ? HiddenColumnsOf(snapshot) : nullptr;
  const RowIdsSeen ids = VerifyRowIds(manifest, load, sink, &report->checked);
  const uint64_t num_unread = std::max(ids.num_unread, VerifyLineage(manifest, load, sink));
  if (num_unread > 0) {
    report->not_checked.push_back(
        fmt::format("ids and lineage of {} fragment(s) that lie in hidden columns of data files{}",
                    num_unread, options.deep ? ", which cannot be read" : ": that needs --deep"));
  }
  VerifyIndexes(manifest, sink, &report->checked);
  ARROW_RETURN_NOT_OK(VerifyTransaction(snapshot, sink));
  auto deletions = KnownDeletions(manifest);
  if (options.deep) {
    ARROW_ASSIGN_OR_RAISE(deletions, VerifyDeletionFiles(snapshot, sink, &report->checked));
  }
  VerifyLiveIds(ids, deletions, manifest, options, sink, report);
  if (!options.deep) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto has_fault, VerifyDataFiles(snapshot, sink, &report->checked));
  ARROW_RETURN_NOT_OK(VerifyValues(dataset, has_fault, sink, report));
  ARROW_RETURN_NOT_OK(VerifyIndexFolders(snapshot, sink));
  return VerifyLeftovers(snapshot, sink);
}

}  // namespace

arrow::Result<VerifyReport> Verify(const Dataset& dataset, const VerifyOptions& options) {
  const Snapshot& snapshot = *dataset.snapshot();
  FaultSink sink(options.faults_per_code_max);
  VerifyReport report;
  report.root = snapshot.table.root;
  report.version = snapshot.version();
  report.deep = options.deep;
  ARROW_RETURN_NOT_OK(VerifyVersions(*snapshot.store, snapshot.table.root, &sink, &report.checked));
  ARROW_RETURN_NOT_OK(
      VerifyRefs(*snapshot.store, snapshot.table.main_root, &sink, &report.checked));
  ARROW_RETURN_NOT_OK(VerifySnapshot(dataset, options, &sink, &report));
  sink.MoveInto(&report);
  return report;
}

arrow::Result<VerifyReport> VerifyTable(const std::string& uri, const OpenOptions& open,
                                        const VerifyOptions& options) {
  OpenOptions tolerant = open;
  tolerant.tolerate_faults = true;
  const auto dataset = Dataset::Open(uri, tolerant);
  if (dataset.ok()) return Verify(**dataset, options);
  if (KindOf(dataset.status()) != ErrorKind::kCorrupt) return dataset.status();
  FaultSink sink(options.faults_per_code_max);
  sink.Error("manifest_unreadable", {}, MessageOf(dataset.status()));
  VerifyReport report;
  report.root = uri;
  report.deep = options.deep;
  report.not_checked.push_back("everything else: no version could be opened");
  sink.MoveInto(&report);
  return report;
}

}  // namespace pennon
