#include "table/refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr std::string_view kSuffix = ".json";
constexpr uint64_t kRefBytesMax = 1 << 20;

using Json = nlohmann::json;

arrow::Result<Json> ReadJson(Store& store, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto bytes, store.ReadWhole(path, kRefBytesMax));
  Json parsed = Json::parse(bytes->data(), bytes->data() + bytes->size(), nullptr, false);
  if (!parsed.is_object())
    return MakeError(ErrorKind::kCorrupt, fmt::format("not a JSON object: {}", path));
  return parsed;
}

arrow::Result<Version> VersionMember(const Json& json, const char* key, const std::string& path) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("\"{}\" is missing or no number: {}", key, path));
  }
  return Version{found->get<uint64_t>()};
}

std::optional<std::string> OptionalText(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

/// The names of the refs in a folder, sorted; a folder that is not there has none.
arrow::Result<std::vector<std::string>> ListNames(Store& store, const std::string& folder) {
  std::vector<std::string> names;
  auto entries = store.ListFolder(folder);
  if (!entries.ok()) {
    if (KindOf(entries.status()) == ErrorKind::kNotFound) return names;
    return entries.status();
  }
  for (const auto& entry : *entries) {
    if (!entry.is_folder && entry.name.ends_with(kSuffix)) {
      names.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

/// Names become paths: one with "..", say, would lead out of the table.
bool IsBranchName(std::string_view name) {
  const auto is_char = [](char c) { return c == '/' || IsNameChar(c); };
  return !name.empty() && !name.starts_with('/') && !name.ends_with('/') &&
         std::all_of(name.begin(), name.end(), is_char) &&
         name.find("//") == std::string_view::npos && name.find("..") == std::string_view::npos;
}

std::string TagFolder(const std::string& main_root) { return JoinPath(main_root, "_refs/tags"); }

arrow::Result<Tag> ParseTag(Store& store, const std::string& main_root, const std::string& name) {
  const std::string path = JoinPath(TagFolder(main_root), name + std::string(kSuffix));
  ARROW_ASSIGN_OR_RAISE(const Json json, ReadJson(store, path));
  Tag tag;
  tag.name = name;
  ARROW_ASSIGN_OR_RAISE(tag.version, VersionMember(json, "version", path));
  tag.branch = OptionalText(json, "branch");
  if (tag.branch.has_value() && !IsBranchName(*tag.branch)) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("tag names an impossible branch: \"{}\": {}", *tag.branch, path));
  }
  return tag;
}

/// Branch names may hold '/', which their file names write as "%2F".
std::string DecodeSlashes(std::string text) {
  for (size_t at = text.find("%2F"); at != std::string::npos; at = text.find("%2F", at))
    text.replace(at, 3, "/");
  return text;
}

}  // namespace

arrow::Result<std::vector<Tag>> ListTags(Store& store, const std::string& main_root) {
  ARROW_ASSIGN_OR_RAISE(const auto names, ListNames(store, TagFolder(main_root)));
  std::vector<Tag> tags;
  for (const auto& name : names) {
    auto tag = ParseTag(store, main_root, name);
    if (!tag.ok() && KindOf(tag.status()) == ErrorKind::kNotFound)
      continue;  // deleted since the listing
    ARROW_RETURN_NOT_OK(tag.status());
    tags.push_back(*std::move(tag));
  }
  return tags;
}

arrow::Result<Tag> ReadTag(Store& store, const std::string& main_root, const std::string& name) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), IsNameChar)) {
    return MakeError(
        ErrorKind::kInvalidArgument,
        fmt::format(
            "neither a version number nor a tag name (letters, digits, '.', '-', '_'): \"{}\"",
            name));
  }
  auto tag = ParseTag(store, main_root, name);
  if (tag.ok() || KindOf(tag.status()) != ErrorKind::kNotFound) return tag;
  ARROW_ASSIGN_OR_RAISE(const auto names, ListNames(store, TagFolder(main_root)));
  constexpr size_t kShownMax = 10;
  std::string known;
  for (size_t i = 0; i < names.size() && i < kShownMax; ++i)
    known += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShownMax) known += fmt::format(" and {} more", names.size() - kShownMax);
  return MakeError(
      ErrorKind::kNotFound,
      fmt::format("tag \"{}\" is not there; {}: {}", name,
                  known.empty() ? "the table has no tags" : "tags are " + known, main_root));
}

arrow::Result<std::vector<Branch>> ListBranches(Store& store, const std::string& main_root) {
  const std::string folder = JoinPath(main_root, "_refs/branches");
  ARROW_ASSIGN_OR_RAISE(const auto names, ListNames(store, folder));
  std::vector<Branch> branches;
  for (const auto& name : names) {
    const std::string path = JoinPath(folder, name + std::string(kSuffix));
    const auto parsed = ReadJson(store, path);
    if (!parsed.ok() && KindOf(parsed.status()) == ErrorKind::kNotFound)
      continue;  // deleted since the listing
    ARROW_ASSIGN_OR_RAISE(const Json json, parsed);
    Branch branch;
    branch.name = DecodeSlashes(name);
    if (!IsBranchName(branch.name)) {
      return MakeError(ErrorKind::kCorrupt, fmt::format("no branch can have this name: {}", path));
    }
    ARROW_ASSIGN_OR_RAISE(branch.parent_version, VersionMember(json, "parentVersion", path));
    branch.parent_branch = OptionalText(json, "parentBranch");
    branches.push_back(std::move(branch));
  }
  return branches;
}

}  // namespace pennon
