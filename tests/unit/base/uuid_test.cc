#include "base/uuid.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pennon {
namespace {

TEST(Uuid, HasTheFormOfVersionFour) {
  for (int i = 0; i < 200; ++i) {
    const std::string uuid = MakeUuid();
    ASSERT_EQ(uuid.size(), 36u);
    for (size_t at = 0; at < uuid.size(); ++at) {
      if (at == 8 || at == 13 || at == 18 || at == 23) {
        EXPECT_EQ(uuid[at], '-') << uuid;
      } else {
        EXPECT_NE(std::string("0123456789abcdef").find(uuid[at]), std::string::npos) << uuid;
      }
    }
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos) << uuid;
  }
}

TEST(Uuid, NeverComesTwice) {
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(seen.insert(MakeUuid()).second);
}

TEST(Uuid, VariesInEveryDigit) {
  // Of 64 draws a free digit shows at least two values, but for a chance of 16^-63.
  std::set<char> values[36];
  for (int i = 0; i < 64; ++i) {
    const std::string uuid = MakeUuid();
    for (size_t at = 0; at < 36; ++at) values[at].insert(uuid[at]);
  }
  for (size_t at = 0; at < 36; ++at) {
    const bool is_fixed = at == 8 || at == 13 || at == 14 || at == 18 || at == 23;
    EXPECT_EQ(values[at].size() == 1, is_fixed) << at;
  }
}

}  // namespace
}  // namespace pennon
