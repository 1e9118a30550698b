/// \file
/// What the decoders are told about one column of a data file: its pages with their buffers and
/// encodings, all as plain numbers and borrowed bytes. The file layer fills it from the column's
/// metadata. Spec: format/data-file.md, heading 1.2.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_range.h"

namespace pennon {

/// Which message describes a page, or a column.
enum class EncodingMessage : uint8_t {
  kArrayEncoding,  ///< Pages of version 2.0.
  kPageLayout,     ///< Pages of versions 2.1 and 2.2.
};

struct PageInfo {
  /// The page's `length`: top-level rows as a rule, items below a fixed-size list of structs (2.1
  /// and newer) and below a list (2.0).
  uint64_t num_rows = 0;
  /// Sum of num_rows of the pages before.
  uint64_t first_row = 0;
  /// Positions in the file, checked against its size.
  std::span<const ByteRange> buffers;
  EncodingMessage message = EncodingMessage::kPageLayout;
  /// The message itself, not yet parsed.
  std::string_view encoding;
};

/// Owns the buffer positions, borrows the encodings from the file's metadata.
struct ColumnPages {
  /// Number of the column in its file, for errors.
  uint32_t column = 0;
  /// The column encoding is `blob` (2.0 only).
  bool is_blob = false;
  /// Total of the pages' num_rows.
  uint64_t num_rows = 0;
  std::vector<PageInfo> pages;
  std::vector<ByteRange> page_buffers;
  /// Buffers that belong to the column as a whole; none in files of today's writers.
  std::vector<ByteRange> column_buffers;
};

}  // namespace pennon
