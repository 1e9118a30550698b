/// \file
/// The last bytes of a data file: which version it is and where its tables lie.
/// Spec: format/data-file.md, headings 1.1 and 3.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "base/byte_range.h"
#include "file/file_version.h"

namespace pennon {

constexpr uint64_t kFooterBytes = 40;

struct Footer {
  FileVersion version = FileVersion::kV2_2;
  uint32_t num_columns = 0;
  uint32_t num_global_buffers = 0;
  /// Where the first column's metadata starts; the columns' follow each other up to the tables.
  uint64_t column_metadata_begin = 0;
  /// Tables of 16 bytes an entry: position and size.
  ByteRange column_table;
  ByteRange global_buffer_table;
};

/// Parses the footer out of the last bytes of a file of `file_size` bytes; `tail` holds at least
/// the last 40 of them, or the whole file. Errors, with `path`: kUnsupportedFeature: legacy
/// files, 2.3 and newer; kCorrupt.
arrow::Result<Footer> ParseFooter(std::span<const uint8_t> tail, uint64_t file_size,
                                  std::string_view path);

/// Parses one entry of a table and checks that it lies within a file of `file_size` bytes. Errors:
/// kCorrupt.
arrow::Result<ByteRange> ParseTableEntry(const uint8_t* entry, uint64_t file_size);

/// Files from 2.1 on keep page and global buffers at multiples of this.
constexpr uint64_t kBufferAlignment = 64;

}  // namespace pennon
