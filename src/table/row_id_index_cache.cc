#include "table/row_id_index_cache.h"

#include <utility>
#include <vector>

namespace pennon {
namespace {

std::vector<IndexedFragment> ListFragments(const Manifest& manifest) {
  std::vector<IndexedFragment> out;
  out.reserve(manifest.fragments.size());
  for (const auto& fragment : manifest.fragments) {
    IndexedFragment item;
    item.id = fragment.id;
    item.physical_rows = fragment.physical_rows;
    item.has_deletions = fragment.deletion_file.has_value();
    item.is_spilled = fragment.row_ids.placement == LineagePlacement::kColumn;
    item.row_ids = fragment.row_ids.bytes;
    out.push_back(item);
  }
  return out;
}

}  // namespace

std::shared_ptr<const RowIdIndex> RowIdIndexCache::FindAndTouch(const Snapshot* snapshot) {
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->snapshot.get() != snapshot) continue;
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->index;
  }
  return nullptr;
}

void RowIdIndexCache::Evict() {
  uint64_t used = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    used += entry->index->memory_bytes();
    const bool is_newest = entry == entries_.begin();
    entry = used > bytes_max_ && !is_newest ? entries_.erase(entry) : std::next(entry);
  }
}

arrow::Result<std::shared_ptr<const RowIdIndex>> RowIdIndexCache::Get(
    const std::shared_ptr<const Snapshot>& snapshot, const MakeSource& make_source) {
  std::shared_ptr<const RowIdIndex> previous;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = FindAndTouch(snapshot.get())) {
      // What look-ups have made since the last time counts now.
      Evict();
      return found;
    }
    if (!entries_.empty()) previous = entries_.front().index;
  }
  const auto fragments = ListFragments(snapshot->manifest);
  RowIdIndexInput input;
  input.fragments = fragments;
  input.owner = snapshot;
  input.source = make_source();
  input.next_row_id = snapshot->manifest.next_row_id;
  input.merged_bytes_max = bytes_max_;
  ARROW_ASSIGN_OR_RAISE(auto made, RowIdIndex::Make(input, previous.get()));

  const std::lock_guard lock(mutex_);
  if (auto found = FindAndTouch(snapshot.get())) return found;
  entries_.push_front({snapshot, made});
  Evict();
  return made;
}

uint64_t RowIdIndexCache::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t used = 0;
  for (const auto& entry : entries_) used += entry.index->memory_bytes();
  return used;
}

size_t RowIdIndexCache::num_indexes() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace pennon
