#include "dataset/verify_lineage.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "rowids/version_sequence.h"
#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

constexpr auto kError = VerifySeverity::kError;

// Sets the lineage of fragment 1 (10 rows) of a table at version 7.
VerifyReport WithLineage(const VersionSequence& created, const VersionSequence& updated) {
  TableCopy table("concurrent.stable.v2_1");
  table.EditManifest([&](ManifestParts& parts) {
    parts.EditFragment(1, [&](WireMessage& fragment) {
      fragment.SetBytes(field::kFragmentCreated, created.Encode());
      fragment.SetBytes(field::kFragmentLastUpdated, updated.Encode());
    });
  });
  return VerifyNow(table.path());
}

VersionSequence Runs(std::initializer_list<std::pair<uint64_t, uint64_t>> runs) {
  VersionSequence sequence;
  for (const auto& [rows, version] : runs) sequence.Append(rows, Version{version});
  return sequence;
}

TEST(VerifyLineage, TakesAnyVersionsUpToTheTables) {
  ExpectFaults(WithLineage(Runs({{4, 1}, {6, 7}}), Runs({{3, 1}, {1, 5}, {6, 7}})), {});
}

TEST(VerifyLineage, NamesALengthThatIsNotTheFragments) {
  ExpectFaults(WithLineage(Runs({{9, 1}}), Runs({{10, 1}})),
               {{kError, "lineage_count", "fragment 1 has 10 rows, but 9 created versions", 1}});
  ExpectFaults(
      WithLineage(Runs({{10, 1}}), Runs({{11, 1}})),
      {{kError, "lineage_count", "fragment 1 has 10 rows, but 11 last-updated versions", 1}});
}

TEST(VerifyLineage, NamesARowUpdatedBeforeItWasCreated) {
  ExpectFaults(
      WithLineage(Runs({{4, 1}, {6, 5}}), Runs({{5, 2}, {2, 5}, {3, 4}})),
      {{kError, "lineage_order",
        "row 4 of fragment 1 was created at version 5, after its last update at version 2", 1}});
}

TEST(VerifyLineage, NamesAVersionFromTheFutureAndNoVersionAtAll) {
  ExpectFaults(WithLineage(Runs({{10, 1}}), Runs({{8, 1}, {2, 8}})),
               {{kError, "lineage_version",
                 "row 8 of fragment 1 has last-updated version 8, in version 7 of the table", 1}});
  ExpectFaults(WithLineage(Runs({{10, 0}}), Runs({{10, 3}})),
               {{kError, "lineage_version",
                 "row 0 of fragment 1 has created version 0, in version 7 of the table", 1}});
}

TEST(VerifyLineage, NamesBytesThatAreNoLineage) {
  TableCopy table("concurrent.stable.v2_1");
  table.EditManifest([](ManifestParts& parts) {
    parts.EditFragment(
        1, [](WireMessage& fragment) { fragment.SetBytes(field::kFragmentCreated, "\x0a\x09zz"); });
  });
  const VerifyReport report = VerifyNow(table.path());
  ASSERT_EQ(report.faults.size(), 1u) << Show(report);
  EXPECT_EQ(report.faults[0].code, "lineage_unreadable");
  EXPECT_EQ(report.faults[0].fragment, FragmentId{1});
  EXPECT_TRUE(
      report.faults[0].message.starts_with("created versions of fragment 1 cannot be read: "));
}

TEST(VerifyLineage, LineageMayBeAbsent) {
  TableCopy table("concurrent.stable.v2_1");
  table.EditManifest([](ManifestParts& parts) {
    parts.EditFragment(1, [](WireMessage& fragment) {
      fragment.Remove(field::kFragmentCreated);
      fragment.Remove(field::kFragmentLastUpdated);
    });
  });
  ExpectFaults(VerifyNow(table.path()), {});
}

}  // namespace
}  // namespace pennon
