#include "pennon/dataset/migrate.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::IndexSpec;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::RangeIds;
using testing_support::TestTable;
using testing_support::VersionRuns;

constexpr uint64_t kRowsOfId = uint64_t{1} << 32;

struct Fixture {
  explicit Fixture(ManifestNaming naming = ManifestNaming::kV2) : table(memory, "/t", naming) {}
  Dataset Open() const { return Dataset(LoadLatestSnapshot(memory, "/t").ValueOrDie()); }
  Manifest Newest(const std::string& root = "/t") const {
    return LoadLatestSnapshot(memory, root).ValueOrDie()->manifest;
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table;
};

/// Five versions: fragments 0 and 1 of version 1, rows deleted in 2, fragment 2 in 3, 0 and 1
/// compacted to 3 in 4, a column added in 5.
void WriteHistory(TestTable* table) {
  table->Append({4, 6});
  table->Delete(0, {1, 2});
  table->Append({5});
  table->Compact({0, 1});
  table->AddColumn("extra");
}

TEST(Migrate, GivesEachRowItsAddressAndItsHistory) {
  for (const auto naming : {ManifestNaming::kV2, ManifestNaming::kV1}) {
    Fixture f(naming);
    WriteHistory(&f.table);
    const auto before = f.memory->files();
    const auto reports = MigrateToStableRowIds(f.Open()).ValueOrDie();
    ASSERT_EQ(reports.size(), 1u);
    const MigrateReport& report = reports[0];
    EXPECT_EQ(report.outcome, MigrateOutcome::kMigrated);
    EXPECT_EQ(report.root, "/t");
    EXPECT_EQ(report.from_version, Version{5});
    EXPECT_EQ(report.to_version, Version{6});
    EXPECT_EQ(report.num_versions_traced, 5u);
    EXPECT_EQ(report.num_fragments, 2u);
    EXPECT_EQ(report.num_rows, 13u);
    EXPECT_EQ(report.num_deleted_rows, 0u);
    EXPECT_EQ(report.first_row_id, 2 * kRowsOfId);
    EXPECT_EQ(report.next_row_id, 4 * kRowsOfId);
    EXPECT_EQ(report.attempts, 1);
    EXPECT_TRUE(report.blockers.empty() && report.branches.empty() && report.indexes.empty());

    const Manifest manifest = f.Newest();
    EXPECT_EQ(manifest.version, Version{6});
    EXPECT_TRUE(manifest.has_stable_row_ids());
    EXPECT_EQ(manifest.next_row_id, 4 * kRowsOfId);
    EXPECT_EQ(manifest.writer_version->library, "pennon");
    EXPECT_EQ(manifest.fragments[0].row_ids.bytes, RangeIds(2 * kRowsOfId, 5));
    EXPECT_EQ(manifest.fragments[1].row_ids.bytes, RangeIds(3 * kRowsOfId, 8));
    EXPECT_EQ(manifest.fragments[0].created.bytes, VersionRuns({{5, 3}}));
    EXPECT_EQ(manifest.fragments[1].created.bytes, VersionRuns({{8, 1}}));
    EXPECT_EQ(manifest.fragments[0].last_updated.bytes, VersionRuns({{5, 5}}));
    EXPECT_EQ(manifest.fragments[1].last_updated.bytes, VersionRuns({{8, 5}}));

    // Two files more, the hint moved, nothing else touched.
    auto after = f.memory->files();
    EXPECT_EQ(after.size(), before.size() + 2);
    EXPECT_EQ(after.at("/t/_versions/latest_version_hint.json"), "{\"version\":6}");
    EXPECT_EQ(after.at(f.table.ManifestPathOf(6)).size(), report.manifest_bytes_after);
    EXPECT_EQ(after.at("/t/_transactions/" + manifest.transaction_file).size(),
              report.transaction_bytes);
    for (const auto& [path, bytes] : before) {
      if (path.ends_with("hint.json")) continue;
      EXPECT_TRUE(after.at(path) == bytes) << path;
    }
  }
}

TEST(Migrate, LeavesLineageUnsetWhenAsked) {
  Fixture f;
  WriteHistory(&f.table);
  MigrateOptions options;
  options.lineage = MigrateLineage::kNone;
  EXPECT_EQ(MigrateToStableRowIds(f.Open(), options)->front().num_versions_traced, 0u);
  const Manifest manifest = f.Newest();
  for (const auto& fragment : manifest.fragments) {
    EXPECT_EQ(fragment.created.placement, LineagePlacement::kAbsent);
    EXPECT_EQ(fragment.last_updated.placement, LineagePlacement::kAbsent);
  }
}

TEST(Migrate, PlansWithoutWriting) {
  Fixture f;
  WriteHistory(&f.table);
  const auto before = f.memory->files();
  MigrateOptions options;
  options.dry_run = true;
  const auto planned = MigrateToStableRowIds(f.Open(), options).ValueOrDie().front();
  EXPECT_EQ(planned.outcome, MigrateOutcome::kPlanned);
  EXPECT_EQ(planned.to_version, Version{6});
  EXPECT_EQ(planned.attempts, 0);
  EXPECT_EQ(f.memory->files(), before);
  const auto done = MigrateToStableRowIds(f.Open()).ValueOrDie().front();
  EXPECT_EQ(planned.next_row_id, done.next_row_id);
  EXPECT_EQ(planned.manifest_bytes_after, done.manifest_bytes_after);
  EXPECT_EQ(planned.transaction_bytes, done.transaction_bytes);
}

TEST(Migrate, DoesNothingTwice) {
  Fixture f;
  WriteHistory(&f.table);
  ASSERT_TRUE(MigrateToStableRowIds(f.Open()).ok());
  const auto before = f.memory->files();
  const auto report = MigrateToStableRowIds(f.Open()).ValueOrDie().front();
  EXPECT_EQ(report.outcome, MigrateOutcome::kAlreadyStable);
  EXPECT_EQ(report.from_version, Version{6});
  EXPECT_EQ(report.to_version, Version{6});
  EXPECT_EQ(f.memory->files(), before);
}

TEST(Migrate, TakesTheNewestVersionWhateverIsOpen) {
  Fixture f;
  WriteHistory(&f.table);
  const Dataset old(LoadSnapshot(f.memory, "/t", Version{2}).ValueOrDie());
  EXPECT_EQ(MigrateToStableRowIds(old)->front().from_version, Version{5});
}

TEST(Migrate, RefusesAndNamesTheWayOut) {
  Fixture f;
  f.table.Append({4, 6});
  ManifestSpec next = f.table.newest();
  next.next_row_id = 55;
  next.writer = std::nullopt;
  f.table.Commit(next, testing_support::Operation::kUpdateConfig);
  const auto before = f.memory->files();
  const auto status = MigrateToStableRowIds(f.Open()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kInvalidArgument);
  EXPECT_EQ(MessageOf(status),
            "cannot migrate version 2: the newest manifest does not say which writer made it, so "
            "its row counts cannot "
            "be relied on (make any commit with the reference engine (for example set a config "
            "key): it counts rows "
            "anew; then migrate); and 1 more, see --dry-run: /t");
  MigrateOptions options;
  options.dry_run = true;
  const auto report = MigrateToStableRowIds(f.Open(), options).ValueOrDie().front();
  ASSERT_EQ(report.blockers.size(), 2u);
  EXPECT_EQ(report.blockers[0].code, "row_counts_unreliable");
  EXPECT_EQ(report.blockers[1].code, "was_stable_before");
  EXPECT_EQ(f.memory->files(), before);
}

TEST(Migrate, CountsOnAndDropsWhatThatBreaks) {
  Fixture f;
  f.table.Append({4, 6});
  f.table.CreateIndex({});
  IndexSpec zones;
  zones.name = "zones";
  zones.type = "ZoneMap";
  f.table.CreateIndex(zones);
  MigrateOptions options;
  options.ids = MigrateIds::kConsecutive;
  EXPECT_EQ(KindOf(MigrateToStableRowIds(f.Open(), options).status()), ErrorKind::kInvalidArgument);
  options.drop_broken_indexes = true;
  const auto report = MigrateToStableRowIds(f.Open(), options).ValueOrDie().front();
  ASSERT_EQ(report.indexes.size(), 2u);
  EXPECT_FALSE(report.indexes[0].kept);
  EXPECT_TRUE(report.indexes[1].kept);
  EXPECT_EQ(report.first_row_id, 0u);
  EXPECT_EQ(report.next_row_id, 10u);
  const Manifest manifest = f.Newest();
  EXPECT_EQ(manifest.fragments[1].row_ids.bytes, RangeIds(4, 6));
  EXPECT_EQ(manifest.index_section, testing_support::IndexSectionBytes({f.table.indexes()[1]}));
}

TEST(Migrate, AnEmptyTable) {
  Fixture f;
  f.table.Append({});
  EXPECT_EQ(MigrateToStableRowIds(f.Open())->front().outcome, MigrateOutcome::kMigrated);
  EXPECT_TRUE(f.Newest().has_stable_row_ids());
  EXPECT_EQ(f.Newest().next_row_id, 0u);
}

TEST(Migrate, AVersionInHistoryThatCannotBeReadIsNotPassedOver) {
  Fixture f;
  WriteHistory(&f.table);
  ASSERT_TRUE(f.memory->Put(f.table.ManifestPathOf(2), "garbage").ok());
  const auto before = f.memory->files();
  const auto status = MigrateToStableRowIds(f.Open()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_TRUE(MessageOf(status).ends_with(f.table.ManifestPathOf(2))) << status;
  EXPECT_EQ(f.memory->files(), before);
  MigrateOptions options;
  options.lineage = MigrateLineage::kNone;
  EXPECT_TRUE(MigrateToStableRowIds(f.Open(), options).ok());
}

struct BranchFixture : Fixture {
  BranchFixture() {
    table.Append({4});
    table.Append({6});
    TestTable a = table.MakeBranch("a");
    a.Append({3});
    TestTable b = table.MakeBranch("team/b");
    b.MigrateByHand();
    table.Append({7});
  }
};

TEST(Migrate, TouchesOneBranchAndNamesTheOthers) {
  BranchFixture f;
  const auto report = MigrateToStableRowIds(f.Open()).ValueOrDie().front();
  EXPECT_EQ(report.branch, "");
  ASSERT_EQ(report.branches.size(), 2u);
  EXPECT_EQ(report.branches[0].name, "a");
  EXPECT_EQ(report.branches[0].version, Version{3});
  EXPECT_FALSE(report.branches[0].has_stable_row_ids);
  EXPECT_EQ(report.branches[1].name, "team/b");
  EXPECT_TRUE(report.branches[1].has_stable_row_ids);
  EXPECT_FALSE(f.Newest("/t/tree/a").has_stable_row_ids());

  const Dataset a(LoadLatestSnapshot(f.memory, "/t/tree/a").ValueOrDie());
  const auto of_a = MigrateToStableRowIds(a).ValueOrDie().front();
  EXPECT_EQ(of_a.branch, "a");
  EXPECT_EQ(of_a.root, "/t/tree/a");
  ASSERT_EQ(of_a.branches.size(), 2u);
  EXPECT_EQ(of_a.branches[0].name, "main");
  EXPECT_TRUE(of_a.branches[0].has_stable_row_ids);
  EXPECT_EQ(of_a.branches[1].name, "team/b");
  EXPECT_TRUE(f.Newest("/t/tree/a").has_stable_row_ids());
}

TEST(Migrate, TakesAllBranches) {
  BranchFixture f;
  MigrateOptions options;
  options.all_branches = true;
  const auto reports = MigrateToStableRowIds(f.Open(), options).ValueOrDie();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].outcome, MigrateOutcome::kMigrated);
  EXPECT_EQ(reports[0].to_version, Version{4});
  EXPECT_EQ(reports[1].branch, "a");
  EXPECT_EQ(reports[1].outcome, MigrateOutcome::kMigrated);
  EXPECT_EQ(reports[1].to_version, Version{4});
  EXPECT_EQ(reports[2].branch, "team/b");
  EXPECT_EQ(reports[2].outcome, MigrateOutcome::kAlreadyStable);
  ASSERT_EQ(reports[0].branches.size(), 2u);
  EXPECT_TRUE(reports[0].branches[0].has_stable_row_ids);
  EXPECT_EQ(reports[0].branches[0].version, Version{4});
  EXPECT_TRUE(f.Newest().has_stable_row_ids());
  EXPECT_TRUE(f.Newest("/t/tree/a").has_stable_row_ids());
  // Branches share their first fragments; each numbers its own.
  EXPECT_EQ(f.Newest("/t/tree/a").fragments[2].row_ids.bytes, RangeIds(2 * kRowsOfId, 3));
  EXPECT_EQ(f.Newest().fragments[2].row_ids.bytes, RangeIds(2 * kRowsOfId, 7));
}

TEST(Migrate, MigratesNoBranchUnlessAllCanBe) {
  BranchFixture f;
  TestTable c = f.table.MakeBranch("c");
  ManifestSpec next = c.newest();
  next.next_row_id = 9;
  c.Commit(next, testing_support::Operation::kUpdateConfig);
  const auto before = f.memory->files();
  MigrateOptions options;
  options.all_branches = true;
  const auto status = MigrateToStableRowIds(f.Open(), options).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kInvalidArgument);
  EXPECT_TRUE(MessageOf(status).ends_with(": /t/tree/c")) << status;
  EXPECT_EQ(f.memory->files(), before);
}

TEST(Migrate, ABranchWhoseFolderIsGoneIsNoBranch) {
  BranchFixture f;
  EXPECT_TRUE(f.memory->Put("/t/_refs/branches/gone.json", "{\"parentVersion\":1}").ok());
  const auto report = MigrateToStableRowIds(f.Open()).ValueOrDie().front();
  EXPECT_EQ(report.branches.size(), 2u);
}

}  // namespace
}  // namespace pennon
