/// \file
/// Reads chosen rows of one page of a 2.1 or 2.2 file: says which bytes it needs, then appends row
/// after row to a column's output. Spec: format/data-file.md, heading 6.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/decode_scratch.h"
#include "encoding/field_decoder.h"
#include "encoding/page_index.h"
#include "encoding/row_range.h"
#include "encoding/structure_builder.h"
#include "encoding/value_builder.h"

namespace pennon {

/// What the pages of one column are decoded into.
struct LeafOutput {
  LeafOutput(const LeafType& type, std::vector<StructureNode> nodes, size_t num_built,
             BufferBudget budget);

  /// Appends `num_rows` rows whose levels have been collected in `rep` and `def`, and empties
  /// those. `num_values` is how many values were appended for them. Errors: kCorrupt: levels and
  /// values do not match.
  arrow::Status AppendStructure(const Layers& layers, bool has_rep, bool has_def,
                                uint64_t num_slots, uint64_t num_rows, uint64_t num_values);

  ValueBuilder values;
  StructureBuilder structure;
  /// Levels of the rows being decoded.
  ValueBuilder rep;
  ValueBuilder def;
  DecodeScratch scratch;
};

class PageCursor {
 public:
  virtual ~PageCursor() = default;
  /// As in FieldDecoder.
  virtual arrow::Status Plan(std::vector<ByteRange>* wanted) = 0;
  virtual arrow::Status Accept(std::span<const FetchedBytes> bytes) = 0;
  /// Appends the next `num_rows` of the chosen rows.
  virtual arrow::Status Decode(uint64_t num_rows, LeafOutput* out) = 0;
};

/// What every cursor is made from. `rows` are counted from the page's start and lie below its
/// num_rows.
struct PageSelection {
  const PageInfo* page = nullptr;
  std::shared_ptr<const LayoutPageIndex> index;
  RowRanges rows;
  const LeafType* leaf = nullptr;
  uint64_t file_size_bytes = 0;
  BufferBudget budget;
};

std::unique_ptr<PageCursor> MakeMiniBlockCursor(PageSelection selection);
/// Returns null and leaves the selection alone if the page is not of the kind.
std::unique_ptr<PageCursor> MakeFlatChunkCursor(PageSelection* selection);
std::unique_ptr<PageCursor> MakeFullZipCursor(PageSelection selection);
std::unique_ptr<PageCursor> MakeConstantCursor(PageSelection selection);
/// Makes the cursor of a page of any layout. Errors: kUnsupportedFeature: blobs below lists.
arrow::Result<std::unique_ptr<PageCursor>> MakePageCursor(PageSelection selection);

}  // namespace pennon
