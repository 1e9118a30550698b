/// \file
/// Lists of row ids, addresses and offsets as people and programs hand them in.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pennon::cli {

/// How one number may be written.
enum class NumberKind {
  kPlain,    ///< Digits.
  kAddress,  ///< Digits, or "fragment:offset".
};

/// Reads numbers from `text`: separated by commas or white space; "-" reads standard input, "@FILE"
/// a file in the same form. Errors: kInvalidArgument with the text that is no number; kNotFound,
/// kIo for the file.
arrow::Result<std::vector<uint64_t>> ReadNumbers(std::string_view text, NumberKind kind);

}  // namespace pennon::cli
