/// \file
/// The schema that a data file carries itself. Tables go by their manifest's schema; this one is
/// for files looked at on their own. Spec: format/data-file.md, headings 1.2 and 2.
#pragma once

#include <arrow/result.h>

#include "file/data_file_reader.h"
#include "format/schema.h"

namespace pennon {

/// Reads global buffer 0 and returns its schema. Errors: kCorrupt, kUnsupportedFeature.
arrow::Result<TableSchema> ReadFileSchema(DataFileReader* file);

}  // namespace pennon
