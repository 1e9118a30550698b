#include "format/manifest.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Entry;
using testing_support::Field;
using testing_support::FileAround;
using testing_support::FromHex;
using testing_support::ManifestBuffer;
using testing_support::ManifestBytes;
using testing_support::ManifestSpec;
using testing_support::MessageBytes;
using testing_support::Packed;
using testing_support::RangeIds;
using testing_support::Rows;
using testing_support::Scalar;

arrow::Result<Manifest> Decode(const std::string& bytes) {
  return DecodeManifest(arrow::Buffer::FromString(bytes));
}

TEST(Manifest, ReadsTheSmallestFile) {
  // Length 2, field 3 (version) = 1, position 0, version 0.2, magic.
  const std::string bytes = FromHex(
      "02000000"
      "1801"
      "0000000000000000"
      "0000"
      "0200"
      "4c414e43");
  const Manifest manifest = Decode(bytes).ValueOrDie();
  EXPECT_EQ(manifest.version, Version{1});
  EXPECT_TRUE(manifest.fragments.empty());
  EXPECT_TRUE(manifest.fields.empty());
  EXPECT_EQ(manifest.timestamp_seconds, 0);
  EXPECT_FALSE(manifest.max_fragment_id.has_value());
  EXPECT_FALSE(manifest.writer_version.has_value());
  EXPECT_FALSE(manifest.index_section.has_value());
  EXPECT_FALSE(manifest.transaction.has_value());
  EXPECT_FALSE(manifest.branch.has_value());
  EXPECT_FALSE(manifest.has_stable_row_ids());
  EXPECT_EQ(manifest.data_format_version, "");
  EXPECT_EQ(manifest.HighestFragmentId(), -1);
}

TEST(Manifest, ReadsEveryField) {
  ManifestSpec spec;
  spec.version = 12;
  spec.columns = {"k", "v"};
  spec.fragments = {Rows(0, 10), Rows(5, 20)};
  spec.reader_flags = 1 | 16;
  spec.writer_flags = 1 | 8 | 16;
  spec.max_fragment_id = 9;
  spec.next_row_id = 77;
  spec.data_format = "2.2";
  spec.timestamp_seconds = 1700000001;
  spec.timestamp_nanos = 123456789;
  spec.config = {{"lance.a", "1"}, {"b", ""}};
  spec.branch = "team/try";
  spec.transaction_file = "11-x.txn";
  spec.transaction = "transaction bytes";
  spec.index_section = "index bytes";
  spec.extra =
      Entry(5, "schema key", std::string("\0\xff", 2)) + Field(8, "a tag") +
      Field(18, Scalar(1, 3) + Field(2, "base") + Scalar(3, 1) + Field(4, "file:///other")) +
      Entry(19, "table key", "table value") + Scalar(24, 40);
  const Manifest manifest = DecodeManifest(ManifestBuffer(spec)).ValueOrDie();

  EXPECT_EQ(manifest.version, Version{12});
  ASSERT_EQ(manifest.fields.size(), 2u);
  EXPECT_EQ(manifest.fields[1].name, "v");
  EXPECT_EQ(manifest.fields[1].id, 1);
  EXPECT_EQ(manifest.fields[1].parent_id, -1);
  EXPECT_EQ(manifest.fields[1].logical_type, "int64");
  EXPECT_TRUE(manifest.fields[1].nullable);
  ASSERT_EQ(manifest.fragments.size(), 2u);
  EXPECT_EQ(manifest.fragments[1].id, FragmentId{5});
  EXPECT_EQ(manifest.fragments[1].physical_rows, 20u);
  EXPECT_EQ(manifest.reader_flags, 17u);
  EXPECT_EQ(manifest.writer_flags, 25u);
  EXPECT_EQ(manifest.max_fragment_id, 9u);
  EXPECT_EQ(manifest.HighestFragmentId(), 9);
  EXPECT_EQ(manifest.next_row_id, 77u);
  EXPECT_EQ(manifest.data_format_version, "2.2");
  EXPECT_EQ(manifest.timestamp_seconds, 1700000001);
  EXPECT_EQ(manifest.timestamp_nanos, 123456789);
  EXPECT_EQ(manifest.config, (std::map<std::string, std::string>{{"lance.a", "1"}, {"b", ""}}));
  EXPECT_EQ(manifest.table_metadata,
            (std::map<std::string, std::string>{{"table key", "table value"}}));
  EXPECT_EQ(manifest.schema_metadata,
            (std::map<std::string, std::string>{{"schema key", std::string("\0\xff", 2)}}));
  EXPECT_EQ(manifest.branch, "team/try");
  EXPECT_EQ(manifest.tag, "a tag");
  EXPECT_EQ(manifest.transaction_file, "11-x.txn");
  EXPECT_EQ(manifest.transaction, "transaction bytes");
  EXPECT_EQ(manifest.index_section, "index bytes");
  ASSERT_TRUE(manifest.writer_version.has_value());
  EXPECT_EQ(manifest.writer_version->library, "lance");
  EXPECT_EQ(manifest.writer_version->version, "14.0.2");
  ASSERT_EQ(manifest.base_paths.size(), 1u);
  EXPECT_EQ(manifest.base_paths[0].id, 3u);
  EXPECT_EQ(manifest.base_paths[0].name, "base");
  EXPECT_TRUE(manifest.base_paths[0].is_dataset_root);
  EXPECT_EQ(manifest.base_paths[0].path, "file:///other");
  EXPECT_EQ(manifest.max_allocated_field_id, 40);
}

