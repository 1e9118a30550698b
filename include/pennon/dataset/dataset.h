/// \file
/// A table opened at one version: an immutable handle that the verbs in the headers beside this one
/// take. Spec: format/table.md, headings 1, 6 and 9.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>

#include "pennon/base/ids.h"
#include "pennon/export.h"
#include "pennon/io/store_observer.h"

namespace pennon {

class ReadSession;
class RowIdIndexCache;
struct Snapshot;
class TableReading;

struct OpenOptions {
  /// Empty: the newest version. Digits: that version. Anything else: a tag.
  std::string version;
  /// Empty: the branch that the path itself names, normally main.
  std::string branch;
  /// Sees every store call of this handle and of everything made from it; may be null.
  std::shared_ptr<StoreObserver> observer;
  /// Threads that read and decode, made when first needed and kept by the handle and those opened
  /// from it; 0: one for each core.
  int num_threads = 0;
  /// fsync what is written. Off only for tests and measurements.
  bool sync = true;
  /// Memory that row id indexes may keep, over all versions opened from this handle. 0: the
  /// environment variable PENNON_ROW_ID_INDEX_BYTES if it is set, else 1 GiB.
  uint64_t row_id_index_bytes_max = 0;
  /// Open a version although it breaks rules that readers rely on. For Verify; no other verb may be
  /// given such a handle.
  bool tolerate_faults = false;
};

/// One version of one table. Cheap to copy by shared_ptr, safe for concurrent use.
class PENNON_EXPORT Dataset {
 public:
  /// Opens a local path or a `file://` URI. Reads one manifest and nothing else of the table: three
  /// store calls for the newest version (listing, hint, manifest), one for a numbered version (two
  /// with V1 names), one more for a tag. Errors: kNotFound (path, table, version, tag, branch; says
  /// what there is instead), kCorrupt, kUnsupportedFeature (names it), kInvalidArgument, kIo. Each
  /// is one line that ends with the path.
  static arrow::Result<std::shared_ptr<const Dataset>> Open(const std::string& uri,
                                                            const OpenOptions& options = {});

  /// `row_id_indexes` and `read_session` are shared between the versions of one session; null makes
  /// new ones.
  explicit Dataset(std::shared_ptr<const Snapshot> snapshot,
                   std::shared_ptr<RowIdIndexCache> row_id_indexes = nullptr,
                   std::shared_ptr<ReadSession> read_session = nullptr);

  /// Opens another version of the same table or branch, sharing store, threads, open files and row
  /// id indexes with this handle: empty for the newest, digits for that version, else a tag of the
  /// same branch. Costs and errors as Open.
  arrow::Result<std::shared_ptr<const Dataset>> Checkout(const std::string& version = "") const;

  Version version() const;
  /// The absolute path of the table's (or the branch's) folder.
  const std::string& root() const;
  bool has_stable_row_ids() const;

  /// For the verbs; what it points to is private.
  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  const std::shared_ptr<RowIdIndexCache>& row_id_indexes() const { return row_id_indexes_; }
  const std::shared_ptr<TableReading>& reading() const { return reading_; }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<RowIdIndexCache> row_id_indexes_;
  std::shared_ptr<TableReading> reading_;
};

}  // namespace pennon
