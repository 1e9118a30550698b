#include "pennon/base/error.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace pennon {
namespace {

constexpr const char* kTypeId = "pennon::ErrorDetail";

class ErrorDetail : public arrow::StatusDetail {
 public:
  explicit ErrorDetail(ErrorKind kind) : kind_(kind) {}
  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override { return std::string(ErrorKindName(kind_)); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kIo:
      return arrow::StatusCode::IOError;
    case ErrorKind::kAlreadyExists:
      return arrow::StatusCode::AlreadyExists;
    case ErrorKind::kInvalidArgument:
    case ErrorKind::kCorrupt:
      return arrow::StatusCode::Invalid;
    case ErrorKind::kUnsupportedFeature:
      return arrow::StatusCode::NotImplemented;
    case ErrorKind::kTooLarge:
      return arrow::StatusCode::CapacityError;
    case ErrorKind::kCancelled:
      return arrow::StatusCode::Cancelled;
    case ErrorKind::kConflict:
    case ErrorKind::kInternal:
      return arrow::StatusCode::UnknownError;
  }
  return arrow::StatusCode::UnknownError;
}

/// Values quoted in messages come from files: an error stays one line, and nobody's terminal is
/// steered by it.
std::string EscapeControls(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::none_of(text.begin(), text.end(), is_control)) return text;
  std::string out;
  for (const char c : text) {
    if (is_control(c)) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += {'\\', 'x', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[c & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
      return "not_found";
    case ErrorKind::kAlreadyExists:
      return "already_exists";
    case ErrorKind::kInvalidArgument:
      return "invalid_argument";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kUnsupportedFeature:
      return "unsupported_feature";
    case ErrorKind::kTooLarge:
      return "too_large";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kIo:
      return "io";
    case ErrorKind::kInternal:
      return "internal";
  }
  return "internal";
}

arrow::Status MakeError(ErrorKind kind, std::string message) {
  return arrow::Status(CodeOf(kind), EscapeControls(std::move(message)),
                       std::make_shared<ErrorDetail>(kind));
}

ErrorKind KindOf(const arrow::Status& status) {
  const auto& detail = status.detail();
  if (detail != nullptr && detail->type_id() == std::string_view(kTypeId)) {
    return static_cast<const ErrorDetail&>(*detail).kind();
  }
  switch (status.code()) {
    case arrow::StatusCode::IOError:
      return ErrorKind::kIo;
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::TypeError:
    case arrow::StatusCode::KeyError:
    case arrow::StatusCode::IndexError:
      return ErrorKind::kInvalidArgument;
    case arrow::StatusCode::AlreadyExists:
      return ErrorKind::kAlreadyExists;
    case arrow::StatusCode::NotImplemented:
      return ErrorKind::kUnsupportedFeature;
    case arrow::StatusCode::CapacityError:
    case arrow::StatusCode::OutOfMemory:
      return ErrorKind::kTooLarge;
    case arrow::StatusCode::Cancelled:
      return ErrorKind::kCancelled;
    default:
      return ErrorKind::kInternal;
  }
}

std::string MessageOf(const arrow::Status& status) { return status.message(); }

arrow::Status AddContext(const arrow::Status& status, std::string_view suffix) {
  if (status.ok()) return status;
  return status.WithMessage(status.message(), EscapeControls(std::string(suffix)));
}

}  // namespace pennon
