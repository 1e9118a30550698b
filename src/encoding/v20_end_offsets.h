/// \file
/// Strings and lists of one page: each row stores where its bytes or items end, a null one with a
/// number added. Spec: format/data-file.md, heading 9 (List, Binary).
#pragma once

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/v20_flat.h"
#include "encoding/v20_values.h"

namespace pennon {

class V20EndOffsets {
 public:
  /// `encoding`: the node of the offsets. `null_adjustment`: its parent's.
  static arrow::Result<std::unique_ptr<V20EndOffsets>> Make(const V20Encoding& encoding,
                                                            uint64_t null_adjustment,
                                                            RowRanges rows,
                                                            const V20Context& context);

  arrow::Status Plan(std::vector<ByteRange>* wanted) { return offsets_->Plan(wanted); }
  arrow::Status Accept(std::span<const FetchedBytes>* bytes) { return offsets_->Accept(bytes); }

  /// Once Plan asks for nothing: finds the items of every range. Errors: kCorrupt when offsets
  /// fall.
  arrow::Status Load();

  uint64_t num_rows() const { return pieces_.num_rows(); }
  /// Items of all rows, as ascending ranges of the page's items; empty ones left out.
  const RowRanges& item_ranges() const { return item_ranges_; }

  /// Where the items of some rows lie among the items of the selection.
  struct Items {
    uint64_t begin = 0;
    uint64_t count = 0;
    bool has_nulls = false;
  };

  /// Returns the items of rows [begin, begin + count) of the selection. One pass over their
  /// offsets. Errors: kCorrupt when offsets fall.
  arrow::Result<Items> ItemsOf(uint64_t begin, uint64_t count) const;

  /// Writes count + 1 offsets, the first one `start`. ItemsOf has been asked for the same rows, and
  /// start plus its count fits T.
  template <typename T>
  void WriteOffsets(uint64_t begin, uint64_t count, T start, T* out) const;

  /// Clears the bits of null rows; `bits` has a bit set for each row from `first_bit` on.
  void ClearNulls(uint64_t begin, uint64_t count, uint8_t* bits, uint64_t first_bit) const;

 private:
  /// Rows of one range: the first stored offset of theirs and the end of the row before.
  struct Piece {
    const uint64_t* ends = nullptr;
    uint64_t start = 0;
    /// Where the items of its last row end.
    uint64_t end = 0;
    /// Items of the ranges before.
    uint64_t items_before = 0;
  };

  V20EndOffsets(std::unique_ptr<V20Values> offsets, uint64_t null_adjustment, RowRanges rows);

  uint64_t EndOf(uint64_t stored) const {
    return stored >= null_adjustment_ ? stored - null_adjustment_ : stored;
  }
  /// End of the row before `row` of the selection, which is in `piece`.
  uint64_t StartOf(size_t piece, uint64_t row) const {
    const uint64_t at = row - pieces_.FirstOf(piece);
    return at == 0 ? loaded_[piece].start : EndOf(loaded_[piece].ends[at - 1]);
  }

  const std::unique_ptr<V20Values> offsets_;
  const uint64_t null_adjustment_;
  const RowRanges rows_;
  const PiecedRows pieces_;
  std::shared_ptr<arrow::Buffer> values_;
  std::vector<Piece> loaded_;
  RowRanges item_ranges_;
};

extern template void V20EndOffsets::WriteOffsets<int32_t>(uint64_t, uint64_t, int32_t,
                                                          int32_t*) const;
extern template void V20EndOffsets::WriteOffsets<int64_t>(uint64_t, uint64_t, int64_t,
                                                          int64_t*) const;

}  // namespace pennon
