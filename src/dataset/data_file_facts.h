/// \file
/// What the end of a data file says of it: version, columns, rows. Enough to know that it is whole
/// and belongs to its fragment, without decoding a page.
/// Spec: format/data-file.md, headings 1 (container) and 3 (version numbers).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "io/store.h"

namespace pennon {

struct DataFileFacts {
  uint16_t major_version = 0;
  uint16_t minor_version = 0;
  /// The rest is not known of legacy files.
  bool is_legacy = false;
  uint32_t num_columns = 0;
  /// Rows that the file's own schema message states.
  std::optional<uint64_t> num_rows;
  /// Rows of each column as its pages count them; a column of list items may have more than the
  /// file has rows.
  std::vector<uint64_t> column_rows;
};

/// Reads the footer, the offset tables, column metadata and the schema message; two or three store
/// calls, memory up to the size of the metadata. Errors: kCorrupt (no footer, positions outside of
/// the file, bad messages), kTooLarge (metadata beyond 1 GiB), kIo.
arrow::Result<DataFileFacts> ReadDataFileFacts(RandomAccessFile& file);

}  // namespace pennon
