#include "pennon/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pennon {
namespace {

struct KindCase {
  ErrorKind kind;
  const char* name;
  arrow::StatusCode code;
};

constexpr KindCase kKinds[] = {
    {ErrorKind::kNotFound, "not_found", arrow::StatusCode::IOError},
    {ErrorKind::kAlreadyExists, "already_exists", arrow::StatusCode::AlreadyExists},
    {ErrorKind::kInvalidArgument, "invalid_argument", arrow::StatusCode::Invalid},
    {ErrorKind::kCorrupt, "corrupt", arrow::StatusCode::Invalid},
    {ErrorKind::kUnsupportedFeature, "unsupported_feature", arrow::StatusCode::NotImplemented},
    {ErrorKind::kTooLarge, "too_large", arrow::StatusCode::CapacityError},
    {ErrorKind::kConflict, "conflict", arrow::StatusCode::UnknownError},
    {ErrorKind::kCancelled, "cancelled", arrow::StatusCode::Cancelled},
    {ErrorKind::kIo, "io", arrow::StatusCode::IOError},
    {ErrorKind::kInternal, "internal", arrow::StatusCode::UnknownError},
};

TEST(Error, CarriesItsKindAndMessage) {
  for (const auto& item : kKinds) {
    const auto status = MakeError(item.kind, "what happened: 5");
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(KindOf(status), item.kind) << item.name;
    EXPECT_EQ(ErrorKindName(item.kind), item.name);
    EXPECT_EQ(status.code(), item.code) << item.name;
    EXPECT_EQ(MessageOf(status), "what happened: 5");
    EXPECT_EQ(KindOf(arrow::Status(status)), item.kind) << item.name;
  }
}

TEST(Error, ClassifiesStatusesOfOthers) {
  const std::pair<arrow::Status, ErrorKind> cases[] = {
      {arrow::Status::IOError("x"), ErrorKind::kIo},
      {arrow::Status::Invalid("x"), ErrorKind::kInvalidArgument},
      {arrow::Status::TypeError("x"), ErrorKind::kInvalidArgument},
      {arrow::Status::KeyError("x"), ErrorKind::kInvalidArgument},
      {arrow::Status::IndexError("x"), ErrorKind::kInvalidArgument},
      {arrow::Status::AlreadyExists("x"), ErrorKind::kAlreadyExists},
      {arrow::Status::NotImplemented("x"), ErrorKind::kUnsupportedFeature},
      {arrow::Status::CapacityError("x"), ErrorKind::kTooLarge},
      {arrow::Status::OutOfMemory("x"), ErrorKind::kTooLarge},
      {arrow::Status::Cancelled("x"), ErrorKind::kCancelled},
      {arrow::Status::UnknownError("x"), ErrorKind::kInternal},
      {arrow::Status::SerializationError("x"), ErrorKind::kInternal},
  };
  for (const auto& [status, kind] : cases) EXPECT_EQ(KindOf(status), kind) << status;
}

TEST(Error, TakesContextAndKeepsItsKind) {
  const auto status = AddContext(MakeError(ErrorKind::kCorrupt, "bad length"), ": /t/x.manifest");
  EXPECT_EQ(MessageOf(status), "bad length: /t/x.manifest");
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_TRUE(AddContext(arrow::Status::OK(), ": /t").ok());
  EXPECT_EQ(KindOf(AddContext(arrow::Status::IOError("disk"), ": /t")), ErrorKind::kIo);
}

TEST(Error, IsOneLineWhateverItQuotes) {
  const auto status =
      MakeError(ErrorKind::kCorrupt, std::string("version \"2\n1\r\t\0\x1b[31m\x7f\"", 22));
  EXPECT_EQ(MessageOf(status), "version \"2\\x0a1\\x0d\\x09\\x00\\x1b[31m\\x7f\"");
  EXPECT_EQ(MessageOf(AddContext(status, ": /a\nb")).find('\n'), std::string::npos);
  // Text beyond ASCII is left alone.
  EXPECT_EQ(MessageOf(MakeError(ErrorKind::kIo, "größer: /häuser/東京")), "größer: /häuser/東京");
}

}  // namespace
}  // namespace pennon
