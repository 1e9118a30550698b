/// \file
/// Parses a protobuf message that came from outside: within protobuf's limits, and without a word
/// on stderr.
#pragma once

#include <arrow/status.h>

#include <string_view>

namespace google::protobuf {
class MessageLite;
}  // namespace google::protobuf

namespace pennon {

/// Reads `bytes` into `message`. `name` begins the message of an error, e.g. "transaction message".
/// Errors: kCorrupt; kTooLarge from 2 GiB on, which protobuf cannot read.
arrow::Status ParseMessage(std::string_view bytes, std::string_view name,
                           google::protobuf::MessageLite* message);

}  // namespace pennon
