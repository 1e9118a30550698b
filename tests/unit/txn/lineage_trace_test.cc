#include "txn/lineage_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

using Runs = std::vector<std::pair<uint64_t, uint64_t>>;  ///< (rows, version)

struct FragmentState {
  uint32_t id;
  uint64_t rows;
  std::vector<std::string> files = {};
  std::vector<uint32_t> deleted = {};
};

Runs RunsOf(const VersionSequence& sequence) {
  Runs runs;
  for (size_t i = 0; i < sequence.num_runs(); ++i) {
    runs.emplace_back(sequence.run(i).num_rows, ToInteger(sequence.run(i).version));
  }
  return runs;
}

/// Feeds versions to a trace; deletion vectors come from what the test said of each version.
class History {
 public:
  arrow::Status Add(uint64_t version, std::vector<FragmentState> fragments,
                    const Transaction* transaction) {
    auto manifest = std::make_shared<Manifest>();
    manifest->version = Version{version};
    for (const auto& state : fragments) {
      Fragment fragment;
      fragment.id = FragmentId{state.id};
      fragment.physical_rows = state.rows;
      auto files = state.files;
      if (files.empty()) files.push_back(std::to_string(state.id) + ".lance");
      for (const auto& path : files) {
        DataFile file;
        file.path = path;
        fragment.files.push_back(std::move(file));
      }
      if (!state.deleted.empty()) {
        fragment.deletion_file = DeletionFile{};
        deletions_[{version, state.id}] = DeletionVector::FromOffsets(state.deleted);
      }
      manifest->fragments.push_back(std::move(fragment));
    }
    newest_ = manifest;
    return trace_.Advance(manifest, transaction);
  }
  void Add(uint64_t version, std::vector<FragmentState> fragments, const std::string& operation,
           std::vector<RewriteGroup> groups = {}) {
    Transaction transaction;
    transaction.operation = operation;
    transaction.rewrite_groups = std::move(groups);
    const auto status = Add(version, std::move(fragments), &transaction);
    EXPECT_TRUE(status.ok()) << status;
  }

  Runs Created(uint32_t id) const { return RunsOf(Stamps(id).created); }
  Runs Updated(uint32_t id) const { return RunsOf(Stamps(id).last_updated); }
  int num_loads() const { return num_loads_; }
  const LineageTrace& trace() const { return trace_; }
  void FailLoads() { fails_ = true; }

 private:
  FragmentStamps Stamps(uint32_t id) const {
    for (const auto& fragment : newest_->fragments) {
      if (fragment.id == FragmentId{id}) return trace_.StampsOf(fragment);
    }
    ADD_FAILURE() << "no fragment " << id;
    return {};
  }

  std::map<std::pair<uint64_t, uint32_t>, DeletionVector> deletions_;
  int num_loads_ = 0;
  bool fails_ = false;
  std::shared_ptr<const Manifest> newest_;
  LineageTrace trace_{
      [this](const Manifest& manifest, const Fragment& fragment) -> arrow::Result<DeletionVector> {
        ++num_loads_;
        if (fails_) return MakeError(ErrorKind::kIo, "no disk");
        return deletions_.at({ToInteger(manifest.version), ToInteger(fragment.id)});
      }};
};

RewriteGroup Group(std::vector<uint32_t> old_fragments, std::vector<uint32_t> new_fragments) {
  RewriteGroup group;
  for (const uint32_t id : old_fragments) group.old_fragments.push_back(FragmentId{id});
  for (const uint32_t id : new_fragments) group.new_fragments.push_back(FragmentId{id});
  return group;
}

TEST(LineageTrace, KnowsNothingBeforeTheFirstVersion) {
  History history;
  EXPECT_EQ(history.trace().version(), Version{0});
  Fragment fragment;
  fragment.physical_rows = 5;
  EXPECT_EQ(history.trace().StampsOf(fragment).created.size(), 0u);
}

TEST(LineageTrace, StampsAppends) {
  History history;
  history.Add(1, {{0, 10}}, "Overwrite");
  history.Add(2, {{0, 10}, {1, 5}, {2, 6}}, "Append");
  EXPECT_EQ(history.Created(0), (Runs{{10, 1}}));
  EXPECT_EQ(history.Created(1), (Runs{{5, 2}}));
  EXPECT_EQ(history.Created(2), (Runs{{6, 2}}));
  EXPECT_EQ(history.Updated(2), (Runs{{6, 2}}));
  EXPECT_EQ(history.trace().version(), Version{2});
}

TEST(LineageTrace, WhatTheOldestKeptVersionHoldsIsOfThatVersion) {
  History history;
  history.Add(7, {{0, 10}, {4, 5}}, "Append");
  EXPECT_EQ(history.Created(0), (Runs{{10, 7}}));
  EXPECT_EQ(history.Created(4), (Runs{{5, 7}}));
}

