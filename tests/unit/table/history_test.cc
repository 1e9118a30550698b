#include "table/history.h"

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

using testing_support::FailingObserver;
using testing_support::FaultPoint;
using testing_support::FaultSpan;
using testing_support::MemoryStore;
using testing_support::RecordingObserver;
using testing_support::TestTable;

struct Fixture {
  explicit Fixture(bool inline_transactions) {
    table.inline_transactions = inline_transactions;
    table.Append({10});
    table.Append({10, 20});
    observer->Clear();
  }
  std::shared_ptr<const Snapshot> Load() { return LoadLatestSnapshot(store, "/t").ValueOrDie(); }
  std::string TransactionPath() const {
    return "/t/_transactions/" + table.newest().transaction_file;
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table{memory, "/t"};
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(memory, observer);
};

TEST(History, ReadsATransactionInItsManifestWithoutACall) {
  Fixture f(true);
  const auto snapshot = f.Load();
  f.observer->Clear();
  const auto transaction = ReadTransaction(*snapshot).ValueOrDie();
  ASSERT_TRUE(transaction.has_value());
  EXPECT_EQ(transaction->operation, "Append");
  EXPECT_EQ(transaction->read_version, Version{1});
  EXPECT_EQ(transaction->uuid, "uuid-2");
  EXPECT_EQ(f.observer->Count(), 0u);
}

TEST(History, ReadsATransactionFromItsFile) {
  Fixture f(false);
  const auto snapshot = f.Load();
  f.observer->Clear();
  const auto transaction = ReadTransaction(*snapshot).ValueOrDie();
  ASSERT_TRUE(transaction.has_value());
  EXPECT_EQ(transaction->uuid, "uuid-2");
  EXPECT_EQ(f.observer->Calls("/t"),
            std::vector<std::string>{"read whole _transactions/1-uuid-2.txn"});
}

TEST(History, ReadsTheFileWhenTheManifestsCopyIsBroken) {
  Fixture f(true);
  auto spec = f.table.newest();
  spec.transaction = "\xff\xff";
  ASSERT_TRUE(f.memory->Put(f.table.ManifestPathOf(2), ManifestBytes(spec)).ok());
  EXPECT_EQ(ReadTransaction(*f.Load()).ValueOrDie()->uuid, "uuid-2");
}

TEST(History, ABrokenOrMissingTransactionIsNone) {
  Fixture f(false);
  ASSERT_TRUE(f.memory->Put(f.TransactionPath(), "\xff\xff").ok());
  EXPECT_FALSE(ReadTransaction(*f.Load())->has_value());
  ASSERT_TRUE(f.memory->Remove(f.TransactionPath()).ok());
  EXPECT_FALSE(ReadTransaction(*f.Load())->has_value());
  auto spec = f.table.newest();
  spec.transaction_file.clear();
  ASSERT_TRUE(f.memory->Put(f.table.ManifestPathOf(2), ManifestBytes(spec)).ok());
  EXPECT_FALSE(ReadTransaction(*f.Load())->has_value());
}

TEST(History, AStoreThatFailsIsNotTakenForAMissingTransaction) {
  Fixture f(false);
  const auto failing = std::make_shared<FailingObserver>(
      testing_support::Fault{4, FaultPoint::kBefore, FaultSpan::kOnce});
  const auto snapshot = LoadLatestSnapshot(MakeObservedStore(f.memory, failing), "/t").ValueOrDie();
  EXPECT_EQ(KindOf(ReadTransaction(*snapshot).status()), ErrorKind::kIo);
}

}  // namespace
}  // namespace pennon
