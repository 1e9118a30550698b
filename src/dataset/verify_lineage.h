/// \file
/// The rules of row lineage: a version for every row, created before or with its last update, none
/// from the future. Pure.
/// Spec: format/row-ids.md, heading 4.
#pragma once

#include "dataset/fault_sink.h"
#include "dataset/verify_columns.h"
#include "format/manifest.h"

namespace pennon {

/// Returns the number of fragments with a sequence in a hidden column that was not read. Cost: one
/// pass over the sequences' bytes, and the hidden columns if `load` is there. Checks nothing on a
/// table without stable row ids, where lineage is never read.
uint64_t VerifyLineage(const Manifest& manifest, const LoadHiddenColumn& load, FaultSink* sink);

}  // namespace pennon
