#include "dataset/row_ids.h"

#include <algorithm>
#include <utility>

#include "dataset/lineage_column.h"
#include "dataset/open_table.h"
#include "pennon/base/error.h"
#include "rowids/segment_encoder.h"
#include "table/row_id_index_cache.h"

namespace pennon {
namespace {

class SnapshotRowIdSource : public RowIdSource {
 public:
  SnapshotRowIdSource(std::shared_ptr<const Snapshot> snapshot,
                      std::shared_ptr<ReadSession> session)
      : snapshot_(std::move(snapshot)), session_(std::move(session)) {}

  arrow::Result<std::vector<DeletionVector>> LoadDeletions(
      std::span<const FragmentId> fragments) override {
    using Loaded = arrow::Result<std::shared_ptr<const DeletionVector>>;
    std::vector<Loaded> loaded(fragments.size(), std::shared_ptr<const DeletionVector>());
    const auto load = [&](size_t i) {
      const Fragment& fragment = *snapshot_->manifest.FindFragment(fragments[i]);
      loaded[i] = session_->Deletions(*snapshot_, fragment);
    };
    if (fragments.size() == 1) {
      load(0);
    } else {
      session_->pool().ForEach(fragments.size(), load);
    }
    std::vector<DeletionVector> out;
    out.reserve(fragments.size());
    for (const Loaded& deletions : loaded) {
      ARROW_RETURN_NOT_OK(deletions.status());
      out.push_back(**deletions);
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
  std::shared_ptr<ReadSession> session_;
};

}  // namespace

std::shared_ptr<RowIdSource> MakeRowIdSource(std::shared_ptr<const Snapshot> snapshot,
                                             std::shared_ptr<ReadSession> session) {
  return std::make_shared<SnapshotRowIdSource>(std::move(snapshot), std::move(session));
}

arrow::Result<std::shared_ptr<const RowIdIndex>> RowIdIndexOf(const Dataset& dataset) {
  const auto& snapshot = dataset.snapshot();
  if (!snapshot->manifest.has_stable_row_ids()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "table has no stable row ids; pennon migrate gives them: " + dataset.root());
  }
  return dataset.row_id_indexes()->Get(
      snapshot, [&] { return MakeRowIdSource(snapshot, dataset.reading()->session()); });
}

}  // namespace pennon
