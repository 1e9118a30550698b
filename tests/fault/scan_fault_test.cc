// Scans and takes that are stopped, abandoned, shared by threads, or whose store fails at any call.
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/cancel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pennon/base/error.h"
#include "pennon/dataset/dataset.h"
#include "pennon/dataset/scan.h"
#include "pennon/dataset/take.h"
#include "support/observers.h"

namespace pennon {
namespace {

using testing_support::RecordingObserver;

constexpr char kTenFragments[] = "id_forms.stable.v2_2.lance";  // 66,224 rows
constexpr uint64_t kNumRows = 66224;

std::shared_ptr<const Dataset> OpenGolden(const std::string& name,
                                          std::shared_ptr<StoreObserver> observer = nullptr,
                                          int num_threads = 0) {
  OpenOptions options;
  options.observer = std::move(observer);
  options.num_threads = num_threads;
  return Dataset::Open(std::string(PENNON_SOURCE_DIR) + "/tests/golden/14.0.2/datasets/" + name,
                       options)
      .ValueOrDie();
}

/// Fails the n-th read of data, from 1, and counts them.
class FailingReads : public StoreObserver {
 public:
  arrow::Status Before(const StoreEvent& event) override {
    if (event.call != StoreCall::kOpen && event.call != StoreCall::kRead &&
        event.call != StoreCall::kReadWhole) {
      return arrow::Status::OK();
    }
    if (++num_calls == fails_at) return MakeError(ErrorKind::kIo, "the disk is gone");
    return arrow::Status::OK();
  }
  arrow::Status After(const StoreEvent&) override { return arrow::Status::OK(); }

  std::atomic<uint64_t> num_calls = 0;
  std::atomic<uint64_t> fails_at = 0;
};

arrow::Result<uint64_t> ScanRows(const std::shared_ptr<const Dataset>& dataset, ScanSpec spec) {
  ARROW_ASSIGN_OR_RAISE(const auto reader, Scan(dataset, std::move(spec)));
  uint64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
    if (batch == nullptr) return rows;
    rows += static_cast<uint64_t>(batch->num_rows());
  }
}

TEST(ScanFault, AStopBeforeTheFirstBatchAndBetweenBatches) {
  const auto dataset = OpenGolden(kTenFragments);
  arrow::StopSource source;
  ScanSpec spec;
  spec.batch_rows = 100;
  spec.read_ahead_bytes = 1;
  spec.stop_token = source.token();
  const auto reader = Scan(dataset, spec).ValueOrDie();
  ASSERT_NE(reader->Next().ValueOrDie(), nullptr);
  source.RequestStop();
  arrow::Status status;
  uint64_t batches = 0;
  while (status.ok() && batches < kNumRows) {
    status = reader->Next().status();
    ++batches;
  }
  EXPECT_EQ(KindOf(status), ErrorKind::kCancelled) << status;
  EXPECT_EQ(KindOf(reader->Next().status()), ErrorKind::kCancelled);

  EXPECT_EQ(KindOf(ScanRows(dataset, spec).status()), ErrorKind::kCancelled);
  CountSpec count;
  count.stop_token = source.token();
  count.filter = ParseFilter("k >= 0", *FilterSchema(*dataset).ValueOrDie()).ValueOrDie();
  EXPECT_EQ(KindOf(CountRows(*dataset, count).status()), ErrorKind::kCancelled);
  EXPECT_EQ(ScanRows(dataset, {}).ValueOrDie(), kNumRows);  // the handle is none the worse
}

TEST(ScanFault, AnAbandonedReaderStopsAndTheHandleGoesOn) {
  auto dataset = OpenGolden(kTenFragments);
  for (int round = 0; round < 20; ++round) {
    ScanSpec spec;
    spec.batch_rows = 50;
    auto reader = Scan(dataset, spec).ValueOrDie();
    for (int i = 0; i < round; ++i) ASSERT_NE(reader->Next().ValueOrDie(), nullptr);
    if (round % 2 == 0) {
      EXPECT_TRUE(reader->Close().ok());
      EXPECT_FALSE(reader->Next().ok());
    }
  }
  auto reader = Scan(dataset, {}).ValueOrDie();
  dataset = nullptr;  // the reader keeps what it needs
  EXPECT_EQ(static_cast<uint64_t>(reader->ToTable().ValueOrDie()->num_rows()), kNumRows);
}

TEST(ScanFault, EveryReadThatFailsIsAnErrorAndNothingElse) {
  const std::vector<uint64_t> ids{1, 70'000'000'000, 9, 12};
  const auto work = [&](const std::shared_ptr<const Dataset>& dataset) -> arrow::Status {
    ScanSpec spec;
    spec.filter = ParseFilter("k >= 0", *FilterSchema(*dataset).ValueOrDie()).ValueOrDie();
    ARROW_RETURN_NOT_OK(ScanRows(dataset, spec).status());
    return TakeRowIdsAligned(*dataset, ids).status();
  };
  const auto counter = std::make_shared<FailingReads>();
  auto dataset = OpenGolden(kTenFragments, counter);
  counter->num_calls = 0;
  ASSERT_TRUE(work(dataset).ok());
  const uint64_t num_calls = counter->num_calls;
  ASSERT_GT(num_calls, 10u);
  for (uint64_t n = 1; n <= num_calls; ++n) {
    const auto failing = std::make_shared<FailingReads>();
    dataset = OpenGolden(kTenFragments, failing);
    failing->num_calls = 0;
    failing->fails_at = n;
    const auto status = work(dataset);
    // Threads share the calls out differently each time: one of them may have been spared.
    if (failing->num_calls >= n) {
      EXPECT_EQ(KindOf(status), ErrorKind::kIo) << status;
    }
    failing->fails_at = 0;
    EXPECT_TRUE(work(dataset).ok()) << "after call " << n << " had failed once";
  }
}

/// Holds reads of every thread but the one that made it, from Hold() to LetGo().
class HoldingReads : public StoreObserver {
 public:
  arrow::Status Before(const StoreEvent& event) override {
    const bool is_read = event.call == StoreCall::kOpen || event.call == StoreCall::kRead ||
                         event.call == StoreCall::kReadWhole;
    if (!is_read || std::this_thread::get_id() == spared_) return arrow::Status::OK();
    std::unique_lock lock(mutex_);
    if (lets_go_) return arrow::Status::OK();
    ++num_held_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return lets_go_; });
    return arrow::Status::OK();
  }
  arrow::Status After(const StoreEvent&) override { return arrow::Status::OK(); }

