/// \file
/// Row id indexes of the versions in use, within a budget of memory, sharing what they have in
/// common. Spec: design.md, heading 3.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "rowids/row_id_index.h"
#include "table/snapshot.h"

namespace pennon {

/// Budget when nobody says: an index needs far less than that unless ids are shuffled over hundreds
/// of millions of rows.
inline constexpr uint64_t kRowIdIndexBytesDefault = uint64_t{1} << 30;

/// Shared by the handles of a session; safe for concurrent use.
class RowIdIndexCache {
 public:
  explicit RowIdIndexCache(uint64_t bytes_max = kRowIdIndexBytesDefault) : bytes_max_(bytes_max) {}

  using MakeSource = std::function<std::shared_ptr<RowIdSource>()>;

  /// Returns the index of a version with stable row ids; makes it the first time, on top of that of
  /// a neighbouring version when there is one. The least recently used indexes go when all together
  /// pass the budget; an index in use lives on, and the one asked for is always kept. Errors: those
  /// of RowIdIndex::Make.
  arrow::Result<std::shared_ptr<const RowIdIndex>> Get(
      const std::shared_ptr<const Snapshot>& snapshot, const MakeSource& make_source);

  uint64_t bytes_max() const { return bytes_max_; }
  /// Memory of all indexes kept, as of now.
  uint64_t memory_bytes() const;
  size_t num_indexes() const;

 private:
  struct Entry {
    /// Keeps the address that identifies the version from being used again.
    std::shared_ptr<const Snapshot> snapshot;
    std::shared_ptr<const RowIdIndex> index;
  };

  std::shared_ptr<const RowIdIndex> FindAndTouch(const Snapshot* snapshot);
  void Evict();

  const uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< Most recently used first.
};

}  // namespace pennon
