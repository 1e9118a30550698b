/// \file
/// The rules of the index list: readable, covering fragments that exist, on fields that exist.
/// Pure.
/// Spec: format/table.md, heading 10; format/row-ids.md, heading 7; format/commit.md, heading 5.6.
#pragma once

#include "dataset/fault_sink.h"
#include "format/manifest.h"

namespace pennon {

void VerifyIndexes(const Manifest& manifest, FaultSink* sink, VerifyCounters* checked);

}  // namespace pennon
