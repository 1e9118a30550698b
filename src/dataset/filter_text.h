/// \file
/// Places in the text of a filter, and errors that name them.
/// Spec: docs/filters.md, heading "Errors".
#pragma once

#include <arrow/status.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace pennon {

/// Half-open range of bytes [begin, end) of the filter's text. An empty range at its end means "the
/// end".
struct SqlPlace {
  size_t begin = 0;
  size_t end = 0;
};

/// Returns kInvalidArgument: `message`, then ` at character N near "..."` (counted from 1, in
/// characters, not bytes), or ` at the end of the filter`. The quoted piece is cut after 40 bytes.
arrow::Status FilterError(std::string_view text, SqlPlace place, std::string_view message);

/// Returns the offset of the first byte that is not part of a well-formed UTF-8 character, or npos.
size_t FindInvalidUtf8(std::string_view text);

/// Returns the number of bytes of the character that starts at `position`; 1 for a byte that starts
/// none.
size_t Utf8CharacterSize(std::string_view text, size_t position);

/// Returns the number of characters in well-formed UTF-8.
size_t CountUtf8Characters(std::string_view text);

}  // namespace pennon
