#include "io/observed_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/store_suite.h"

namespace pennon {
namespace {

using testing_support::FailingObserver;
using testing_support::Fault;
using testing_support::FaultPoint;
using testing_support::FaultSpan;
using testing_support::MemoryStore;
using testing_support::RecordingObserver;

class MemoryPlace {
 public:
  Store& store() { return store_; }
  std::string root() { return "/root"; }

 private:
  MemoryStore store_;
};

class ObservedPlace {
 public:
  Store& store() { return *store_; }
  std::string root() { return "/root"; }

 private:
  std::shared_ptr<Store> store_ =
      MakeObservedStore(std::make_shared<MemoryStore>(), std::make_shared<RecordingObserver>());
};

struct Observed {
  std::shared_ptr<MemoryStore> below = std::make_shared<MemoryStore>();
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(below, observer);
};

TEST(ObservedStore, ShowsEveryCallWithItsBytes) {
  Observed o;
  ASSERT_TRUE(o.store->Put("/r/a", "12345").ok());
  ASSERT_TRUE(o.store->PutIfAbsent("/r/b", "123").ok());
  ASSERT_TRUE(o.store->PutIfAbsent("/r/b", "1234567").ok());
  ASSERT_TRUE(o.store->ReadWhole("/r/a", 100).ok());
  ASSERT_TRUE(o.store->ListFolder("/r").ok());
  ASSERT_TRUE(o.store->Stat("/r/a").ok());
  const auto file = o.store->OpenFile("/r/a").ValueOrDie();
  ASSERT_TRUE(file->ReadAt({1, 4}).ok());
  uint8_t out[2];
  ASSERT_TRUE(file->ReadInto({0, 2}, out).ok());
  ASSERT_TRUE(o.store->Remove("/r/a").ok());

  using Event = std::tuple<StoreCall, std::string, uint64_t>;
  const std::vector<Event> expected = {
      {StoreCall::kPut, "/r/a", 5},         {StoreCall::kPutIfAbsent, "/r/b", 3},
      {StoreCall::kPutIfAbsent, "/r/b", 7}, {StoreCall::kReadWhole, "/r/a", 5},
      {StoreCall::kList, "/r", 0},          {StoreCall::kStat, "/r/a", 0},
      {StoreCall::kOpen, "/r/a", 0},        {StoreCall::kRead, "/r/a", 3},
      {StoreCall::kRead, "/r/a", 2},        {StoreCall::kRemove, "/r/a", 0},
  };
  std::vector<Event> done;
  for (const auto& event : o.observer->done())
    done.emplace_back(event.call, event.path, event.num_bytes);
  EXPECT_EQ(done, expected);
  EXPECT_EQ(o.observer->Count(), expected.size());
  EXPECT_EQ(o.observer->BytesPut(), 15u);
}

TEST(ObservedStore, ShowsFailedCallsAsTriedOnly) {
  Observed o;
  EXPECT_FALSE(o.store->ReadWhole("/r/missing", 100).ok());
  EXPECT_FALSE(o.store->Remove("/r/missing").ok());
  EXPECT_EQ(o.observer->Calls("/r"),
            (std::vector<std::string>{"read whole missing", "remove missing"}));
  EXPECT_TRUE(o.observer->done().empty());
}

/// Every call of the store on one path, as far as it goes without the others.
std::vector<arrow::Status> EveryCall(Store& store, const std::string& path) {
  std::vector<arrow::Status> out = {
      store.Put(path, "put"),
      store.PutIfAbsent(path + "2", "new").status(),
      store.ReadWhole(path, 10).status(),
      store.ListFolder("/r").status(),
      store.Stat(path).status(),
      store.OpenFile(path).status(),
      store.Remove(path + "2"),
  };
  return out;
}

TEST(ObservedStore, FailsBeforeTheEffect) {
  for (uint64_t n = 1; n <= 7; ++n) {
    const auto below = std::make_shared<MemoryStore>();
    const auto observer =
        std::make_shared<FailingObserver>(Fault{n, FaultPoint::kBefore, FaultSpan::kOnce});
    const auto store = MakeObservedStore(below, observer);
    ASSERT_TRUE(below->Put("/r/a", "was there").ok());
    const auto answers = EveryCall(*store, "/r/a");
    EXPECT_EQ(MessageOf(answers[n - 1]).substr(0, 14), "injected fault") << n;
    EXPECT_EQ(below->files().at("/r/a"), n == 1 ? "was there" : "put") << n;
    // The second object is not made when its put fails; nor removed when that fails.
    EXPECT_EQ(below->files().count("/r/a2"), n == 7 ? 1u : 0u) << n;
  }
}

TEST(ObservedStore, FailsAfterTheEffect) {
  for (uint64_t n = 1; n <= 7; ++n) {
    const auto below = std::make_shared<MemoryStore>();
    const auto observer =
        std::make_shared<FailingObserver>(Fault{n, FaultPoint::kAfter, FaultSpan::kOnce});
    const auto answers = EveryCall(*MakeObservedStore(below, observer), "/r/a");
    for (size_t i = 0; i < answers.size(); ++i)
      EXPECT_EQ(answers[i].ok(), i + 1 != n) << n << " " << answers[i];
    EXPECT_EQ(below->files(), (MemoryStore::Files{{"/r/a", "put"}})) << n;
  }
}

TEST(ObservedStore, FailsForEver) {
  const auto below = std::make_shared<MemoryStore>();
  const auto observer =
      std::make_shared<FailingObserver>(Fault{3, FaultPoint::kBefore, FaultSpan::kForEver});
  const auto store = MakeObservedStore(below, observer);
  const auto answers = EveryCall(*store, "/r/a");
  for (size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].ok(), i < 2);
  EXPECT_EQ(observer->failed().call, StoreCall::kReadWhole);
  EXPECT_EQ(observer->num_calls(), 7u);
}

TEST(ObservedStore, FailsReadsOfAnOpenFile) {
  const auto below = std::make_shared<MemoryStore>();
  ASSERT_TRUE(below->Put("/r/a", "12345").ok());
  for (const auto point : {FaultPoint::kBefore, FaultPoint::kAfter}) {
    const auto store = MakeObservedStore(
        below, std::make_shared<FailingObserver>(Fault{2, point, FaultSpan::kForEver}));
    const auto file = store->OpenFile("/r/a").ValueOrDie();
    EXPECT_EQ(KindOf(file->ReadAt({0, 1}).status()), ErrorKind::kIo);
    uint8_t out[1];
    EXPECT_EQ(KindOf(file->ReadInto({0, 1}, out)), ErrorKind::kIo);
  }
}

}  // namespace

namespace testing_support {
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreSuite, MemoryPlace);
INSTANTIATE_TYPED_TEST_SUITE_P(Observed, StoreSuite, ObservedPlace);
}  // namespace testing_support

}  // namespace pennon
