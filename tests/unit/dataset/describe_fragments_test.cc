#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "pennon/dataset/describe.h"
#include "support/memory_store.h"
#include "support/observers.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

using testing_support::Field;
using testing_support::ManifestBytes;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::RangeIds;
using testing_support::RecordingObserver;
using testing_support::Rows;
using testing_support::TestTable;
using testing_support::U16;
using testing_support::VersionRuns;

struct Fixture {
  std::vector<FragmentInfo> Describe(const DescribeOptions& options = {}) {
    const Dataset dataset(LoadLatestSnapshot(store, "/t").ValueOrDie());
    observer->Clear();
    return DescribeFragments(dataset, options).ValueOrDie();
  }
  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  std::shared_ptr<Store> store = MakeObservedStore(memory, observer);
};

TEST(DescribeFragments, TellsFilesAndDeletions) {
  Fixture f;
  TestTable table(f.memory, "/t");
  table.Append({10, 20});
  table.Delete(1, {0, 1, 2});
  table.AddColumn("extra");
  const auto fragments = f.Describe();
  ASSERT_EQ(fragments.size(), 2u);
  EXPECT_EQ(fragments[0].id, FragmentId{0});
  EXPECT_EQ(fragments[0].physical_rows, 10u);
  EXPECT_EQ(fragments[0].num_deletions, 0u);
  EXPECT_FALSE(fragments[0].deletion_file.has_value());
  ASSERT_EQ(fragments[1].data_files.size(), 2u);
  EXPECT_EQ(fragments[1].data_files[0].path, "1.lance");
  EXPECT_EQ(fragments[1].data_files[1].path, "1-extra.lance");
  EXPECT_EQ(fragments[1].data_files[1].fields, std::vector<int32_t>{1});
  EXPECT_EQ(fragments[1].data_files[1].column_indices, std::vector<int32_t>{0});
  EXPECT_EQ(fragments[1].data_files[1].file_version, "2.1");
  EXPECT_EQ(fragments[1].data_files[1].size_bytes, 1000u);
  EXPECT_EQ(fragments[1].num_deletions, 3u);
  ASSERT_TRUE(fragments[1].deletion_file.has_value());
  EXPECT_EQ(fragments[1].deletion_file->type, "array");
  EXPECT_EQ(fragments[1].deletion_file->path, "_deletions/1-1-1001.arrow");
  EXPECT_EQ(fragments[1].row_ids.placement, Placement::kAbsent);
  EXPECT_EQ(f.observer->Count(), 0u);
}

TEST(DescribeFragments, CountsDeletionsThatAreNotRecorded) {
  Fixture f;
  TestTable table(f.memory, "/t");
  table.Append({10, 20});
  table.Delete(1, {0, 1, 2});
  ManifestSpec spec = table.newest();
  spec.fragments[1].deletion->num_deleted_rows = 0;
  ASSERT_TRUE(f.memory->Put(table.ManifestPathOf(2), ManifestBytes(spec)).ok());
  EXPECT_EQ(f.Describe()[1].num_deletions, 3u);
  EXPECT_EQ(f.observer->Calls("/t"),
            std::vector<std::string>{"read whole _deletions/1-1-1001.arrow"});
}

TEST(DescribeFragments, TellsIdsAndLineage) {
  Fixture f;
  ManifestSpec spec;
  spec.reader_flags = spec.writer_flags = 2;
  spec.fragments = {Rows(0, 10), Rows(1, 5), Rows(2, 3)};
  spec.fragments[0].row_ids = RangeIds(100, 10);
  spec.fragments[0].created = VersionRuns({{4, 1}, {5, 2}, {1, 3}});
  // A range, three ids without order, a range.
  spec.fragments[1].row_ids =
      RangeIds(7, 1) + testing_support::Sequence(testing_support::ArraySegment(U16(1, {4, 0, 2}))) +
      RangeIds(9, 1);
  spec.fragments[2].extra = Field(12, "") + Field(13, "") + Field(14, "");
  ASSERT_TRUE(f.memory->Put("/t/_versions/1.manifest", ManifestBytes(spec)).ok());
  DescribeOptions options;
  options.segments_max = 2;
  const auto fragments = f.Describe(options);
  ASSERT_EQ(fragments.size(), 3u);

  EXPECT_EQ(fragments[0].row_ids.placement, Placement::kInline);
  EXPECT_EQ(fragments[0].row_ids.encoded_bytes, 8u);
  EXPECT_EQ(fragments[0].row_ids.num_segments, 1u);
  ASSERT_EQ(fragments[0].row_ids.segments.size(), 1u);
  EXPECT_EQ(fragments[0].row_ids.segments[0].form, "range");
  EXPECT_EQ(fragments[0].row_ids.segments[0].num_rows, 10u);
  EXPECT_EQ(fragments[0].row_ids.smallest, 100u);
  EXPECT_EQ(fragments[0].row_ids.largest, 109u);
  EXPECT_EQ(fragments[0].created_at.num_runs, 3u);
  ASSERT_EQ(fragments[0].created_at.runs.size(), 2u);
  EXPECT_EQ(fragments[0].created_at.runs[1].num_rows, 5u);
  EXPECT_EQ(fragments[0].created_at.runs[1].version, Version{2});
  EXPECT_EQ(fragments[0].last_updated_at.placement, Placement::kAbsent);

  EXPECT_EQ(fragments[1].row_ids.num_segments, 3u);
  ASSERT_EQ(fragments[1].row_ids.segments.size(), 2u);
  EXPECT_EQ(fragments[1].row_ids.segments[1].form, "array");
  EXPECT_EQ(fragments[1].row_ids.segments[1].num_rows, 3u);
  EXPECT_EQ(fragments[1].row_ids.segments[1].smallest, 1u);
  EXPECT_EQ(fragments[1].row_ids.segments[1].largest, 5u);
  EXPECT_EQ(fragments[1].row_ids.segments[1].array_width, 2u);
  EXPECT_EQ(fragments[1].row_ids.smallest, 1u);
  EXPECT_EQ(fragments[1].row_ids.largest, 9u);

  EXPECT_EQ(fragments[2].row_ids.placement, Placement::kColumn);
  EXPECT_EQ(fragments[2].created_at.placement, Placement::kColumn);
  EXPECT_EQ(fragments[2].last_updated_at.placement, Placement::kColumn);
  EXPECT_EQ(f.observer->Count(), 0u);
}

TEST(DescribeFragments, NamesBrokenLineage) {
  Fixture f;
  ManifestSpec spec;
  spec.reader_flags = spec.writer_flags = 2;
  spec.fragments = {Rows(7, 10)};
  spec.fragments[0].row_ids = RangeIds(0, 10);
  spec.fragments[0].last_updated = "\x0a\x09";
  ASSERT_TRUE(f.memory->Put("/t/_versions/1.manifest", ManifestBytes(spec)).ok());
  const Dataset dataset(LoadLatestSnapshot(f.store, "/t").ValueOrDie());
  const auto status = DescribeFragments(dataset).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(status).find("of the lineage of fragment 7"), std::string::npos) << status;
}

}  // namespace
}  // namespace pennon
