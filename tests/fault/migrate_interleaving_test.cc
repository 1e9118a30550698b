// Another writer commits while a migration is under way, at places chosen by hand and then at every
// place there is. The migration must be computed from its direct predecessor, or end with an answer
// that is true.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "pennon/dataset/migrate.h"
#include "support/migrated.h"
#include "support/observers.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::ExpectMigrated;
using testing_support::HookObserver;
using testing_support::IndexSpec;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::OurTransactionFiles;
using testing_support::RangeIds;
using testing_support::TestTable;

constexpr uint64_t kRowsOfId = uint64_t{1} << 32;

using Rival = std::function<void(TestTable*)>;

/// Fragments 0 (4 rows, one deleted), 1 (6 rows), 2 (5 rows), an index over them; the counter is
/// at 2.
struct Race {
  Race() {
    table.Append({4, 6});
    table.Append({5});
    table.Delete(0, {3});
    table.CreateIndex({});
  }

  /// Migrates while `before_call` sees every store call of ours before it is made.
  arrow::Result<MigrateReport> Migrate(std::function<void(const StoreEvent&)> before_call,
                                       const MigrateOptions& options = {}) {
    const auto store =
        MakeObservedStore(memory, std::make_shared<HookObserver>(std::move(before_call)));
    ARROW_ASSIGN_OR_RAISE(const auto newest, LoadLatestSnapshot(store, "/t"));
    ARROW_ASSIGN_OR_RAISE(const auto reports, MigrateToStableRowIds(Dataset(newest), options));
    return reports.front();
  }

  /// Each of `rivals` commits before one put of ours.
  arrow::Result<MigrateReport> MigrateAgainst(std::vector<Rival> rivals,
                                              const MigrateOptions& options = {}) {
    size_t next = 0;
    return Migrate(
        [this, &next, &rivals](const StoreEvent& event) {
          if (event.call == StoreCall::kPutIfAbsent && next < rivals.size()) rivals[next++](&table);
        },
        options);
  }

  std::shared_ptr<const Snapshot> Newest() const {
    return LoadLatestSnapshot(memory, "/t").ValueOrDie();
  }

  void ExpectMigratedUpon(uint64_t version) const {
    EXPECT_EQ(table.newest().version, version);
    ExpectMigrated(*Newest(), table.newest());
    EXPECT_EQ(OurTransactionFiles(memory->files()),
              std::vector<std::string>{"/t/_transactions/" + Newest()->manifest.transaction_file});
  }

