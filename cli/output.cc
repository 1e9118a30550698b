#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "output_value.h"
#include "output_writers.h"
#include "pennon/base/error.h"
#include "unfinished_file.h"

namespace pennon::cli {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

/// Marks the status of a write to a pipe that nobody reads.
class ClosedPipeDetail : public arrow::StatusDetail {
 public:
  const char* type_id() const override { return "pennon::cli::ClosedPipe"; }
  std::string ToString() const override { return "closed pipe"; }
};

arrow::Status SystemError(std::string_view what, const std::string& path) {
  return MakeError(ErrorKind::kIo, fmt::format("{}: {}: {}", what, std::strerror(errno),
                                               path.empty() ? "standard output" : path));
}

constexpr std::pair<std::string_view, OutputFormat> kFormats[] = {
    {"table", OutputFormat::kTable},
    {"json", OutputFormat::kJsonLines},
    {"csv", OutputFormat::kCsv},
    {"arrow", OutputFormat::kArrowStream},
    {"arrow-file", OutputFormat::kArrowFile},
    {"parquet", OutputFormat::kParquet}};
constexpr std::pair<std::string_view, OutputFormat> kExtensions[] = {
    {".json", OutputFormat::kJsonLines},     {".jsonl", OutputFormat::kJsonLines},
    {".ndjson", OutputFormat::kJsonLines},   {".csv", OutputFormat::kCsv},
    {".arrows", OutputFormat::kArrowStream}, {".arrow", OutputFormat::kArrowFile},
    {".feather", OutputFormat::kArrowFile},  {".parquet", OutputFormat::kParquet}};

}  // namespace

arrow::Result<OutputFormat> ParseOutputFormat(std::string_view name) {
  std::string names;
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  return MakeError(ErrorKind::kInvalidArgument,
                   fmt::format("unknown output format: {} (there are {})", name, names));
}

std::optional<OutputFormat> OutputFormatOf(std::string_view path) {
  for (const auto& [extension, format] : kExtensions) {
    if (path.ends_with(extension)) return format;
  }
  return std::nullopt;
}

arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(
    OutputFormat format, const std::shared_ptr<arrow::Schema>& schema,
    std::shared_ptr<arrow::io::OutputStream> stream, const OutputOptions& options) {
  const bool is_text = format == OutputFormat::kTable || format == OutputFormat::kJsonLines ||
                       format == OutputFormat::kCsv;
  if (is_text) ARROW_RETURN_NOT_OK(PrepareCellWriters(*schema));
  switch (format) {
    case OutputFormat::kTable:
      return MakeTableWriter(schema, std::move(stream), options);
    case OutputFormat::kJsonLines:
      return MakeJsonWriter(schema, std::move(stream));
    case OutputFormat::kCsv:
      return MakeCsvWriter(schema, std::move(stream), options);
    case OutputFormat::kArrowStream:
    case OutputFormat::kArrowFile:
      return MakeArrowWriter(schema, std::move(stream), format == OutputFormat::kArrowFile);
    case OutputFormat::kParquet:
      return MakeParquetWriter(schema, std::move(stream));
  }
  return MakeError(ErrorKind::kInternal, "no such output format");
}

arrow::Result<std::shared_ptr<OutputTarget>> OutputTarget::Open(const std::string& path) {
  std::signal(SIGPIPE, SIG_IGN);
  if (path.empty()) return std::shared_ptr<OutputTarget>(new OutputTarget(STDOUT_FILENO, "", ""));
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  const bool is_replaced = !exists || S_ISREG(info.st_mode);
  const std::string written = is_replaced ? fmt::format("{}.{}.tmp", path, getpid()) : path;
  if (is_replaced) RemoveIfInterrupted(written);
  const int descriptor =
      open(written.c_str(), O_WRONLY | O_CLOEXEC | (is_replaced ? O_CREAT | O_EXCL : 0), 0666);
  if (descriptor < 0) {
    const arrow::Status error = SystemError("cannot write", path);
    NothingToRemove();
    return error;
  }
  return std::shared_ptr<OutputTarget>(
      new OutputTarget(descriptor, written, is_replaced ? path : ""));
}

OutputTarget::~OutputTarget() {
  if (descriptor_ < 0 || path_.empty()) return;
  close(descriptor_);
  if (final_path_.empty()) return;
  unlink(path_.c_str());
  NothingToRemove();
}

arrow::Status OutputTarget::WriteThrough(const char* data, size_t num_bytes) {
  while (num_bytes > 0) {
    const ssize_t written = ::write(descriptor_, data, num_bytes);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) {
        return arrow::Status::FromDetailAndArgs(arrow::StatusCode::IOError,
                                                std::make_shared<ClosedPipeDetail>(),
                                                "the reader of the output has gone");
      }
      return SystemError("cannot write", final_path_.empty() ? path_ : final_path_);
    }
    data += written;
    num_bytes -= static_cast<size_t>(written);
  }
  return arrow::Status::OK();
}

arrow::Status OutputTarget::Write(const void* data, int64_t num_bytes) {
  const auto* bytes = static_cast<const char*>(data);
  position_ += num_bytes;
  if (buffer_.size() + static_cast<size_t>(num_bytes) < kBufferBytes) {
    buffer_.append(bytes, static_cast<size_t>(num_bytes));
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(Flush());
  if (static_cast<size_t>(num_bytes) >= kBufferBytes)
    return WriteThrough(bytes, static_cast<size_t>(num_bytes));
  buffer_.assign(bytes, static_cast<size_t>(num_bytes));
  return arrow::Status::OK();
}

arrow::Status OutputTarget::Flush() {
  const std::string pending = std::exchange(buffer_, {});
  return WriteThrough(pending.data(), pending.size());
}

arrow::Status OutputTarget::Close() {
  if (descriptor_ < 0) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(Flush());
  const int descriptor = std::exchange(descriptor_, -1);
  if (path_.empty()) return arrow::Status::OK();
  if (final_path_.empty()) {
    return close(descriptor) == 0 ? arrow::Status::OK() : SystemError("cannot write", path_);
  }
  if (close(descriptor) != 0 || std::rename(path_.c_str(), final_path_.c_str()) != 0) {
    arrow::Status error = SystemError("cannot write", final_path_);
    unlink(path_.c_str());
    NothingToRemove();
    return error;
  }
  NothingToRemove();
  return arrow::Status::OK();
}

bool IsClosedPipe(const arrow::Status& status) {
  return status.detail() != nullptr &&
         std::strcmp(status.detail()->type_id(), "pennon::cli::ClosedPipe") == 0;
}

std::optional<size_t> TerminalWidth() {
  constexpr size_t kUnknownWidth = 80;
  if (isatty(STDOUT_FILENO) == 0) return std::nullopt;
  struct winsize size {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUnknownWidth;
  return size.ws_col;
}

}  // namespace pennon::cli
