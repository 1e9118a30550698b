#include "pennon/dataset/dataset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/local_store.h"
#include "pennon/base/error.h"
#include "support/observers.h"
#include "support/temp_folder.h"
#include "support/test_table.h"

namespace pennon {
namespace {

using testing_support::RecordingObserver;
using testing_support::TempFolder;
using testing_support::TestTable;

/// Versions 1 to 3 on main, and a branch "team/try" that goes on from 3 to 4.
struct Fixture {
  Fixture() {
    for (int i = 0; i < 3; ++i) table.Append({10});
    TestTable branch = table.MakeBranch("team/try");
    branch.Append({5, 6});
    table.Tag("first", 1);
    table.Tag("tried", 4, "team/try");
    EXPECT_EQ(branch.newest().version, 4u);
  }
  std::string root() const { return folder.path() + "/t.lance"; }

  TempFolder folder;
  TestTable table{MakeLocalStore({.sync = false}), folder.path() + "/t.lance"};
};

struct OpenCase {
  std::string below;  ///< Of the root, e.g. a branch's folder.
  std::string version;
  std::string branch;
  uint64_t expected;
  std::string root;
};

TEST(Dataset, OpensWhatIsNamed) {
  const Fixture f;
  const OpenCase cases[] = {
      {"", "", "", 3, ""},
      {"/", "", "", 3, ""},
      {"", "2", "", 2, ""},
      {"", "002", "", 2, ""},
      {"", "first", "", 1, ""},
      {"", "", "main", 3, ""},
      {"", "", "team/try", 4, "/tree/team/try"},
      {"", "3", "team/try", 3, "/tree/team/try"},
      {"", "tried", "", 4, "/tree/team/try"},
      {"", "tried", "team/try", 4, "/tree/team/try"},
      {"", "first", "main", 1, ""},
      {"/tree/team/try", "", "", 4, "/tree/team/try"},
      {"/tree/team/try", "3", "", 3, "/tree/team/try"},
      {"/tree/team/try", "", "main", 3, ""},
      {"/tree/team/try", "first", "", 1, ""},
      {"/tree/team/try", "", "team/try", 4, "/tree/team/try"},
  };
  for (const auto& item : cases) {
    for (const std::string& prefix : {std::string(), std::string("file://")}) {
      OpenOptions options;
      options.version = item.version;
      options.branch = item.branch;
      const auto dataset = Dataset::Open(prefix + f.root() + item.below, options);
      ASSERT_TRUE(dataset.ok()) << item.below << " " << item.version << " " << item.branch
                                << dataset.status();
      EXPECT_EQ(ToInteger((*dataset)->version()), item.expected) << item.below << item.version;
      EXPECT_EQ((*dataset)->root(), f.root() + item.root) << item.below << item.version;
      EXPECT_FALSE((*dataset)->has_stable_row_ids());
    }
  }
}

struct RefusedCase {
  std::string path;  ///< Below the folder that holds the table.
  std::string version;
  std::string branch;
  ErrorKind kind;
  std::string message;  ///< "{}" stands for that folder.
};

TEST(Dataset, SaysWhyItCannotOpen) {
  Fixture f;
  std::filesystem::create_directories(f.folder.path() + "/empty");
  std::filesystem::create_directories(f.folder.path() + "/hollow/_versions");
  const RefusedCase cases[] = {
      {"/none", "", "", ErrorKind::kNotFound, "no such path: {}/none"},
      {"/none", "5", "", ErrorKind::kNotFound, "no such path: {}/none"},
      {"/none", "tag", "", ErrorKind::kNotFound, "no such path: {}/none"},
      {"/none", "", "try", ErrorKind::kNotFound, "no such path: {}/none"},
      {"/empty", "", "", ErrorKind::kNotFound,
       "not a Lance table: it has no _versions folder: {}/empty"},
      {"/empty", "tag", "", ErrorKind::kNotFound,
       "not a Lance table: it has no _versions folder: {}/empty"},
      {"/hollow", "", "", ErrorKind::kNotFound,
       "table has no versions: its _versions folder holds no manifest: {}/hollow"},
      {"/hollow", "1", "", ErrorKind::kNotFound,
       "version 1 is not there, the table has no versions: {}/hollow"},
      {"/t.lance/_transactions/0-uuid-1.txn", "", "", ErrorKind::kNotFound,
       "not a Lance table but a file; give the table's folder: "
       "{}/t.lance/_transactions/0-uuid-1.txn"},
      {"/t.lance", "4", "", ErrorKind::kNotFound,
       "version 4 is not there; versions 1 to 3 are: {}/t.lance"},
      {"/t.lance", "0", "", ErrorKind::kInvalidArgument,
       "version numbers start at 1 and fit 64 bits, got: 0"},
      {"/t.lance", "18446744073709551616", "", ErrorKind::kInvalidArgument,
       "version numbers start at 1 and fit 64 bits, got: 18446744073709551616"},
      {"/t.lance", "no tag", "", ErrorKind::kInvalidArgument,
       "neither a version number nor a tag name (letters, digits, '.', '-', '_'): \"no tag\""},
      {"/t.lance", "last", "", ErrorKind::kNotFound,
       "tag \"last\" is not there; tags are first, tried: {}/t.lance"},
      {"/t.lance", "", "other", ErrorKind::kNotFound,
       "branch \"other\" is not there; branches are main, team/try: {}/t.lance"},
      {"/t.lance", "9", "team/try", ErrorKind::kNotFound,
       "version 9 is not there; versions 3 to 4 are: {}/t.lance/tree/team/try"},
      {"/t.lance", "first", "team/try", ErrorKind::kInvalidArgument,
       "tag \"first\" belongs to branch main, not team/try: {}/t.lance"},
  };
  for (const auto& item : cases) {
    OpenOptions options;
    options.version = item.version;
    options.branch = item.branch;
    const auto status = Dataset::Open(f.folder.path() + item.path, options).status();
    ASSERT_FALSE(status.ok()) << item.path << item.version << item.branch;
    std::string expected = item.message;
    const size_t at = expected.find("{}");
    if (at != std::string::npos) expected.replace(at, 2, f.folder.path());
    EXPECT_EQ(MessageOf(status), expected);
    EXPECT_EQ(ErrorKindName(KindOf(status)), ErrorKindName(item.kind)) << item.path << item.version;
  }
}

TEST(Dataset, OpensATagInOneCallMore) {
  const Fixture f;
  OpenOptions options;
  const auto observer = std::make_shared<RecordingObserver>();
  options.observer = observer;
  options.version = "first";
  ASSERT_TRUE(Dataset::Open(f.root(), options).ok());
  EXPECT_EQ(observer->Calls(f.root()),
            (std::vector<std::string>{"read whole _refs/tags/first.json",
                                      "read whole _versions/18446744073709551614.manifest"}));
}

}  // namespace
}  // namespace pennon