TEST(Manifest, BorrowsFromItsFile) {
  ManifestSpec spec;
  spec.fragments = {Rows(0, 10)};
  spec.fragments[0].row_ids = RangeIds(0, 10);
  spec.transaction = "transaction";
  const Manifest manifest = DecodeManifest(ManifestBuffer(spec)).ValueOrDie();
  const auto* begin = reinterpret_cast<const char*>(manifest.file->data());
  EXPECT_EQ(manifest.transaction->data(), begin + 4);
  EXPECT_EQ(manifest.fragments[0].row_ids.bytes.data(),
            begin + manifest.fragments[0].row_ids.manifest_offset);
}

TEST(Manifest, FindsSectionsByTheirPositions) {
  // The old position (21) of the transaction counts only where the new one (23) is missing.
  const std::string sections = FromHex("03000000") + "old" + FromHex("03000000") + "new";
  const std::string version = Scalar(3, 1);
  EXPECT_EQ(Decode(FileAround(sections, version + Scalar(21, 0)))->transaction, "old");
  EXPECT_EQ(Decode(FileAround(sections, version + Scalar(21, 0) + Scalar(23, 7)))->transaction,
            "new");
  EXPECT_EQ(Decode(FileAround(sections, version + Scalar(23, 7)))->transaction, "new");
  EXPECT_FALSE(Decode(FileAround(sections, version))->transaction.has_value());
  EXPECT_EQ(Decode(FileAround(sections, version + Scalar(6, 0)))->index_section, "old");
  EXPECT_EQ(Decode(FileAround(FromHex("00000000"), version + Scalar(6, 0)))->index_section, "");
}

TEST(Manifest, TakesFragmentsInAnyOrder) {
  ManifestSpec spec;
  spec.fragments = {Rows(5, 1), Rows(0, 2), Rows(3, 3)};
  const Manifest manifest = DecodeManifest(ManifestBuffer(spec)).ValueOrDie();
  EXPECT_EQ(manifest.fragments[0].id, FragmentId{5});
  EXPECT_EQ(manifest.HighestFragmentId(), 5);
}

