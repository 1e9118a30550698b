/// \file
/// Where a table lies: from what a user types to the folders and files of the format.
/// Spec: format/table.md, headings 1 (layout), 7 (base paths) and 9 (branches).
#pragma once

#include <arrow/result.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "format/manifest.h"
#include "io/store.h"

namespace pennon {

/// Turns a path or a `file://` URI into an absolute path without a trailing '/'.
/// Errors: kUnsupportedFeature for another scheme, kInvalidArgument for an empty or malformed one.
arrow::Result<std::string> ParseLocation(std::string_view uri);

/// The root of a branch below the table's main root, e.g. "<root>/tree/team/try".
std::string BranchRoot(std::string_view main_root, std::string_view branch);

/// A root and the main root that its tags and branches belong to; equal for a table that is not a
/// branch.
struct TableRoot {
  std::string root;
  std::string main_root;
};
/// Finds the main root from a root and the branch its manifest names.
TableRoot MakeTableRoot(std::string root, const std::optional<std::string>& branch);

/// The path of a data file, its base taken into account.
/// Errors: kCorrupt for a base id that the manifest does not list; those of ParseLocation for the
/// base's URI.
arrow::Result<std::string> DataFilePath(const std::string& root, const Manifest& manifest,
                                        const DataFile& file);

/// The same for the deletion file of a fragment, which must have one.
arrow::Result<std::string> DeletionFilePath(const std::string& root, const Manifest& manifest,
                                            const Fragment& fragment);

}  // namespace pennon