TEST(LineageTrace, DeletesChangeNothing) {
  History history;
  history.Add(1, {{0, 10}}, "Append");
  history.Add(2, {{0, 10, {}, {3, 4}}}, "Delete");
  EXPECT_EQ(history.Created(0), (Runs{{10, 1}}));
  EXPECT_EQ(history.Updated(0), (Runs{{10, 1}}));
  EXPECT_EQ(history.num_loads(), 0);
}

TEST(LineageTrace, CarriesStampsThroughACompaction) {
  History history;
  history.Add(1, {{0, 4}}, "Append");
  history.Add(2, {{0, 4}, {1, 3}}, "Append");
  history.Add(3, {{0, 4, {}, {0, 2}}, {1, 3, {}, {1}}}, "Delete");
  history.Add(4, {{2, 4}}, "Rewrite", {Group({0, 1}, {2})});
  EXPECT_EQ(history.Created(2), (Runs{{2, 1}, {2, 2}}));
  EXPECT_EQ(history.Updated(2), (Runs{{2, 1}, {2, 2}}));
  EXPECT_EQ(history.num_loads(), 2);
}

TEST(LineageTrace, TakesTheRowsOfAGroupInItsOrder) {
  History history;
  history.Add(1, {{0, 2}}, "Append");
  history.Add(2, {{0, 2}, {1, 3}}, "Append");
  history.Add(3, {{0, 2}, {1, 3}, {2, 1}}, "Append");
  // Listed backwards, and cut into two fragments in the middle of a source.
  history.Add(4, {{3, 3}, {4, 3}}, "Rewrite", {Group({2, 1, 0}, {3, 4})});
  EXPECT_EQ(history.Created(3), (Runs{{1, 3}, {2, 2}}));
  EXPECT_EQ(history.Created(4), (Runs{{1, 2}, {2, 1}}));
}

TEST(LineageTrace, CarriesSeveralGroups) {
  History history;
  history.Add(1, {{0, 2}, {1, 2}}, "Append");
  history.Add(2, {{0, 2}, {1, 2}, {2, 2}, {3, 2}}, "Append");
  history.Add(3, {{4, 4}, {5, 4}}, "Rewrite", {Group({0, 1}, {4}), Group({2, 3}, {5})});
  EXPECT_EQ(history.Created(4), (Runs{{4, 1}}));
  EXPECT_EQ(history.Created(5), (Runs{{4, 2}}));
}

TEST(LineageTrace, CompactsWhatWasCompacted) {
  History history;
  history.Add(1, {{0, 2}}, "Append");
  history.Add(2, {{0, 2}, {1, 2}}, "Append");
  history.Add(3, {{2, 4}}, "Rewrite", {Group({0, 1}, {2})});
  history.Add(4, {{2, 4}, {3, 1}}, "Append");
  history.Add(5, {{2, 4, {}, {1, 2}}, {3, 1}}, "Delete");
  history.Add(6, {{4, 3}}, "Rewrite", {Group({2, 3}, {4})});
  EXPECT_EQ(history.Created(4), (Runs{{1, 1}, {1, 2}, {1, 4}}));
}

TEST(LineageTrace, ARewriteOntoItselfChangesNothing) {
  History history;
  history.Add(1, {{0, 2}}, "Append");
  history.Add(2, {{0, 2}}, "Rewrite", {Group({0}, {0})});
  EXPECT_EQ(history.Created(0), (Runs{{2, 1}}));
  EXPECT_EQ(history.Updated(0), (Runs{{2, 1}}));
}

struct DoubtCase {
  const char* what;
  std::vector<FragmentState> fragments;
  std::vector<RewriteGroup> groups;
};

TEST(LineageTrace, RowsOfAGroupThatDoesNotAddUpCountAsWrittenAnew) {
  const DoubtCase cases[] = {
      {"too many rows", {{2, 5}}, {Group({0, 1}, {2})}},
      {"too few rows", {{2, 3}}, {Group({0, 1}, {2})}},
      {"a source that is not there", {{2, 4}}, {Group({0, 9}, {2})}},
      {"a target that is not there", {{2, 4}}, {Group({0, 1}, {2, 3})}},
      {"a target twice", {{2, 2}}, {Group({0, 1}, {2, 2})}},
      {"no group", {{2, 4}}, {}},
      {"no sources", {{2, 4}}, {Group({}, {2})}},
  };
  for (const auto& item : cases) {
    History history;
    history.Add(1, {{0, 2}, {1, 2}}, "Append");
    history.Add(2, item.fragments, "Rewrite", item.groups);
    EXPECT_EQ(history.Created(2), (Runs{{item.fragments[0].rows, 2}})) << item.what;
    EXPECT_EQ(history.Updated(2), (Runs{{item.fragments[0].rows, 2}})) << item.what;
  }
}

