/// \file
/// What reading keeps between calls: threads, open data files, deletion vectors.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/task_pool.h"
#include "file/data_file_reader.h"
#include "rowset/deletion_vector.h"
#include "table/snapshot.h"

namespace pennon {

/// Keeps the most recently used values by name, up to a number. Safe for concurrent use.
template <typename T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(size_t entries_max) : entries_max_(entries_max) {}

  std::shared_ptr<T> Find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

  /// Returns what is kept under the name: `value`, or what another thread has put there first.
  std::shared_ptr<T> Keep(const std::string& name, std::shared_ptr<T> value) {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second->second;
    order_.emplace_front(name, std::move(value));
    by_name_.emplace(name, order_.begin());
    if (order_.size() > entries_max_) {
      by_name_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }

 private:
  using Order = std::list<std::pair<std::string, std::shared_ptr<T>>>;

  const size_t entries_max_;
  std::mutex mutex_;
  Order order_;
  std::unordered_map<std::string, typename Order::iterator> by_name_;
};

/// Safe for concurrent use. Files and deletion files never change under their names, so that what
/// is kept serves every version of a table.
class ReadSession {
 public:
  /// `num_threads` 0: one for each core.
  explicit ReadSession(int num_threads);

  TaskPool& pool() { return pool_; }

  /// Returns the reader of a data file. Its first use costs what DataFileReader::Open does.
  arrow::Result<std::shared_ptr<DataFileReader>> OpenFile(const Snapshot& snapshot,
                                                          const DataFile& file);

  /// Returns the deletions of a fragment; at its first use costs a store call if there are any.
  arrow::Result<std::shared_ptr<const DeletionVector>> Deletions(const Snapshot& snapshot,
                                                                 const Fragment& fragment);

 private:
  RecentlyUsed<DataFileReader> files_;
  RecentlyUsed<const DeletionVector> deletions_;
  TaskPool pool_;
};

}  // namespace pennon
