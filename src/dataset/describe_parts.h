/// \file
/// Small answers about a snapshot that several verbs give.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>

#include "rowids/row_id_sequence.h"
#include "table/snapshot.h"

namespace pennon {

/// Opens the inline row ids of a fragment in place. Errors: kCorrupt, naming fragment and manifest.
arrow::Result<RowIdSequence> OpenRowIds(const Snapshot& snapshot, const Fragment& fragment);

/// UTC with nanoseconds, e.g. "2026-11-30T06:09:59.737571974Z"; for a time that no calendar has,
/// "@<seconds>+<nanos>ns".
std::string FormatTimestamp(int64_t seconds, int32_t nanos);

/// "lance 14.0.2"; empty when the manifest does not say.
std::string FormatWriter(const Manifest& manifest);

/// Deleted rows of a fragment: as recorded, else from its deletion file (one store call).
arrow::Result<uint64_t> CountDeletedRows(const Snapshot& snapshot, const Fragment& fragment);

/// Live rows of a version; nothing when a fragment does not record its rows.
arrow::Result<std::optional<uint64_t>> CountLiveRows(const Snapshot& snapshot);

}  // namespace pennon
