/// \file
/// One value of a column as text: for JSON, for CSV, for people.
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pennon::cli {

enum class ValueStyle {
  kJson,   ///< A JSON value.
  kCsv,    ///< Simple values bare, nested ones as JSON; null is nothing. Not yet quoted for CSV.
  kTable,  ///< For people: binary as hex, nested values short, control characters escaped.
};

/// Appends the value of one row.
using CellWriter = std::function<void(int64_t row, std::string* out)>;

/// Loads what MakeCellWriter needs for columns of these types. Call it before other threads use
/// Arrow's functions: their registry must not change meanwhile.
arrow::Status PrepareCellWriters(const arrow::Schema& schema);

/// Returns a writer for the values of `column`, which it keeps alive. Timestamps with a zone come
/// in the zone's local time with its offset; zones that the system does not know come in UTC.
/// Errors: kUnsupportedFeature for a type that has no text (unions).
arrow::Result<CellWriter> MakeCellWriter(const std::shared_ptr<arrow::Array>& column,
                                         ValueStyle style);

/// Whether values of this type are numbers that line up on the right.
bool IsRightAligned(const arrow::DataType& type);

/// Appends `text` with control characters escaped, so that it cannot steer a terminal. The text is
/// UTF-8.
void AppendEscapedForPeople(std::string_view text, std::string* out);

/// Appends `text` in double quotes with JSON's escapes. The text is UTF-8.
void AppendJsonText(std::string_view text, std::string* out);

}  // namespace pennon::cli
