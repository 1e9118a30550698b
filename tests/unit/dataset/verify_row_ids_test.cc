#include "dataset/verify_row_ids.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "rowids/segment_encoder.h"
#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

constexpr auto kError = VerifySeverity::kError;

// Breaks the newest version of a table of five fragments: ids 0..19, 20..29, 30..39, 40..43 and {3,
// 31}, next id 44.
VerifyReport AfterEdit(const std::function<void(ManifestParts&)>& edit, bool deep = false) {
  TableCopy table("concurrent.stable.v2_1");
  std::filesystem::remove(
      table / "_deletions/0-3-6303209432707496288.arrow");  // a lost race left it behind
  table.EditManifest(edit);
  return VerifyNow(table.path(), {.deep = deep});
}

std::function<void(ManifestParts&)> SetIds(size_t fragment, std::string sequence) {
  return [=](ManifestParts& parts) {
    parts.EditFragment(fragment, [&](WireMessage& message) {
      message.SetBytes(field::kFragmentRowIds, sequence);
    });
  };
}

TEST(VerifyRowIds, NamesAFragmentWithoutIds) {
  ExpectFaults(
      AfterEdit([](ManifestParts& parts) {
        parts.EditFragment(2, [](WireMessage& message) { message.Remove(field::kFragmentRowIds); });
      }),
      {{kError, "row_ids_missing", "table has stable row ids, but fragment 2 has none", 2}});
}

TEST(VerifyRowIds, NamesASequenceOfAnotherLength) {
  ExpectFaults(AfterEdit(SetIds(2, RangeRowIds(30, 39))),
               {{kError, "row_ids_count", "fragment 2 has 10 rows, but 9 row ids", 2}});
  ExpectFaults(AfterEdit(SetIds(3, RangeRowIds(40, 44) + RangeRowIds(35, 36))),
               {{kError, "row_ids_count", "fragment 3 has 4 rows, but 5 row ids", 3}});
}

TEST(VerifyRowIds, NamesASequenceThatCannotBeRead) {
  const VerifyReport report = AfterEdit(SetIds(1, "\x0a\x02\x0a"));
  ASSERT_EQ(report.faults.size(), 1u) << Show(report);
  EXPECT_EQ(report.faults[0].code, "row_ids_unreadable");
  EXPECT_EQ(report.faults[0].fragment, FragmentId{1});
  EXPECT_TRUE(report.faults[0].message.starts_with("row ids of fragment 1 cannot be read: "))
      << Show(report);
}

TEST(VerifyRowIds, NamesASortedArrayThatIsNotSorted) {
  // Segment{4: SortedArray{U16{base 30, offsets 0,1,2,3,4,5,6,7,9,8}}}
  std::string offsets;
  for (const uint16_t offset : std::initializer_list<uint16_t>{0, 1, 2, 3, 4, 5, 6, 7, 9, 8}) {
    AppendLittleEndian(offsets, offset);
  }
  std::string u16;
  AppendVarintField(u16, 1, 30);
  AppendBytesField(u16, 2, offsets);
  std::string array;
  AppendBytesField(array, 1, u16);
  std::string segment;
  AppendBytesField(segment, 4, array);
  std::string sequence;
  AppendBytesField(sequence, 1, segment);
  const VerifyReport report = AfterEdit(SetIds(2, sequence));
  ASSERT_EQ(report.faults.size(), 1u) << Show(report);
  EXPECT_EQ(report.faults[0].code, "row_ids_unreadable");
  EXPECT_EQ(report.faults[0].fragment, FragmentId{2});
}

TEST(VerifyRowIds, NamesACounterThatIsNotAboveAllIds) {
  ExpectFaults(
      AfterEdit(
          [](ManifestParts& parts) { parts.manifest.SetInteger(field::kManifestNextRowId, 43); }),
      {{kError, "next_row_id_too_low",
        "next_row_id is 43, but fragment 3 holds id 43: new rows would get ids that are taken", 3,
        43}});
  // What a migration by hand leaves when it forgets the counter.
  ExpectFaults(
      AfterEdit([](ManifestParts& parts) { parts.manifest.Remove(field::kManifestNextRowId); }),
      {{kError, "next_row_id_too_low",
        "next_row_id is 0, but fragment 3 holds id 43: new rows would get ids that are taken", 3,
        43}});
}

