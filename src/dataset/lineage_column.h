/// \file
/// Lineage that was spilled out of the manifest: hidden columns of a fragment's data files.
/// Spec: format/row-ids.md, heading 3.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <vector>

#include "table/snapshot.h"

namespace pennon {

/// Reads the hidden column `field` (kRowIdField, kCreatedAtField or kLastUpdatedAtField) of a
/// fragment in physical row order. Two store calls and the column's pages. Memory: 8 bytes a row.
/// Errors: kCorrupt when not exactly one data file carries it, or with another number of rows than
/// the fragment has; those of reading the file.
arrow::Result<std::vector<uint64_t>> ReadLineageColumn(const Snapshot& snapshot,
                                                       const Fragment& fragment, int32_t field);

}  // namespace pennon
