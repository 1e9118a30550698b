// Every store call of a migration fails once: before or behind its effect, once or from then on.
// Whatever happens, the table is at the old or at the new version, the answer says so, and a second
// run ends well.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "pennon/dataset/migrate.h"
#include "support/migrated.h"
#include "support/observers.h"
#include "support/place.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::FailingObserver;
using testing_support::Fault;
using testing_support::FaultsAt;
using testing_support::FaultSpan;
using testing_support::HookObserver;
using testing_support::MemoryStore;
using testing_support::OurTransactionFiles;
using testing_support::Place;
using testing_support::PlaceKind;
using testing_support::TestTable;

struct Scenario {
  const char* name;
  std::function<void(TestTable*)> build;
  /// What another writer commits before the first put of ours; may be empty.
  std::function<void(TestTable*)> rival;
  ManifestNaming naming = ManifestNaming::kV2;
  MigrateLineage lineage = MigrateLineage::kHistory;
  MigrateOutcome outcome = MigrateOutcome::kMigrated;
};

void BuildHistory(TestTable* table) {
  table->Append({4, 6});
  table->Delete(0, {1, 2});
  table->Append({5});
  table->Compact({0, 1});
  table->CreateIndex({});
}

const Scenario kScenarios[] = {
    {"one version",
     [](TestTable* t) {
       t->Append({4, 6});
     },
     {}},
    {"an empty table", [](TestTable* t) { t->Append({}); }, {}},
    {"a history", BuildHistory, {}},
    {"V1 names", BuildHistory, {}, ManifestNaming::kV1},
    {"no lineage", BuildHistory, {}, ManifestNaming::kV2, MigrateLineage::kNone},
    {"transactions beside their manifests",
     [](TestTable* t) {
       t->inline_transactions = false;
       BuildHistory(t);
     },
     {}},
    {"a tag and no hint",
     [](TestTable* t) {
       t->writes_hint = false;
       BuildHistory(t);
       t->Tag("good", 2);
     },
     {}},
    {"beaten by an append", BuildHistory, [](TestTable* t) { t->Append({9}); }},
    {"beaten by a compaction", BuildHistory,
     [](TestTable* t) {
       t->Compact({2, 3});
     }},
    {"beaten by another migration", BuildHistory, [](TestTable* t) { t->MigrateByHand(); },
     ManifestNaming::kV2, MigrateLineage::kHistory, MigrateOutcome::kAlreadyStable},
    {"stable already",
     [](TestTable* t) {
       BuildHistory(t);
       t->MigrateByHand();
     },
     {},
     ManifestNaming::kV2,
     MigrateLineage::kHistory,
     MigrateOutcome::kAlreadyStable},
};

arrow::Result<MigrateReport> OpenAndMigrate(const std::shared_ptr<Store>& store,
                                            const std::string& root,
                                            const MigrateOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto newest, LoadLatestSnapshot(store, root));
  ARROW_ASSIGN_OR_RAISE(const auto reports, MigrateToStableRowIds(Dataset(newest), options));
  return reports.front();
}

class FaultRun {
 public:
  FaultRun(const Scenario& scenario, PlaceKind kind)
      : scenario_(scenario), place_(kind), table_(place_.store(), place_.root(), scenario.naming) {
    options_.lineage = scenario.lineage;
    scenario_.build(&table_);
  }

  /// Returns whether the fault was met.
  bool Run(const Fault& fault) {
    const auto failing = std::make_shared<FailingObserver>(fault);
    auto store = place_.store();
    if (scenario_.rival) {
      bool has_come = false;
      store = MakeObservedStore(
          store, std::make_shared<HookObserver>([this, has_come](const StoreEvent& event) mutable {
            if (event.call != StoreCall::kPutIfAbsent || has_come) return;
            has_come = true;
            scenario_.rival(&table_);
          }));
    }
    const auto report = OpenAndMigrate(MakeObservedStore(store, failing), place_.root(), options_);
    ExpectOldOrNew(report, fault);
    ExpectNothingLeft(fault);
    ExpectSecondRunEndsWell();
    return failing->has_failed();
  }

