/// \file
/// When was each row written? Follows a table without lineage through its kept versions, oldest
/// first, and keeps for every fragment the versions in which its rows were created and last
/// updated. Pure: versions are handed in. Spec: format/row-ids.md, heading 4;
/// docs/decisions/005-lineage-default.md.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/manifest.h"
#include "format/transaction.h"
#include "rowids/version_sequence.h"
#include "rowset/deletion_vector.h"

namespace pennon {

/// Stamps of a fragment's rows in row order, deleted rows counted.
struct FragmentStamps {
  VersionSequence created;
  VersionSequence last_updated;
};

class LineageTrace {
 public:
  /// Loads the deletion vector of a fragment that has a deletion file.
  using LoadDeletions =
      std::function<arrow::Result<DeletionVector>(const Manifest&, const Fragment&)>;

  explicit LineageTrace(LoadDeletions load_deletions)
      : load_deletions_(std::move(load_deletions)) {}

  /// Takes the next kept version. `transaction` is null when it is not known: its new fragments
  /// then count as written in this version. Keeps the manifest until the next one is taken.
  /// O(fragments), and one deletion vector for each rewritten fragment that has deletions. Errors:
  /// kInvalidArgument when the version is not above the one before; those of loading deletions.
  arrow::Status Advance(std::shared_ptr<const Manifest> manifest, const Transaction* transaction);

  /// The version taken last; 0 before the first.
  Version version() const { return previous_ == nullptr ? Version{0} : previous_->version; }

  /// Stamps of a fragment of the version taken last.
  FragmentStamps StampsOf(const Fragment& fragment) const;

 private:
  struct State {
    Version created{};
    Version last_updated{};
    /// Set when the rows of the fragment differ; the two versions above then mean nothing.
    std::shared_ptr<const FragmentStamps> runs;
    size_t files_hash = 0;
  };

  arrow::Status CarryRewrites(const Manifest& manifest, const Transaction& transaction);
  arrow::Status AppendLive(const Fragment& fragment, FragmentStamps* out) const;

  LoadDeletions load_deletions_;
  /// Every fragment ever seen: ids are never given out twice, and a restore may bring one back.
  std::unordered_map<uint32_t, State> states_;
  std::shared_ptr<const Manifest> previous_;
};

}  // namespace pennon
