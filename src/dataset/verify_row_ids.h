/// \file
/// The rules of stable row ids that the manifest alone can break: a sequence for every fragment, as
/// long as the fragment, readable, below the counter. Pure.
/// Spec: format/row-ids.md, headings 1, 3 and 8.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/fault_sink.h"
#include "dataset/verify_columns.h"
#include "format/manifest.h"
#include "rowids/row_id_sequence.h"

namespace pennon {

/// A fragment whose ids can be relied on: decoded, ordered as their forms promise, one for each
/// row.
struct FragmentIds {
  const Fragment* fragment = nullptr;
  RowIdSequence ids;
};

struct RowIdsSeen {
  std::vector<FragmentIds> good;
  uint64_t num_unread = 0;  ///< Fragments whose ids lie in a hidden column that was not read.
};

/// Borrows from the manifest. Cost: one pass over the sequences' bytes, and the hidden columns if
/// `load` is there. Checks nothing on a table without stable ids.
RowIdsSeen VerifyRowIds(const Manifest& manifest, const LoadHiddenColumn& load, FaultSink* sink,
                        VerifyCounters* checked);

}  // namespace pennon
