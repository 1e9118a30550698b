/// \file
/// The metadata of one column: its pages, their buffers and, unparsed, their encodings.
/// Spec: format/data-file.md, heading 1.2.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string_view>

#include "encoding/column_pages.h"
#include "file/file_version.h"

namespace pennon {

struct ColumnPlace {
  uint32_t column = 0;
  FileVersion version = FileVersion::kV2_2;
  uint64_t file_size_bytes = 0;
};

/// Parses a ColumnMetadata message in place: the encodings in the result are parts of `message`,
/// which must outlive it. Checks that every buffer lies in the file and, from 2.1 on, at a multiple
/// of 64. One pass. Errors, with the column: kCorrupt; kUnsupportedFeature: encodings that are not
/// in the message itself.
arrow::Result<ColumnPages> ParseColumnMetadata(std::string_view message, const ColumnPlace& place);

}  // namespace pennon
