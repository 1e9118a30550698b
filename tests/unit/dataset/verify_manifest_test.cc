#include "dataset/verify_manifest.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/expect_faults.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

constexpr auto kError = VerifySeverity::kError;
constexpr auto kWarning = VerifySeverity::kWarning;
constexpr auto kNote = VerifySeverity::kNote;

struct Breakage {
  const char* table;
  std::function<void(ManifestParts&)> edit;
  std::vector<ExpectedFault> faults;
};

void Check(const std::vector<Breakage>& breakages) {
  for (const Breakage& breakage : breakages) {
    SCOPED_TRACE(breakage.faults.empty() ? "clean" : breakage.faults.front().code);
    TableCopy table(breakage.table);
    table.EditManifest(breakage.edit);
    ExpectFaults(VerifyNow(table.path()), breakage.faults);
  }
}

void SetFlags(ManifestParts& parts, uint64_t reader, uint64_t writer) {
  parts.manifest.SetInteger(field::kManifestReaderFlags, reader);
  parts.manifest.SetInteger(field::kManifestWriterFlags, writer);
}

TEST(VerifyManifest, AnEditThatChangesNothingLeavesTheTableClean) {
  Check({{"concurrent.stable.v2_1", [](ManifestParts&) {}, {}},
         {"index_before.plain.v2_1", [](ManifestParts&) {}, {}},
         {"spilled_lineage.stable.v2_1", [](ManifestParts&) {}, {}}});
}

