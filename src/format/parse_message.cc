#include "format/parse_message.h"

#include <fmt/format.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <limits>

#include "pennon/base/error.h"

namespace pennon {

arrow::Status ParseMessage(std::string_view bytes, std::string_view name,
                           google::protobuf::MessageLite* message) {
  constexpr auto kBytesMax = static_cast<size_t>(std::numeric_limits<int>::max());
  if (bytes.size() > kBytesMax) {
    return MakeError(ErrorKind::kTooLarge, fmt::format("{} is too large: {} bytes, at most {}",
                                                       name, bytes.size(), kBytesMax));
  }
  // protobuf prints what it finds wrong with text; whoever asked gets it as an error.
  const google::protobuf::LogSilencer silencer;
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return arrow::Status::OK();
  return MakeError(ErrorKind::kCorrupt, fmt::format("{} cannot be read", name));
}

}  // namespace pennon
