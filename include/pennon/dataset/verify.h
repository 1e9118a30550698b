/// \file
/// Checks a version of a table against every rule that its readers and writers rely on, whoever
/// wrote it, and names all faults in one run.
/// Spec: format/row-ids.md, heading 8; format/table.md, headings 1 to 10. The codes:
/// docs/verify.md.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"
#include "pennon/dataset/dataset.h"

namespace pennon {

enum class VerifySeverity {
  kNote,     ///< Harmless: something left behind, or worth knowing.
  kWarning,  ///< Answers are right today, but a reader or writer can be misled or slowed down.
  kError,    ///< Broken: wrong answers, lost rows, or readers and writers that refuse the table.
};

/// Returns "note", "warning" or "error".
std::string_view VerifySeverityName(VerifySeverity severity);

struct VerifyOptions {
  /// Also read the files: data files (size, footer, row counts, every value), deletion files, and
  /// what lies around unused.
  bool deep = false;
  /// Faults of one code that are kept in full; more are only counted.
  size_t faults_per_code_max = 100;
  /// Ids that are held in memory at once to find ids that are live twice; 8 bytes each.
  uint64_t ids_in_memory_max = uint64_t{1} << 25;
};

struct VerifyFault {
  VerifySeverity severity = VerifySeverity::kError;
  std::string code;  ///< A word that programs can rely on, e.g. "row_id_live_twice".
  std::optional<FragmentId> fragment;
  std::optional<RowId> row_id;
  std::string
      file;  ///< Path below the table's root, or an absolute one outside of it; may be empty.
  std::string message;  ///< One sentence.
};

/// How often a code came up, kept faults and others.
struct VerifyTally {
  VerifySeverity severity = VerifySeverity::kError;
  std::string code;
  uint64_t count = 0;
};

/// How much was looked at.
struct VerifyCounters {
  uint64_t num_fragments = 0;
  uint64_t num_rows = 0;      ///< Physical, deleted ones counted.
  uint64_t num_row_ids = 0;   ///< Whose sequence was decoded.
  uint64_t num_live_ids = 0;  ///< That were proved to be live only once.
  uint64_t num_data_files = 0;
  uint64_t num_columns_decoded = 0;  ///< Columns of fragments that decoded without a fault.
  uint64_t num_deletion_files = 0;
  uint64_t num_indexes = 0;
  uint64_t num_versions = 0;
  uint64_t num_tags = 0;
  uint64_t num_branches = 0;
};

struct VerifyReport {
  std::string root;
  Version version{};  ///< 0 when no version could be opened.
  bool deep = false;
  std::vector<VerifyFault>
      faults;  ///< Errors first, then warnings, then notes; in table order inside.
  std::vector<VerifyTally> tallies;  ///< In the order of the faults.
  VerifyCounters checked;
  std::vector<std::string> not_checked;  ///< A sentence each on what this run could not look at.

  uint64_t Count(VerifySeverity severity) const;
  /// Nothing is broken: no errors.
  bool sound() const { return Count(VerifySeverity::kError) == 0; }
};

/// Verifies the version that the handle is open at. Without `deep` it reads what opening reads, the
/// listing of versions, the hint, tags and branches, and the transaction file if the manifest has
/// none inside. With `deep` all data once and one or two calls for each deletion file, the listings
/// of the table's folders, and every other manifest. Memory: the sequences' bytes as they lie in
/// the manifest, 8 bytes times `ids_in_memory_max` at most, and some batches of rows a thread.
/// Errors: only when the run itself fails (kIo of the store, kCancelled); whatever is wrong with
/// the table is a fault.
arrow::Result<VerifyReport> Verify(const Dataset& dataset, const VerifyOptions& options = {});

/// Opens and verifies. A version that is too broken to be opened is reported as a fault as well.
/// Errors: as Dataset::Open but for kCorrupt, and as Verify.
arrow::Result<VerifyReport> VerifyTable(const std::string& uri, const OpenOptions& open,
                                        const VerifyOptions& options = {});

}  // namespace pennon
