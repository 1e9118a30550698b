#include "table/location.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Field;
using testing_support::ManifestBuffer;
using testing_support::ManifestSpec;
using testing_support::Scalar;

TEST(Location, ReadsPathsAndFileUris) {
  const std::string here = std::filesystem::current_path().string();
  const std::pair<std::string, std::string> cases[] = {
      {"/a/b", "/a/b"},
      {"/a/b/", "/a/b"},
      {"/a//b///", "/a/b"},
      {"/a/./b/../c", "/a/c"},
      {"/", "/"},
      {"t.lance", here + "/t.lance"},
      {"./t.lance", here + "/t.lance"},
      {"file:///a/b", "/a/b"},
      {"file://localhost/a/b", "/a/b"},
      {"file:///a%20b/%C3%A4%2f", "/a b/\xC3\xA4"},
      {"/a%20b", "/a%20b"},
      {"/with://inside", "/with:/inside"},
      {"a b/c", here + "/a b/c"},
  };
  for (const auto& [uri, path] : cases) EXPECT_EQ(ParseLocation(uri).ValueOrDie(), path) << uri;
}

struct BadLocation {
  const char* uri;
  ErrorKind kind;
  const char* message;
};

TEST(Location, RefusesWhatItCannotOpen) {
  const BadLocation cases[] = {
      {"", ErrorKind::kInvalidArgument, "path of the table is empty"},
      {"s3://bucket/t", ErrorKind::kUnsupportedFeature,
       "only local paths and file:// URIs can be opened, not s3://: s3://bucket/t"},
      {"file://host/a", ErrorKind::kInvalidArgument,
       "file URI must name an absolute path: file://host/a"},
      {"file://", ErrorKind::kInvalidArgument, "file URI must name an absolute path: file://"},
      {"file:///a%2", ErrorKind::kInvalidArgument, "URI has a bad percent escape: /a%2"},
      {"file:///a%zz", ErrorKind::kInvalidArgument, "URI has a bad percent escape: /a%zz"},
  };
  for (const auto& item : cases) {
    const auto status = ParseLocation(item.uri).status();
    EXPECT_EQ(ErrorKindName(KindOf(status)), ErrorKindName(item.kind)) << item.uri;
    EXPECT_EQ(MessageOf(status), item.message);
  }
}

TEST(Location, FindsBranches) {
  EXPECT_EQ(BranchRoot("/t", "team/try"), "/t/tree/team/try");
  EXPECT_EQ(MakeTableRoot("/t/tree/team/try", "team/try").main_root, "/t");
  EXPECT_EQ(MakeTableRoot("/t/tree/team/try", "team/try").root, "/t/tree/team/try");
  EXPECT_EQ(MakeTableRoot("/t", std::nullopt).main_root, "/t");
  EXPECT_EQ(MakeTableRoot("/t", "").main_root, "/t");
  // A branch's folder that was copied elsewhere is a table of its own.
  EXPECT_EQ(MakeTableRoot("/copy", "team/try").main_root, "/copy");
}

TEST(Location, FindsFilesInTheTableOrItsBases) {
  ManifestSpec spec;
  spec.extra = Field(18, Scalar(1, 1) + Scalar(3, 1) + Field(4, "file:///root%20base")) +
               Field(18, Scalar(1, 2) + Field(4, "/plain/base")) +
               Field(18, Scalar(1, 3) + Field(4, "s3://far"));
  const Manifest manifest = DecodeManifest(ManifestBuffer(spec)).ValueOrDie();
  const auto data_path = [&manifest](std::optional<uint32_t> base) {
    DataFile file;
    file.path = "x.lance";
    file.base_id = base;
    return DataFilePath("/t", manifest, file);
  };
  EXPECT_EQ(data_path({}).ValueOrDie(), "/t/data/x.lance");
  EXPECT_EQ(data_path(1).ValueOrDie(), "/root base/data/x.lance");
  EXPECT_EQ(data_path(2).ValueOrDie(), "/plain/base/x.lance");
  EXPECT_EQ(KindOf(data_path(3).status()), ErrorKind::kUnsupportedFeature);
  EXPECT_EQ(KindOf(data_path(9).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(data_path(9).status()), "manifest names base path 9, but does not list it");

  const auto deletion_path = [&manifest](std::optional<uint32_t> base) {
    Fragment fragment;
    fragment.id = FragmentId{4};
    fragment.deletion_file = DeletionFile{DeletionFileType::kBitmap, 2, 17, 0, base};
    return DeletionFilePath("/t", manifest, fragment);
  };
  EXPECT_EQ(deletion_path({}).ValueOrDie(), "/t/_deletions/4-2-17.bin");
  EXPECT_EQ(deletion_path(1).ValueOrDie(), "/root base/_deletions/4-2-17.bin");
  EXPECT_EQ(deletion_path(2).ValueOrDie(), "/plain/base/_deletions/4-2-17.bin");
  EXPECT_EQ(KindOf(deletion_path(9).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
