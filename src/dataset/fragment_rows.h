/// \file
/// One fragment opened for reading: which rows live, and the columns that every table has.
/// Spec: format/table.md, heading 3; format/row-ids.md, headings 3 (where sequences live), 4 and 6.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "dataset/projection.h"
#include "dataset/read_session.h"
#include "rowids/row_id_sequence.h"
#include "rowids/version_sequence.h"
#include "rowset/deletion_vector.h"
#include "table/snapshot.h"

namespace pennon {

/// Borrows snapshot and session, which outlive it. Safe for concurrent use.
class FragmentRows {
 public:
  FragmentRows(const Snapshot& snapshot, ReadSession& session, const Fragment& fragment)
      : snapshot_(snapshot), session_(session), fragment_(fragment) {}

  const Snapshot& snapshot() const { return snapshot_; }
  ReadSession& session() const { return session_; }
  const Fragment& fragment() const { return fragment_; }

  /// Rows of the fragment, deleted ones counted. Reads the end of a data file if the manifest does
  /// not say.
  arrow::Result<uint64_t> NumPhysicalRows() const;
  arrow::Result<std::shared_ptr<const DeletionVector>> Deletions() const {
    return session_.Deletions(snapshot_, fragment_);
  }

  /// Live rows. Reads nothing if the manifest says how many are deleted.
  arrow::Result<uint64_t> NumLiveRows() const;
  /// Live rows among `rows`, as ranges.
  arrow::Result<RowRanges> LiveRows(const RowRanges& rows) const;

  /// The data file that holds a system column, if it has been spilled into one.
  const DataFile* CarrierOf(SystemColumn column) const;

  /// Returns a system column that has no carrier for `rows`. Sequences are decoded when first
  /// needed. Errors: kCorrupt when a sequence is shorter than the fragment.
  arrow::Result<std::shared_ptr<arrow::Array>> Column(SystemColumn column,
                                                      const RowRanges& rows) const;

 private:
  arrow::Result<RowIdSequence> RowIds() const;
  arrow::Result<const VersionSequence*> Versions(SystemColumn column) const;
  arrow::Status AddPlace(const arrow::Status& status, SystemColumn column) const;

  const Snapshot& snapshot_;
  ReadSession& session_;
  const Fragment& fragment_;

  mutable std::mutex mutex_;
  mutable std::optional<RowIdSequence> row_ids_;
  mutable std::optional<VersionSequence> created_;
  mutable std::optional<VersionSequence> last_updated_;
};

}  // namespace pennon