  bool AwaitHeld(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return num_held_ >= count; });
  }
  void Hold() {
    const std::lock_guard lock(mutex_);
    lets_go_ = false;
  }
  void LetGo() {
    const std::lock_guard lock(mutex_);
    lets_go_ = true;
    changed_.notify_all();
  }

 private:
  const std::thread::id spared_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t num_held_ = 0;
  bool lets_go_ = true;
};

// Two scans hold both threads of the handle and their consumers; others read on the thread of their
// consumer, and go away while their helpers still wait for a thread.
TEST(ScanFault, AScanNeitherNeedsNorAwaitsThreadsThatOthersHold) {
  const auto holding = std::make_shared<HoldingReads>();
  const auto dataset = OpenGolden(kTenFragments, holding, 2);
  // A morsel for each of the small fragments, which nobody has opened yet.
  const auto spec_of = [](std::vector<FragmentId> fragments) {
    ScanSpec spec;
    spec.fragments = std::move(fragments);
    return spec;
  };
  holding->Hold();
  std::vector<std::thread> consumers;
  for (const uint32_t first : {0u, 2u}) {
    consumers.emplace_back([&, first] {
      EXPECT_GT(ScanRows(dataset, spec_of({FragmentId{first}, FragmentId{first + 1}})).ValueOr(0),
                0u);
    });
  }
  EXPECT_TRUE(holding->AwaitHeld(4));
  const ScanSpec others = spec_of({FragmentId{4}, FragmentId{5}, FragmentId{6}, FragmentId{7}});
  const uint64_t num_rows = ScanRows(dataset, others).ValueOrDie();
  EXPECT_GT(num_rows, 0u);
  {
    const auto reader = Scan(dataset, others).ValueOrDie();
    ASSERT_NE(reader->Next().ValueOrDie(), nullptr);
  }
  const auto closed = Scan(dataset, others).ValueOrDie();
  ASSERT_NE(closed->Next().ValueOrDie(), nullptr);
  EXPECT_TRUE(closed->Close().ok());
  holding->LetGo();
  for (auto& consumer : consumers) consumer.join();
  EXPECT_EQ(ScanRows(dataset, others).ValueOrDie(), num_rows);
  EXPECT_EQ(ScanRows(dataset, {}).ValueOrDie(), kNumRows);
}

// What is read does not depend on how small the batches are that it is given out in.
TEST(ScanFault, SmallBatchesCostNoMoreReads) {
  const auto counter = std::make_shared<FailingReads>();
  const auto reads = [&](uint64_t batch_rows) {
    // The one golden table whose pages lie outside of what is read of a file at first.
    const auto dataset = OpenGolden("compact_holes.stable.v2_1.lance", counter, 1);
    counter->num_calls = 0;
    ScanSpec spec;
    spec.batch_rows = batch_rows;
    EXPECT_GT(ScanRows(dataset, spec).ValueOr(0), 1000u);
    return counter->num_calls.load();
  };
  const uint64_t num_calls = reads(1 << 17);
  EXPECT_GT(num_calls, 0u);
  // The first morsels are small, so that the first rows come soon, and double from there.
  EXPECT_LE(reads(3), num_calls + 30);
}

TEST(ScanFault, ManyThreadsShareAHandle) {
  const auto dataset = OpenGolden(kTenFragments);
  const auto expected = TakeRowIdsFound(*dataset, std::vector<uint64_t>{7, 5, 7}).ValueOrDie();
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int round = 0; round < 5; ++round) {
        ScanSpec spec;
        spec.batch_rows = static_cast<uint64_t>(100 + 1000 * number);
        spec.ordered = number % 2 == 0;
        spec.select.with_row_id = true;
        EXPECT_EQ(ScanRows(dataset, spec).ValueOrDie(), kNumRows);
        const auto taken = TakeRowIdsFound(*dataset, std::vector<uint64_t>{7, 5, 7}).ValueOrDie();
        EXPECT_TRUE(taken.rows->Equals(*expected.rows));
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace pennon
