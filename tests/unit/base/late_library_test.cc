#include "base/late_library.h"

#include <arrow/config.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "base/arrow_functions.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string MainLibrary() { return "libarrow.so." + arrow::GetBuildInfo().so_version; }

std::string LibraryC() {
  Dl_info info;
  EXPECT_NE(dladdr(reinterpret_cast<const void*>(&std::puts), &info), 0);
  return info.dli_fname;
}

TEST(LateLibrary, MissingLibraryIsNamed) {
  const auto found = FindLateFunction("libpennon_no_such_library.so", "nothing");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(KindOf(found.status()), ErrorKind::kUnsupportedFeature);
  EXPECT_NE(found.status().message().find("libpennon_no_such_library.so"), std::string::npos);
}

TEST(LateLibrary, MissingFunctionIsNamed) {
  const auto found = FindLateFunction(MainLibrary(), "pennon_no_such_function");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(KindOf(found.status()), ErrorKind::kUnsupportedFeature);
  EXPECT_NE(found.status().message().find("pennon_no_such_function"), std::string::npos);
}

TEST(LateLibrary, FindsAFunction) {
  // arrow::GetBuildInfo()
  const auto build_info =
      FindLateFunctionOf<const arrow::BuildInfo&()>(MainLibrary(), "_ZN5arrow12GetBuildInfoEv");
  ASSERT_TRUE(build_info.ok()) << build_info.status();
  EXPECT_EQ(&(*build_info)(), &arrow::GetBuildInfo());
}

TEST(LateLibrary, IsNotTakenFromTheFolderOfTheDay) {
  const auto before = std::filesystem::current_path();
  const auto folder = std::filesystem::temp_directory_path() / "pennon_late_library_test";
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  std::filesystem::create_symlink(LibraryC(), folder / "libpennon_planted.so");
  const auto found = FindLateFunction("libpennon_planted.so", "abs");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(found.ok());
}

TEST(LateLibrary, ArrowFunctionsLoadAgainAndAgain) {
  EXPECT_TRUE(LoadArrowFunctions().ok());
  EXPECT_TRUE(LoadArrowFunctions().ok());
}

}  // namespace
}  // namespace pennon
