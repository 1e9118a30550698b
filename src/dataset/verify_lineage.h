/// \file
/// The rules of row lineage: a version for every row, created before or with its last update, none
/// from the future. Pure. Spec: format/row-ids.md, heading 4.
#pragma once

#include "dataset/fault_sink.h"
#include "format/manifest.h"

namespace pennon {

/// Returns the number of fragments with a sequence in a hidden column, which is not looked at.
/// Cost: one pass over the sequences' bytes. Checks nothing on a table without stable row ids,
/// where lineage is never read.
uint64_t VerifyLineage(const Manifest& manifest, FaultSink* sink);

}  // namespace pennon
