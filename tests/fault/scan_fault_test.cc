// Scans and takes that are stopped, abandoned, shared by threads, or whose store fails at any call.
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/cancel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
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
                                          std::shared_ptr<StoreObserver> observer = nullptr) {
  OpenOptions options;
  options.observer = std::move(observer);
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
