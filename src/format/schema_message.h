/// \file
/// The schema as a protobuf message, as a data file keeps it and as a manifest lists it.
/// Spec: format/data-file.md, headings 1.2 (Schema) and 2.1 (Field).
#pragma once

#include <arrow/result.h>

#include <string>
#include <string_view>

#include "format/schema.h"

namespace pennon {

/// Reads a Schema message: a flat list of fields and the schema's metadata.
/// Errors: kCorrupt when the message does not parse; else as BuildSchema.
arrow::Result<TableSchema> ParseSchemaMessage(std::string_view message);

/// Returns the Schema message; equal schemas give equal bytes. Every field has an id, except those
/// below a blob descriptor.
std::string FormatSchemaMessage(const TableSchema& schema);

}  // namespace pennon
