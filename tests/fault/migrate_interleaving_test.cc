// Another writer commits between our read and our put: deterministic, through the store's observer.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "format/index_section.h"
#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "pennon/dataset/migrate.h"
#include "rowids/row_id_sequence.h"
#include "rowids/version_sequence.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::HookObserver;
using testing_support::IndexSpec;
using testing_support::MemoryStore;
using testing_support::TestTable;

constexpr uint64_t kRowsOfId = uint64_t{1} << 32;

struct Race {
  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table{memory, "/t"};
  arrow::Result<std::vector<MigrateReport>> reports = arrow::Status::UnknownError("not run");

  Race() {
    table.Append({4, 6});
    table.CreateIndex(IndexSpec{});
  }

  /// Migrates while `other` commits before each of our first `num_times` puts of a manifest.
  void Run(int num_times, const std::function<void(TestTable&)>& other, int attempts_max = 50) {
    int num_left = num_times;
    auto observer = std::make_shared<HookObserver>([&](const StoreEvent& event) {
      if (event.call == StoreCall::kPutIfAbsent && num_left-- > 0) other(table);
    });
    const auto store = MakeObservedStore(memory, observer);
    MigrateOptions options;
    options.attempts_max = attempts_max;
    reports = MigrateToStableRowIds(Dataset(LoadLatestSnapshot(store, "/t").ValueOrDie()), options);
  }

  Manifest Newest() const { return LoadLatestSnapshot(memory, "/t").ValueOrDie()->manifest; }

  /// Every fragment of the newest version has its addresses as ids, the counter is above all
  /// numbers given out.
  void ExpectMigratedOnTopOf(uint64_t predecessor, uint64_t next_fragment) const {
    ASSERT_TRUE(reports.ok()) << reports.status().ToString();
    EXPECT_EQ(reports->front().outcome, MigrateOutcome::kMigrated);
    EXPECT_EQ(reports->front().from_version, Version{predecessor});
    const Manifest newest = Newest();
    EXPECT_EQ(newest.version, Version{predecessor + 1});
    EXPECT_TRUE(newest.has_stable_row_ids());
    EXPECT_EQ(newest.next_row_id, next_fragment * kRowsOfId);
    const Manifest before = LoadSnapshot(memory, "/t", Version{predecessor}).ValueOrDie()->manifest;
    ASSERT_EQ(newest.fragments.size(), before.fragments.size());
    for (size_t i = 0; i < newest.fragments.size(); ++i) {
      const Fragment& fragment = newest.fragments[i];
      EXPECT_EQ(fragment.id, before.fragments[i].id);
      const auto ids = DecodeRowIdSequence(fragment.row_ids.bytes, newest.file).ValueOrDie();
      EXPECT_EQ(ids.size(), fragment.physical_rows);
      EXPECT_EQ(ToInteger(ids.Get(RowOffset{0})),
                ToInteger(MakeRowAddress(fragment.id, RowOffset{0})));
      const auto file_id = [](const Fragment& f) {
        return f.deletion_file.has_value() ? f.deletion_file->id : 0;
      };
      EXPECT_EQ(file_id(fragment), file_id(before.fragments[i]))
          << "the deletion of the other writer is lost";
    }
  }
};

TEST(MigrateInterleaving, AnAppendThatIsFasterGetsItsIds) {
  Race race;
  race.Run(1, [](TestTable& table) { table.Append({5}); });
  race.ExpectMigratedOnTopOf(3, 3);
  EXPECT_EQ(race.reports->front().attempts, 2);
}

TEST(MigrateInterleaving, ManyAppendsInARow) {
  Race race;
  race.Run(7, [](TestTable& table) { table.Append({2}); });
  race.ExpectMigratedOnTopOf(9, 9);
  EXPECT_EQ(race.reports->front().attempts, 8);
}

TEST(MigrateInterleaving, ADeleteIsKept) {
  Race race;
  race.Run(1, [](TestTable& table) { table.Delete(1, {0, 5}); });
  race.ExpectMigratedOnTopOf(3, 2);
  EXPECT_EQ(race.reports->front().num_deleted_rows, 2u);
}

TEST(MigrateInterleaving, ACompactionChangesWhichAddressesCount) {
  Race race;
  race.Run(1, [](TestTable& table) { table.Compact({0, 1}); });
  race.ExpectMigratedOnTopOf(3, 3);
  // Rows of the compaction were created with their sources, in version 1.
  const auto created = DecodeVersionSequence(race.Newest().fragments[0].created.bytes).ValueOrDie();
  ASSERT_EQ(created.num_runs(), 1u);
  EXPECT_EQ(created.run(0).version, Version{1});
}

TEST(MigrateInterleaving, ReservedFragmentIdsStayFree) {
  Race race;
  race.Run(1, [](TestTable& table) { table.ReserveFragments(10); });
  race.ExpectMigratedOnTopOf(3, 12);
}

TEST(MigrateInterleaving, ANewIndexIsKept) {
  Race race;
  race.Run(1, [](TestTable& table) {
    IndexSpec index;
    index.name = "late_idx";
    index.uuid_fill = 'l';
    table.CreateIndex(index);
  });
  race.ExpectMigratedOnTopOf(3, 2);
  const Manifest newest = race.Newest();
  ASSERT_TRUE(newest.index_section.has_value());
  const auto indexes = DecodeIndexSection(*newest.index_section).ValueOrDie();
  ASSERT_EQ(indexes.size(), 2u);
  EXPECT_EQ(indexes[1].name, "late_idx");
}

TEST(MigrateInterleaving, AnotherMigrationLeavesNothingToDo) {
  Race race;
  race.Run(1, [](TestTable& table) { table.MigrateByHand(); });
  ASSERT_TRUE(race.reports.ok()) << race.reports.status().ToString();
  EXPECT_EQ(race.reports->front().outcome, MigrateOutcome::kAlreadyStable);
  EXPECT_EQ(race.Newest().version, Version{3});
}

TEST(MigrateInterleaving, AFeatureThatWeRefuseStopsIt) {
  Race race;
  race.Run(1, [](TestTable& table) { table.SetFlags(uint64_t{1} << 12); });
  ASSERT_FALSE(race.reports.ok());
  EXPECT_NE(MessageOf(race.reports.status()).find("fragment-tree"), std::string::npos)
      << race.reports.status().ToString();
}

TEST(MigrateInterleaving, WhoIsAlwaysSlowerGivesUpAndLeavesNothing) {
  Race race;
  race.Run(
      1000, [](TestTable& table) { table.Append({1}); }, 4);
  ASSERT_FALSE(race.reports.ok());
  EXPECT_EQ(KindOf(race.reports.status()), ErrorKind::kConflict);
  const Manifest newest = race.Newest();
  EXPECT_FALSE(newest.has_stable_row_ids());
  EXPECT_EQ(newest.version, Version{6});
  for (const auto& [path, bytes] : race.memory->files()) {
    EXPECT_EQ(path.find('#'), std::string::npos) << path;
    if (path.starts_with("/t/_transactions/")) {
      EXPECT_NE(path.find("-uuid-"), std::string::npos)
          << "a transaction of ours was left: " << path;
    }
  }
}

}  // namespace
}  // namespace pennon
