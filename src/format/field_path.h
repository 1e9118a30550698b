/// \file
/// Paths to nested fields as users write them: names joined by dots, backticks around a name that
/// needs them. Spec: format/data-file.md, heading 2; the peer's rules for column names, observed
/// at 14.0.2.
#pragma once

#include <arrow/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace pennon {

/// Splits a path into names. "a.b" is two names, "`a.b`" is one, "``" inside backticks stands for
/// one backtick. Errors: kInvalidArgument (empty path or name, unclosed or misplaced backtick).
arrow::Result<std::vector<std::string>> ParseFieldPath(std::string_view path);

/// Joins names to a path that ParseFieldPath splits again; only names that need them get backticks.
std::string FormatFieldPath(const std::vector<std::string>& names);

}  // namespace pennon
