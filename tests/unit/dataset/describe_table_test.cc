#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "dataset/describe_parts.h"
#include "pennon/base/error.h"
#include "pennon/dataset/describe.h"
#include "rowset/roaring.h"
#include "support/memory_store.h"
#include "support/test_table.h"

namespace pennon {
namespace {

using testing_support::Field;
using testing_support::IndexSectionBytes;
using testing_support::IndexSpec;
using testing_support::ManifestBytes;
using testing_support::ManifestSpec;
using testing_support::MemoryStore;
using testing_support::RangeIds;
using testing_support::Rows;
using testing_support::Scalar;
using testing_support::TestTable;

using Strings = std::vector<std::string>;

struct Fixture {
  Dataset Open() { return Dataset(LoadLatestSnapshot(memory, "/t").ValueOrDie()); }
  TableInfo Describe() { return DescribeTable(Open()).ValueOrDie(); }
  /// Replaces everything by one version.
  void PutManifest(const ManifestSpec& spec) {
    ASSERT_TRUE(memory->Put("/t/_versions/1.manifest", ManifestBytes(spec)).ok());
  }
  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
};

TEST(DescribeTable, TellsWhatThereIs) {
  Fixture f;
  TestTable table(f.memory, "/t");
  table.Append({10, 20});
  table.Append({30});
  table.Delete(1, {0, 1, 2});
  table.SetConfig("lance.a", "b");
  table.AddColumn("extra");
  TestTable branch = table.MakeBranch("try");
  table.Tag("good", 2);
  table.CreateIndex({});
  const TableInfo info = f.Describe();

  EXPECT_EQ(info.root, "/t");
  EXPECT_EQ(info.version, Version{6});
  EXPECT_EQ(info.branch, "");
  EXPECT_EQ(info.timestamp, "2023-11-14T22:13:26.000000005Z");
  EXPECT_EQ(info.row_count, 57u);
  EXPECT_EQ(info.deleted_rows, 3u);
  EXPECT_EQ(info.num_fragments, 3u);
  EXPECT_EQ(info.num_data_files, 6u);
  EXPECT_EQ(info.data_bytes, 6000u);
  EXPECT_EQ(info.manifest_bytes, table.ReadManifest(6).size());
  EXPECT_FALSE(info.has_stable_row_ids);
  EXPECT_EQ(info.max_fragment_id, 2u);
  EXPECT_EQ(info.data_storage_version, "2.1");
  EXPECT_EQ(info.manifest_naming, "v2");
  EXPECT_EQ(info.writer_feature_flags, 8u);
  EXPECT_EQ(info.features, Strings{"table-config"});
  EXPECT_EQ(info.writer, "lance 14.0.2");
  EXPECT_EQ(info.num_fields, 2u);
  EXPECT_EQ(info.config, (std::map<std::string, std::string>{{"lance.a", "b"}}));
  ASSERT_EQ(info.tags.size(), 1u);
  EXPECT_EQ(info.tags[0].name, "good");
  EXPECT_EQ(info.tags[0].version, Version{2});
  ASSERT_EQ(info.branches.size(), 1u);
  EXPECT_EQ(info.branches[0].name, "try");
  EXPECT_EQ(info.branches[0].parent_version, Version{5});
  ASSERT_EQ(info.indexes.size(), 1u);
  EXPECT_EQ(info.indexes[0].name, "k_idx");
  EXPECT_EQ(info.indexes[0].type, "BTree");
  EXPECT_EQ(info.indexes[0].uuid, "75757575-7575-7575-7575-757575757575");
  EXPECT_EQ(info.indexes[0].fields, Strings{"k"});
  EXPECT_EQ(info.indexes[0].fragment_ids, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_FALSE(info.indexes[0].is_system);
  EXPECT_FALSE(info.row_ids.has_value());
}

TEST(DescribeTable, DoesNotGuessRowCounts) {
  Fixture f;
  ManifestSpec spec;
  spec.fragments = {Rows(0, 10), Rows(1, 0)};
  f.PutManifest(spec);
  const TableInfo info = f.Describe();
  EXPECT_FALSE(info.row_count.has_value());
  EXPECT_EQ(info.manifest_naming, "v1");
  EXPECT_EQ(info.num_fragments, 2u);
}

TEST(DescribeTable, MeasuresTheRowIds) {
  Fixture f;
  ManifestSpec spec;
  spec.reader_flags = spec.writer_flags = 2;
  spec.next_row_id = 1000;
  // Spans 0..9, 5..24, 20..49 and, spilled, one that is not known: two of them hold 5..9
  // and 20..24.
  spec.fragments = {Rows(0, 10), Rows(1, 20), Rows(2, 30), Rows(3, 5)};
  spec.fragments[0].row_ids = RangeIds(0, 10);
  spec.fragments[1].row_ids = RangeIds(5, 20);
  spec.fragments[2].row_ids = RangeIds(20, 30);
  spec.fragments[3].extra = Field(12, "");
  f.PutManifest(spec);
  const TableInfo info = f.Describe();
  ASSERT_TRUE(info.row_ids.has_value());
  EXPECT_EQ(info.row_ids->num_sequences, 4u);
  EXPECT_EQ(info.row_ids->num_spilled, 1u);
  EXPECT_EQ(info.row_ids->num_segments, 3u);
  // [0,10) is 6 bytes, since a zero is left out; the others take 8.
  EXPECT_EQ(info.row_ids->encoded_bytes, 22u);
  EXPECT_EQ(info.row_ids->segments_by_form, (std::map<std::string, uint64_t>{{"range", 3}}));
  EXPECT_EQ(info.row_ids->overlap_depth, 2u);
  EXPECT_EQ(info.next_row_id, 1000u);
}

TEST(DescribeTable, NamesBrokenSequences) {
  Fixture f;
  ManifestSpec spec;
  spec.reader_flags = spec.writer_flags = 2;
  spec.fragments = {Rows(7, 10)};
  spec.fragments[0].row_ids = "\x0a\x09";
  f.PutManifest(spec);
  for (const auto& status :
       {DescribeTable(f.Open()).status(), DescribeFragments(f.Open()).status()}) {
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
    EXPECT_NE(MessageOf(status).find("of the row ids of fragment 7 (at byte "), std::string::npos)
        << status;
    EXPECT_TRUE(MessageOf(status).ends_with(": /t/_versions/1.manifest")) << status;
  }
}

TEST(DescribeTable, DoesNotListVastCoverage) {
  Fixture f;
  ManifestSpec spec;
  IndexSpec index;
  index.fragment_bitmap = EncodeRoaring(RoaringSet::FromRange({0, uint64_t{1} << 32}));
  spec.index_section = IndexSectionBytes({index});
  f.PutManifest(spec);
  const auto status = DescribeTable(f.Open()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kTooLarge);
  EXPECT_EQ(MessageOf(status),
            "index \"k_idx\" claims to cover 4294967296 fragments, more than can be listed");
}

TEST(DescribeTable, NamesFieldsByTheirPaths) {
  Fixture f;
  ManifestSpec spec;
  spec.columns.clear();
  const auto field = [](const char* name, uint64_t id, uint64_t parent) {
    return Field(1, Field(2, name) + Scalar(3, id) + Scalar(4, parent) + Field(5, "struct"));
  };
  constexpr uint64_t kTop = ~uint64_t{0};
  spec.extra = field("a", 1, kTop) + field("b", 2, 1) + field("c", 3, 2) + field("x", 8, 9) +
               field("y", 9, 8);
  IndexSpec index;
  index.fields = {3, 1, 77, 8};
  index.fragment_bitmap.clear();
  spec.index_section = IndexSectionBytes({index});
  f.PutManifest(spec);
  const TableInfo info = f.Describe();
  EXPECT_EQ(info.indexes[0].fields[0], "a.b.c");
  EXPECT_EQ(info.indexes[0].fields[1], "a");
  EXPECT_EQ(info.indexes[0].fields[2], "#77");
  // Fields that are each other's parents end somewhere.
  EXPECT_LT(info.indexes[0].fields[3].size(), 100u);
  EXPECT_FALSE(info.indexes[0].fragment_ids.has_value());
}

struct TimeCase {
  int64_t seconds;
  int32_t nanos;
  const char* text;
};

TEST(DescribeTable, WritesEveryTime) {
  const TimeCase cases[] = {
      {0, 0, "1970-01-01T00:00:00.000000000Z"},
      {1796019000, 737571974, "2026-11-30T06:10:00.737571974Z"},
      {-1, 999999999, "1969-12-31T23:59:59.999999999Z"},
      {253402300799, 0, "9999-12-31T23:59:59.000000000Z"},
      {253402300800, 0, "@253402300800+0ns"},
      {-62135596800, 0, "0001-01-01T00:00:00.000000000Z"},
      {9223372036854775807, 1, "@9223372036854775807+1ns"},
      {-9223372036854775807 - 1, 1, "@-9223372036854775808+1ns"},
      {5, -7, "@5+-7ns"},
      {5, 2000000000, "@5+2000000000ns"},
  };
  for (const auto& item : cases) EXPECT_EQ(FormatTimestamp(item.seconds, item.nanos), item.text);
}

}  // namespace
}  // namespace pennon
