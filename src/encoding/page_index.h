/// \file
/// What a page of a 2.1 or 2.2 file needs before its rows can be found: its description, and by
/// layout the chunk table, the dictionary, the levels of a constant page. Spec:
/// format/data-file.md, heading 6.
#pragma once

#include <arrow/array/data.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/field_decoder.h"
#include "encoding/growing_buffer.h"
#include "encoding/leaf_type.h"
#include "encoding/page_layout.h"

namespace pennon {

struct LayoutPageIndex : PageIndex {
  PageLayout layout;
  uint64_t memory_bytes() const override;

  // Mini-block pages.
  struct Chunk {
    uint64_t begin = 0;        ///< First byte in the chunk data.
    uint64_t first_value = 0;  ///< Values in the chunks before.
    uint64_t first_row = 0;    ///< Rows that start in the chunks before; without lists the same.
  };
  /// One more than there are chunks: the last holds the totals.
  std::vector<Chunk> chunks;
  /// Per chunk: it starts with the rest of a row of the chunk before. Empty without lists.
  std::vector<bool> has_preamble;
  /// Values that the page's values are keys of; null without a dictionary.
  std::shared_ptr<arrow::ArrayData> dictionary;

  // Constant pages.
  /// The value that all visible slots have, as in Arrow's buffers; without it they are null.
  bool has_value = false;
  std::vector<uint8_t> value;
  bool has_rep = false;
  bool has_def = false;
  std::vector<uint16_t> rep;
  std::vector<uint16_t> def;
  uint64_t num_slots = 0;
  /// First slot of every row, then num_slots; empty without lists.
  std::vector<uint64_t> row_starts;
};

/// Returns the ranges of the file that MakePageIndex needs, none empty. Errors: kCorrupt.
arrow::Result<std::vector<ByteRange>> PageIndexRanges(const PageLayout& layout,
                                                      const PageInfo& page);

/// Makes the index from the bytes of those ranges. `leaf`: the type of the page's values.
/// Errors: kCorrupt, kTooLarge.
arrow::Result<std::shared_ptr<const LayoutPageIndex>> MakePageIndex(
    PageLayout layout, const PageInfo& page, const LeafType& leaf,
    std::span<const FetchedBytes> bytes, const BufferBudget& budget);

}  // namespace pennon
