// Fails every store call of a migration, one after the other, before and after its effect, once and
// for ever.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "pennon/dataset/migrate.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::FailingObserver;
using testing_support::Fault;
using testing_support::FaultsAt;
using testing_support::FaultSpan;
using testing_support::MemoryStore;
using testing_support::TestTable;

constexpr uint64_t kCallsMax = 200;

/// Version 4: two fragments, one with a deletion file, compacted once.
std::shared_ptr<MemoryStore> MakeTable() {
  auto memory = std::make_shared<MemoryStore>();
  TestTable table(memory, "/t");
  table.Append({4, 6});
  table.Delete(0, {1, 2});
  table.Compact({0});
  table.Append({3});
  return memory;
}

struct Attempt {
  arrow::Status status;
  bool was_hit = false;
};

Attempt MigrateUnder(const std::shared_ptr<MemoryStore>& memory, Fault fault) {
  auto observer = std::make_shared<FailingObserver>(fault);
  const auto store = MakeObservedStore(memory, observer);
  const auto opened = LoadLatestSnapshot(store, "/t");
  if (!opened.ok()) return {opened.status(), observer->has_failed()};
  MigrateOptions options;
  options.attempts_max = 3;
  const auto reports = MigrateToStableRowIds(Dataset(*opened), options);
  return {reports.status(), observer->has_failed()};
}

/// Old or new version, whole; nothing else.
void ExpectOldOrNew(const std::shared_ptr<MemoryStore>& memory, const arrow::Status& status,
                    const std::string& what) {
  const auto newest = LoadLatestSnapshot(memory, "/t");
  ASSERT_TRUE(newest.ok()) << what << ": " << newest.status().ToString();
  const uint64_t version = ToInteger((*newest)->version());
  if (version == 4) {
    EXPECT_FALSE((*newest)->manifest.has_stable_row_ids()) << what;
    EXPECT_FALSE(status.ok()) << what << ": success was reported, but nothing was committed";
    return;
  }
  ASSERT_EQ(version, 5u) << what;
  EXPECT_TRUE((*newest)->manifest.has_stable_row_ids()) << what;
  EXPECT_EQ((*newest)->manifest.next_row_id, uint64_t{4} << 32) << what;
  if (!status.ok()) {
    const std::string message = MessageOf(status);
    EXPECT_TRUE(message.find("was committed") != std::string::npos ||
                message.find("not known") != std::string::npos)
        << what << ": a commit that happened was reported as lost: " << message;
  }
}

/// After a failure that ended the attempt, no staging file is there; without a commit no manifest
/// of ours either.
void ExpectNothingLeft(const std::shared_ptr<MemoryStore>& memory, const std::string& what) {
  for (const auto& [path, bytes] : memory->files()) {
    EXPECT_EQ(path.find('#'), std::string::npos) << what << ": left behind " << path;
  }
}

TEST(MigrateFault, EveryCallFailsInEveryWay) {
  bool untouched = false;
  uint64_t call = 1;
  for (; call <= kCallsMax && !untouched; ++call) {
    for (const Fault& fault : FaultsAt(call)) {
      const auto memory = MakeTable();
      const Attempt attempt = MigrateUnder(memory, fault);
      const std::string what = fault.ToString();
      untouched = !attempt.was_hit;
      ExpectOldOrNew(memory, attempt.status, what);
      ExpectNothingLeft(memory, what);

      const Attempt again = MigrateUnder(memory, Fault{0});
      EXPECT_TRUE(again.status.ok()) << what << ": a rerun fails: " << again.status.ToString();
      const auto newest = LoadLatestSnapshot(memory, "/t").ValueOrDie();
      EXPECT_EQ(newest->version(), Version{5}) << what;
      EXPECT_TRUE(newest->manifest.has_stable_row_ids()) << what;
    }
  }
  EXPECT_TRUE(untouched) << "no run passed untouched within " << kCallsMax << " calls";
  EXPECT_GT(call, 8u) << "a migration makes more calls than that";
}

}  // namespace
}  // namespace pennon
