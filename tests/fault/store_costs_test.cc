// What each verb asks of the store, call by call and byte by byte: numbers that do not depend on
// the machine.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "io/observed_store.h"
#include "pennon/dataset/dataset.h"
#include "pennon/dataset/describe.h"
#include "pennon/dataset/migrate.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/place.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::MemoryStore;
using testing_support::Place;
using testing_support::PlaceKind;
using testing_support::RecordingObserver;
using testing_support::TestTable;

using Calls = std::vector<std::string>;

const std::string kV1 = "_versions/18446744073709551614.manifest";
const std::string kV2 = "_versions/18446744073709551613.manifest";
const std::string kV3 = "_versions/18446744073709551612.manifest";
const std::string kV4 = "_versions/18446744073709551611.manifest";
const std::string kHint = "_versions/latest_version_hint.json";

/// Versions 1 to 3: two appends and a delete; one tag.
struct Watched {
  explicit Watched(size_t fragments_each = 2) {
    const std::vector<uint64_t> rows(fragments_each, 10);
    table.Append(rows);
    table.Append(rows);
    table.Delete(0, {1, 2});
    table.Tag("good", 2);
  }
  Dataset Open() {
    Dataset dataset(LoadLatestSnapshot(store, "/t").ValueOrDie());
    observer->Clear();
    return dataset;
  }
  void ExpectNoDataRead() const {
    for (const auto& event : observer->tried()) {
      EXPECT_EQ(event.path.find("/data/"), std::string::npos) << event.path;
      EXPECT_FALSE(event.path.ends_with(".lance")) << event.path;
      EXPECT_NE(event.call, StoreCall::kOpen) << event.path;
    }
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(memory, observer);
  TestTable table{memory, "/t"};
};

uint64_t BytesRead(const RecordingObserver& observer) {
  uint64_t bytes = 0;
  for (const auto& event : observer.done()) {
    if (event.call == StoreCall::kReadWhole || event.call == StoreCall::kRead)
      bytes += event.num_bytes;
  }
  return bytes;
}

TEST(StoreCosts, OpenReadsOneManifest) {
  Place place(PlaceKind::kDisk);
  TestTable table(place.store(), place.root());
  table.Append({10});
  table.Append({10});
  const auto observer = std::make_shared<RecordingObserver>();
  OpenOptions options;
  options.observer = observer;

  ASSERT_TRUE(Dataset::Open(place.root(), options).ok());
  EXPECT_EQ(observer->Calls(place.root()),
            (Calls{"list _versions", "read whole " + kHint, "read whole " + kV2}));
  EXPECT_EQ(BytesRead(*observer),
            std::string("{\"version\":2}").size() + table.ReadManifest(2).size());

  observer->Clear();
  options.version = "1";
  ASSERT_TRUE(Dataset::Open(place.root(), options).ok());
  EXPECT_EQ(observer->Calls(place.root()), Calls{"read whole " + kV1});
  EXPECT_EQ(BytesRead(*observer), table.ReadManifest(1).size());
}

TEST(StoreCosts, InfoReadsRefsOnly) {
  Watched w;
  ASSERT_TRUE(DescribeTable(w.Open()).ok());
  EXPECT_EQ(w.observer->Calls("/t"),
            (Calls{"list _refs/tags", "read whole _refs/tags/good.json", "list _refs/branches"}));
  w.ExpectNoDataRead();
}

TEST(StoreCosts, VersionsReadsEachManifestOnce) {
  Watched w;
  ASSERT_TRUE(DescribeVersions(w.Open()).ok());
  EXPECT_EQ(w.observer->Calls("/t"),
            (Calls{"list _versions", "list _refs/tags", "read whole _refs/tags/good.json",
                   "read whole " + kV3, "read whole " + kV2, "read whole " + kV1}));
  w.ExpectNoDataRead();
}

TEST(StoreCosts, FragmentsReadsNothingMore) {
  Watched w;
  ASSERT_TRUE(DescribeFragments(w.Open()).ok());
  EXPECT_EQ(w.observer->Count(), 0u);
  w.table.MigrateByHand();
  DescribeOptions all;
  all.segments_max = ~size_t{0};
  ASSERT_TRUE(DescribeFragments(w.Open(), all).ok());
  EXPECT_EQ(w.observer->Count(), 0u);
}

/// What a migration of version 3 to 4 calls when the handle is at version 3.
Calls MigrationCalls(const std::string& transaction_file, bool with_history) {
  Calls calls = {"list _versions", "read whole " + kHint, "list _refs/branches"};
  if (with_history) {
    for (const std::string& call :
         {std::string("list _versions"), "read whole " + kV1, "read whole " + kV2}) {
      calls.push_back(call);
    }
  }
  for (const std::string& call : {"put _transactions/" + transaction_file, "put if absent " + kV4,
                                  "put " + kHint, "read whole " + kV4, "read whole " + kV3}) {
    calls.push_back(call);
  }
  return calls;
}

TEST(StoreCosts, MigrateWritesTwoFilesAndTheHint) {
  for (const bool with_history : {true, false}) {
    Watched w;
    MigrateOptions options;
    options.lineage = with_history ? MigrateLineage::kHistory : MigrateLineage::kNone;
    const auto report = MigrateToStableRowIds(w.Open(), options).ValueOrDie().front();
    const auto calls = w.observer->Calls("/t");
    w.ExpectNoDataRead();
    const auto bytes_put = w.observer->BytesPut();
    const auto newest = LoadLatestSnapshot(w.memory, "/t").ValueOrDie();
    EXPECT_EQ(calls, MigrationCalls(newest->manifest.transaction_file, with_history));
    EXPECT_EQ(bytes_put, report.transaction_bytes + report.manifest_bytes_after +
                             std::string("{\"version\":4}").size());
    EXPECT_EQ(report.manifest_bytes_after, newest->manifest_bytes);
  }
}

TEST(StoreCosts, MigrateReadsDeletionsOnlyOfWhatWasCompacted) {
  Watched w;
  w.table.Compact({0, 1});
  ASSERT_TRUE(MigrateToStableRowIds(w.Open()).ok());
  Calls deletions;
  for (const auto& call : w.observer->Calls("/t")) {
    if (call.find("_deletions") != std::string::npos) deletions.push_back(call);
  }
  EXPECT_EQ(deletions, Calls{"read whole _deletions/0-2-1002.arrow"});
  w.ExpectNoDataRead();
}

TEST(StoreCosts, CallsDoNotGrowWithFragments) {
  size_t calls[2] = {};
  uint64_t bytes[2] = {};
  constexpr size_t kSizes[] = {2, 1000};
  for (size_t i = 0; i < 2; ++i) {
    Watched w(kSizes[i]);
    const auto dataset = w.Open();
    ASSERT_TRUE(DescribeTable(dataset).ok());
    ASSERT_TRUE(DescribeVersions(dataset).ok());
    ASSERT_TRUE(MigrateToStableRowIds(dataset).ok());
    calls[i] = w.observer->Count();
    bytes[i] = w.observer->BytesPut();
  }
  EXPECT_EQ(calls[0], calls[1]);
  // A fragment costs its own bytes, its ids (at most 26), two lineage runs (at most 38 each) and
  // its id twice.
  const uint64_t fragments = 2 * (kSizes[1] - kSizes[0]);
  EXPECT_LT(bytes[1] - bytes[0], fragments * 150);
}

TEST(StoreCosts, NothingToDoWritesNothing) {
  Watched w;
  w.table.MigrateByHand();
  ASSERT_TRUE(MigrateToStableRowIds(w.Open()).ok());
  EXPECT_EQ(w.observer->Calls("/t"),
            (Calls{"list _versions", "read whole " + kHint, "list _refs/branches"}));
  EXPECT_EQ(w.observer->BytesPut(), 0u);
  MigrateOptions options;
  options.dry_run = true;
  Watched plain;
  ASSERT_TRUE(MigrateToStableRowIds(plain.Open(), options).ok());
  EXPECT_EQ(plain.observer->BytesPut(), 0u);
  EXPECT_EQ(plain.observer->Count(StoreCall::kPut) + plain.observer->Count(StoreCall::kPutIfAbsent),
            0u);
}

}  // namespace
}  // namespace pennon
