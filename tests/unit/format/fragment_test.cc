#include "format/fragment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Field;
using testing_support::FragmentBytes;
using testing_support::FragmentSpec;
using testing_support::FromHex;
using testing_support::Packed;
using testing_support::RangeIds;
using testing_support::Scalar;
using testing_support::ToHex;
using testing_support::VersionRuns;

TEST(Fragment, ReadsEveryField) {
  FragmentSpec spec;
  spec.id = 7;
  spec.rows = 1000;
  spec.files = {{"a.lance", {0, 3, -2, -3}, 4096, std::nullopt}, {"b.lance", {5}, 0, 2}};
  spec.deletion = {
      .is_bitmap = true, .read_version = 4, .id = 99, .num_deleted_rows = 17, .base_id = 3};
  spec.row_ids = RangeIds(70, 1000);
  spec.last_updated = VersionRuns({{1000, 4}});
  spec.created = VersionRuns({{999, 1}, {1, 2}});
  const std::string bytes = FragmentBytes(spec);
  const Fragment fragment = DecodeFragment(bytes, 500).ValueOrDie();

  EXPECT_EQ(fragment.id, FragmentId{7});
  EXPECT_EQ(fragment.physical_rows, 1000u);
  ASSERT_EQ(fragment.files.size(), 2u);
  EXPECT_EQ(fragment.files[0].path, "a.lance");
  EXPECT_EQ(fragment.files[0].fields, (std::vector<int32_t>{0, 3, kTombstoneField, kRowIdField}));
  EXPECT_EQ(fragment.files[0].column_indices, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(fragment.files[0].major_version, 2u);
  EXPECT_EQ(fragment.files[0].minor_version, 1u);
  EXPECT_EQ(fragment.files[0].size_bytes, 4096u);
  EXPECT_FALSE(fragment.files[0].base_id.has_value());
  EXPECT_EQ(fragment.files[1].size_bytes, 0u);
  EXPECT_EQ(fragment.files[1].base_id, 2u);
  ASSERT_TRUE(fragment.deletion_file.has_value());
  EXPECT_EQ(fragment.deletion_file->type, DeletionFileType::kBitmap);
  EXPECT_EQ(fragment.deletion_file->read_version, 4u);
  EXPECT_EQ(fragment.deletion_file->id, 99u);
  EXPECT_EQ(fragment.deletion_file->num_deleted_rows, 17u);
  EXPECT_EQ(fragment.deletion_file->base_id, 3u);
  EXPECT_EQ(fragment.row_ids.placement, LineagePlacement::kInline);
  EXPECT_EQ(fragment.row_ids.bytes, spec.row_ids);
  EXPECT_EQ(fragment.last_updated.bytes, spec.last_updated);
  EXPECT_EQ(fragment.created.bytes, spec.created);
  // In place, and where it says.
  EXPECT_EQ(fragment.encoded.data(), bytes.data());
  EXPECT_EQ(fragment.row_ids.bytes.data(), bytes.data() + (fragment.row_ids.manifest_offset - 500));
  EXPECT_EQ(fragment.num_overlays, 0u);
}

TEST(Fragment, ReadsAFragmentOfTheReferenceEngine) {
  // Fragment 2 of version 4 of tests/golden/14.0.2/datasets/delete_few.plain.v2_1.lance.
  const std::string path = "000000111101000001001010d9898c46aaac05f3d1164a6aba.lance";
  const std::string bytes = FromHex(
                                "0802"
                                "124d"
                                "0a38") +
                            path +
                            FromHex(
                                "120400010203"
                                "1a0400010203"
                                "2002"
                                "2801"
                                "30f821"
                                "1a0f"
                                "1001"
                                "18a5a89eafd7da9dc4a801"
                                "2001"
                                "2064");
  const Fragment fragment = DecodeFragment(bytes, 0).ValueOrDie();
  EXPECT_EQ(fragment.id, FragmentId{2});
  EXPECT_EQ(fragment.physical_rows, 100u);
  ASSERT_EQ(fragment.files.size(), 1u);
  EXPECT_EQ(fragment.files[0].path, path);
  EXPECT_EQ(fragment.files[0].fields, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(fragment.files[0].column_indices, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(fragment.files[0].size_bytes, 4344u);
  ASSERT_TRUE(fragment.deletion_file.has_value());
  EXPECT_EQ(fragment.deletion_file->num_deleted_rows, 1u);
  EXPECT_EQ(DeletionFilePath(fragment.id, *fragment.deletion_file),
            "_deletions/2-1-12144087054382765093.arrow");
  EXPECT_EQ(fragment.row_ids.placement, LineagePlacement::kAbsent);
}

TEST(Fragment, AnEmptyMessageIsFragmentZero) {
  const Fragment fragment = DecodeFragment("", 0).ValueOrDie();
  EXPECT_EQ(fragment.id, FragmentId{0});
  EXPECT_TRUE(fragment.files.empty());
  EXPECT_EQ(fragment.physical_rows, 0u);
}

TEST(Fragment, ReadsUnpackedListsToo) {
  const std::string file =
      Field(1, "x") + Scalar(2, 4) + Scalar(2, ~uint64_t{0} - 1) + Scalar(3, 0) + Packed(3, {1, 2});
  const Fragment fragment = DecodeFragment(Field(2, file), 0).ValueOrDie();
  EXPECT_EQ(fragment.files[0].fields, (std::vector<int32_t>{4, -2}));
  EXPECT_EQ(fragment.files[0].column_indices, (std::vector<int32_t>{0, 1, 2}));
}

TEST(Fragment, KnowsSpilledLineageAndOverlays) {
  FragmentSpec spec = testing_support::Rows(1, 5);
  spec.extra = Field(12, "") + Field(13, "") + Field(14, "") + Field(11, "a") + Field(11, "b");
  const Fragment fragment = DecodeFragment(FragmentBytes(spec), 0).ValueOrDie();
  EXPECT_EQ(fragment.row_ids.placement, LineagePlacement::kColumn);
  EXPECT_EQ(fragment.last_updated.placement, LineagePlacement::kColumn);
  EXPECT_EQ(fragment.created.placement, LineagePlacement::kColumn);
  EXPECT_EQ(fragment.num_overlays, 2u);
}

TEST(Fragment, OfTwoPlacementsTheLastCounts) {
  EXPECT_EQ(DecodeFragment(Field(5, "ids") + Field(12, ""), 0)->row_ids.placement,
            LineagePlacement::kColumn);
  const std::string bytes = Field(14, "") + Field(9, "x");
  const Fragment inline_last = DecodeFragment(bytes, 0).ValueOrDie();
  EXPECT_EQ(inline_last.created.placement, LineagePlacement::kInline);
  EXPECT_EQ(inline_last.created.bytes, "x");
}

TEST(Fragment, PassesOverWhatItDoesNotKnow) {
  FragmentSpec spec = testing_support::Rows(1, 5);
  spec.extra = Scalar(15, 9) + Field(16, "metadata") + Scalar(200, 1) + FromHex("c50c01020304");
  EXPECT_EQ(DecodeFragment(FragmentBytes(spec), 0)->physical_rows, 5u);
}

struct BadFragment {
  const char* what;
  std::string bytes;
  ErrorKind kind;
  const char* message;
};

TEST(Fragment, RefusesWhatCannotBe) {
  const BadFragment cases[] = {
      {"id above 32 bits", Scalar(1, uint64_t{1} << 32), ErrorKind::kCorrupt,
       "fragment id does not fit 32 bits: 4294967296"},
      {"id as bytes", Field(1, "7"), ErrorKind::kCorrupt,
       "fragment has field 1 of a wrong type at byte 100"},
      {"file as number", Scalar(2, 7), ErrorKind::kCorrupt,
       "fragment has field 2 of a wrong type at byte 100"},
      {"deletion file as number", Scalar(3, 7), ErrorKind::kCorrupt,
       "fragment has field 3 of a wrong type at byte 100"},
      {"rows as bytes", Field(4, "7"), ErrorKind::kCorrupt,
       "fragment has field 4 of a wrong type at byte 100"},
      {"ids as number", Scalar(1, 1) + Scalar(5, 7), ErrorKind::kCorrupt,
       "fragment has field 5 of a wrong type at byte 102"},
      {"column marker as number", Scalar(14, 7), ErrorKind::kCorrupt,
       "fragment has field 14 of a wrong type at byte 100"},
      {"file path as number", Field(2, Scalar(1, 7)), ErrorKind::kCorrupt,
       "data file has field 1 of a wrong type at byte 102"},
      {"file size as bytes", Field(2, Field(6, "7")), ErrorKind::kCorrupt,
       "data file has field 6 of a wrong type at byte 102"},
      {"field list cut short", Field(2, Field(2, "\x80")), ErrorKind::kCorrupt,
       "data file has a bad field list at byte 102"},
      {"field of eleven bytes", Field(2, Field(2, std::string(10, '\xff') + "\1")),
       ErrorKind::kCorrupt, "data file has a bad field list at byte 102"},
      {"field list as fixed32", Field(2, FromHex("1501020304")), ErrorKind::kCorrupt,
       "data file has field 2 of a wrong type at byte 102"},
      {"deletion id as bytes", Field(3, Field(3, "7")), ErrorKind::kCorrupt,
       "deletion file has field 3 of a wrong type at byte 102"},
      {"deletion type 2", Scalar(1, 4) + Field(3, Scalar(1, 2)), ErrorKind::kUnsupportedFeature,
       "deletion file type 2 of fragment 4 is unknown"},
      {"cut short", std::string("\x12\x05xx"), ErrorKind::kCorrupt,
       "field is longer than its message at byte 102"},
  };
  for (const auto& item : cases) {
    const auto result = DecodeFragment(item.bytes, 100);
    ASSERT_FALSE(result.ok()) << item.what;
    EXPECT_EQ(ErrorKindName(KindOf(result.status())), ErrorKindName(item.kind)) << item.what;
    EXPECT_EQ(MessageOf(result.status()), item.message) << item.what;
  }
}

TEST(Fragment, NamesDeletionFiles) {
  EXPECT_EQ(DeletionFilePath(FragmentId{0}, {DeletionFileType::kArray, 2, 17, 0, {}}),
            "_deletions/0-2-17.arrow");
  EXPECT_EQ(DeletionFilePath(FragmentId{4294967295},
                             {DeletionFileType::kBitmap, 18446744073709551615u, 1, 0, {}}),
            "_deletions/4294967295-18446744073709551615-1.bin");
}

TEST(Fragment, SpellsIdsAlone) {
  EXPECT_EQ(EncodeFragmentIdOnly(FragmentId{0}), "");
  EXPECT_EQ(ToHex(EncodeFragmentIdOnly(FragmentId{300})), "08ac02");
  EXPECT_EQ(DecodeFragment(EncodeFragmentIdOnly(FragmentId{300}), 0)->id, FragmentId{300});
}

TEST(Fragment, TakesNewLineageAndKeepsTheRestByteForByte) {
  FragmentSpec spec = testing_support::Rows(3, 50);
  spec.deletion = {.num_deleted_rows = 1};
  spec.extra = Field(11, "overlay") + Field(16, "metadata") + Scalar(77, 5);
  const std::string plain = FragmentBytes(spec);
  FragmentSpec old_lineage = spec;
  old_lineage.row_ids = RangeIds(0, 50);
  old_lineage.last_updated = VersionRuns({{50, 2}});
  old_lineage.created = VersionRuns({{50, 1}});

  for (const std::string& encoded : {plain, FragmentBytes(old_lineage)}) {
    std::string out = "before";
    ASSERT_TRUE(AppendFragmentWithLineage(encoded, {"ids", "updated", "created"}, out).ok());
    EXPECT_EQ(out, "before" + plain + Field(5, "ids") + Field(7, "updated") + Field(9, "created"));
    out.clear();
    ASSERT_TRUE(AppendFragmentWithLineage(encoded, {"ids", "", ""}, out).ok());
    EXPECT_EQ(out, plain + Field(5, "ids"));
    out.clear();
    ASSERT_TRUE(AppendFragmentWithLineage(encoded, {}, out).ok());
    EXPECT_EQ(out, plain);
  }
  std::string out;
  EXPECT_EQ(KindOf(AppendFragmentWithLineage("\x12\x05xx", {}, out)), ErrorKind::kCorrupt);
}

TEST(Fragment, SurvivesEveryTruncationAndByteFlip) {
  FragmentSpec spec = testing_support::Rows(300, 50);
  spec.files = {{"a.lance", {0, 1, 200, -2}, 4096, 1}};
  spec.deletion = {.num_deleted_rows = 20};
  spec.row_ids = RangeIds(0, 50);
  spec.created = VersionRuns({{20, 1}, {30, 2}});
  const std::string bytes = FragmentBytes(spec);
  const auto visit = [](const std::string& damaged) {
    const auto result = DecodeFragment(damaged, 0);
    if (!result.ok()) {
      EXPECT_TRUE(KindOf(result.status()) == ErrorKind::kCorrupt ||
                  KindOf(result.status()) == ErrorKind::kUnsupportedFeature)
          << result.status();
      return;
    }
    // What is borrowed lies inside.
    for (const auto* sequence : {&result->row_ids, &result->created, &result->last_updated}) {
      if (sequence->bytes.empty()) continue;
      EXPECT_EQ(sequence->bytes, std::string_view(damaged).substr(sequence->manifest_offset,
                                                                  sequence->bytes.size()));
    }
    std::string out;
    EXPECT_TRUE(AppendFragmentWithLineage(damaged, {}, out).ok());
  };
  for (size_t size = 0; size < bytes.size(); ++size) visit(bytes.substr(0, size));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      visit(damaged);
    }
  }
}

}  // namespace
}  // namespace pennon
