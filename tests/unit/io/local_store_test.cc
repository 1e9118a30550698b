#include "io/local_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/store_suite.h"
#include "support/temp_folder.h"

namespace pennon {
namespace {

using testing_support::TempFolder;

template <bool kSync>
class LocalPlace {
 public:
  Store& store() { return *store_; }
  std::string root() { return folder_.path(); }

 private:
  TempFolder folder_;
  std::shared_ptr<Store> store_ = MakeLocalStore({.sync = kSync});
};

using LocalPlaces = testing::Types<LocalPlace<false>, LocalPlace<true>>;

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(LocalStore, KnowsStagingNames) {
  for (const char* name : {"5.manifest#1", "x#0", "a#b#12", "#7"})
    EXPECT_TRUE(IsStagingName(name)) << name;
  for (const char* name : {"5.manifest", "5.manifest#", "x#1a", "", "#", "1#2 "})
    EXPECT_FALSE(IsStagingName(name)) << name;
}

TEST(LocalStore, JoinsPathsWithOneSlash) {
  EXPECT_EQ(JoinPath("/a", "b"), "/a/b");
  EXPECT_EQ(JoinPath("/a/", "b"), "/a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
}

TEST(LocalStore, WritesBesideStagingFilesOfOthers) {
  const TempFolder folder;
  const auto store = MakeLocalStore({.sync = false});
  WriteFile(folder.path() + "/v#1", "of a writer that died");
  WriteFile(folder.path() + "/v#2", "of a writer at work");
  EXPECT_EQ(store->PutIfAbsent(folder.path() + "/v", "ours").ValueOrDie(), PutOutcome::kWritten);
  ASSERT_TRUE(store->Put(folder.path() + "/v", "again").ok());
  EXPECT_EQ(NamesIn(folder.path()), (std::vector<std::string>{"v", "v#1", "v#2"}));
  EXPECT_EQ(store->ReadWhole(folder.path() + "/v#1", 100).ValueOrDie()->ToString(),
            "of a writer that died");
}

TEST(LocalStore, GivesUpWhenEveryStagingNameIsTaken) {
  const TempFolder folder;
  const auto store = MakeLocalStore({.sync = false});
  for (int n = 1; n <= 1000; ++n) WriteFile(folder.path() + "/v#" + std::to_string(n), "");
  const auto status = store->Put(folder.path() + "/v", "ours");
  EXPECT_EQ(KindOf(status), ErrorKind::kIo) << status;
  EXPECT_NE(MessageOf(status).find("File exists"), std::string::npos) << status;
  EXPECT_EQ(NamesIn(folder.path()).size(), 1000u);
}

/// Files cannot grow beyond so many bytes while this lives, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int) = nullptr;
};

TEST(LocalStore, LeavesNothingBehindOnAFullDisk) {
  const TempFolder folder;
  const auto store = MakeLocalStore({.sync = false});
  const std::string path = folder.path() + "/v";
  ASSERT_TRUE(store->Put(path, "old").ok());
  {
    const FileSizeLimit limit(1000);
    const std::string large(5000, 'x');
    const auto put = store->Put(path, large);
    EXPECT_EQ(KindOf(put), ErrorKind::kIo);
    EXPECT_EQ(MessageOf(put), "cannot write: File too large: " + path + "#1");
    EXPECT_EQ(KindOf(store->PutIfAbsent(folder.path() + "/w", large).status()), ErrorKind::kIo);
  }
  EXPECT_EQ(NamesIn(folder.path()), std::vector<std::string>{"v"});
  EXPECT_EQ(store->ReadWhole(path, 100).ValueOrDie()->ToString(), "old");
}

TEST(LocalStore, FollowsLinksAndNamesSpecialFiles) {
  const TempFolder folder;
  const auto store = MakeLocalStore({.sync = false});
  WriteFile(folder.path() + "/file", "bytes");
  ASSERT_EQ(::symlink((folder.path() + "/file").c_str(), (folder.path() + "/link").c_str()), 0);
  EXPECT_EQ(store->ReadWhole(folder.path() + "/link", 100).ValueOrDie()->ToString(), "bytes");
  EXPECT_EQ(store->Stat(folder.path() + "/link").ValueOrDie().size_bytes, 5u);
}

TEST(LocalStore, DoesNotWaitForAPipe) {
  const TempFolder folder;
  const auto store = MakeLocalStore({.sync = false});
  const std::string path = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto status = store->ReadWhole(path, 100).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kIo) << status;
  EXPECT_NE(MessageOf(status).find(path), std::string::npos) << status;
  EXPECT_EQ(MessageOf(status).find("Success"), std::string::npos) << status;
}

TEST(LocalStore, SaysThatPermissionIsMissing) {
  if (::geteuid() == 0) {
    // Root reads everything; a folder that cannot be written even by root is the kernel's own.
    const auto store = MakeLocalStore({.sync = false});
    const auto status = store->Put("/proc/pennon-test", "x");
    EXPECT_FALSE(status.ok());
    EXPECT_NE(MessageOf(status).find("/proc/pennon-test"), std::string::npos) << status;
    return;
  }
  const TempFolder folder;
  const auto store = MakeLocalStore({.sync = false});
  WriteFile(folder.path() + "/file", "bytes");
  ::chmod((folder.path() + "/file").c_str(), 0);
  const auto status = store->ReadWhole(folder.path() + "/file", 100).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kIo);
  EXPECT_EQ(MessageOf(status), "cannot open: Permission denied: " + folder.path() + "/file");
}

}  // namespace

namespace testing_support {
INSTANTIATE_TYPED_TEST_SUITE_P(Local, StoreSuite, LocalPlaces);
}  // namespace testing_support

}  // namespace pennon
