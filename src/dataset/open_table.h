/// \file
/// A version of a table with what reading needs beside its manifest.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <mutex>
#include <utility>

#include "dataset/read_session.h"
#include "format/schema.h"
#include "pennon/dataset/dataset.h"
#include "table/snapshot.h"

namespace pennon {

/// Made when a handle first reads; immutable afterwards.
struct OpenTable {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<ReadSession> session;
  TableSchema schema;
};

/// The reading side of a handle. Safe for concurrent use.
class TableReading {
 public:
  TableReading(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<ReadSession> session)
      : snapshot_(std::move(snapshot)), session_(std::move(session)) {}

  const std::shared_ptr<ReadSession>& session() const { return session_; }

  /// Returns the parts, made at the first call. Errors: those of BuildSchema.
  arrow::Result<std::shared_ptr<const OpenTable>> Open();

 private:
  const std::shared_ptr<const Snapshot> snapshot_;
  const std::shared_ptr<ReadSession> session_;
  std::mutex mutex_;
  std::shared_ptr<const OpenTable> table_;
};

/// Returns the parts of a handle. Errors: as TableReading::Open.
inline arrow::Result<std::shared_ptr<const OpenTable>> OpenForReading(const Dataset& dataset) {
  return dataset.reading()->Open();
}

}  // namespace pennon
