#include "base/late_library.h"

#include <gtest/gtest.h>

#include "base/arrow_functions.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

TEST(LateLibrary, MissingLibraryIsNamed) {
  const auto found = FindLateFunction("libpennon_no_such_library.so", "nothing");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(KindOf(found.status()), ErrorKind::kUnsupportedFeature);
  EXPECT_NE(found.status().message().find("libpennon_no_such_library.so"), std::string::npos);
}

TEST(LateLibrary, MissingFunctionIsNamed) {
  const auto found = FindLateFunction("libc.so.6", "pennon_no_such_function");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(KindOf(found.status()), ErrorKind::kUnsupportedFeature);
  EXPECT_NE(found.status().message().find("pennon_no_such_function"), std::string::npos);
}

TEST(LateLibrary, FindsAFunction) {
  const auto absolute = FindLateFunctionOf<int(int)>("libc.so.6", "abs");
  ASSERT_TRUE(absolute.ok()) << absolute.status();
  EXPECT_EQ((*absolute)(-7), 7);
}

TEST(LateLibrary, ArrowFunctionsLoadAgainAndAgain) {
  EXPECT_TRUE(LoadArrowFunctions().ok());
  EXPECT_TRUE(LoadArrowFunctions().ok());
}

}  // namespace
}  // namespace pennon