TEST(LineageTrace, RowCountsThatCannotBeDoNotAddUp) {
  // Sums that would pass 2^64 must not be taken for small ones.
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  History history;
  history.Add(1, {{0, kHalf}, {1, kHalf}, {2, 4}}, "Append");
  history.Add(2, {{3, 4}, {4, kHalf}, {5, kHalf}, {6, 4}}, "Rewrite",
              {Group({0, 1, 2}, {3}), Group({2}, {4, 5, 6})});
  EXPECT_EQ(history.Created(3), (Runs{{4, 2}}));
  EXPECT_EQ(history.Created(4), (Runs{{kHalf, 2}}));
  EXPECT_EQ(history.Created(6), (Runs{{4, 2}}));
}

TEST(LineageTrace, AGapLosesWhatACompactionInItDid) {
  History history;
  history.Add(1, {{0, 2}, {1, 2}}, "Append");
  history.Add(3, {{0, 2}, {2, 2}}, "Rewrite", {Group({1}, {2})});
  EXPECT_EQ(history.Created(0), (Runs{{2, 1}}));
  EXPECT_EQ(history.Created(2), (Runs{{2, 3}}));
}

TEST(LineageTrace, WithoutATransactionNewFragmentsAreNew) {
  History history;
  ASSERT_TRUE(history.Add(1, {{0, 2}}, nullptr).ok());
  ASSERT_TRUE(history.Add(2, {{0, 2}, {1, 3}}, nullptr).ok());
  EXPECT_EQ(history.Created(0), (Runs{{2, 1}}));
  EXPECT_EQ(history.Created(1), (Runs{{3, 2}}));
}

struct ChangeCase {
  const char* operation;
  bool updates;
};

TEST(LineageTrace, OtherFilesMeanOtherValuesUnlessColumnsWereOnlyDropped) {
  const ChangeCase cases[] = {
      {"Merge", true},   {"DataReplacement", true}, {"Update", true},   {"DataOverlay", true},
      {"Restore", true}, {"Unknown", true},         {"Project", false}, {"Rewrite", false},
      {"Append", false}, {"Delete", false},
  };
  for (const auto& item : cases) {
    History history;
    history.Add(1, {{0, 4, {"a", "b"}}, {1, 2, {"c"}}}, "Append");
    history.Add(2, {{0, 4, {"a", "x"}}, {1, 2, {"c"}}}, item.operation);
    EXPECT_EQ(history.Created(0), (Runs{{4, 1}})) << item.operation;
    EXPECT_EQ(history.Updated(0), (Runs{{4, item.updates ? 2u : 1u}})) << item.operation;
    EXPECT_EQ(history.Updated(1), (Runs{{2, 1}})) << item.operation;
  }
}

TEST(LineageTrace, AMergeUpdatesCompactedRowsToo) {
  History history;
  history.Add(1, {{0, 2}}, "Append");
  history.Add(2, {{0, 2}, {1, 2}}, "Append");
  history.Add(3, {{2, 4}}, "Rewrite", {Group({0, 1}, {2})});
  history.Add(4, {{2, 4, {"2.lance", "added.lance"}}}, "Merge");
  EXPECT_EQ(history.Created(2), (Runs{{2, 1}, {2, 2}}));
  EXPECT_EQ(history.Updated(2), (Runs{{4, 4}}));
}

TEST(LineageTrace, AProjectionIsNotTakenForAnUpdateLater) {
  History history;
  history.Add(1, {{0, 2, {"a", "b"}}}, "Append");
  history.Add(2, {{0, 2, {"a"}}}, "Project");
  history.Add(3, {{0, 2, {"a"}}}, "Merge");
  EXPECT_EQ(history.Updated(0), (Runs{{2, 1}}));
}

TEST(LineageTrace, ARestoredFragmentKeepsItsStamps) {
  History history;
  history.Add(1, {{0, 2}}, "Append");
  history.Add(2, {{0, 2}, {1, 3}}, "Append");
  history.Add(3, {{0, 2}}, "Restore");
  history.Add(4, {{0, 2}, {1, 3}}, "Restore");
  EXPECT_EQ(history.Created(1), (Runs{{3, 2}}));
  EXPECT_EQ(history.Updated(1), (Runs{{3, 2}}));
}

TEST(LineageTrace, VersionsMustAscend) {
  History history;
  history.Add(5, {{0, 2}}, "Append");
  EXPECT_EQ(KindOf(history.Add(5, {{0, 2}}, nullptr)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(history.Add(4, {{0, 2}}, nullptr)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(history.trace().version(), Version{5});
}

TEST(LineageTrace, ReportsDeletionsThatCannotBeRead) {
  History history;
  history.Add(1, {{0, 4, {}, {1}}}, "Append");
  history.FailLoads();
  Transaction transaction;
  transaction.operation = "Rewrite";
  transaction.rewrite_groups = {Group({0}, {1})};
  EXPECT_EQ(KindOf(history.Add(2, {{1, 3}}, &transaction)), ErrorKind::kIo);
}

}  // namespace
}  // namespace pennon
