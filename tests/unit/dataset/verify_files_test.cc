#include "dataset/verify_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

namespace fs = std::filesystem;
constexpr auto kError = VerifySeverity::kError;

// delete_few.plain.v2_1 holds 60 rows a fragment; returns the data file of a fragment, below the
// root.
std::string DataFileOf(TableCopy* table, size_t fragment) {
  std::string path;
  table->EditManifest([&](ManifestParts& parts) {
    parts.EditFile(fragment, 0,
                   [&](WireMessage& file) { path = "data/" + file.Bytes(field::kFilePath); });
  });
  return path;
}

// The newest deletion file of fragment 0.
fs::path DeletionFileOf(const TableCopy& table, const std::string& prefix) {
  fs::path found;
  for (const auto& file : FilesIn(table / "_deletions")) {
    if (file.filename().string().starts_with(prefix)) found = file;
  }
  return found;
}

TEST(VerifyFiles, CountsWhatItLookedAt) {
  const VerifyReport report =
      VerifyNow(GoldenTables() / "delete_few.plain.v2_1.lance", {.deep = true});
  ExpectFaults(report, {});
  EXPECT_GT(report.checked.num_data_files, 0u);
  EXPECT_GT(report.checked.num_deletion_files, 0u);
  EXPECT_EQ(VerifyNow(GoldenTables() / "delete_few.plain.v2_1.lance").checked.num_data_files, 0u);
}

TEST(VerifyFiles, NamesADataFileThatIsNotThere) {
  TableCopy table("delete_few.plain.v2_1");
  const std::string file = DataFileOf(&table, 1);
  fs::remove(table / file);
  ExpectFaults(VerifyNow(table.path()), {});  // only --deep reads files
  ExpectFaults(
      VerifyNow(table.path(), {.deep = true}),
      {{kError, "data_file_missing", "data file of fragment 1 is not there", 1, {}, file}});
}

TEST(VerifyFiles, NamesADataFileThatIsCutShort) {
  TableCopy table("delete_few.plain.v2_1");
  const std::string file = DataFileOf(&table, 0);
  const std::string bytes = ReadFile(table / file);
  WriteFile(table / file, bytes.substr(0, bytes.size() - 10));
  const std::string sizes = "has " + std::to_string(bytes.size() - 10) +
                            " bytes, the manifest says " + std::to_string(bytes.size());
  ExpectFaults(VerifyNow(table.path(), {.deep = true}),
               {{kError, "data_file_size", "data file of fragment 0 " + sizes, 0, {}, file},
                {kError,
                 "data_file_unreadable",
                 "data file of fragment 0 cannot be read: the file does not end in LANC",
                 0,
                 {},
                 file}});
  WriteFile(table / file, "");
  EXPECT_EQ(VerifyNow(table.path(), {.deep = true}).Count(kError), 2u);
}

TEST(VerifyFiles, NamesADataFileOfAnotherFragmentOrVersion) {
  {
    TableCopy table("appends.plain.v2_1");  // fragments of 60 and 40 rows
    const std::string first = DataFileOf(&table, 0);
    const std::string second = DataFileOf(&table, 1);
    const std::string bytes = ReadFile(table / second);
    WriteFile(table / first, bytes);
    table.EditManifest([&](ManifestParts& parts) {
      parts.EditFile(0, 0,
                     [&](WireMessage& file) { file.SetInteger(field::kFileSize, bytes.size()); });
    });
    ExpectFaults(VerifyNow(table.path(), {.deep = true}),
                 {{kError,
                   "data_file_rows",
                   "data file of fragment 0 has 40 rows, the fragment 60",
                   0,
                   {},
                   first}});
  }
  {
    TableCopy table("appends.plain.v2_1");
    const std::string file = DataFileOf(&table, 0);
    std::string bytes = ReadFile(table / file);
    bytes[bytes.size() - 6] = 2;
    WriteFile(table / file, bytes);
    ExpectFaults(VerifyNow(table.path(), {.deep = true}),
                 {{kError,
                   "data_file_version",
                   "data file of fragment 0 is of version 2.2, the manifest says 2.1",
                   0,
                   {},
                   file}});
  }
  {
    TableCopy table("appends.plain.v2_1");
    table.EditManifest([](ManifestParts& parts) {
      parts.EditFile(0, 0, [](WireMessage& file) {
        file.SetBytes(field::kFileColumns, std::string("\x00\x01\x02\x2a", 4));
      });
    });
    ExpectFaults(VerifyNow(table.path(), {.deep = true}),
                 {{kError, "data_file_columns",
                   "data file of fragment 0 has 4 columns, the manifest names column 42", 0}});
  }
}

TEST(VerifyFiles, NamesADeletionFileThatIsNotThereOrNotRight) {
  TableCopy table("concurrent.stable.v2_1");
  fs::remove(table / "_deletions/0-3-6303209432707496288.arrow");  // a lost race left it behind
  const fs::path bitmap = DeletionFileOf(table, "0-5-");
  const std::string name = "_deletions/" + bitmap.filename().string();
  const std::string bytes = ReadFile(bitmap);

  fs::remove(bitmap);
  const VerifyReport report = VerifyNow(table.path(), {.deep = true});
  ExpectFaults(
      report,
      {{kError, "deletion_file_missing", "deletion file of fragment 0 is not there", 0, {}, name}});
  ASSERT_EQ(report.not_checked.size(), 1u);
  EXPECT_EQ(report.not_checked[0],
            "whether ids are live twice in 1 fragment(s) with deletions, whose deletion files "
            "cannot be relied on");

  WriteFile(bitmap, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(VerifyNow(table.path(), {.deep = true}).faults.at(0).code, "deletion_file_unreadable");

  // One deletion more than the manifest says.
  WriteFile(bitmap, bytes);
  table.EditManifest([](ManifestParts& parts) {
    parts.EditFragment(0, [](WireMessage& fragment) {
      fragment.Edit(field::kFragmentDeletionFile, 0, [](WireMessage& file) {
        file.SetInteger(field::kDeletionCount, file.Integer(field::kDeletionCount) - 1);
      });
    });
  });
  const VerifyReport counted = VerifyNow(table.path(), {.deep = true});
  ASSERT_EQ(counted.faults.size(), 1u) << Show(counted);
  EXPECT_NE(counted.faults[0].message.find("deletion file has too many rows: expected 6, got 7"),
            std::string::npos)
      << Show(counted);
}

TEST(VerifyFiles, NamesAnIndexWithoutFiles) {
  TableCopy table("merge_with_index.stable.v2_1");
  fs::path folder;
  for (const auto& item : FilesIn(table / "_indices")) folder = item;
  const std::string name = "_indices/" + folder.filename().string();
  fs::remove_all(folder);
  ExpectFaults(
      VerifyNow(table.path(), {.deep = true}),
      {{kError, "index_missing", "the files of index 'k_idx' are not there", {}, {}, name}});
}

}  // namespace
}  // namespace pennon
