#include "table/snapshot.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"

namespace pennon {
namespace {

using testing_support::FailingObserver;
using testing_support::FaultPoint;
using testing_support::FaultSpan;
using testing_support::ManifestBytes;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::RecordingObserver;
using testing_support::TestTable;

struct Fixture {
  explicit Fixture(ManifestNaming naming = ManifestNaming::kV2) : table(memory, "/t", naming) {
    for (int i = 0; i < 3; ++i) table.Append({10});
  }
  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table;
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(memory, observer);
};

TEST(Snapshot, LoadsTheNewestInThreeCalls) {
  Fixture f;
  const auto snapshot = LoadLatestSnapshot(f.store, "/t").ValueOrDie();
  EXPECT_EQ(snapshot->version(), Version{3});
  EXPECT_EQ(snapshot->manifest.fragments.size(), 3u);
  EXPECT_EQ(snapshot->table.root, "/t");
  EXPECT_EQ(snapshot->table.main_root, "/t");
  EXPECT_EQ(snapshot->naming, ManifestNaming::kV2);
  EXPECT_EQ(snapshot->manifest_path, "/t/_versions/18446744073709551612.manifest");
  EXPECT_EQ(snapshot->manifest_bytes, f.table.ReadManifest(3).size());
  EXPECT_EQ(
      f.observer->Calls("/t"),
      (std::vector<std::string>{"list _versions", "read whole _versions/latest_version_hint.json",
                                "read whole _versions/18446744073709551612.manifest"}));
}

TEST(Snapshot, LoadsAVersionInOneCall) {
  Fixture f;
  EXPECT_EQ(LoadSnapshot(f.store, "/t", Version{2})->get()->manifest.fragments.size(), 2u);
  EXPECT_EQ(f.observer->Calls("/t"),
            std::vector<std::string>{"read whole _versions/18446744073709551613.manifest"});
}

TEST(Snapshot, LoadsV1NamesInTwo) {
  Fixture f(ManifestNaming::kV1);
  const auto snapshot = LoadSnapshot(f.store, "/t", Version{2}).ValueOrDie();
  EXPECT_EQ(snapshot->naming, ManifestNaming::kV1);
  EXPECT_EQ(snapshot->manifest_path, "/t/_versions/2.manifest");
  EXPECT_EQ(f.observer->Count(), 2u);
  EXPECT_EQ(LoadLatestSnapshot(f.store, "/t")->get()->version(), Version{3});
}

TEST(Snapshot, LoadsDetachedVersions) {
  Fixture f;
  constexpr uint64_t kDetached = (uint64_t{1} << 63) + 5;
  ManifestSpec spec;
  spec.version = kDetached;
  ASSERT_TRUE(
      f.memory->Put("/t/_versions/d9223372036854775813.manifest", ManifestBytes(spec)).ok());
  EXPECT_EQ(LoadSnapshot(f.store, "/t", Version{kDetached})->get()->version(), Version{kDetached});
  EXPECT_EQ(LoadLatestSnapshot(f.store, "/t")->get()->version(), Version{3});
}

TEST(Snapshot, SaysWhichVersionsThereAre) {
  Fixture f;
  auto status = LoadSnapshot(f.store, "/t", Version{9}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  EXPECT_EQ(MessageOf(status), "version 9 is not there; versions 1 to 3 are: /t");
  ASSERT_TRUE(f.memory->Remove(f.table.ManifestPathOf(2)).ok());
  EXPECT_EQ(
      MessageOf(LoadSnapshot(f.store, "/t", Version{2}).status()),
      "version 2 is not there; versions 1 to 3 are, with gaps where old ones were cleaned up: /t");
  EXPECT_EQ(MessageOf(LoadSnapshot(f.store, "/none", Version{2}).status()), "no such path: /none");
}

TEST(Snapshot, NamesTheFileThatIsBroken) {
  Fixture f;
  const std::string path = f.table.ManifestPathOf(3);
  ASSERT_TRUE(f.memory->Put(path, "garbage, long enough for a trailer").ok());
  const auto status = LoadLatestSnapshot(f.store, "/t").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(status),
            "not a manifest, or cut short: the file does not end in LANC: " + path);
}

TEST(Snapshot, RefusesAManifestUnderAnotherVersionsName) {
  Fixture f;
  ASSERT_TRUE(f.memory->Put(f.table.ManifestPathOf(4), f.table.ReadManifest(3)).ok());
  const auto status = LoadLatestSnapshot(f.store, "/t").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(status),
            "manifest says version 3, its name says 4: " + f.table.ManifestPathOf(4));
}

TEST(Snapshot, ReportsAStoreThatFails) {
  Fixture f;
  for (const auto& [nth, ok] : {std::pair{1, false}, {2, true}, {3, false}}) {
    const auto failing = std::make_shared<FailingObserver>(
        testing_support::Fault{static_cast<uint64_t>(nth), FaultPoint::kBefore, FaultSpan::kOnce});
    const auto snapshot = LoadLatestSnapshot(MakeObservedStore(f.memory, failing), "/t");
    EXPECT_EQ(snapshot.ok(), ok) << nth;
    if (!ok) {
      EXPECT_EQ(KindOf(snapshot.status()), ErrorKind::kIo);
    }
  }
  // A numbered version is not reported missing because the store failed.
  const auto failing = std::make_shared<FailingObserver>(
      testing_support::Fault{1, FaultPoint::kBefore, FaultSpan::kForEver});
  EXPECT_EQ(KindOf(LoadSnapshot(MakeObservedStore(f.memory, failing), "/t", Version{3}).status()),
            ErrorKind::kIo);
}

}  // namespace
}  // namespace pennon
