/// \file
/// Stable row ids for a table that has none: decides, from a manifest alone, whether and how, and
/// builds the one manifest that does it. Pure: no IO, clock or randomness. Spec: format/commit.md,
/// heading 5 (5.4 ids, 5.5 lineage, 5.6 fragment reuse index, 5.7 recipe).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/index_section.h"
#include "format/manifest.h"
#include "txn/lineage_trace.h"

namespace pennon {

enum class IdChoice {
  kAddresses,    ///< Each row's id is its present row address: every `_rowid` and index entry stays
                 ///< right.
  kConsecutive,  ///< Counted on from next_row_id in row order: small numbers, but indexes hold
                 ///< addresses.
};

struct StableIdsOptions {
  IdChoice ids = IdChoice::kAddresses;
  /// Drop the indexes that would give wrong answers instead of refusing.
  bool drop_broken_indexes = false;
};

/// Something that keeps the table from being migrated.
struct StableIdsBlocker {
  std::string code;     ///< One word for programs, e.g. "mem_wal_index".
  std::string what;     ///< What is in the way, with names and numbers.
  std::string way_out;  ///< What to do about it.
};

struct IndexDecision {
  std::string name;
  std::string uuid;
  std::string type;
  bool kept = true;
  std::string reason;
};

struct StableIdsPlan {
  bool already_stable = false;
  std::vector<StableIdsBlocker> blockers;
  std::vector<IndexDecision> indexes;
  IdChoice ids = IdChoice::kAddresses;
  uint64_t first_row_id = 0;  ///< Smallest id given out; meaningless without rows.
  uint64_t next_row_id = 0;
  uint64_t num_fragments = 0;
  uint64_t num_rows = 0;  ///< Physical rows: deleted ones have ids too.
  /// Sequences found on fragments of a table whose flag is off; readers ignore them, they are
  /// replaced.
  uint64_t num_unused_sequences = 0;

  bool possible() const { return !already_stable && blockers.empty(); }
};

/// Decides. O(fragments + indexes). Errors: kCorrupt for an index section that cannot be read.
arrow::Result<StableIdsPlan> PlanStableIds(const Manifest& manifest,
                                           const StableIdsOptions& options);

/// Encoded lineage sequences of one fragment; empty: left unset, which reads as version 1 for every
/// row.
struct EncodedLineage {
  std::string created;
  std::string last_updated;
};

/// Values that a pure function cannot make up.
struct StableIdsStamp {
  int64_t timestamp_seconds = 0;
  int32_t timestamp_nanos = 0;
  std::string uuid;
  WriterVersion writer;
  /// For each fragment of the manifest, in its order. Empty: unset for all.
  std::vector<EncodedLineage> lineage;
};

struct StableIdsCommit {
  std::string manifest_file;
  std::string transaction;
  std::string transaction_file;  ///< Empty when the table keeps no transaction files.
};

/// Encodes a fragment's stamps.
EncodedLineage EncodeStamps(const FragmentStamps& stamps);

/// Builds the file of the version behind `manifest` by a plan made from this very manifest.
/// Cost: O(fragments), the new file is built in memory once. Errors: kTooLarge, kInternal.
arrow::Result<StableIdsCommit> BuildStableIds(const Manifest& manifest, const StableIdsPlan& plan,
                                              const StableIdsStamp& stamp);

}  // namespace pennon
