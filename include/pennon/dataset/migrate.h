/// \file
/// Stable row ids for a table that has none: metadata only, one commit, while others write.
/// Spec: format/commit.md, heading 5.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pennon/base/ids.h"
#include "pennon/dataset/dataset.h"
#include "pennon/export.h"

namespace pennon {

/// Which numbers the rows get.
enum class MigrateIds {
  kAddresses,    ///< A row's id is its present address: every saved `_rowid` and every index stays
                 ///< right.
  kConsecutive,  ///< Counted on from next_row_id in row order.
};

/// What the lineage columns say of rows that are there already.
enum class MigrateLineage {
  kHistory,  ///< The version in which each row was written, as far as the kept versions tell.
  kNone,     ///< Left unset, which reads as version 1.
};

struct MigrateOptions {
  MigrateIds ids = MigrateIds::kAddresses;
  MigrateLineage lineage = MigrateLineage::kHistory;
  /// Let indexes go that would give wrong answers, instead of refusing.
  bool drop_broken_indexes = false;
  /// Migrate main and every branch, each in a commit of its own.
  bool all_branches = false;
  /// Plan only; nothing is written.
  bool dry_run = false;
  /// How often to start anew when other writers are faster.
  int attempts_max = 200;
};

struct MigrateBlocker {
  std::string code;
  std::string what;
  std::string way_out;
};

struct MigrateIndex {
  std::string name;
  std::string type;
  std::string uuid;
  bool kept = true;
  std::string reason;
};

/// A branch beside the one that is migrated, as it was when the migration began, or as all_branches
/// left it.
struct MigrateBranch {
  std::string name;
  Version version{};
  bool has_stable_row_ids = false;
};

enum class MigrateOutcome {
  kPlanned,        ///< Dry run; `blockers` says whether it would go through.
  kMigrated,       ///< Committed and checked.
  kAlreadyStable,  ///< Nothing to do, nothing written.
};

struct MigrateReport {
  MigrateOutcome outcome = MigrateOutcome::kPlanned;
  std::string root;
  std::string branch;      ///< Empty: main.
  Version from_version{};  ///< The version that was (or would be) built upon.
  Version to_version{};    ///< The version that was (or would be) made; from_version when there is
                           ///< nothing to do.
  std::vector<MigrateBlocker> blockers;
  MigrateIds ids = MigrateIds::kAddresses;
  MigrateLineage lineage = MigrateLineage::kHistory;
  uint64_t num_versions_traced = 0;  ///< Kept versions that the lineage was read from.
  uint64_t num_fragments = 0;
  uint64_t num_rows = 0;  ///< Physical rows: deleted ones have ids too.
  uint64_t num_deleted_rows = 0;
  uint64_t first_row_id = 0;
  uint64_t next_row_id = 0;
  uint64_t manifest_bytes_before = 0;
  uint64_t manifest_bytes_after = 0;
  uint64_t transaction_bytes = 0;
  std::vector<MigrateIndex> indexes;
  std::vector<MigrateBranch> branches;  ///< The table's other branches.
  uint64_t num_unused_sequences = 0;
  int attempts = 0;
};

/// Gives stable row ids to the newest version of the table (or branch) that `dataset` was opened
/// from. Returns one report, and with all_branches one for main and each branch; none is written
/// unless all can be. After each commit it reads the new version back and checks it: ids as
/// planned, found and unique, fragments otherwise byte for byte as before, the version before
/// untouched. Cost: O(fragments) per attempt; with kHistory every kept manifest is read once, in
/// order; two puts and the hint. Errors: kInvalidArgument when something is in the way (all of it
/// named; a dry run reports it instead), kConflict when others were faster attempts_max times, kIo,
/// kCorrupt. An error behind a commit says "was committed", one that leaves it open "it is not
/// known"; every other error means that nothing was changed.
PENNON_EXPORT arrow::Result<std::vector<MigrateReport>> MigrateToStableRowIds(
    const Dataset& dataset, const MigrateOptions& options = {});

}  // namespace pennon
