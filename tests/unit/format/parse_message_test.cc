#include "format/parse_message.h"

#include <gtest/gtest.h>

#include <string>

#include "format/index_section.h"
#include "format/manifest.h"
#include "format/transaction.h"
#include "pennon/base/error.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Entry;
using testing_support::Field;
using testing_support::FileAround;
using testing_support::Scalar;

TEST(ParseMessage, FailsWithoutAWordOnTheTerminal) {
  const std::string no_text = "\xff\xfe";
  testing::internal::CaptureStderr();
  const auto transaction = DecodeTransaction(Field(2, no_text)).status();
  const auto indexes = DecodeIndexSection(Field(1, Field(3, no_text))).status();
  const std::string manifest_file = FileAround("", Scalar(3, 1) + Entry(16, no_text, "x"));
  const auto manifest = DecodeManifest(arrow::Buffer::FromString(manifest_file)).status();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(MessageOf(transaction), "transaction message cannot be read");
  EXPECT_EQ(MessageOf(indexes), "index section: entry 0 cannot be read");
  EXPECT_EQ(MessageOf(manifest), "manifest message cannot be read");
  for (const auto& status : {transaction, indexes, manifest}) {
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace pennon
