#include "format/field_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Status BadPath(const char* what, std::string_view path) {
  return MakeError(ErrorKind::kInvalidArgument, fmt::format("field path has {}: {}", what, path));
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

arrow::Result<std::vector<std::string>> ParseFieldPath(std::string_view path) {
  std::vector<std::string> names;
  size_t at = 0;
  do {
    std::string name;
    if (at < path.size() && path[at] == '`') {
      bool closed = false;
      for (++at; at < path.size() && !closed; ++at) {
        if (path[at] != '`') {
          name.push_back(path[at]);
        } else if (at + 1 < path.size() && path[at + 1] == '`') {
          name.push_back('`');
          ++at;
        } else {
          closed = true;
        }
      }
      if (!closed) return BadPath("a backtick that is not closed", path);
      if (at < path.size() && path[at] != '.')
        return BadPath("text behind a closing backtick", path);
    } else {
      for (; at < path.size() && path[at] != '.'; ++at) {
        if (path[at] == '`') return BadPath("a backtick inside a name", path);
        name.push_back(path[at]);
      }
    }
    if (name.empty()) return BadPath("an empty name", path);
    names.push_back(std::move(name));
  } while (at < path.size() && path[at++] == '.');
  return names;
}

std::string FormatFieldPath(const std::vector<std::string>& names) {
  std::string path;
  for (const std::string& name : names) {
    if (!path.empty()) path.push_back('.');
    if (!name.empty() && std::all_of(name.begin(), name.end(), IsPlain)) {
      path += name;
      continue;
    }
    path.push_back('`');
    for (const char c : name) {
      path.push_back(c);
      if (c == '`') path.push_back('`');
    }
    path.push_back('`');
  }
  return path;
}

}  // namespace pennon
