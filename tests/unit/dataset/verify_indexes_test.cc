#include "dataset/verify_indexes.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "rowset/roaring.h"
#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

constexpr auto kError = VerifySeverity::kError;
constexpr auto kWarning = VerifySeverity::kWarning;
constexpr auto kNote = VerifySeverity::kNote;

// A stable table of fragments 0 to 3 with the index k_idx on field 0, which covers 0, 1 and 2.
VerifyReport AfterEdit(const std::function<void(ManifestParts&)>& edit) {
  TableCopy table("merge_with_index.stable.v2_1");
  table.EditManifest(edit);
  return VerifyNow(table.path());
}

std::function<void(ManifestParts&)> SetIndex(uint32_t number, std::string bytes) {
  return [=](ManifestParts& parts) {
    parts.index_section->Edit(1, 0, [&](WireMessage& index) { index.SetBytes(number, bytes); });
  };
}

std::string Bitmap(std::vector<uint32_t> fragments) {
  return EncodeRoaring(RoaringSet::FromUnsorted(std::move(fragments)));
}

TEST(VerifyIndexes, TakesAnIndexThatFits) {
  const VerifyReport report = AfterEdit([](ManifestParts&) {});
  ExpectFaults(report, {});
  EXPECT_EQ(report.checked.num_indexes, 1u);
  ExpectFaults(AfterEdit(SetIndex(field::kIndexBitmap, "")), {});
}

TEST(VerifyIndexes, NamesFragmentsThatAreGone) {
  const VerifyReport report = AfterEdit([](ManifestParts& parts) {
    parts.manifest.RemoveAt(field::kManifestFragments, 1);
    SetIndex(field::kIndexBitmap, Bitmap({0, 1, 2}))(parts);
  });
  ExpectFaults(report,
               {{kNote, "index_fragment_gone", "index 'k_idx' covers fragments that are gone: 1"}});
}

TEST(VerifyIndexes, NamesFragmentsThatWereNeverThere) {
  ExpectFaults(AfterEdit(SetIndex(field::kIndexBitmap, Bitmap({0, 7}))),
               {{kError, "index_fragment_unknown",
                 "index 'k_idx' covers fragment 7, but no fragment above 3 was ever given out: "
                 "rows of the next ones "
                 "would be missed"}});
}

TEST(VerifyIndexes, NamesACoverageThatCannotBeRead) {
  const VerifyReport report = AfterEdit(SetIndex(field::kIndexBitmap, "roaring?"));
  ExpectFaults(
      report,
      {{kError, "index_bitmap_unreadable",
        "coverage of index 'k_idx' cannot be read: roaring bitmap: unknown cookie at byte 0"}});
}

TEST(VerifyIndexes, NamesAnIndexOnNoField) {
  ExpectFaults(AfterEdit(SetIndex(field::kIndexFields, "\x63")),
               {{kWarning, "index_field_missing",
                 "index 'k_idx' is on field 99, which the schema does not have"}});
}

TEST(VerifyIndexes, NamesPartsThatOverlapAndUuidsThatRepeat) {
  const auto twice = [](bool same_uuid) {
    return [=](ManifestParts& parts) {
      WireMessage second;
      parts.index_section->Edit(1, 0, [&](WireMessage& index) { second = index; });
      if (!same_uuid) {
        second.Edit(field::kIndexUuid, 0,
                    [](WireMessage& uuid) { uuid.SetBytes(1, std::string(16, '\x11')); });
      }
      second.SetBytes(field::kIndexBitmap, same_uuid ? Bitmap({3}) : Bitmap({2, 3}));
      parts.index_section->AddBytes(1, second.Encode());
    };
  };
  ExpectFaults(AfterEdit(twice(false)), {{kWarning,
                                          "index_overlap",
                                          "two parts of index 'k_idx' cover the same fragments: 2",
                                          {},
                                          {},
                                          "_indices/11111111-1111-1111-1111-111111111111"}});
  const VerifyReport report = AfterEdit(twice(true));
  ASSERT_EQ(report.faults.size(), 1u) << Show(report);
  EXPECT_EQ(report.faults[0].code, "index_twice");
}

TEST(VerifyIndexes, NamesTheFragmentReuseIndexOfAStableTable) {
  ExpectFaults(AfterEdit(SetIndex(field::kIndexName, "__lance_frag_reuse")),
               {{kError, "fragment_reuse_on_stable",
                 "a fragment-reuse index is there, but the table has stable row ids: every commit "
                 "is refused"}});
}

TEST(VerifyIndexes, NamesABaseThatIsNotListed) {
  const VerifyReport report = AfterEdit([](ManifestParts& parts) {
    parts.index_section->Edit(1, 0,
                              [](WireMessage& index) { index.SetInteger(field::kIndexBase, 5); });
  });
  ExpectFaults(report,
               {{kError, "base_path_missing",
                 "index 'k_idx' lies below base path 5, which the manifest does not list"}});
}

TEST(VerifyIndexes, NamesAListThatCannotBeRead) {
  const VerifyReport report =
      AfterEdit([](ManifestParts& parts) { parts.index_section->AddBytes(1, "\xff\xff"); });
  ASSERT_EQ(report.faults.size(), 1u) << Show(report);
  EXPECT_EQ(report.faults[0].code, "index_list_unreadable");
}

}  // namespace
}  // namespace pennon
