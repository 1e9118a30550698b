#include "pennon/dataset/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> VersionsOf(const fs::path& table) {
  std::vector<std::string> versions;
  for (const auto& file : FilesIn(table / "_versions")) {
    if (file.extension() != ".manifest") continue;
    const std::string stem = file.stem().string();
    if (stem.starts_with("d")) {
      versions.push_back(stem.substr(1));
    } else if (stem.size() == 20) {
      versions.push_back(std::to_string(std::numeric_limits<uint64_t>::max() - std::stoull(stem)));
    } else {
      versions.push_back(stem);
    }
  }
  return versions;
}

// A commit by hand gave these fragments ids that the counter does not know: the reference engine
// took it, and it is the one fault there.
bool IsBrokenOnPurpose(const fs::path& table, const std::string& version) {
  return table.filename() == "id_forms.stable.v2_2.lance" && version == "2";
}

// Calls `visit` for every version of the reference engine's tables that are there: the golden ones,
// and the full set.
template <typename Visit>
int ForEachReferenceVersion(Visit&& visit) {
  int num_versions = 0;
  const fs::path reference = fs::path(PENNON_SOURCE_DIR) / "../shared/reference";
  for (const auto& root :
       {GoldenTables(), reference / "datasets", reference / "migration/before"}) {
    for (const auto& table : FilesIn(root)) {
      for (const auto& version : VersionsOf(table)) {
        if (IsBrokenOnPurpose(table, version)) continue;
        visit(table, version);
        ++num_versions;
      }
    }
  }
  return num_versions;
}

TEST(Verify, FindsNothingWrongWithAnyVersionOfTheReferenceTables) {
  const int num_versions =
      ForEachReferenceVersion([](const fs::path& table, const std::string& version) {
        const VerifyReport report = VerifyNow(table, {}, version);
        EXPECT_EQ(report.Count(VerifySeverity::kError), 0u) << table << " " << version << "\n"
                                                            << Show(report);
        EXPECT_EQ(report.Count(VerifySeverity::kWarning), 0u) << table << " " << version << "\n"
                                                              << Show(report);
      });
  EXPECT_GE(num_versions, 100);
}

TEST(Verify, FindsNothingWrongWithTheirFilesEither) {
  ForEachReferenceVersion([](const fs::path& table, const std::string& version) {
    const VerifyReport report = VerifyNow(table, {.deep = true}, version);
    EXPECT_EQ(report.Count(VerifySeverity::kError), 0u) << table << " " << version << "\n"
                                                        << Show(report);
    EXPECT_EQ(report.Count(VerifySeverity::kWarning), 0u) << table << " " << version << "\n"
                                                          << Show(report);
    EXPECT_EQ(report.checked.num_data_files > 0, report.checked.num_fragments > 0)
        << table << " " << version;
  });
}

TEST(Verify, NamesTheOneFaultThatTheReferenceEngineLetThrough) {
  for (const bool deep : {false, true}) {
    ExpectFaults(VerifyNow(GoldenTables() / "id_forms.stable.v2_2.lance", {.deep = deep}, "2"),
                 {{VerifySeverity::kError, "next_row_id_too_low",
                   "next_row_id is 10, but fragment 9 holds id 8796093022213: new rows would get "
                   "ids that are taken",
                   9, 8796093022213}});
  }
}

TEST(Verify, TakesAnOpenHandle) {
  const auto dataset =
      Dataset::Open((GoldenTables() / "create_simple.stable.v2_2.lance").string()).ValueOrDie();
  const VerifyReport report = Verify(*dataset).ValueOrDie();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.version, Version{1});
  EXPECT_EQ(report.checked.num_rows, 100u);
  EXPECT_EQ(report.checked.num_live_ids, 100u);
}

TEST(Verify, ReportsAVersionThatCannotBeOpenedAtAll) {
  TableCopy table("create_simple.stable.v2_2");
  WriteFile(table.NewestManifest(), "garbage");
  const VerifyReport report = VerifyNow(table.path());
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].code, "manifest_unreadable");
  EXPECT_FALSE(report.sound());
  EXPECT_EQ(report.version, Version{0});
  EXPECT_EQ(report.not_checked.size(), 1u);
}

TEST(Verify, ATableThatIsNotThereIsNoFault) {
  const auto report = VerifyTable((GoldenTables() / "no_such_table.lance").string(), {});
  EXPECT_EQ(KindOf(report.status()), ErrorKind::kNotFound);
}

TEST(Verify, CountsMoreFaultsThanItKeeps) {
  TableCopy table("appends.plain.v2_1");
  table.EditManifest([](ManifestParts& parts) {
    for (size_t i = 0; i < 8; ++i) {
      parts.EditFragment(i, [](WireMessage& fragment) { fragment.Remove(field::kFragmentRows); });
    }
  });
  const VerifyReport report = VerifyNow(table.path(), {.faults_per_code_max = 3});
  EXPECT_EQ(report.faults.size(), 3u);
  ASSERT_EQ(report.tallies.size(), 1u);
  EXPECT_EQ(report.tallies[0].count, 8u);
}

// Whatever bytes a manifest is made of, the run ends with a report or an error.
TEST(Verify, SurvivesBitFlipsInTheManifest) {
  TableCopy table("merge_with_index.stable.v2_1");
  const fs::path manifest = table.NewestManifest();
  const std::string bytes = ReadFile(manifest);
  for (size_t bit = 0; bit < bytes.size() * 8; bit += 5) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    WriteFile(manifest, flipped);
    const auto report = VerifyTable(table.path().string(), {}, {.deep = bit % 16 == 0});
    if (!report.ok()) {
      EXPECT_NE(KindOf(report.status()), ErrorKind::kInternal) << report.status();
    }
  }
}

}  // namespace
}  // namespace pennon
