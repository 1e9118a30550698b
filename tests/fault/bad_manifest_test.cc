// A manifest that was cut short or changed in one byte: every verb ends with a result or with one
// line that says which file is bad, and never asks for more memory than a small table can need.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "pennon/dataset/dataset.h"
#include "pennon/dataset/describe.h"
#include "pennon/dataset/migrate.h"
#include "support/memory_store.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace {

std::atomic<size_t> largest_request{0};

void* Allocate(size_t size) {
  size_t seen = largest_request.load();
  while (size > seen && !largest_request.compare_exchange_weak(seen, size)) {
  }
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace pennon {
namespace {

using testing_support::IndexSpec;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::RangeIds;
using testing_support::TestTable;
using testing_support::VersionRuns;

/// The builder of the next manifest asks for 64 KiB at once; nothing here has a reason to ask for
/// more than four times that.
constexpr size_t kRequestMax = 256 << 10;

void ExpectOneLine(const arrow::Status& status) {
  const std::string message = MessageOf(status);
  EXPECT_FALSE(message.empty());
  EXPECT_LT(message.size(), 1000u) << message;
  for (const char c : message) ASSERT_GE(static_cast<unsigned char>(c), 0x20) << message;
  const ErrorKind kind = KindOf(status);
  EXPECT_TRUE(kind != ErrorKind::kInternal && kind != ErrorKind::kIo &&
              kind != ErrorKind::kConflict)
      << status;
}

/// A table whose newest manifest is to be damaged.
class Damage {
 public:
  explicit Damage(TestTable* table, MemoryStore* store)
      : store_(store),
        path_(table->ManifestPathOf(table->newest().version)),
        bytes_(table->ReadManifest(table->newest().version)) {}

  const std::string& bytes() const { return bytes_; }

  /// Opens the table with `damaged` in the place of its manifest. Returns whether it opened.
  bool Visit(const std::string& damaged, const std::shared_ptr<Store>& store) {
    EXPECT_TRUE(store_->Put(path_, damaged).ok());
    largest_request = 0;
    const auto snapshot = LoadLatestSnapshot(store, "/t");
    if (snapshot.ok()) {
      VisitVerbs(Dataset(*snapshot));
    } else {
      ExpectOneLine(snapshot.status());
      EXPECT_TRUE(KindOf(snapshot.status()) == ErrorKind::kCorrupt ||
                  KindOf(snapshot.status()) == ErrorKind::kUnsupportedFeature)
          << snapshot.status();
      EXPECT_TRUE(MessageOf(snapshot.status()).ends_with(": " + path_)) << snapshot.status();
    }
    EXPECT_LE(largest_request.load(), kRequestMax);
    return snapshot.ok();
  }

 private:
  static void VisitVerbs(const Dataset& dataset) {
    const auto info = DescribeTable(dataset);
    if (!info.ok()) ExpectOneLine(info.status());
    const auto fragments = DescribeFragments(dataset);
    if (!fragments.ok()) ExpectOneLine(fragments.status());
    const auto versions = DescribeVersions(dataset);
    if (!versions.ok()) ExpectOneLine(versions.status());
    MigrateOptions options;
    options.dry_run = true;
    const auto plan = MigrateToStableRowIds(dataset, options);
    if (!plan.ok()) ExpectOneLine(plan.status());
  }

  MemoryStore* store_;
  std::string path_;
  std::string bytes_;
};

void BuildPlain(TestTable* table) {
  table->Append({4, 6});
  table->Delete(0, {1, 2});
  table->Append({5});
  table->Compact({0, 1});
  table->Delete(2, {4});
  IndexSpec index;
  index.fragment_bitmap = "";
  table->CreateIndex(index);
  table->SetConfig("key", "value");
}

void BuildStable(TestTable* table) {
  BuildPlain(table);
  ManifestSpec next = table->newest();
  next.reader_flags |= 2;
  next.writer_flags |= 2;
  next.next_row_id = uint64_t{4} << 32;
  for (auto& fragment : next.fragments) {
    fragment.row_ids = RangeIds(uint64_t{fragment.id} << 32, fragment.rows);
    fragment.created = VersionRuns({{1, 1}, {fragment.rows - 1, 2}});
    fragment.last_updated = VersionRuns({{fragment.rows, 3}});
  }
  table->Commit(next, testing_support::Operation::kRewrite,
                testing_support::RewriteBody({2, 3}, {2, 3}));
}

class BadManifest : public testing::TestWithParam<bool> {
 protected:
  BadManifest() : table_(store_, "/t") { GetParam() ? BuildStable(&table_) : BuildPlain(&table_); }
  std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
  TestTable table_;
};

TEST_P(BadManifest, CutShortAtEveryLength) {
  Damage damage(&table_, store_.get());
  ASSERT_TRUE(damage.Visit(damage.bytes(), store_));
  for (size_t size = 0; size < damage.bytes().size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_FALSE(damage.Visit(damage.bytes().substr(0, size), store_));
    EXPECT_FALSE(damage.Visit(damage.bytes().substr(size + 1), store_));
    if (HasFailure()) return;
  }
  for (const size_t more : {1u, 16u, 1000u})
    EXPECT_FALSE(damage.Visit(damage.bytes() + std::string(more, '\0'), store_));
}

TEST_P(BadManifest, EveryByteChanged) {
  Damage damage(&table_, store_.get());
  int num_opened = 0;
  for (size_t at = 0; at < damage.bytes().size(); ++at) {
    std::vector<char> values = {'\0', '\xff', '\n', '\x7f', '\x80'};
    for (int bit = 0; bit < 8; ++bit)
      values.push_back(static_cast<char>(damage.bytes()[at] ^ (1 << bit)));
    for (const char value : values) {
      SCOPED_TRACE(std::to_string(at) + " becomes " + std::to_string(static_cast<int>(value)));
      std::string damaged = damage.bytes();
      damaged[at] = value;
      num_opened += damage.Visit(damaged, store_) ? 1 : 0;
      if (HasFailure()) return;
    }
  }
  // Names, counters and the like may change without notice.
  EXPECT_GT(num_opened, 100);
}

INSTANTIATE_TEST_SUITE_P(Tables, BadManifest, testing::Bool(),
                         [](const auto& table) { return table.param ? "Stable" : "Plain"; });

}  // namespace
}  // namespace pennon
