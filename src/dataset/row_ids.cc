#include "dataset/row_ids.h"

#include <algorithm>
#include <utility>

#include "dataset/lineage_column.h"
#include "pennon/base/error.h"
#include "rowids/segment_encoder.h"
#include "table/deletions.h"
#include "table/row_id_index_cache.h"

namespace pennon {
namespace {

class SnapshotRowIdSource : public RowIdSource {
 public:
  explicit SnapshotRowIdSource(std::shared_ptr<const Snapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}

  arrow::Result<std::vector<DeletionVector>> LoadDeletions(
      std::span<const FragmentId> fragments) override {
    std::vector<DeletionVector> out;
    out.reserve(fragments.size());
    for (const FragmentId id : fragments) {
      ARROW_ASSIGN_OR_RAISE(
          out.emplace_back(),
          pennon::LoadDeletions(*snapshot_, *snapshot_->manifest.FindFragment(id)));
    }
    return out;
  }

  arrow::Result<std::vector<RowIdSequence>> LoadSequences(
      std::span<const FragmentId> fragments) override {
    std::vector<RowIdSequence> out;
    out.reserve(fragments.size());
    for (const FragmentId id : fragments) {
      const Fragment& fragment = *snapshot_->manifest.FindFragment(id);
      ARROW_ASSIGN_OR_RAISE(const auto ids, ReadLineageColumn(*snapshot_, fragment, kRowIdField));
      ARROW_ASSIGN_OR_RAISE(out.emplace_back(),
                            DecodeRowIdSequence(EncodeRowIdSequence(ids, FormChoice::kSmallest)));
    }
    return out;
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace

std::shared_ptr<RowIdSource> MakeRowIdSource(std::shared_ptr<const Snapshot> snapshot) {
  return std::make_shared<SnapshotRowIdSource>(std::move(snapshot));
}

arrow::Result<std::shared_ptr<const RowIdIndex>> RowIdIndexOf(const Dataset& dataset) {
  const auto& snapshot = dataset.snapshot();
  if (!snapshot->manifest.has_stable_row_ids()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "table has no stable row ids; pennon migrate gives them: " + dataset.root());
  }
  return dataset.row_id_indexes()->Get(snapshot, [&snapshot] { return MakeRowIdSource(snapshot); });
}

}  // namespace pennon
