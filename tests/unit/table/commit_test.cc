#include "table/commit.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"

namespace pennon {
namespace {

using testing_support::FailingObserver;
using testing_support::Fault;
using testing_support::FaultPoint;
using testing_support::FaultSpan;
using testing_support::HookObserver;
using testing_support::ManifestBytes;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::Operation;
using testing_support::RecordingObserver;
using testing_support::TestTable;
using testing_support::TransactionBytes;

constexpr const char* kManifest = "/t/_versions/18446744073709551613.manifest";  // of version 2
constexpr const char* kTransaction = "/t/_transactions/1-ours.txn";
constexpr const char* kHint = "/t/_versions/latest_version_hint.json";

/// A table at version 1 and the attempt to write version 2.
struct Fixture {
  explicit Fixture(bool is_inline = true) {
    table.Append({10});
    transaction = TransactionBytes(1, "ours", Operation::kUpdateConfig);
    ManifestSpec spec = table.newest();
    spec.version = 2;
    spec.transaction_file = "1-ours.txn";
    spec.transaction.reset();
    if (is_inline) spec.transaction = transaction;
    manifest_file = ManifestBytes(spec);
    before = memory->files();
  }

  CommitAttempt Attempt() const {
    CommitAttempt attempt;
    attempt.root = "/t";
    attempt.version = Version{2};
    attempt.manifest_file = manifest_file;
    attempt.transaction_file = "1-ours.txn";
    attempt.transaction = transaction;
    return attempt;
  }
  arrow::Result<CommitAnswer> Write(std::shared_ptr<StoreObserver> observer) const {
    return WriteVersion(MakeObservedStore(memory, std::move(observer)), Attempt());
  }
  MemoryStore::Files Committed() const {
    auto files = before;
    files[kManifest] = manifest_file;
    files[kTransaction] = transaction;
    files[kHint] = "{\"version\":2}";
    return files;
  }

  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  TestTable table{memory, "/t"};
  std::string transaction;
  std::string manifest_file;
  MemoryStore::Files before;
};

TEST(Commit, WritesTransactionManifestAndHint) {
  Fixture f;
  const auto observer = std::make_shared<RecordingObserver>();
  EXPECT_EQ(f.Write(observer)->outcome, CommitOutcome::kCommitted);
  EXPECT_EQ(f.memory->files(), f.Committed());
  EXPECT_EQ(observer->Calls("/t"),
            (std::vector<std::string>{"put _transactions/1-ours.txn",
                                      "put if absent _versions/18446744073709551613.manifest",
                                      "put _versions/latest_version_hint.json"}));
}

TEST(Commit, WritesNoTransactionFileWithoutAName) {
  Fixture f;
  CommitAttempt attempt = f.Attempt();
  attempt.transaction_file.clear();
  EXPECT_EQ(WriteVersion(f.memory, attempt)->outcome, CommitOutcome::kCommitted);
  auto expected = f.Committed();
  expected.erase(kTransaction);
  EXPECT_EQ(f.memory->files(), expected);
}

TEST(Commit, GivesWayToWhoWasFaster) {
  Fixture f;
  f.table.Append({5});
  const auto files = f.memory->files();
  EXPECT_EQ(WriteVersion(f.memory, f.Attempt())->outcome, CommitOutcome::kConflicted);
  EXPECT_EQ(f.memory->files(), files);
}

TEST(Commit, GivesWayToVersionsThatWeCannotRead) {
  const std::pair<const char*, std::string> cases[] = {
      {"a feature we do not know",
       [] {
         ManifestSpec spec;
         spec.version = 2;
         spec.reader_flags = uint64_t{1} << 40;
         return ManifestBytes(spec);
       }()},
      {"no transaction",
       [] {
         ManifestSpec spec;
         spec.version = 2;
         return ManifestBytes(spec);
       }()},
      {"no manifest at all", "garbage"},
  };
  for (const auto& [what, bytes] : cases) {
    Fixture f;
    ASSERT_TRUE(f.memory->Put(kManifest, bytes).ok());
    const auto files = f.memory->files();
    EXPECT_EQ(WriteVersion(f.memory, f.Attempt())->outcome, CommitOutcome::kConflicted) << what;
    EXPECT_EQ(f.memory->files(), files) << what;
  }
}

/// Puts and then claims that the name was taken, as a store whose own retry met its first try.
class ForgetfulStore : public MemoryStore {
 public:
  arrow::Result<PutOutcome> PutIfAbsent(const std::string& path, std::string_view bytes) override {
    ARROW_RETURN_NOT_OK(MemoryStore::PutIfAbsent(path, bytes).status());
    return PutOutcome::kAlreadyExists;
  }
};

TEST(Commit, RecognisesItsOwnVersion) {
  for (const bool is_inline : {true, false}) {
    const Fixture f(is_inline);
    const auto store = std::make_shared<ForgetfulStore>();
    EXPECT_EQ(WriteVersion(store, f.Attempt())->outcome, CommitOutcome::kCommitted) << is_inline;
    EXPECT_EQ(store->files(), (MemoryStore::Files{{kManifest, f.manifest_file},
                                                  {kTransaction, f.transaction},
                                                  {kHint, "{\"version\":2}"}}))
        << is_inline;
  }
}

struct FaultCase {
  Fault fault;
  const char* outcome;  ///< "committed", "conflicted", "unknown" or "error".
  const char* left;     ///< "nothing", "everything" (as after a success), or what of it: "no hint",
                        ///< "transaction".
};

TEST(Commit, TellsTheTruthAboutEveryFault) {
  constexpr auto kBefore = FaultPoint::kBefore;
  constexpr auto kAfter = FaultPoint::kAfter;
  constexpr auto kOnce = FaultSpan::kOnce;
  constexpr auto kForEver = FaultSpan::kForEver;
  // Calls: 1 transaction, 2 manifest, 3 hint.
  const FaultCase cases[] = {
      {{1, kBefore, kOnce}, "error", "nothing"},
      {{1, kBefore, kForEver}, "error", "nothing"},
      {{1, kAfter, kOnce}, "error", "nothing"},
      {{1, kAfter, kForEver}, "error", "nothing"},
      {{2, kBefore, kOnce}, "error", "nothing"},
      {{2, kBefore, kForEver}, "unknown", "transaction"},
      {{2, kAfter, kOnce}, "committed", "everything"},
      {{2, kAfter, kForEver}, "unknown", "no hint"},
      {{3, kBefore, kOnce}, "committed", "no hint"},
      {{3, kBefore, kForEver}, "committed", "no hint"},
      {{3, kAfter, kOnce}, "committed", "everything"},
      {{3, kAfter, kForEver}, "committed", "everything"},
      {{4, kBefore, kForEver}, "committed", "everything"},
  };
  for (const bool is_inline : {true, false}) {
    for (const auto& item : cases) {
      Fixture f(is_inline);
      const auto answer = f.Write(std::make_shared<FailingObserver>(item.fault));
      std::string outcome = "error";
      if (answer.ok()) {
        constexpr const char* kNames[] = {"committed", "conflicted", "unknown"};
        outcome = kNames[static_cast<int>(answer->outcome)];
        EXPECT_EQ(answer->cause.ok(), outcome == "committed") << item.fault.ToString();
      } else {
        EXPECT_EQ(KindOf(answer.status()), ErrorKind::kIo);
      }
      EXPECT_EQ(outcome, item.outcome) << item.fault.ToString();

      auto expected = f.before;
      const std::string left = item.left;
      if (left == "everything" || left == "no hint") expected = f.Committed();
      if (left == "no hint") expected[kHint] = f.before.at(kHint);
      if (left == "transaction") expected[kTransaction] = f.transaction;
      EXPECT_EQ(f.memory->files(), expected) << item.fault.ToString();
    }
  }
}

TEST(Commit, TellsTheTruthAboutFaultsWhileGivingWay) {
  // Calls: 1 transaction, 2 manifest (taken), 3 reading it back, 4 removing the transaction.
  for (uint64_t nth = 1; nth <= 5; ++nth) {
    for (const Fault& fault : testing_support::FaultsAt(nth)) {
      Fixture f;
      f.table.Append({5});
      const auto files = f.memory->files();
      const auto answer = f.Write(std::make_shared<FailingObserver>(fault));
      // Whatever fails: it is never said to be committed, and the other's version stays.
      EXPECT_TRUE(!answer.ok() || answer->outcome != CommitOutcome::kCommitted) << fault.ToString();
      auto left = f.memory->files();
      if (fault.span == FaultSpan::kForEver) left.erase(kTransaction);
      EXPECT_EQ(left, files) << fault.ToString();
    }
  }
}

TEST(Commit, AVersionThatCameAndWentIsAConflict) {
  Fixture f;
  // Somebody's version 2 is there at the put, and cleaned up before we look who it was.
  ASSERT_TRUE(f.memory->Put(kManifest, "theirs").ok());
  const auto hook = std::make_shared<HookObserver>([&f](const StoreEvent& event) {
    if (event.call == StoreCall::kReadWhole) {
      ASSERT_TRUE(f.memory->Remove(kManifest).ok());
    }
  });
  EXPECT_EQ(f.Write(hook)->outcome, CommitOutcome::kConflicted);
  EXPECT_EQ(f.memory->files(), f.before);
}

}  // namespace
}  // namespace pennon
