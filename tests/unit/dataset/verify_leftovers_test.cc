#include "dataset/verify_leftovers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

namespace fs = std::filesystem;
constexpr auto kError = VerifySeverity::kError;

TEST(VerifyLeftovers, NamesWhatNoVersionUses) {
  TableCopy table("merge_with_index.stable.v2_1");
  const std::set<std::string> left = {"data/lost.lance", "data/notes.txt", "data/sub/deep.lance",
                                      "_deletions/9-9-9.arrow", "_transactions/2-crashed.txn"};
  for (const auto& path : left) WriteFile(table / path, "x");
  fs::create_directories(table / "_indices/00000000-0000-0000-0000-000000000000");
  const VerifyReport report = VerifyNow(table.path(), {.deep = true});
  EXPECT_TRUE(report.sound());
  std::set<std::string> named;
  for (const auto& fault : report.faults) {
    EXPECT_EQ(fault.severity, VerifySeverity::kNote) << fault.message;
    named.insert(fault.file);
  }
  std::set<std::string> expected = left;
  expected.insert("_indices/00000000-0000-0000-0000-000000000000");
  EXPECT_EQ(named, expected) << Show(report);
  ExpectFaults(VerifyNow(table.path()), {});
}

TEST(VerifyLeftovers, FilesOfOtherVersionsAreInUse) {
  ExpectFaults(VerifyNow(GoldenTables() / "update_once.plain.v2_1.lance", {.deep = true}, "1"), {});
  ExpectFaults(VerifyNow(GoldenTables() / "detached.stable.v2_1.lance", {.deep = true}), {});
}

TEST(VerifyLeftovers, NamesAVersionThatCannotBeOpenedAndThenNoFilesOfIt) {
  TableCopy table("update_once.plain.v2_1");
  const std::string first = "_versions/18446744073709551614.manifest";
  const std::string bytes = ReadFile(table / first);
  WriteFile(table / first, bytes.substr(0, bytes.size() / 2));
  WriteFile(table / "data/lost.lance", "x");
  const VerifyReport report = VerifyNow(table.path(), {.deep = true});
  ASSERT_EQ(report.faults.size(), 1u) << Show(report);
  EXPECT_EQ(report.faults[0].severity, kError);
  EXPECT_EQ(report.faults[0].code, "manifest_unreadable");
  EXPECT_EQ(report.faults[0].file, first);
  EXPECT_TRUE(report.faults[0].message.starts_with("version 1 cannot be opened: ")) << Show(report);
}

}  // namespace
}  // namespace pennon