TEST(Manifest, HighestFragmentIdIsTheCounterOrTheList) {
  struct Case {
    std::optional<uint32_t> counter;
    std::vector<uint32_t> ids;
    int64_t expected;
  };
  for (const auto& item : {Case{{}, {}, -1}, Case{{}, {4}, 4}, Case{7, {4}, 7}, Case{3, {4}, 4},
                           Case{0, {}, 0}, Case{4294967295u, {0}, 4294967295}}) {
    ManifestSpec spec;
    spec.max_fragment_id = item.counter;
    for (const uint32_t id : item.ids) spec.fragments.push_back(Rows(id, 1));
    EXPECT_EQ(DecodeManifest(ManifestBuffer(spec))->HighestFragmentId(), item.expected);
  }
}

struct BadManifest {
  const char* what;
  std::string bytes;
  ErrorKind kind;
  std::string message;
};

std::string WithTrailer(const std::string& before, const std::string& hex) {
  return before + FromHex(hex);
}

std::vector<BadManifest> BadManifests() {
  const std::string message = FromHex("020000001801");
  const auto around = [](const std::string& fields) {
    return FileAround("", Scalar(3, 1) + fields);
  };
  ManifestSpec twice;
  twice.fragments = {Rows(4, 1), Rows(2, 1), Rows(4, 2)};
  ManifestSpec without_ids;
  without_ids.reader_flags = 2;
  without_ids.writer_flags = 2;
  without_ids.fragments = {Rows(0, 1), Rows(1, 1)};
  without_ids.fragments[0].row_ids = RangeIds(0, 1);
  return {
      {"empty", "", ErrorKind::kCorrupt, "not a manifest: 0 bytes are too few for the trailer"},
      {"too short", std::string(15, 'x'), ErrorKind::kCorrupt,
       "not a manifest: 15 bytes are too few for the trailer"},
      {"other magic", WithTrailer(message, "0000000000000000000002004c414e44"), ErrorKind::kCorrupt,
       "not a manifest, or cut short: the file does not end in LANC"},
      {"other version", WithTrailer(message, "0000000000000000000003004c414e43"),
       ErrorKind::kCorrupt, "not a manifest: its trailer says version 0.3, expected 0.2"},
      {"position behind the end", WithTrailer(message, "0700000000000000000002004c414e43"),
       ErrorKind::kCorrupt, "manifest message at byte 7 lies outside the file of 22 bytes"},
      {"position without room for a length",
       WithTrailer(message, "0300000000000000000002004c414e43"), ErrorKind::kCorrupt,
       "manifest message at byte 3 lies outside the file of 22 bytes"},
      {"position of 2^64-1", WithTrailer(message, "ffffffffffffffff000002004c414e43"),
       ErrorKind::kCorrupt,
       "manifest message at byte 18446744073709551615 lies outside the file of 22 bytes"},
      {"length too small", WithTrailer(FromHex("010000001801"), "0000000000000000000002004c414e43"),
       ErrorKind::kCorrupt,
       "manifest length does not match: message of 1 bytes at byte 0 in a file of 22"},
      {"length of 4 GiB", WithTrailer(FromHex("ffffffff1801"), "0000000000000000000002004c414e43"),
       ErrorKind::kCorrupt,
       "manifest length does not match: message of 4294967295 bytes at byte 0 in a file of 22"},
      {"no version", FileAround("", ""), ErrorKind::kCorrupt, "manifest has no version number"},
      {"broken message", FileAround("", FromHex("18")), ErrorKind::kCorrupt,
       "message has a bad integer at byte 5"},
      {"broken head", around(Field(13, FromHex("0a05"))), ErrorKind::kCorrupt,
       "manifest message cannot be read"},
      {"fragments as a number", around(Scalar(2, 1)), ErrorKind::kCorrupt,
       "manifest field 2 is not a message"},
      {"broken fragment", around(Field(2, Field(1, "x"))), ErrorKind::kCorrupt,
       "fragment has field 1 of a wrong type at byte 8"},
      {"index section behind the end", around(Scalar(6, 1000)), ErrorKind::kCorrupt,
       "index section at byte 1000 lies outside the file of 25 bytes"},
      {"index section too long", FileAround(FromHex("ffffff7f"), Scalar(3, 1) + Scalar(6, 0)),
       ErrorKind::kCorrupt,
       "index section of 2147483647 bytes at byte 0 lies outside the file of 28 bytes"},
      {"transaction section behind the end", around(Scalar(23, ~uint64_t{0})), ErrorKind::kCorrupt,
       "transaction section at byte 18446744073709551615 lies outside the file of 34 bytes"},
      {"fragment listed twice", ManifestBytes(twice), ErrorKind::kCorrupt,
       "fragment id 4 is listed twice"},
      {"stable without ids", ManifestBytes(without_ids), ErrorKind::kCorrupt,
       "table has stable row ids, but fragment 1 has none"},
      {"data format", around(Field(15, Field(1, "lance") + Field(2, "9.9"))),
       ErrorKind::kUnsupportedFeature, "data storage version is unknown: \"9.9\""},
      {"empty data format", around(Field(15, Field(1, "lance"))), ErrorKind::kUnsupportedFeature,
       "data storage version is unknown: \"\""},
      {"reader flag", around(Scalar(9, 1 << 12)), ErrorKind::kUnsupportedFeature,
       "table uses features that this version of pennon cannot read: fragment-tree"},
      {"one-sided flag", around(Scalar(10, 1 << 8)), ErrorKind::kCorrupt,
       "feature flag is set in only one of the two words: mixed-data-file-versions"},
      {"deletion file type", around(Field(2, Field(3, Scalar(1, 9)))),
       ErrorKind::kUnsupportedFeature, "deletion file type 9 of fragment 0 is unknown"},
  };
}

