#include "dataset/migrate_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/test_table.h"

namespace pennon {
namespace {

using testing_support::ManifestBytes;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::RangeIds;
using testing_support::Scalar;
using testing_support::TestTable;

constexpr uint64_t kRowsOfId = uint64_t{1} << 32;

/// Version 2 is what a migration of version 1 must be; each test changes one thing about it.
struct Fixture {
  Fixture() {
    table.Append({10, 20});
    before = LoadLatestSnapshot(memory, "/t").ValueOrDie();
    plan = PlanStableIds(before->manifest, {}).ValueOrDie();
    table.MigrateByHand();
    after = table.newest();
  }
  arrow::Status Check() {
    EXPECT_TRUE(memory->Put(table.ManifestPathOf(2), ManifestBytes(after)).ok());
    const auto committed = LoadLatestSnapshot(memory, "/t").ValueOrDie();
    return CheckMigrated(*before, *committed, plan);
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table{memory, "/t"};
  std::shared_ptr<const Snapshot> before;
  StableIdsPlan plan;
  ManifestSpec after;
};

TEST(MigrateCheck, AcceptsWhatWasPlanned) {
  Fixture f;
  EXPECT_TRUE(f.Check().ok());
  f.after.fragments[0].created = testing_support::VersionRuns({{10, 1}});
  EXPECT_TRUE(f.Check().ok());
}

struct FaultCase {
  const char* message;
  std::function<void(Fixture*)> change;
};

TEST(MigrateCheck, FindsEveryDifference) {
  const FaultCase cases[] = {
      {"stable row ids are not on", [](Fixture* f) { f->after.writer_flags = 0; }},
      {"stable row ids are not on", [](Fixture* f) { f->after.reader_flags = 0; }},
      {"next_row_id is 5, planned 8589934592", [](Fixture* f) { f->after.next_row_id = 5; }},
      {"2 fragments became 1", [](Fixture* f) { f->after.fragments.pop_back(); }},
      {"fragment 1 changed in more than its ids",
       [](Fixture* f) { f->after.fragments[1].extra = Scalar(15, 1); }},
      {"fragment 0 changed in more than its ids",
       [](Fixture* f) { std::swap(f->after.fragments[0], f->after.fragments[1]); }},
      {"fragment 0 has 10 rows but 9 ids",
       [](Fixture* f) { f->after.fragments[0].row_ids = RangeIds(0, 9); }},
      {"ids of fragment 1 do not start at its first address, but at 4294967297",
       [](Fixture* f) { f->after.fragments[1].row_ids = RangeIds(kRowsOfId + 1, 20); }},
      {"ids of fragment 0 are no single range",
       [](Fixture* f) { f->after.fragments[0].row_ids = RangeIds(0, 5) + RangeIds(6, 5); }},
      {"the manifest of the version before is not as it was",
       [](Fixture* f) {
         ManifestSpec other = f->after;
         other.version = 1;
         EXPECT_TRUE(f->memory->Put(f->table.ManifestPathOf(1), ManifestBytes(other)).ok());
       }},
  };
  for (const auto& item : cases) {
    Fixture f;
    item.change(&f);
    const auto status = f.Check();
    EXPECT_EQ(KindOf(status), ErrorKind::kInternal) << item.message;
    EXPECT_EQ(MessageOf(status), item.message);
  }
}

TEST(MigrateCheck, FindsIdsGivenTwiceOrAboveTheCounter) {
  Fixture f;
  f.plan.ids = IdChoice::kConsecutive;
  f.plan.next_row_id = 30;
  f.after.next_row_id = 30;
  f.after.fragments[0].row_ids = RangeIds(0, 10);
  f.after.fragments[1].row_ids = RangeIds(10, 20);
  EXPECT_TRUE(f.Check().ok());
  f.after.fragments[1].row_ids = RangeIds(9, 20);
  EXPECT_EQ(MessageOf(f.Check()), "id 9 is given to fragment 0 and to fragment 1");
  f.after.fragments[1].row_ids = RangeIds(11, 20);
  EXPECT_EQ(MessageOf(f.Check()), "id 30 is not below next_row_id 30");
}

TEST(MigrateCheck, APredecessorThatWasCleanedUpIsNoFault) {
  Fixture f;
  ASSERT_TRUE(f.memory->Remove(f.table.ManifestPathOf(1)).ok());
  EXPECT_TRUE(f.Check().ok());
}

}  // namespace
}  // namespace pennon
