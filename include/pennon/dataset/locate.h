/// \file
/// Row id <-> row address, both ways, with the reason when there is no answer.
/// Spec: format/row-ids.md, heading 6; design.md, heading 3.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"
#include "pennon/dataset/dataset.h"
#include "pennon/export.h"

namespace pennon {

enum class RowPlace {
  kLive,     ///< Id and address belong together, the row is there.
  kDeleted,  ///< The row is deleted; the slot asked for, or one that carries the id, is still
             ///< there.
  kMoved,    ///< Of an address only: its slot is dead because the row moved; `now_at` is where it
             ///< lives.
  kGone,     ///< Of an id only: it was given out, but no fragment lists it any more.
  kNeverGiven,      ///< Of an id only: no row had it yet.
  kNoSuchFragment,  ///< The version has no fragment of that number.
  kNoSuchRow,       ///< The fragment has fewer rows than that.
  kFilteredOut,     ///< Of a take only: the row is there, the filter is not true for it.
};

/// Returns the word for a place in `--json` output, e.g. "never given".
std::string_view RowPlaceName(RowPlace place);

struct LocatedRow {
  std::optional<RowId> row_id;
  std::optional<RowAddress> address;
  RowPlace place = RowPlace::kNeverGiven;
  std::optional<RowAddress> now_at;  ///< For kMoved.
};

/// Answers for each id, in the order asked, duplicates kept. On a table without stable ids an id is
/// an address. Cost: the first call reads the headers of all sequences in memory; each call reads
/// the deletion files of the fragments that list the ids, once per handle. Errors: kCorrupt (two
/// live rows with one id, with both addresses), kNotFound for a missing deletion file, kIo.
PENNON_EXPORT arrow::Result<std::vector<LocatedRow>> LocateRowIds(
    const Dataset& dataset, std::span<const uint64_t> row_ids);

/// Answers for each address, in the order asked, duplicates kept. The live and the stale slot of an
/// updated row are told apart. Cost and errors as LocateRowIds.
PENNON_EXPORT arrow::Result<std::vector<LocatedRow>> LocateAddresses(
    const Dataset& dataset, std::span<const uint64_t> addresses);

}  // namespace pennon