TEST(Manifest, RefusesWhatCannotBeRead) {
  for (const auto& item : BadManifests()) {
    const auto result = Decode(item.bytes);
    ASSERT_FALSE(result.ok()) << item.what;
    EXPECT_EQ(ErrorKindName(KindOf(result.status())), ErrorKindName(item.kind)) << item.what;
    EXPECT_EQ(MessageOf(result.status()), item.message) << item.what;
  }
}

TEST(Manifest, AcceptsEveryKnownDataFormat) {
  for (const char* version : {"0.1", "2.0", "2.1", "2.2", "2.3", ""}) {
    ManifestSpec spec;
    spec.data_format = version;
    EXPECT_EQ(DecodeManifest(ManifestBuffer(spec))->data_format_version, version);
  }
}

TEST(Manifest, ABrokenTransactionDoesNotKeepItFromOpening) {
  ManifestSpec spec;
  spec.transaction = "\xff\xff\xff";
  EXPECT_TRUE(DecodeManifest(ManifestBuffer(spec)).ok());
}

ManifestEdit NextEdit() {
  ManifestEdit edit;
  edit.version = Version{13};
  edit.timestamp_seconds = 1800000000;
  edit.timestamp_nanos = 7;
  edit.reader_flags = 3;
  edit.writer_flags = 11;
  edit.next_row_id = 4242;
  edit.max_fragment_id = 8;
  edit.transaction_file = "12-new.txn";
  edit.writer_version = {"pennon", "1.2.3"};
  return edit;
}

