// What reading asks of the store, on tables of the reference engine: numbers that do not depend on
// the machine.
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pennon/dataset/dataset.h"
#include "pennon/dataset/scan.h"
#include "pennon/dataset/take.h"
#include "support/observers.h"

namespace pennon {
namespace {

using testing_support::RecordingObserver;

/// A golden table, opened, with the calls of opening forgotten.
struct Watched {
  explicit Watched(const std::string& name) {
    OpenOptions options;
    options.observer = observer;
    dataset = Dataset::Open(
                  std::string(PENNON_SOURCE_DIR) + "/tests/golden/14.0.2/datasets/" + name, options)
                  .ValueOrDie();
    observer->Clear();
  }

  uint64_t NumReads() const {
    return observer->Count(StoreCall::kRead) + observer->Count(StoreCall::kReadWhole);
  }
  uint64_t BytesRead() const {
    uint64_t bytes = 0;
    for (const auto& event : observer->done()) {
      if (event.call == StoreCall::kRead || event.call == StoreCall::kReadWhole)
        bytes += event.num_bytes;
    }
    return bytes;
  }
  size_t NumFilesOpened() const {
    std::set<std::string> paths;
    for (const auto& event : observer->tried()) {
      if (event.call == StoreCall::kOpen) paths.insert(event.path);
    }
    return paths.size();
  }

  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<const Dataset> dataset;
};

constexpr char kTenFragments[] = "id_forms.stable.v2_2.lance";  // 66,224 rows, no deletions

uint64_t ScanAll(const std::shared_ptr<const Dataset>& dataset, ScanSpec spec) {
  const auto reader = Scan(dataset, std::move(spec)).ValueOrDie();
  uint64_t rows = 0;
  while (const auto batch = reader->Next().ValueOrDie())
    rows += static_cast<uint64_t>(batch->num_rows());
  return rows;
}

std::optional<Filter> Where(const Dataset& dataset, const std::string& sql) {
  return ParseFilter(sql, *FilterSchema(dataset).ValueOrDie()).ValueOrDie();
}

TEST(ReadCosts, CountingWithoutAFilterReadsNothing) {
  Watched table(kTenFragments);
  EXPECT_EQ(CountRows(*table.dataset).ValueOrDie(), 66224u);
  EXPECT_EQ(table.observer->Count(), 0u);
}

TEST(ReadCosts, OneRowIsOneFile) {
  Watched table(kTenFragments);
  const std::vector<uint64_t> ids{5};
  EXPECT_EQ(TakeRowIdsFound(*table.dataset, ids).ValueOrDie().rows->num_rows(), 1);
  EXPECT_EQ(table.NumFilesOpened(), 1u);
  EXPECT_LE(table.NumReads(), 3u);  // the end of the file, the page's words, the chunk
  EXPECT_LE(table.BytesRead(), 32u * 1024);

  table.observer->Clear();
  EXPECT_EQ(TakeRowIdsFound(*table.dataset, ids).ValueOrDie().rows->num_rows(), 1);
  EXPECT_EQ(table.NumFilesOpened(), 0u);
  EXPECT_LE(table.NumReads(), 1u);
}

TEST(ReadCosts, AnIdThatWasNeverGivenReadsNothing) {
  Watched table(kTenFragments);
  const std::vector<uint64_t> ids{uint64_t{1} << 60};
  const auto found = TakeRowIdsFound(*table.dataset, ids).ValueOrDie();
  EXPECT_EQ(found.rows->num_rows(), 0);
  EXPECT_EQ(found.missing, (std::vector<MissingRow>{{0, RowId{ids[0]}, RowPlace::kNeverGiven}}));
  EXPECT_EQ(table.observer->Count(), 0u);
}

TEST(ReadCosts, AFilterOnIdsOpensOnlyTheirFragments) {
  Watched table(kTenFragments);
  ScanSpec spec;
  spec.filter = Where(*table.dataset, "_rowid = 5");
  EXPECT_EQ(ScanAll(table.dataset, std::move(spec)), 1u);
  EXPECT_EQ(table.NumFilesOpened(), 1u);
  EXPECT_LE(table.BytesRead(), 32u * 1024);

  table.observer->Clear();
  CountSpec count;
  count.filter = Where(*table.dataset, "_rowid >= 5 AND _rowid < 8");
  EXPECT_EQ(CountRows(*table.dataset, count).ValueOrDie(), 3u);
  EXPECT_EQ(table.observer->Count(), 0u);
}

TEST(ReadCosts, RowIdsAloneReadNoData) {
  Watched table(kTenFragments);
  ScanSpec spec;
  spec.select.columns = std::vector<std::string>{};
  spec.select.with_row_id = true;
  spec.select.with_row_address = true;
  EXPECT_EQ(ScanAll(table.dataset, std::move(spec)), 66224u);
  EXPECT_EQ(table.observer->Count(), 0u);
}

TEST(ReadCosts, ADeletionFileIsReadOnce) {
  Watched table("delete_few.plain.v2_1.lance");
  const std::vector<uint64_t> offsets{0};
  const auto deletions_read = [&] {
    uint64_t count = 0;
    for (const auto& event : table.observer->tried())
      count += event.path.find("_deletions/") != std::string::npos ? 1 : 0;
    return count;
  };
  EXPECT_TRUE(TakeOffsets(*table.dataset, offsets).ok());
  EXPECT_GE(deletions_read(), 1u);
  table.observer->Clear();
  EXPECT_TRUE(TakeOffsets(*table.dataset, offsets).ok());
  EXPECT_EQ(deletions_read(), 0u);
}

TEST(ReadCosts, AColumnIsReadWithoutTheOthers) {
  Watched all("add_columns.stable.v2_1.lance");
  ScanAll(all.dataset, {});
  Watched one("add_columns.stable.v2_1.lance");
  ScanSpec spec;
  spec.select.columns = std::vector<std::string>{"k"};
  ScanAll(one.dataset, std::move(spec));
  EXPECT_LT(one.NumFilesOpened(), all.NumFilesOpened());  // added columns lie in files of their own
  EXPECT_LT(one.BytesRead(), all.BytesRead());
}

}  // namespace
}  // namespace pennon