TEST(VerifyRowIds, NamesAnIdThatIsLiveTwice) {
  // Fragments 2 and 3: only the first has deletions.
  const auto both = [](ManifestParts& parts) { SetIds(3, RangeRowIds(36, 40))(parts); };
  ExpectFaults(AfterEdit(both, /*deep=*/true), {{kError, "row_id_live_twice",
                                                 "row id 36 is live twice: fragment 2 offset 6 and "
                                                 "fragment 3 offset 0 (and 3 ids behind it)",
                                                 3, 36}});
  // Without reading files, deletions are not known, and nothing is claimed.
  const VerifyReport shallow = AfterEdit(both);
  ExpectFaults(shallow, {});
  ASSERT_EQ(shallow.not_checked.size(), 1u);
  EXPECT_EQ(shallow.not_checked[0],
            "whether ids are live twice in 3 fragment(s) with deletions: that needs --deep");
}

TEST(VerifyRowIds, NamesAnIdThatIsLiveTwiceWithoutReadingFilesWhereNothingIsDeleted) {
  const auto edit = [](ManifestParts& parts) {
    SetIds(4, EncodeRowIdSequence(std::vector<uint64_t>{41, 31}, FormChoice::kReference))(parts);
  };
  ExpectFaults(AfterEdit(edit),
               {{kError, "row_id_live_twice",
                 "row id 41 is live twice: fragment 3 offset 1 and fragment 4 offset 0", 4, 41}});
}

TEST(VerifyRowIds, AnIdThatMovedIsNotLiveTwice) {
  const VerifyReport report = AfterEdit([](ManifestParts&) {}, /*deep=*/true);
  ExpectFaults(report, {});
  EXPECT_EQ(report.checked.num_row_ids, 46u);
  EXPECT_EQ(report.checked.num_live_ids, 35u);
  EXPECT_TRUE(report.not_checked.empty());
}

TEST(VerifyRowIds, ReadsHiddenColumnsOnlyWhenFilesAreRead) {
  const auto table = GoldenTables() / "spilled_lineage.stable.v2_1.lance";
  const VerifyReport shallow = VerifyNow(table);
  ExpectFaults(shallow, {});
  EXPECT_EQ(shallow.checked.num_row_ids, 151u);
  ASSERT_EQ(shallow.not_checked.size(), 2u);
  EXPECT_EQ(shallow.not_checked[0],
            "ids and lineage of 2 fragment(s) that lie in hidden columns of data files: that needs "
            "--deep");

  const VerifyReport deep = VerifyNow(table, {.deep = true});
  ExpectFaults(deep, {});
  EXPECT_EQ(deep.checked.num_row_ids, 395u);
  EXPECT_EQ(deep.checked.num_live_ids, 316u);
  EXPECT_TRUE(deep.not_checked.empty());
}

TEST(VerifyRowIds, NamesFaultsOfHiddenColumns) {
  TableCopy table("spilled_lineage.stable.v2_1");
  // Fragment 6 gets ids that live rows of the spilled fragments 5 and 7 hold.
  table.EditManifest(SetIds(1, RangeRowIds(0, 30)));
  const VerifyReport twice = VerifyNow(table.path(), {.deep = true});
  bool with_spilled = false;
  for (const auto& fault : twice.faults) {
    EXPECT_EQ(fault.code, "row_id_live_twice") << Show(twice);
    with_spilled |= fault.message.find("fragment 5 offset") != std::string::npos;
  }
  EXPECT_TRUE(with_spilled) << Show(twice);

  // A data file that is gone is named once; its columns are reported as not checked.
  for (const auto& file : FilesIn(table / "data")) std::filesystem::remove(file);
  const VerifyReport gone = VerifyNow(table.path(), {.deep = true});
  for (const auto& fault : gone.faults) {
    EXPECT_TRUE(fault.code == "data_file_missing" || fault.code == "row_id_live_twice")
        << Show(gone);
  }
  ASSERT_EQ(gone.not_checked.size(), 1u);
  EXPECT_EQ(gone.not_checked[0],
            "ids and lineage of 2 fragment(s) that lie in hidden columns of data files, which "
            "cannot be read");
}

}  // namespace
}  // namespace pennon
