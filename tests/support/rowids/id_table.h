/// \file
/// A table reduced to its row ids, with the verbs that move them about; the slow and obvious answer
/// to every question that a RowIdIndex is asked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/row_id_index.h"
#include "rowids/segment_encoder.h"

namespace pennon::testing_support {

struct IdFragment {
  std::vector<uint64_t> ids;
  std::set<uint32_t> deleted;
  bool is_spilled = false;
  std::string row_ids;  // encoded, kept for the life of every index
};

class IdTable {
 public:
  std::map<uint32_t, IdFragment> fragments;
  uint64_t next_row_id = 0;
  uint32_t next_fragment = 0;

  void Append(uint64_t num_rows) {
    std::vector<uint64_t> ids(num_rows);
    std::iota(ids.begin(), ids.end(), next_row_id);
    next_row_id += num_rows;
    AddFragment(std::move(ids), FormChoice::kSmallest);
  }

  // Moves the rows to a new fragment in the order given; their old slots become deleted.
  void Update(const std::vector<uint64_t>& ids, FormChoice choice) {
    Delete(ids);
    if (!ids.empty()) AddFragment(ids, choice);
  }

  void Delete(const std::vector<uint64_t>& ids) {
    const auto live = LiveRows();
    for (const uint64_t id : ids) {
      const auto address = live.at(id);
      fragments.at(static_cast<uint32_t>(address >> 32))
          .deleted.insert(static_cast<uint32_t>(address));
    }
  }

  // Rewrites some neighbours into one fragment as the reference engine does: segments masked and
  // joined.
  void Compact(uint32_t first, size_t count, FormChoice choice) {
    std::vector<uint64_t> ids;
    RowIdSequence joined;
    auto at = fragments.lower_bound(first);
    for (; count > 0 && at != fragments.end(); --count) {
      const auto sequence =
          DecodeRowIdSequence(EncodeRowIdSequence(at->second.ids, choice)).ValueOrDie();
      const std::vector<uint32_t> dead(at->second.deleted.begin(), at->second.deleted.end());
      joined = Extend(joined, sequence.Mask(dead, choice).ValueOrDie()).ValueOrDie();
      at = fragments.erase(at);
    }
    if (joined.empty()) return;
    AddFragment(joined.ToVector().ValueOrDie(), choice);
    fragments.rbegin()->second.row_ids = joined.encoded();
  }

  // Row id -> address.
  std::unordered_map<uint64_t, uint64_t> LiveRows() const {
    std::unordered_map<uint64_t, uint64_t> live;
    for (const auto& [number, fragment] : fragments) {
      for (uint32_t i = 0; i < fragment.ids.size(); ++i) {
        if (fragment.deleted.count(i) == 0) live[fragment.ids[i]] = (uint64_t{number} << 32) | i;
      }
    }
    return live;
  }

  // Row id -> the youngest fragment's slot, for ids that only deleted slots carry.
  std::unordered_map<uint64_t, uint64_t> StaleRows() const {
    const auto live = LiveRows();
    std::unordered_map<uint64_t, uint64_t> stale;
    for (const auto& [number, fragment] : fragments) {
      for (const uint32_t i : fragment.deleted) {
        if (live.count(fragment.ids[i]) == 0) stale[fragment.ids[i]] = (uint64_t{number} << 32) | i;
      }
    }
    return stale;
  }

  void AddFragment(std::vector<uint64_t> ids, FormChoice choice) {
    IdFragment fragment;
    fragment.row_ids = EncodeRowIdSequence(ids, choice);
    fragment.ids = std::move(ids);
    fragments.emplace(next_fragment++, std::move(fragment));
  }
};

/// Serves an IdTable's deletions and spilled sequences; counts calls, and fails while told to.
class IdTableSource : public RowIdSource {
 public:
  explicit IdTableSource(std::shared_ptr<const IdTable> table) : table_(std::move(table)) {}

  arrow::Result<std::vector<DeletionVector>> LoadDeletions(
      std::span<const FragmentId> ids) override {
    ++deletion_calls;
    num_deletions_loaded += static_cast<int>(ids.size());
    if (fails) return MakeError(ErrorKind::kIo, "told to fail");
    std::vector<DeletionVector> loaded;
    for (const FragmentId id : ids) {
      const auto& deleted = table_->fragments.at(ToInteger(id)).deleted;
      loaded.push_back(DeletionVector::FromOffsets({deleted.begin(), deleted.end()}));
    }
    return loaded;
  }
  arrow::Result<std::vector<RowIdSequence>> LoadSequences(
      std::span<const FragmentId> ids) override {
    ++sequence_calls;
    if (fails) return MakeError(ErrorKind::kIo, "told to fail");
    std::vector<RowIdSequence> loaded;
    for (const FragmentId id : ids) {
      ARROW_ASSIGN_OR_RAISE(auto sequence,
                            DecodeRowIdSequence(table_->fragments.at(ToInteger(id)).row_ids));
      loaded.push_back(std::move(sequence));
    }
    return loaded;
  }

  std::atomic<int> deletion_calls{0};
  std::atomic<int> num_deletions_loaded{0};
  std::atomic<int> sequence_calls{0};
  std::atomic<bool> fails{false};

 private:
  std::shared_ptr<const IdTable> table_;
};

struct MadeIndex {
  std::shared_ptr<const IdTable> table;
  std::shared_ptr<IdTableSource> source;
  std::shared_ptr<const RowIdIndex> index;
};

inline arrow::Result<MadeIndex> MakeIndex(const IdTable& table,
                                          const RowIdIndex* previous = nullptr,
                                          uint64_t merged_bytes_max = uint64_t{1} << 30) {
  MadeIndex made;
  made.table = std::make_shared<const IdTable>(table);
  made.source = std::make_shared<IdTableSource>(made.table);
  std::vector<IndexedFragment> fragments;
  for (const auto& [number, fragment] : made.table->fragments) {
    fragments.push_back({.id = FragmentId{number},
                         .physical_rows = fragment.ids.size(),
                         .has_deletions = !fragment.deleted.empty(),
                         .is_spilled = fragment.is_spilled,
                         .row_ids = fragment.is_spilled ? std::string_view() : fragment.row_ids});
  }
  ARROW_ASSIGN_OR_RAISE(made.index, RowIdIndex::Make({.fragments = fragments,
                                                      .owner = made.table,
                                                      .source = made.source,
                                                      .next_row_id = table.next_row_id,
                                                      .merged_bytes_max = merged_bytes_max},
                                                     previous));
  return made;
}

/// What the index ought to say of every id in [0, next_row_id + 10).
inline std::vector<RowLocation> ExpectedLocations(const IdTable& table) {
  const auto live = table.LiveRows();
  const auto stale = table.StaleRows();
  std::vector<RowLocation> expected;
  for (uint64_t id = 0; id < table.next_row_id + 10; ++id) {
    if (const auto at = live.find(id); at != live.end()) {
      expected.push_back({RowAddress{at->second}, RowState::kLive});
    } else if (const auto dead = stale.find(id); dead != stale.end()) {
      expected.push_back({RowAddress{dead->second}, RowState::kDeleted});
    } else {
      expected.push_back(
          {RowAddress{}, id < table.next_row_id ? RowState::kGone : RowState::kNeverGiven});
    }
  }
  return expected;
}

}  // namespace pennon::testing_support
