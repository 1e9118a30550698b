/// \file
/// The rules that a manifest alone can break: flags, schema, fragment list, data files, counters.
/// Pure.
/// Spec: format/table.md, headings 2 to 5.
#pragma once

#include "dataset/fault_sink.h"
#include "format/manifest.h"

namespace pennon {

/// Cost: one pass over the fragments; memory for one number a fragment.
void VerifyManifest(const Manifest& manifest, FaultSink* sink);

}  // namespace pennon