  /// The newest version is the rivals', and nothing of ours lies about.
  void ExpectUntouched() const {
    EXPECT_EQ(ToInteger(Newest()->version()), table.newest().version);
    EXPECT_EQ(OurTransactionFiles(memory->files()), std::vector<std::string>{});
    for (const auto& [path, bytes] : memory->files())
      EXPECT_EQ(path.find('#'), std::string::npos) << path;
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table{memory, "/t"};
};

const Rival kAppend = [](TestTable* t) { t->Append({7, 8}); };
const Rival kDelete = [](TestTable* t) { t->Delete(1, {0, 5}); };
const Rival kDeleteMore = [](TestTable* t) { t->Delete(0, {0}); };
const Rival kCompact = [](TestTable* t) { t->Compact({0, 1}); };
const Rival kReserve = [](TestTable* t) { t->ReserveFragments(40); };
const Rival kAddColumn = [](TestTable* t) { t->AddColumn("extra"); };
const Rival kConfig = [](TestTable* t) { t->SetConfig("lance.key", "value"); };
const Rival kIndex = [](TestTable* t) {
  IndexSpec index;
  index.name = "new_idx";
  index.uuid_fill = 'n';
  t->CreateIndex(index);
};
const Rival kMigrate = [](TestTable* t) { t->MigrateByHand(); };

TEST(MigrateInterleaving, AnAppendGetsIdsOfItsOwnAddresses) {
  Race race;
  const auto report = race.MigrateAgainst({kAppend}).ValueOrDie();
  EXPECT_EQ(report.attempts, 2);
  EXPECT_EQ(report.from_version, Version{5});
  EXPECT_EQ(report.to_version, Version{6});
  EXPECT_EQ(report.num_rows, 30u);
  EXPECT_EQ(report.num_fragments, 5u);
  EXPECT_EQ(report.next_row_id, 5 * kRowsOfId);
  race.ExpectMigratedUpon(5);
  const auto newest = race.Newest();
  const Manifest& manifest = newest->manifest;
  EXPECT_EQ(manifest.fragments[3].row_ids.bytes, RangeIds(3 * kRowsOfId, 7));
  EXPECT_EQ(manifest.fragments[4].row_ids.bytes, RangeIds(4 * kRowsOfId, 8));
  // The lineage of what came meanwhile is known too.
  EXPECT_EQ(manifest.fragments[3].created.bytes, testing_support::VersionRuns({{7, 5}}));
  EXPECT_EQ(manifest.fragments[0].created.bytes, testing_support::VersionRuns({{4, 1}}));
}

TEST(MigrateInterleaving, ADeleteKeepsItsNewDeletionFile) {
  Race race;
  const auto report = race.MigrateAgainst({kDelete}).ValueOrDie();
  EXPECT_EQ(report.num_deleted_rows, 3u);
  race.ExpectMigratedUpon(5);
  const auto newest = race.Newest();
  const Fragment& fragment = newest->manifest.fragments[1];
  ASSERT_TRUE(fragment.deletion_file.has_value());
  EXPECT_EQ(fragment.deletion_file->num_deleted_rows, 2u);
  EXPECT_EQ(fragment.deletion_file->read_version, 4u);
  EXPECT_EQ(fragment.row_ids.bytes, RangeIds(kRowsOfId, 6));
}

TEST(MigrateInterleaving, ACompactionsNewFragmentGetsNewIdsAndOldStamps) {
  Race race;
  const auto report = race.MigrateAgainst({kCompact}).ValueOrDie();
  EXPECT_EQ(report.num_fragments, 2u);
  EXPECT_EQ(report.first_row_id, 2 * kRowsOfId);
  EXPECT_EQ(report.next_row_id, 4 * kRowsOfId);
  race.ExpectMigratedUpon(5);
  const auto newest = race.Newest();
  const Manifest& manifest = newest->manifest;
  EXPECT_EQ(manifest.fragments[1].row_ids.bytes, RangeIds(3 * kRowsOfId, 9));
  EXPECT_EQ(manifest.fragments[1].created.bytes, testing_support::VersionRuns({{9, 1}}));
}

TEST(MigrateInterleaving, ReservedFragmentsRaiseTheCounter) {
  Race race;
  const auto report = race.MigrateAgainst({kReserve}).ValueOrDie();
  EXPECT_EQ(report.next_row_id, 43 * kRowsOfId);
  race.ExpectMigratedUpon(5);
  EXPECT_EQ(race.Newest()->manifest.next_row_id, 43 * kRowsOfId);
  EXPECT_EQ(race.Newest()->manifest.max_fragment_id, 42u);
}

TEST(MigrateInterleaving, ANewIndexIsKept) {
  Race race;
  const auto report = race.MigrateAgainst({kIndex}).ValueOrDie();
  ASSERT_EQ(report.indexes.size(), 2u);
  EXPECT_EQ(report.indexes[1].name, "new_idx");
  EXPECT_TRUE(report.indexes[1].kept);
  race.ExpectMigratedUpon(5);
  EXPECT_EQ(race.Newest()->manifest.index_section,
            testing_support::IndexSectionBytes(race.table.indexes()));
}

TEST(MigrateInterleaving, ColumnsAndConfigAreKept) {
  Race race;
  ASSERT_TRUE(race.MigrateAgainst({kAddColumn, kConfig}).ok());
  race.ExpectMigratedUpon(6);
  const auto newest = race.Newest();
  const Manifest& manifest = newest->manifest;
  EXPECT_EQ(manifest.fields.size(), 2u);
  EXPECT_EQ(manifest.config.at("lance.key"), "value");
  EXPECT_EQ(manifest.fragments[0].last_updated.bytes, testing_support::VersionRuns({{4, 5}}));
}

TEST(MigrateInterleaving, AnotherMigrationIsGoodEnough) {
  Race race;
  const auto before = race.memory->files();
  const auto report = race.MigrateAgainst({kMigrate}).ValueOrDie();
  EXPECT_EQ(report.outcome, MigrateOutcome::kAlreadyStable);
  EXPECT_EQ(report.to_version, Version{5});
  race.ExpectUntouched();
  EXPECT_EQ(race.Newest()->manifest.writer_version->library, "lance");
}

TEST(MigrateInterleaving, BeatenManyTimesInARow) {
  Race race;
  const auto report = race.MigrateAgainst(std::vector<Rival>(7, kAppend)).ValueOrDie();
  EXPECT_EQ(report.attempts, 8);
  EXPECT_EQ(report.num_fragments, 17u);
  race.ExpectMigratedUpon(11);
}

TEST(MigrateInterleaving, BeatenTwiceByEveryPair) {
  const std::pair<const char*, Rival> rivals[] = {
      {"append", kAppend},   {"delete", kDelete},   {"delete more", kDeleteMore},
      {"compact", kCompact}, {"reserve", kReserve}, {"column", kAddColumn},
      {"config", kConfig},   {"index", kIndex},
  };
  for (const auto& [first_name, first] : rivals) {
    for (const auto& [second_name, second] : rivals) {
      // What a compaction took away cannot be deleted from or compacted again.
      const bool needs_both =
          std::string(second_name).starts_with("delete") || second_name == std::string("compact");
      if (first_name == std::string("compact") && needs_both) continue;
      SCOPED_TRACE(std::string(first_name) + " then " + second_name);
      Race race;
      const auto report = race.MigrateAgainst({first, second});
      ASSERT_TRUE(report.ok()) << report.status();
      EXPECT_EQ(report->attempts, 3);
      race.ExpectMigratedUpon(6);
    }
  }
}

TEST(MigrateInterleaving, GivesUpAgainstAWriterThatIsAlwaysFaster) {
  for (const Rival& rival : {kAppend, kReserve, kConfig}) {
    for (const int attempts_max : {1, 2, 5}) {
      Race race;
      MigrateOptions options;
      options.attempts_max = attempts_max;
      const auto status = race.MigrateAgainst(std::vector<Rival>(100, rival), options).status();
      EXPECT_EQ(KindOf(status), ErrorKind::kConflict);
      EXPECT_EQ(MessageOf(status), "other writers were faster " + std::to_string(attempts_max) +
                                       " times, nothing was changed; try again: /t");
      EXPECT_EQ(race.table.newest().version, 4u + static_cast<uint64_t>(attempts_max));
      race.ExpectUntouched();
      EXPECT_FALSE(race.Newest()->manifest.has_stable_row_ids());
    }
  }
}

struct RefusalCase {
  const char* what;
  Rival rival;
  ErrorKind kind;
  const char* message;
  bool can_still_be_read;
};

TEST(MigrateInterleaving, SaysWhatANewVersionBroughtThatIsInTheWay) {
  const RefusalCase cases[] = {
      {"a feature that we cannot read", [](TestTable* t) { t->SetFlags(1 << 12); },
       ErrorKind::kUnsupportedFeature,
       "table uses features that this version of pennon cannot read: fragment-tree: "
       "/t/_versions/18446744073709551610.manifest",
       false},
      {"a feature that we cannot write",
       [](TestTable* t) {
         ManifestSpec next = t->newest();
         next.writer_flags |= 1 << 17;
         t->Commit(next, testing_support::Operation::kUpdateConfig);
       },
       ErrorKind::kInvalidArgument,
       "cannot migrate version 5: table uses features that this version of pennon cannot write: "
       "object-metadata "
       "(undo the feature with the engine that brought it in, or migrate with a newer pennon): /t",
       true},
      {"a write-ahead log",
       [](TestTable* t) {
         IndexSpec log;
         log.name = "__lance_mem_wal";
         log.type = "MemWal";
         t->CreateIndex(log);
       },
       ErrorKind::kInvalidArgument,
       "cannot migrate version 5: system index \"__lance_mem_wal\" says that a memory write-ahead "
       "log is in use (flush "
       "and close the log with the engine that keeps it; then migrate): /t",
       true},
      {"a manifest that is broken",
       [](TestTable* t) {
         ASSERT_TRUE(t->store().Put(t->ManifestPathOf(5), "broken, and long enough").ok());
       },
       ErrorKind::kCorrupt,
       "not a manifest, or cut short: the file does not end in LANC: "
       "/t/_versions/18446744073709551610.manifest",
       false},
  };
  for (const auto& item : cases) {
    Race race;
    const auto status = race.MigrateAgainst({item.rival}).status();
    EXPECT_EQ(ErrorKindName(KindOf(status)), ErrorKindName(item.kind)) << item.what;
    EXPECT_EQ(MessageOf(status), item.message) << item.what;
    EXPECT_EQ(OurTransactionFiles(race.memory->files()), std::vector<std::string>{}) << item.what;
    EXPECT_EQ(race.memory->files().count("/t/_versions/18446744073709551609.manifest"), 0u)
        << item.what;
    if (item.can_still_be_read) race.ExpectUntouched();
  }
}

/// The number of store calls of a migration that nobody disturbs.
uint64_t CountCalls() {
  Race race;
  uint64_t calls = 0;
  EXPECT_TRUE(race.Migrate([&calls](const StoreEvent&) { ++calls; }).ok());
  return calls;
}

TEST(MigrateInterleaving, OneCommitAtEveryPlace) {
  const uint64_t num_calls = CountCalls();
  ASSERT_GE(num_calls, 12u);
  for (const Rival& rival : {kAppend, kCompact, kReserve, kMigrate}) {
    for (uint64_t place = 1; place <= num_calls; ++place) {
      SCOPED_TRACE(place);
      Race race;
      uint64_t calls = 0;
      bool is_behind = false;
      const auto report = race.Migrate([&](const StoreEvent&) {
        if (++calls != place) return;
        // Behind our commit the rival finds a table with stable ids; it is not ours to play it
        // then.
        is_behind = ToInteger(race.Newest()->version()) != race.table.newest().version;
        if (!is_behind) rival(&race.table);
      });
      ASSERT_TRUE(report.ok()) << report.status();
      if (report->outcome == MigrateOutcome::kMigrated) {
        race.ExpectMigratedUpon(is_behind ? 4 : 5);
      } else {
        EXPECT_EQ(report->outcome, MigrateOutcome::kAlreadyStable);
        EXPECT_EQ(race.table.newest().reader_flags & 2, 2u);
        race.ExpectUntouched();
      }
    }
  }
}

TEST(MigrateInterleaving, TwoCommitsAtEveryTwoPlaces) {
  const uint64_t num_calls = CountCalls();
  for (uint64_t first = 1; first <= num_calls; ++first) {
    for (uint64_t second = first; second <= num_calls + 6; ++second) {
      SCOPED_TRACE(std::to_string(first) + " " + std::to_string(second));
      Race race;
      uint64_t calls = 0;
      uint64_t num_commits = 0;
      const auto report = race.Migrate([&](const StoreEvent&) {
        ++calls;
        for (const auto& [place, rival] : {std::pair(first, kAppend), std::pair(second, kDelete)}) {
          if (calls != place || ToInteger(race.Newest()->version()) != race.table.newest().version)
            continue;
          rival(&race.table);
          ++num_commits;
        }
      });
      ASSERT_TRUE(report.ok()) << report.status();
      race.ExpectMigratedUpon(4 + num_commits);
    }
  }
}

TEST(MigrateInterleaving, ACleanupAtEveryPlace) {
  const uint64_t num_calls = CountCalls();
  for (const bool commits_too : {false, true}) {
    for (uint64_t place = 1; place <= num_calls; ++place) {
      SCOPED_TRACE(place);
      Race race;
      uint64_t calls = 0;
      const auto report = race.Migrate([&](const StoreEvent&) {
        if (++calls != place) return;
        const bool is_behind = ToInteger(race.Newest()->version()) != race.table.newest().version;
        if (commits_too && !is_behind) kAppend(&race.table);
        // All but the newest version goes.
        const std::string newest = race.Newest()->manifest_path;
        for (const auto& [path, bytes] : race.memory->files()) {
          if (!path.ends_with(".manifest") || path == newest) continue;
          ASSERT_TRUE(race.memory->Remove(path).ok());
        }
      });
      if (report.ok()) {
        ExpectMigrated(*race.Newest(), race.table.newest());
        continue;
      }
      // The version that was to be read is gone: said so, and nothing done. Another try goes well.
      EXPECT_EQ(KindOf(report.status()), ErrorKind::kNotFound) << report.status();
      race.ExpectUntouched();
      ASSERT_TRUE(race.Migrate([](const StoreEvent&) {}).ok());
      ExpectMigrated(*race.Newest(), race.table.newest());
    }
  }
}

}  // namespace
}  // namespace pennon
