/// \file
/// The row id index of a handle, made when first asked for.
/// Spec: design.md, heading 3; format/row-ids.md, headings 3 and 6.
#pragma once

#include <arrow/result.h>

#include <memory>

#include "dataset/read_session.h"
#include "pennon/dataset/dataset.h"
#include "rowids/row_id_index.h"
#include "table/snapshot.h"

namespace pennon {

/// Returns the index of a version with stable row ids, from the handle's session.
/// Errors: kInvalidArgument without stable ids; those of RowIdIndex::Make.
arrow::Result<std::shared_ptr<const RowIdIndex>> RowIdIndexOf(const Dataset& dataset);

/// Loads deletion vectors from files, by the session's threads and shared with its readers, and
/// spilled sequences from hidden columns, for an index of this version. Not to be asked from a task
/// of the session's pool.
std::shared_ptr<RowIdSource> MakeRowIdSource(std::shared_ptr<const Snapshot> snapshot,
                                             std::shared_ptr<ReadSession> session);

}  // namespace pennon