TEST(VerifyManifest, NamesFlagsOfOneWordOnly) {
  Check({
      {"mixed_file_versions.stable.v2_0",
       [](ManifestParts& parts) { SetFlags(parts, 0x103, 0x003); },
       {{kError, "flag_one_sided",
         "feature flag mixed-data-file-versions is set for readers only; readers refuse the "
         "table"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { SetFlags(parts, 0, 1 << 14); },
       {{kError, "flag_one_sided",
         "feature flag managed-blobs is set for writers only; readers refuse the table"},
        {kError, "row_ids_without_flag",
         "fragments carry row ids, but the table does not have stable row ids: every commit is "
         "refused"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { SetFlags(parts, 2, 0); },
       {{kWarning, "flag_one_sided", "feature flag stable-row-ids is set for readers only"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { SetFlags(parts, 0, 2); },
       {{kError, "flag_one_sided",
         "feature flag stable-row-ids is set for writers only; readers take row addresses for row "
         "ids"},
        {kError, "row_ids_without_flag",
         "fragments carry row ids, but the table does not have stable row ids: every commit is "
         "refused"}}},
      {"concurrent.stable.v2_1",
       [](ManifestParts& parts) { SetFlags(parts, 3, 2); },
       {{kWarning, "flag_one_sided", "feature flag deletion-files is set for readers only"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { SetFlags(parts, 2 | 1 << 15, 2); },
       {{kError, "flag_one_sided",
         "feature flag non-reusable-field-ids is set for readers, where it never belongs; readers "
         "refuse the table"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { SetFlags(parts, 2, 2 | 1 << 15); },
       {{kError, "field_id_counter",
         "feature flag non-reusable-field-ids is set, but the counter of field ids is missing"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { parts.manifest.SetInteger(field::kManifestMaxFieldId, 7); },
       {{kError, "field_id_counter",
         "the counter of field ids is there, but feature flag non-reusable-field-ids is not"}}},
  });
}

TEST(VerifyManifest, NamesFlagsThatDoNotFitTheContent) {
  Check({
      {"concurrent.stable.v2_1",
       [](ManifestParts& parts) { SetFlags(parts, 2, 2); },
       {{kWarning, "flag_missing",
         "fragments have deletion files, but feature flag deletion-files is not set: an engine "
         "that does not know them "
         "goes on unwarned"}}},
      {"spilled_lineage.stable.v2_1",
       [](ManifestParts& parts) { SetFlags(parts, 3, 3 | 8); },
       {{kWarning, "flag_missing",
         "row lineage lies in hidden columns, but feature flag spilled-row-lineage is not set: an "
         "engine that does not "
         "know them goes on unwarned"}}},
      {"config.stable.v2_1",
       [](ManifestParts& parts) { SetFlags(parts, 2, 2); },
       {{kWarning, "flag_missing",
         "the table has configuration, but feature flag table-config is not set: an engine that "
         "does not know them "
         "goes on unwarned"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { SetFlags(parts, 3, 3); },
       {{kNote, "flag_unneeded",
         "feature flag deletion-files is set, but nothing in the table needs it"}}},
  });
}

TEST(VerifyManifest, NamesASchemaThatContradictsItself) {
  Check({
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) {
         parts.manifest.Edit(field::kManifestSchema, 1,
                             [](WireMessage& item) { item.SetInteger(3, 0); });
       },
       {{kError, "schema_field_twice", "two fields of the schema have id 0"}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) {
         parts.manifest.Edit(field::kManifestSchema, 0, [](WireMessage& item) {
           item.SetBytes(2, "lost");
           item.SetInteger(4, 77);
         });
       },
       {{kError, "schema_parent_missing",
         "field 'lost' (id 0) names parent 77, which does not come before it"}}},
  });
}

TEST(VerifyManifest, NamesFragmentsOutOfPlace) {
  Check({
      {"concurrent.stable.v2_1",
       [](ManifestParts& parts) { parts.manifest.Swap(field::kManifestFragments, 1, 2); },
       {{kError, "fragment_order", "fragment 1 is listed behind fragment 2; the list must ascend",
         1}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFragment(
             3, [](WireMessage& fragment) { fragment.SetInteger(field::kFragmentId, 2); });
       },
       {{kError, "fragment_twice", "two fragments have id 2", 2}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) { parts.manifest.SetInteger(field::kManifestMaxFragmentId, 6); },
       {{kError, "max_fragment_id_too_low",
         "max_fragment_id is 6, but fragment 7 is there: its id would be given out again", 7}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) { parts.manifest.Remove(field::kManifestMaxFragmentId); },
       {}},
  });
}

TEST(VerifyManifest, NamesRowCountsThatCannotBe) {
  const auto set_deleted = [](uint64_t count) {
    return [count](ManifestParts& parts) {
      parts.EditFragment(0, [count](WireMessage& fragment) {
        fragment.Edit(field::kFragmentDeletionFile, 0, [count](WireMessage& file) {
          file.SetInteger(field::kDeletionCount, count);
        });
      });
    };
  };
  Check({
      {"concurrent.stable.v2_1",
       set_deleted(21),
       {{kError, "deleted_rows_too_many", "fragment 0 has 20 rows, but 21 deleted ones", 0}}},
      {"concurrent.stable.v2_1",
       set_deleted(20),
       {{kNote, "fragment_all_deleted", "all 20 rows of fragment 0 are deleted; it could go", 0}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFragment(1,
                            [](WireMessage& fragment) { fragment.Remove(field::kFragmentRows); });
       },
       {{kWarning, "physical_rows_unknown", "the number of rows of fragment 1 is not recorded",
         1}}},
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) {
         parts.EditFragment(0,
                            [](WireMessage& fragment) { fragment.Remove(field::kFragmentRows); });
       },
       {{kError, "physical_rows_unknown", "the number of rows of fragment 0 is not recorded", 0}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFragment(1, [](WireMessage& fragment) {
           fragment.SetInteger(field::kFragmentRows, (uint64_t{1} << 32) + 1);
         });
       },
       {{kError, "too_many_rows",
         "fragment 1 has 4294967297 rows, more than row addresses can tell apart", 1}}},
  });
}

TEST(VerifyManifest, NamesDataFilesThatDoNotFit) {
  Check({
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFile(2, 0, [](WireMessage& file) { file.SetInteger(field::kFileMinor, 2); });
       },
       {{kError, "data_file_version",
         "data file of fragment 2 has version 2.2, the table is 2.1 and does not allow others",
         2}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFile(2, 0, [](WireMessage& file) { file.SetInteger(field::kFileMinor, 9); });
       },
       {{kError, "data_file_version",
         "data file of fragment 2 has version 2.9, which is none of the format's", 2}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFile(2, 0, [](WireMessage& file) { file.Remove(field::kFileColumns); });
       },
       {{kError, "data_file_columns",
         "data file of fragment 2 has 4 fields, but only 0 column indices", 2}}},
      {"appends.plain.v2_1",
       [](ManifestParts& parts) {
         parts.EditFile(2, 0, [](WireMessage& file) { file.SetInteger(field::kFileBase, 4); });
       },
       {{kError, "base_path_missing",
         "data file of fragment 2 lies below base path 4, which the manifest does not list", 2}}},
      {"add_columns.stable.v2_1",
       [](ManifestParts& parts) {
         parts.EditFragment(0, [](WireMessage& fragment) {
           std::string fields;
           fragment.Edit(field::kFragmentFiles, 0,
                         [&](WireMessage& file) { fields = file.Bytes(field::kFileFields); });
           fragment.Edit(field::kFragmentFiles, 1, [&](WireMessage& file) {
             file.SetBytes(field::kFileFields, fields.substr(0, 1));
           });
         });
       },
       {{kError, "field_twice", "two data files of fragment 0 hold field 0", 0}}},
      {"spilled_lineage.stable.v2_1",
       [](ManifestParts& parts) {
         parts.EditFragment(1, [](WireMessage& fragment) {
           fragment.Remove(field::kFragmentRowIds);
           fragment.SetBytes(field::kFragmentRowIdsColumn, "");
         });
       },
       {{kError, "lineage_column",
         "row ids of fragment 6 lie in a hidden column, but 0 columns claim to hold them", 6}}},
  });
}

TEST(VerifyManifest, NamesAWriterAndAStorageVersionThatAreUnknown) {
  Check({
      {"create_simple.stable.v2_2",
       [](ManifestParts& parts) { parts.manifest.Remove(field::kManifestWriter); },
       {{kWarning, "writer_version_missing",
         "the manifest does not say who wrote it: counts are not trusted, the next writer reads "
         "every file"}}},
      {"empty_table.stable.v2_1",
       [](ManifestParts& parts) {
         parts.manifest.Edit(field::kManifestDataFormat, 0,
                             [](WireMessage& format) { format.SetBytes(2, "9.9"); });
         parts.manifest.Remove(field::kManifestFragments);
       },
       {{kError, "data_format_unknown", "data storage version \"9.9\" is none of the format's"}}},
  });
}

TEST(VerifyManifest, NamesAllFaultsOfOneTableAtOnce) {
  TableCopy table("concurrent.stable.v2_1");
  table.EditManifest([](ManifestParts& parts) {
    parts.manifest.SetInteger(field::kManifestMaxFragmentId, 1);
    parts.manifest.SetInteger(field::kManifestNextRowId, 3);
    parts.manifest.Remove(field::kManifestWriter);
    parts.EditFile(2, 0, [](WireMessage& file) { file.SetInteger(field::kFileMinor, 9); });
  });
  const VerifyReport report = VerifyNow(table.path());
  EXPECT_EQ(report.Count(kError), 3u) << Show(report);
  EXPECT_EQ(report.Count(kWarning), 1u) << Show(report);
  EXPECT_EQ(report.faults.back().code, "writer_version_missing");
  EXPECT_FALSE(report.sound());
}

}  // namespace
}  // namespace pennon
