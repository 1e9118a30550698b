#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "pennon/dataset/describe.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::MemoryStore;
using testing_support::RecordingObserver;
using testing_support::TestTable;

using Strings = std::vector<std::string>;
using Count = std::optional<uint64_t>;

struct Fixture {
  Fixture() {
    table.Append({10, 20});      // 1
    table.Append({30});          // 2
    table.Delete(1, {0, 1, 2});  // 3
    table.Compact({0, 1});       // 4: 27 rows in fragment 3
    table.SetConfig("a", "b");   // 5
    table.Tag("good", 2);
    table.Tag("better", 2);
    table.Tag("elsewhere", 2, "try");
  }
  std::vector<VersionInfo> Describe(size_t count_max = ~size_t{0}, Version version = Version{5}) {
    const Dataset dataset(LoadSnapshot(store, "/t", version).ValueOrDie());
    observer->Clear();
    return DescribeVersions(dataset, count_max).ValueOrDie();
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(memory, observer);
  TestTable table{memory, "/t"};
};

struct ExpectedVersion {
  uint64_t version;
  const char* operation;
  const char* detail;
  Count rows;
  uint64_t num_fragments;
  Count added;
  Count removed;
  Strings tags;
};

void ExpectVersions(const std::vector<VersionInfo>& actual,
                    const std::vector<ExpectedVersion>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto& e = expected[i];
    EXPECT_EQ(ToInteger(actual[i].version), e.version);
    EXPECT_EQ(actual[i].operation, e.operation) << e.version;
    EXPECT_EQ(actual[i].detail, e.detail) << e.version;
    EXPECT_EQ(actual[i].row_count, e.rows) << e.version;
    EXPECT_EQ(actual[i].num_fragments, e.num_fragments) << e.version;
    EXPECT_EQ(actual[i].rows_added, e.added) << e.version;
    EXPECT_EQ(actual[i].rows_removed, e.removed) << e.version;
    EXPECT_EQ(actual[i].tags, e.tags) << e.version;
    EXPECT_EQ(actual[i].writer, "lance 14.0.2");
    EXPECT_FALSE(actual[i].has_stable_row_ids);
  }
}

TEST(DescribeVersions, TellsWhatHappened) {
  Fixture f;
  const auto versions = f.Describe();
  ExpectVersions(versions, {{5, "UpdateConfig", "", 57, 2, 0, 0, {}},
                            {4, "Rewrite", "2 fragment(s) into 1", 57, 2, 27, 27, {}},
                            {3, "Delete", "", 57, 3, 0, 3, {}},
                            {2, "Append", "0 new fragment(s)", 60, 3, 30, 0, {"better", "good"}},
                            {1, "Overwrite", "0 new fragment(s)", 30, 2, 30, 0, {}}});
  EXPECT_EQ(versions[1].read_version, Version{3});
  EXPECT_EQ(versions[1].uuid, "uuid-4");
  EXPECT_EQ(versions[4].timestamp, "2023-11-14T22:13:21.000000005Z");
}

TEST(DescribeVersions, GoesNoFurtherThanTheHandle) {
  Fixture f;
  const auto versions = f.Describe(~size_t{0}, Version{2});
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_EQ(versions[0].version, Version{2});
}

TEST(DescribeVersions, ReadsOneMoreThanItIsAskedFor) {
  Fixture f;
  const auto versions = f.Describe(2);
  ExpectVersions(versions, {{5, "UpdateConfig", "", 57, 2, 0, 0, {}},
                            {4, "Rewrite", "2 fragment(s) into 1", 57, 2, 27, 27, {}}});
  // One listing each of versions and tags, three tags, three manifests.
  EXPECT_EQ(f.observer->Count(StoreCall::kList), 2u);
  EXPECT_EQ(f.observer->Count(StoreCall::kReadWhole), 6u);
  EXPECT_EQ(f.observer->Count(), 8u);
}

TEST(DescribeVersions, DoesNotCountAcrossAGap) {
  Fixture f;
  ASSERT_TRUE(f.memory->Remove(f.table.ManifestPathOf(1)).ok());
  ASSERT_TRUE(f.memory->Remove(f.table.ManifestPathOf(3)).ok());
  ExpectVersions(f.Describe(),
                 {{5, "UpdateConfig", "", 57, 2, 0, 0, {}},
                  {4, "Rewrite", "2 fragment(s) into 1", 57, 2, {}, {}, {}},
                  {2, "Append", "0 new fragment(s)", 60, 3, {}, {}, {"better", "good"}}});
}

TEST(DescribeVersions, ReadsTransactionsBesideTheirManifests) {
  Fixture f;
  f.table.inline_transactions = false;
  f.table.Append({1});
  ASSERT_TRUE(f.memory->Remove("/t/_transactions/5-uuid-6.txn").ok());
  f.table.Append({2});
  const auto versions = f.Describe(2, Version{7});
  EXPECT_EQ(versions[0].operation, "Append");
  EXPECT_EQ(versions[0].uuid, "uuid-7");
  EXPECT_EQ(versions[1].operation, "Unknown");
  EXPECT_EQ(versions[1].uuid, "");
}

TEST(DescribeVersions, ABrokenVersionIsAnErrorThatNamesIt) {
  Fixture f;
  ASSERT_TRUE(f.memory->Put(f.table.ManifestPathOf(2), "garbage").ok());
  const Dataset dataset(LoadLatestSnapshot(f.store, "/t").ValueOrDie());
  const auto status = DescribeVersions(dataset).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_TRUE(MessageOf(status).ends_with(f.table.ManifestPathOf(2))) << status;
}

}  // namespace
}  // namespace pennon
