/// \file
/// Reads chosen rows of one column of a 2.1 or 2.2 file, page after page.
/// Spec: format/data-file.md, headings 5 and 6.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/field_decoder.h"
#include "encoding/leaf_type.h"
#include "encoding/page_cursor.h"

namespace pennon {

class LeafDecoder {
 public:
  /// `nodes`: the schema's nodes from the leaf to the root. The first `num_built` of them are
  /// built. `rows`: ascending, disjoint; in rows of the table. Errors: kCorrupt; kInvalidArgument:
  /// rows beyond the end; kUnsupportedFeature: pages that are not of 2.1 or 2.2.
  static arrow::Result<std::unique_ptr<LeafDecoder>> Make(LeafType type,
                                                          std::vector<StructureNode> nodes,
                                                          size_t num_built, uint32_t column,
                                                          const RowRanges& rows,
                                                          const DecodeContext& context);

  /// As in FieldDecoder.
  arrow::Status Plan(std::vector<ByteRange>* wanted);
  arrow::Status Accept(std::span<const FetchedBytes> bytes);

  /// As in FieldDecoder.
  arrow::Status Drain();
  arrow::Status Continue(const RowRanges& rows, const DecodeContext& context);

  /// Decodes the next `num_rows` rows into output(); those kept by Drain, which are there already,
  /// count.
  arrow::Status Decode(uint64_t num_rows);
  LeafOutput& output() { return *output_; }
  const LeafType& type() const { return *type_; }

 private:
  /// What is wanted of one page.
  struct Part {
    uint32_t page = 0;
    RowRanges rows;  // of the page, in the page's own rows
    uint64_t num_rows = 0;
    uint64_t rows_left = 0;
    std::unique_ptr<PageLayout> layout;  // until the index is made from it
    std::unique_ptr<PageCursor> cursor;
    bool is_ready = false;
    size_t num_wanted = 0;  // ranges in the last Plan
  };

  LeafDecoder(LeafType type, uint32_t column, uint64_t rows_per_row, const DecodeContext& context);

  arrow::Status OpenColumn();
  arrow::Status DecodePageRows(uint64_t num_rows);
  arrow::Status AddRows(const RowRanges& rows);
  arrow::Status PlanPart(Part* part, std::vector<ByteRange>* wanted);
  arrow::Status AcceptPart(Part* part, std::span<const FetchedBytes> bytes);
  arrow::Status MakeCursor(Part* part, std::shared_ptr<const LayoutPageIndex> index) const;
  /// Type of the values that lie in the page: descriptors, if it is a blob page.
  const LeafType& StoredType(const PageLayout& layout) const;
  arrow::Status InPage(const Part& part, const arrow::Status& status) const;

  std::unique_ptr<const LeafType> type_;
  const uint32_t column_;
  /// Of the present file.
  const ColumnPages* pages_ = nullptr;
  /// Rows of the pages for one of the table: more than one below fixed-size lists of structs.
  uint64_t page_rows_per_row_;
  DecodeContext context_;
  BufferBudget budget_;
  std::vector<Part> parts_;
  size_t next_part_ = 0;         // first part with rows left
  uint64_t kept_page_rows_ = 0;  // of earlier files, decoded
  std::unique_ptr<LeafOutput> output_;
};

}  // namespace pennon
