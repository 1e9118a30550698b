#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dataset/describe_parts.h"
#include "pennon/base/error.h"
#include "pennon/dataset/describe.h"
#include "table/history.h"
#include "table/refs.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

struct RowFlow {
  uint64_t added = 0;
  uint64_t removed = 0;
};

/// Live rows by fragment: what one version has more than the other.
arrow::Result<RowFlow> CompareRows(const Snapshot& before, const Snapshot& after) {
  std::unordered_map<uint32_t, uint64_t> live_before;
  for (const auto& fragment : before.manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t deleted, CountDeletedRows(before, fragment));
    live_before[ToInteger(fragment.id)] =
        fragment.physical_rows - std::min(deleted, fragment.physical_rows);
  }
  RowFlow flow;
  for (const auto& fragment : after.manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t deleted, CountDeletedRows(after, fragment));
    const uint64_t live = fragment.physical_rows - std::min(deleted, fragment.physical_rows);
    uint64_t was = 0;
    const auto found = live_before.find(ToInteger(fragment.id));
    if (found != live_before.end()) {
      was = found->second;
      live_before.erase(found);
    }
    flow.added += live > was ? live - was : 0;
    flow.removed += was > live ? was - live : 0;
  }
  for (const auto& [id, live] : live_before) flow.removed += live;
  return flow;
}

arrow::Result<VersionInfo> DescribeVersion(const Snapshot& snapshot) {
  VersionInfo info;
  const Manifest& manifest = snapshot.manifest;
  info.version = manifest.version;
  info.timestamp = FormatTimestamp(manifest.timestamp_seconds, manifest.timestamp_nanos);
  info.operation = "Unknown";
  ARROW_ASSIGN_OR_RAISE(const auto transaction, ReadTransaction(snapshot));
  if (transaction.has_value()) {
    info.operation = transaction->operation;
    info.detail = transaction->detail;
    info.read_version = transaction->read_version;
    info.uuid = transaction->uuid;
    info.properties = transaction->properties;
  }
  ARROW_ASSIGN_OR_RAISE(info.row_count, CountLiveRows(snapshot));
  info.num_fragments = manifest.fragments.size();
  info.has_stable_row_ids = manifest.has_stable_row_ids();
  info.writer = FormatWriter(manifest);
  return info;
}

}  // namespace

arrow::Result<std::vector<VersionInfo>> DescribeVersions(const Dataset& dataset, size_t count_max) {
  const Snapshot& newest = *dataset.snapshot();
  ARROW_ASSIGN_OR_RAISE(auto listing, ListVersions(*newest.store, newest.table.root));
  ARROW_ASSIGN_OR_RAISE(const auto tags, ListTags(*newest.store, newest.table.main_root));
  std::vector<Version> versions;
  if (IsDetached(newest.version())) {
    versions = {newest.version()};
  } else {
    for (const Version version : listing.versions) {
      if (version <= newest.version()) versions.push_back(version);
    }
  }
  std::reverse(versions.begin(), versions.end());

  std::vector<VersionInfo> out;
  std::shared_ptr<const Snapshot> later;
  for (const Version version : versions) {
    auto loaded = LoadSnapshot(newest.store, newest.table.root, version);
    if (!loaded.ok() && KindOf(loaded.status()) == ErrorKind::kNotFound)
      continue;  // cleaned up meanwhile
    ARROW_ASSIGN_OR_RAISE(const auto snapshot, std::move(loaded));
    if (later != nullptr && later->version() == NextVersion(version)) {
      ARROW_ASSIGN_OR_RAISE(const RowFlow flow, CompareRows(*snapshot, *later));
      out.back().rows_added = flow.added;
      out.back().rows_removed = flow.removed;
    }
    if (out.size() == count_max) break;
    ARROW_ASSIGN_OR_RAISE(auto info, DescribeVersion(*snapshot));
    if (version == Version{1}) {
      info.rows_added = info.row_count;
      info.rows_removed = 0;
    }
    for (const auto& tag : tags) {
      if (tag.version == version && tag.branch == newest.manifest.branch)
        info.tags.push_back(tag.name);
    }
    out.push_back(std::move(info));
    later = snapshot;
  }
  return out;
}

}  // namespace pennon
