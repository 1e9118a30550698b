/// \file
/// The names that Lance gives to Arrow types in a schema ("timestamp:us:UTC",
/// "fixed_size_list:float:768"). Spec: format/data-file.md, heading 2.2 (logical types).
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>

namespace pennon {

/// Returns the Arrow type of a logical type that has no child fields. Items of fixed-size lists are
/// called "item" and are nullable; bfloat16 items carry their extension name. Errors:
/// kUnsupportedFeature, naming the logical type.
arrow::Result<std::shared_ptr<arrow::DataType>> ParseLogicalType(std::string_view logical_type);

/// Returns the logical type of an Arrow type; views become their plain types.
/// Errors: kUnsupportedFeature, naming the Arrow type.
arrow::Result<std::string> FormatLogicalType(const arrow::DataType& type);

/// The number at the end of "fixed_size_list:struct:<n>", or 0 if it is none of those.
int32_t FixedSizeListOfStructSize(std::string_view logical_type);

}  // namespace pennon
