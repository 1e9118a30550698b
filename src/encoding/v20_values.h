/// \file
/// Reads chosen rows of one page of file version 2.0, by one node of the page's encoding tree.
/// Spec: format/data-file.md, heading 9.
#pragma once

#include <arrow/array/data.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/byte_range.h"
#include "encoding/field_decoder.h"
#include "encoding/row_range.h"
#include "encoding/v20_encoding.h"

namespace pennon {

/// What every node is given.
struct V20Context {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  uint64_t buffer_bytes_max = 0;
};

/// Values of one encoding node for a selection of rows. Used as a FieldDecoder is: Plan and Accept
/// in turn until Plan asks for nothing, then Decode.
class V20Values {
 public:
  virtual ~V20Values() = default;

  /// Appends the byte ranges needed next; nothing when all is there.
  arrow::Status Plan(std::vector<ByteRange>* wanted) {
    const size_t before = wanted->size();
    ARROW_RETURN_NOT_OK(PlanNext(wanted));
    num_planned_ = wanted->size() - before;
    return arrow::Status::OK();
  }

  /// Takes the first of `bytes` that the last Plan asked for and removes them from it.
  arrow::Status Accept(std::span<const FetchedBytes>* bytes) {
    const auto mine = bytes->first(num_planned_);
    *bytes = bytes->subspan(num_planned_);
    return mine.empty() ? arrow::Status::OK() : AcceptNext(mine);
  }

  /// Returns rows [begin, begin + count) of the selection, counted from its start. The array has
  /// offset 0.
  virtual arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin,
                                                                  uint64_t count) = 0;

 protected:
  virtual arrow::Status PlanNext(std::vector<ByteRange>* wanted) = 0;
  virtual arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) = 0;

 private:
  size_t num_planned_ = 0;
};

/// Makes the reader of one node. `rows`: ascending, disjoint ranges of the page, none empty.
/// `encoding` must outlive the reader. Errors: kCorrupt when the encoding cannot give `type`, or
/// the rows do not lie in its buffers; kUnsupportedFeature.
arrow::Result<std::unique_ptr<V20Values>> MakeV20Values(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

/// Returns the bits of one value of a fixed-width type, fixed-size lists multiplied out, or 0 for
/// other types.
uint64_t FixedWidthBits(const arrow::DataType& type);

/// Allocates a buffer whose bytes are not set. Errors: kTooLarge beyond the context's limit.
arrow::Result<std::shared_ptr<arrow::Buffer>> AllocateValues(uint64_t size_bytes,
                                                             const V20Context& context);
/// The same with all bytes zero.
arrow::Result<std::shared_ptr<arrow::Buffer>> AllocateZeroed(uint64_t size_bytes,
                                                             const V20Context& context);

/// Returns the ranges multiplied: rows to the items or bytes below them. The caller has checked for
/// overflow.
RowRanges ScaleRanges(const RowRanges& rows, uint64_t factor);

}  // namespace pennon
