/// \file
/// Tags and branches: small JSON files below `_refs/` of the main root.
/// Spec: format/table.md, heading 9.
#pragma once

#include <arrow/result.h>

#include <optional>
#include <string>
#include <vector>

#include "io/store.h"
#include "pennon/base/ids.h"

namespace pennon {

struct Tag {
  std::string name;
  Version version{};
  std::optional<std::string> branch;  ///< Empty: main.
};

struct Branch {
  std::string name;
  Version parent_version{};
  std::optional<std::string> parent_branch;
};

/// Lists all tags by name. One listing and one read for each; none at all is an empty list.
/// Errors: kCorrupt for a file that is no tag (names it), kIo.
arrow::Result<std::vector<Tag>> ListTags(Store& store, const std::string& main_root);

/// Reads one tag. One store call; when it is not there, one more for the names to tell.
/// Errors: kNotFound (lists the tags there are), kInvalidArgument for an impossible name, kCorrupt.
arrow::Result<Tag> ReadTag(Store& store, const std::string& main_root, const std::string& name);

/// Lists all branches but main, by name. Costs and errors as ListTags.
arrow::Result<std::vector<Branch>> ListBranches(Store& store, const std::string& main_root);

}  // namespace pennon
