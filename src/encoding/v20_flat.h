/// \file
/// Values of fixed width that lie one after the other, as they are or compressed as a whole.
/// Spec: format/data-file.md, headings 9 (Flat) and 7.11.
#pragma once

#include <arrow/buffer.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/v20_values.h"

namespace pennon {

/// Rows of a selection that are kept in pieces of memory, one a range, and given out again as one
/// buffer.
class PiecedRows {
 public:
  explicit PiecedRows(const RowRanges& rows);

  uint64_t num_rows() const { return first_.back(); }
  size_t num_pieces() const { return first_.size() - 1; }
  /// Piece that holds the row, counted from the start of the selection.
  size_t PieceOf(uint64_t row) const;
  /// First row of a piece, counted from the start of the selection; the number of rows for the last
  /// one plus one.
  uint64_t FirstOf(size_t piece) const { return first_[piece]; }

 private:
  std::vector<uint64_t> first_;
};

/// kFlat. Rows of one range are given without a copy where alignment allows.
class V20FlatValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override;
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override;

 private:
  V20FlatValues(const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, RowRanges rows,
                const V20Context& context);

  arrow::Status Inflate(const FetchedBytes& bytes);
  arrow::Result<std::shared_ptr<arrow::Buffer>> Bytes(uint64_t begin, uint64_t count) const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Bits(uint64_t begin, uint64_t count) const;

  const V20Encoding& encoding_;
  const std::shared_ptr<arrow::DataType> type_;
  const RowRanges rows_;
  const PiecedRows pieces_;
  const V20Context context_;
  bool is_planned_ = false;
  /// One a range; each begins at the byte of the range's first row.
  std::vector<FetchedBytes> bytes_;
};

}  // namespace pennon