TEST(Manifest, BuildsTheNextFileByteForByte) {
  ManifestSpec spec;
  spec.version = 12;
  spec.fragments = {Rows(0, 10)};
  spec.data_format = "2.1";
  const Manifest previous = DecodeManifest(ManifestBuffer(spec)).ValueOrDie();
  ManifestFileBuilder builder("indexes", "transaction", 100);
  builder.AddFragment(FragmentBytes(Rows(4, 9)));
  const std::string file = builder.Finish(previous, NextEdit()).ValueOrDie();

  // Fragments come first; everything else follows by field number, as protobuf writes it.
  const std::string sections =
      FromHex("07000000") + "indexes" + FromHex("0b000000") + "transaction";
  const std::string message =
      Field(2, FragmentBytes(Rows(4, 9))) + Field(1, testing_support::ColumnBytes("k", 0)) +
      Scalar(3, 13) + Scalar(6, 0) + Field(7, Scalar(1, 1800000000) + Scalar(2, 7)) + Scalar(9, 3) +
      Scalar(10, 11) + Scalar(11, 8) + Field(12, "12-new.txn") +
      Field(13, Field(1, "pennon") + Field(2, "1.2.3")) + Scalar(14, 4242) +
      Field(15, Field(1, "lance") + Field(2, "2.1")) + Scalar(23, 11);
  EXPECT_EQ(testing_support::ToHex(file), testing_support::ToHex(FileAround(sections, message)));
}

TEST(Manifest, CarriesOverWhatTheEditDoesNotName) {
  ManifestSpec spec;
  spec.version = 12;
  spec.columns = {"k", "v"};
  spec.max_fragment_id = 3;
  spec.config = {{"a", "1"}};
  spec.branch = "try";
  spec.transaction_file = "11-old.txn";
  spec.transaction = "old transaction";
  spec.index_section = "old indexes";
  // version_aux_data, tag and an unknown field, and a prerelease of the old writer.
  spec.writer = std::nullopt;
  spec.extra = Scalar(4, 99) + Field(8, "a tag") + Entry(19, "m", "n") + Scalar(24, 40) +
               Field(25, "clustering") + Scalar(500, 6) +
               Field(13, Field(1, "lance") + Field(2, "9.0.0") + Field(3, "beta.1"));
  const Manifest previous = DecodeManifest(ManifestBuffer(spec)).ValueOrDie();
  ManifestFileBuilder builder(std::nullopt, std::nullopt, 0);
  ManifestEdit edit = NextEdit();
  edit.max_fragment_id.reset();
  const Manifest next = Decode(builder.Finish(previous, edit).ValueOrDie()).ValueOrDie();

  EXPECT_EQ(next.version, Version{13});
  EXPECT_EQ(next.fields.size(), 2u);
  EXPECT_EQ(next.max_fragment_id, 3u);
  EXPECT_EQ(next.config, previous.config);
  EXPECT_EQ(next.table_metadata, previous.table_metadata);
  EXPECT_EQ(next.branch, "try");
  EXPECT_EQ(next.max_allocated_field_id, 40);
  EXPECT_NE(next.head.find(Field(25, "clustering")), std::string::npos);
  EXPECT_NE(next.head.find(Scalar(500, 6)), std::string::npos);
  // Not carried over.
  EXPECT_EQ(next.tag, "");
  EXPECT_EQ(next.head.find(Scalar(4, 99)), std::string::npos);
  EXPECT_EQ(next.head.find("beta.1"), std::string::npos);
  EXPECT_FALSE(next.index_section.has_value());
  EXPECT_FALSE(next.transaction.has_value());
  EXPECT_EQ(next.transaction_file, "12-new.txn");
  EXPECT_EQ(next.writer_version->library, "pennon");
  EXPECT_EQ(next.timestamp_seconds, 1800000000);
  EXPECT_EQ(next.reader_flags, 3u);
  EXPECT_EQ(next.writer_flags, 11u);
  EXPECT_EQ(next.next_row_id, 4242u);
}

TEST(Manifest, AnEmptySectionIsThere) {
  const Manifest previous = DecodeManifest(ManifestBuffer({})).ValueOrDie();
  ManifestFileBuilder builder("", std::nullopt, 0);
  const Manifest next = Decode(builder.Finish(previous, NextEdit()).ValueOrDie()).ValueOrDie();
  EXPECT_EQ(next.index_section, "");
}

}  // namespace
}  // namespace pennon
