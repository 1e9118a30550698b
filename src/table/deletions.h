/// \file
/// The deletion vector of a fragment, from its file.
/// Spec: format/table.md, heading 3 (deletion files).
#pragma once

#include <arrow/result.h>

#include "rowset/deletion_vector.h"
#include "table/snapshot.h"

namespace pennon {

/// Reads a fragment's deletion vector; empty, without a store call, when it has no deletion file.
/// One store call. Errors: those of DecodeDeletionFile and of the store; kNotFound says which
/// fragment misses its file.
arrow::Result<DeletionVector> LoadDeletions(Store& store, const std::string& root,
                                            const Manifest& manifest, const Fragment& fragment);

inline arrow::Result<DeletionVector> LoadDeletions(const Snapshot& snapshot,
                                                   const Fragment& fragment) {
  return LoadDeletions(*snapshot.store, snapshot.table.root, snapshot.manifest, fragment);
}

}  // namespace pennon