 private:
  void ExpectOldOrNew(const arrow::Result<MigrateReport>& report, const Fault& fault) {
    const auto newest = LoadLatestSnapshot(place_.store(), place_.root());
    ASSERT_TRUE(newest.ok()) << newest.status();
    const uint64_t base = table_.newest().version;
    is_committed_ = ToInteger((*newest)->version()) > base;
    if (is_committed_) {
      ExpectMigrated(**newest, table_.newest());
      ExpectLineage(**newest);
    } else {
      EXPECT_EQ(ToInteger((*newest)->version()), base);
    }
    for (uint64_t version = 1; version <= base; ++version) {
      EXPECT_TRUE(LoadSnapshot(place_.store(), place_.root(), Version{version}).ok()) << version;
    }
    if (report.ok()) {
      EXPECT_EQ(report->outcome, scenario_.outcome);
      EXPECT_EQ(is_committed_, report->outcome == MigrateOutcome::kMigrated);
      EXPECT_EQ(ToInteger(report->to_version), base + (is_committed_ ? 1 : 0));
      EXPECT_EQ(ToInteger(report->from_version), base);
      return;
    }
    const std::string message = MessageOf(report.status());
    EXPECT_EQ(KindOf(report.status()), ErrorKind::kIo) << message;
    EXPECT_NE(message.find("injected fault: "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    const bool is_open = message.starts_with("it is not known whether version ");
    const bool is_said =
        message.find(" was committed, but could not be read back") != std::string::npos;
    if (!is_open) {
      EXPECT_EQ(is_said, is_committed_) << message;
    }
    // Doubt is for a store that no longer answers.
    if (is_open) {
      EXPECT_EQ(fault.span, FaultSpan::kForEver) << message;
    }
  }

  /// Lineage is what an undisturbed migration of the same predecessor gives.
  void ExpectLineage(const Snapshot& migrated) {
    auto files = place_.files();
    files.erase(migrated.manifest_path);
    files.erase(place_.root() + "/_versions/latest_version_hint.json");
    EXPECT_EQ(testing_support::EncodedFragments(migrated.manifest),
              testing_support::UndisturbedFragments(files, place_.root(), options_));
  }

  void ExpectNothingLeft(const Fault& fault) {
    const auto files = place_.files();
    for (const auto& [path, bytes] : files) EXPECT_EQ(path.find('#'), std::string::npos) << path;
    const auto ours = OurTransactionFiles(files);
    if (is_committed_) {
      ASSERT_EQ(ours.size(), 1u);
    } else if (fault.span == FaultSpan::kOnce) {
      EXPECT_EQ(ours, std::vector<std::string>{});
    } else {
      // A store that fails from then on cannot be tidied up either.
      EXPECT_LE(ours.size(), 1u);
    }
  }

  void ExpectSecondRunEndsWell() {
    const auto report = OpenAndMigrate(place_.store(), place_.root(), options_);
    ASSERT_TRUE(report.ok()) << report.status();
    const bool had_come = table_.newest().reader_flags & 2;
    EXPECT_EQ(report->outcome, is_committed_ || had_come ? MigrateOutcome::kAlreadyStable
                                                         : MigrateOutcome::kMigrated);
    if (had_come) return;
    ExpectMigrated(*LoadLatestSnapshot(place_.store(), place_.root()).ValueOrDie(),
                   table_.newest());
  }

  const Scenario& scenario_;
  Place place_;
  TestTable table_;
  MigrateOptions options_;
  bool is_committed_ = false;
};

class MigrateFault : public testing::TestWithParam<PlaceKind> {};

TEST_P(MigrateFault, EveryCallOfEveryScenario) {
  for (const auto& scenario : kScenarios) {
    uint64_t nth = 1;
    for (bool is_met = true; is_met; ++nth) {
      is_met = false;
      for (const Fault& fault : FaultsAt(nth)) {
        SCOPED_TRACE(std::string(scenario.name) + ": " + fault.ToString());
        is_met |= FaultRun(scenario, GetParam()).Run(fault);
        if (HasFailure()) return;
      }
      ASSERT_LT(nth, 200u);
    }
    // The shortest is: open (3), newest (2), branches, and nothing to do.
    EXPECT_GE(nth - 2, 6u) << scenario.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, MigrateFault,
                         testing::Values(PlaceKind::kMemory, PlaceKind::kDisk),
                         [](const auto& place) {
                           return place.param == PlaceKind::kMemory ? "Memory" : "Disk";
                         });

/// A fault while main and branches are migrated one after the other: what is done is said.
TEST(MigrateFaultBranches, EveryCall) {
  for (uint64_t nth = 1;; ++nth) {
    bool is_met = false;
    for (const Fault& fault : FaultsAt(nth)) {
      SCOPED_TRACE(fault.ToString());
      const auto memory = std::make_shared<MemoryStore>();
      TestTable table(memory, "/t");
      BuildHistory(&table);
      TestTable a = table.MakeBranch("a");
      a.Append({3});
      TestTable b = table.MakeBranch("team/b");
      const auto failing = std::make_shared<FailingObserver>(fault);
      MigrateOptions options;
      options.all_branches = true;
      const auto report = OpenAndMigrate(MakeObservedStore(memory, failing), "/t", options);
      is_met |= failing->has_failed();

      std::vector<std::string> committed;
      for (TestTable* t : {&table, &a, &b}) {
        const auto newest = LoadLatestSnapshot(memory, t->root()).ValueOrDie();
        if (ToInteger(newest->version()) == t->newest().version) continue;
        ExpectMigrated(*newest, t->newest());
        committed.push_back(t == &table ? "main" : *t->newest().branch);
      }
      if (report.ok()) {
        EXPECT_EQ(committed.size(), 3u);
        EXPECT_EQ(report->branches.size(), 2u);
        for (const auto& branch : report->branches)
          EXPECT_TRUE(branch.has_stable_row_ids) << branch.name;
      } else {
        const std::string message = MessageOf(report.status());
        // Every branch that is done is named, but for the one of which the message itself speaks.
        size_t num_named = 0;
        for (const char* name : {"main", "a", "team/b"}) {
          if (message.find(std::string(name) + " (version ") == std::string::npos) continue;
          EXPECT_NE(std::find(committed.begin(), committed.end(), name), committed.end())
              << message;
          ++num_named;
        }
        const bool speaks_of_one = message.find("could not be read back") != std::string::npos ||
                                   message.find("it is not known") != std::string::npos;
        EXPECT_LE(committed.size(), num_named + (speaks_of_one ? 1 : 0)) << message;
      }
      const auto again = OpenAndMigrate(memory, "/t", options);
      ASSERT_TRUE(again.ok()) << again.status();
      for (TestTable* t : {&table, &a, &b}) {
        ExpectMigrated(*LoadLatestSnapshot(memory, t->root()).ValueOrDie(), t->newest());
      }
      if (HasFailure()) return;
    }
    if (!is_met) break;
    ASSERT_LT(nth, 200u);
  }
}

}  // namespace
}  // namespace pennon
