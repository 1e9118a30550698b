#include "table/location.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "pennon/base/error.h"

namespace pennon {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

arrow::Result<std::string> DecodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("URI has a bad percent escape: {}", text));
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

/// "s3" of "s3://…"; empty when the text is a plain path.
std::string_view SchemeOf(std::string_view uri) {
  const size_t mark = uri.find("://");
  if (mark == std::string_view::npos || mark == 0) return {};
  const std::string_view scheme = uri.substr(0, mark);
  for (const char c : scheme) {
    const bool is_scheme_char = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!is_scheme_char) return {};
  }
  return scheme;
}

arrow::Result<const BasePath*> FindBase(const Manifest& manifest, uint32_t id) {
  for (const auto& base : manifest.base_paths) {
    if (base.id == id) return &base;
  }
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("manifest names base path {}, but does not list it", id));
}

}  // namespace

arrow::Result<std::string> ParseLocation(std::string_view uri) {
  if (uri.empty()) return MakeError(ErrorKind::kInvalidArgument, "path of the table is empty");
  std::string path(uri);
  const std::string_view scheme = SchemeOf(uri);
  if (!scheme.empty()) {
    if (scheme != "file") {
      return MakeError(ErrorKind::kUnsupportedFeature,
                       fmt::format("only local paths and file:// URIs can be opened, not {}://: {}",
                                   scheme, uri));
    }
    std::string_view rest = uri.substr(scheme.size() + 3);
    if (rest.starts_with("localhost/")) rest.remove_prefix(9);
    if (!rest.starts_with("/")) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("file URI must name an absolute path: {}", uri));
    }
    ARROW_ASSIGN_OR_RAISE(path, DecodePercent(rest));
  }
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (error)
    return MakeError(ErrorKind::kIo,
                     fmt::format("cannot resolve path: {}: {}", error.message(), uri));
  std::string out = absolute.lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

std::string BranchRoot(std::string_view main_root, std::string_view branch) {
  return JoinPath(JoinPath(main_root, "tree"), branch);
}

TableRoot MakeTableRoot(std::string root, const std::optional<std::string>& branch) {
  TableRoot out{root, root};
  if (branch.has_value() && !branch->empty()) {
    const std::string suffix = "/tree/" + *branch;
    if (root.ends_with(suffix)) out.main_root = root.substr(0, root.size() - suffix.size());
  }
  return out;
}

arrow::Result<std::string> DataFilePath(const std::string& root, const Manifest& manifest,
                                        const DataFile& file) {
  if (!file.base_id.has_value()) return JoinPath(JoinPath(root, "data"), file.path);
  ARROW_ASSIGN_OR_RAISE(const BasePath* base, FindBase(manifest, *file.base_id));
  ARROW_ASSIGN_OR_RAISE(const std::string path, ParseLocation(base->path));
  return JoinPath(base->is_dataset_root ? JoinPath(path, "data") : path, file.path);
}

arrow::Result<std::string> DeletionFilePath(const std::string& root, const Manifest& manifest,
                                            const Fragment& fragment) {
  const DeletionFile& file = *fragment.deletion_file;
  std::string base_root = root;
  if (file.base_id.has_value()) {
    ARROW_ASSIGN_OR_RAISE(const BasePath* base, FindBase(manifest, *file.base_id));
    ARROW_ASSIGN_OR_RAISE(base_root, ParseLocation(base->path));
  }
  return JoinPath(base_root, DeletionFilePath(fragment.id, file));
}

}  // namespace pennon
