/// \file
/// Row id -> row address and back, for one version of a table. Nothing is built: the encoded
/// sequences answer, by way of a directory of their headers; what is asked often becomes quick by
/// itself. Spec: design.md, heading 3; format/row-ids.md, heading 6.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "pennon/base/ids.h"
#include "rowids/fragment_table.h"

namespace pennon {

/// What became of a row id.
enum class RowState : uint8_t {
  kLive,     ///< `address` is where the row lies.
  kDeleted,  ///< Only deleted slots carry the id; `address` is one of them, in the youngest such
             ///< fragment.
  kGone,     ///< Below the counter, yet no fragment lists it: deleted and cleaned away, or skipped
             ///< when given out.
  kNeverGiven,  ///< At or above the counter of row ids.
};

struct RowLocation {
  /// Meaningful for kLive and kDeleted.
  RowAddress address{};
  RowState state = RowState::kNeverGiven;

  bool operator==(const RowLocation&) const = default;
};

/// What an index is made of.
struct RowIdIndexInput {
  std::span<const IndexedFragment> fragments;
  /// Keeps the bytes of all `row_ids` alive.
  std::shared_ptr<const void> owner{};
  /// Null if no fragment has deletions or a spilled sequence.
  std::shared_ptr<RowIdSource> source{};
  /// The table's counter: ids from here on were never given.
  uint64_t next_row_id = 0;
  /// Bytes that merged runs may take in all; look-ups stay right without, and become slower.
  uint64_t merged_bytes_max = uint64_t{1} << 30;
};

/// For `info`: how well the sequences suit look-ups. Spilled sequences count when they have been
/// read.
struct RowIdIndexHealth {
  uint64_t num_fragments = 0;
  uint64_t num_spilled = 0;
  uint64_t num_entries = 0;  ///< Ranges, segments and groups in the directory.
  uint64_t num_groups = 0;   ///< Sets of overlapping segments that are merged when asked often.
  uint64_t num_grouped_rows = 0;    ///< Rows in them, at most.
  uint64_t overlap_depth = 0;       ///< Most entries that may hold one id.
  uint64_t first_lookup_bytes = 0;  ///< Bytes of unsorted arrays that the first look-up reads.
  uint64_t encoded_bytes = 0;
  uint64_t memory_bytes = 0;  ///< Beyond the encoded bytes and the deletion vectors.
};

/// Immutable as seen from outside; any number of threads may ask at once. Errors of the source come
/// back from the look-up that needed it, and the next one tries again.
class RowIdIndex {
 public:
  /// Reads the headers of all inline sequences. `previous` may be the index of another version:
  /// what it has made of fragments that are the same in both is shared. Cost: the number of
  /// segments. Errors: kCorrupt with fragment and offset.
  static arrow::Result<std::shared_ptr<const RowIdIndex>> Make(
      const RowIdIndexInput& input, const RowIdIndex* previous = nullptr);
  ~RowIdIndex();

  /// Where the row is, or why it is nowhere. Asks the source for the deletion vectors of the
  /// fragments that list the id, and, when no inline sequence has it live, for all spilled
  /// sequences. Errors: kCorrupt when two live slots carry the id (with both addresses) or its slot
  /// lies behind the rows of its fragment; the source's.
  arrow::Result<RowLocation> Find(RowId id) const;

  /// The same for many ids in any order, duplicates allowed: `locations[i]` is about `ids[i]`. Ids
  /// that do not ascend are dealt into stretches of the id space first; the source is asked once
  /// for all, a second and third time only for ids that more than eight fragments list or that may
  /// lie in spilled sequences. Memory: 8 or 16 bytes an id while it runs. Errors as Find, for any
  /// of the ids that have one.
  arrow::Status FindMany(std::span<const uint64_t> ids, std::span<RowLocation> locations) const;

  /// The id that the slot carries, live or stale; nothing if there is no such fragment or row.
  arrow::Result<std::optional<RowId>> IdAt(RowAddress address) const;
  /// The id of the live row there; nothing also if the row is deleted, for then its id may live
  /// elsewhere.
  arrow::Result<std::optional<RowId>> LiveIdAt(RowAddress address) const;

  RowIdIndexHealth Health() const;
  /// Memory beyond the encoded bytes and the deletion vectors. Grows with what is asked.
  uint64_t memory_bytes() const;

 private:
  struct State;
  arrow::Result<RowLocation> FindWithPlace(RowId id) const;
  arrow::Result<RowLocation> FindAtLength(RowId id) const;
  explicit RowIdIndex(std::unique_ptr<const State> state);

  std::unique_ptr<const State> state_;
};

}  // namespace pennon
