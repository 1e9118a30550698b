#include "table/deletions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"

namespace pennon {
namespace {

using testing_support::MemoryStore;
using testing_support::RecordingObserver;
using testing_support::TestTable;

constexpr const char* kPath = "/t/_deletions/1-1-1001.arrow";

struct Fixture {
  Fixture() {
    table.Append({10, 20});
    table.Delete(1, {3, 7, 19});
  }
  std::shared_ptr<const Snapshot> Load() { return LoadLatestSnapshot(store, "/t").ValueOrDie(); }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table{memory, "/t"};
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(memory, observer);
};

TEST(Deletions, LoadsTheVectorInOneCall) {
  Fixture f;
  const auto snapshot = f.Load();
  f.observer->Clear();
  const auto deletions = LoadDeletions(*snapshot, snapshot->manifest.fragments[1]).ValueOrDie();
  EXPECT_EQ(deletions, DeletionVector::FromOffsets({3, 7, 19}));
  EXPECT_EQ(f.observer->Calls("/t"),
            std::vector<std::string>{"read whole _deletions/1-1-1001.arrow"});
}

TEST(Deletions, AFragmentWithoutAFileTakesNone) {
  Fixture f;
  const auto snapshot = f.Load();
  f.observer->Clear();
  EXPECT_TRUE(LoadDeletions(*snapshot, snapshot->manifest.fragments[0])->empty());
  EXPECT_EQ(f.observer->Count(), 0u);
}

TEST(Deletions, SaysWhichFragmentMissesItsFile) {
  Fixture f;
  const auto snapshot = f.Load();
  ASSERT_TRUE(f.memory->Remove(kPath).ok());
  const auto status = LoadDeletions(*snapshot, snapshot->manifest.fragments[1]).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  EXPECT_EQ(MessageOf(status), std::string("deletion file of fragment 1 is missing: ") + kPath);
}

TEST(Deletions, ChecksTheFileAgainstTheManifest) {
  Fixture f;
  auto spec = f.table.newest();
  spec.fragments[1].deletion->num_deleted_rows = 2;
  ASSERT_TRUE(f.memory->Put(f.table.ManifestPathOf(2), ManifestBytes(spec)).ok());
  auto snapshot = f.Load();
  auto status = LoadDeletions(*snapshot, snapshot->manifest.fragments[1]).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(status),
            std::string("deletion file has too many rows: expected 2, got 3: ") + kPath);

  ASSERT_TRUE(f.memory->Put(kPath, "garbage").ok());
  status = LoadDeletions(*snapshot, snapshot->manifest.fragments[1]).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_TRUE(MessageOf(status).ends_with(std::string(": ") + kPath)) << status;
}

}  // namespace
}  // namespace pennon
