#include "dataset/verify_history.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

namespace fs = std::filesystem;
constexpr auto kError = VerifySeverity::kError;
constexpr auto kWarning = VerifySeverity::kWarning;
constexpr auto kNote = VerifySeverity::kNote;

TEST(VerifyHistory, CountsVersionsAndTags) {
  const VerifyReport report = VerifyNow(GoldenTables() / "tags.stable.v2_1.lance");
  ExpectFaults(report, {});
  EXPECT_EQ(report.checked.num_versions, 3u);
  EXPECT_EQ(report.checked.num_tags, 3u);
  ExpectFaults(VerifyNow(GoldenTables() / "manifest_paths_v1.stable.v2_1.lance"), {});
  ExpectFaults(VerifyNow(GoldenTables() / "detached.stable.v2_1.lance"), {});
}

TEST(VerifyHistory, NamesTwoNamingSchemesAndStillVerifiesTheRest) {
  TableCopy table("tags.stable.v2_1");
  const fs::path newest = table.NewestManifest();
  fs::rename(newest, table / "_versions/3.manifest");
  table.EditManifest([](ManifestParts& parts) { parts.manifest.Remove(field::kManifestWriter); });
  const VerifyReport report = VerifyNow(table.path());
  EXPECT_EQ(report.version, Version{3});
  ExpectFaults(
      report,
      {{kError, "naming_mixed",
        "manifests of both naming schemes lie in one folder: other engines refuse the table"},
       {kWarning, "writer_version_missing",
        "the manifest does not say who wrote it: counts are not trusted, the next writer reads "
        "every "
        "file"}});
}

TEST(VerifyHistory, NamesAHintBeyondTheEnd) {
  TableCopy table("tags.stable.v2_1");
  const std::string hint = "_versions/latest_version_hint.json";
  WriteFile(table / hint, "{\"version\":9}");
  ExpectFaults(VerifyNow(table.path()), {{kWarning,
                                          "hint_beyond_end",
                                          "the version hint says 9, but the newest version is 3",
                                          {},
                                          {},
                                          hint}});
  for (const char* harmless : {"{\"version\":1}", "{\"version\":3}", "not json"}) {
    WriteFile(table / hint, harmless);
    ExpectFaults(VerifyNow(table.path()), {});
  }
}

TEST(VerifyHistory, NamesWhatCrashedCommitsLeft) {
  TableCopy table("tags.stable.v2_1");
  WriteFile(table / "_versions/18446744073709551611.manifest#1", "half");
  ExpectFaults(VerifyNow(table.path()),
               {{kNote,
                 "staging_file",
                 "a commit that was cut off left its manifest behind; it can be removed",
                 {},
                 {},
                 "_versions/18446744073709551611.manifest#1"}});
  WriteFile(table / "_versions/readme.txt", "hello");
  EXPECT_EQ(VerifyNow(table.path()).Count(kNote), 2u);
}

TEST(VerifyHistory, NamesTagsThatPointNowhere) {
  TableCopy table("tags.stable.v2_1");
  WriteFile(table / "_refs/tags/lost.json",
            R"({"branch":null,"version":8,"manifestSize":1,"metadata":{}})");
  WriteFile(table / "_refs/tags/odd.json",
            R"({"branch":"side","version":1,"manifestSize":1,"metadata":{}})");
  WriteFile(table / "_refs/tags/torn.json", R"({"branch":nu)");
  const VerifyReport report = VerifyNow(table.path());
  ASSERT_EQ(report.faults.size(), 3u) << Show(report);
  EXPECT_EQ(report.faults[0].message,
            "tag 'lost' points to version 8 of main, which is not there: _refs/tags/lost.json");
  EXPECT_EQ(report.faults[0].file, "_refs/tags/lost.json");
  EXPECT_EQ(report.faults[1].message,
            "tag 'odd' points to version 1 of side, which is not there: _refs/tags/odd.json");
  EXPECT_EQ(report.faults[2].code, "ref_unreadable");
  EXPECT_EQ(report.faults[2].file, "_refs/tags/torn.json");
}

TEST(VerifyHistory, NamesBranchesWithoutVersionsOrParents) {
  TableCopy table("tags.stable.v2_1");
  const auto branch = [](const std::string& parent) {
    return R"({"parentBranch":null,"identifier":{"version_mapping":[]},"parentVersion":)" + parent +
           R"(,"createAt":0,"manifestSize":1,"metadata":{}})";
  };
  WriteFile(table / "_refs/branches/team%2Fempty.json", branch("3"));
  WriteFile(table / "_refs/branches/orphan.json", branch("77"));
  fs::create_directories(table / "tree/orphan/_versions");
  fs::copy(table.NewestManifest(), table / "tree/orphan/_versions");
  ExpectFaults(
      VerifyNow(table.path()),
      {{kError, "branch_empty", "branch 'team/empty' has no versions", {}, {}, "tree/team/empty"},
       {kWarning,
        "branch_parent_gone",
        "branch 'orphan' started from version 77 of main, which is not there",
        {},
        {},
        "tree/orphan"}});
  WriteFile(table / "_refs/branches/torn.json", "{");
  EXPECT_EQ(VerifyNow(table.path()).faults[0].code, "ref_unreadable");
}

TEST(VerifyHistory, NamesAVersionThatDoesNotSayHowItCameToBe) {
  {
    TableCopy table("tags.stable.v2_1");
    table.EditManifest([](ManifestParts& parts) {
      parts.transaction.reset();
      parts.manifest.Remove(field::kManifestTransactionFile);
    });
    ExpectFaults(VerifyNow(table.path()), {{kWarning, "transaction_missing",
                                            "the version has no transaction: writers that opened "
                                            "an earlier version cannot commit any more"}});
  }
  {
    TableCopy table("tags.stable.v2_1");
    table.EditManifest([](ManifestParts& parts) { parts.transaction.reset(); });
    ExpectFaults(VerifyNow(table.path()), {});  // it is in a file of its own
    fs::remove_all(table / "_transactions");
    const VerifyReport report = VerifyNow(table.path());
    ASSERT_EQ(report.faults.size(), 1u) << Show(report);
    EXPECT_EQ(report.faults[0].code, "transaction_missing");
    EXPECT_TRUE(report.faults[0].file.starts_with("_transactions/")) << Show(report);
  }
  {
    TableCopy table("tags.stable.v2_1");
    table.EditManifest([](ManifestParts& parts) { parts.transaction = "\xff\xff"; });
    ExpectFaults(
        VerifyNow(table.path()),
        {{kWarning, "transaction_unreadable",
          "the transaction in the manifest cannot be read: transaction message cannot be read"}});
  }
}

}  // namespace
}  // namespace pennon
