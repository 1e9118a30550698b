/// \file
/// JSON in its stored, binary form, and back to text.
/// Spec: format/data-file.md, heading 2.2 (JSON extension); the reference engine's JSONB, observed
/// at 14.0.2.
#pragma once

#include <arrow/status.h>

#include <string>
#include <string_view>

namespace pennon {

/// Appends the text of one stored value to `out`, as the reference engine spells it: no blanks,
/// object keys in stored order, numbers in the shortest form that reads back. On an error `out` may
/// hold a part. Errors: kCorrupt; kUnsupportedFeature for values that JSON has no word for (dates,
/// intervals, binary).
arrow::Status AppendJsonText(std::string_view stored, std::string* out);

}  // namespace pennon
