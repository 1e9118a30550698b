/// \file
/// How many columns of a terminal a text takes.
/// Spec: Unicode, East Asian Width (UAX #11).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pennon::cli {

/// Columns that `text` takes: 2 for wide characters, 0 for combining ones. The text is UTF-8
/// without control characters.
size_t DisplayWidth(std::string_view text);

/// Returns `text` cut to `width_max` columns, with an ellipsis in place of what is missing.
std::string FitWidth(std::string_view text, size_t width_max);

}  // namespace pennon::cli
