/// \file
/// Joined reads: many small ranges of a file fetched in few calls.
/// Cost rules: docs/architecture.md, the read path.
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/byte_range.h"
#include "io/store.h"

namespace pennon {

struct CoalesceOptions {
  /// Ranges with at most so many bytes between them are read in one call.
  uint64_t gap_bytes_max = 4096;
  /// A call is not made larger than this by joining.
  uint64_t call_bytes_max = uint64_t{16} << 20;
  /// Refused when all calls of one fetch together need more.
  uint64_t fetch_bytes_max = uint64_t{8} << 30;
  arrow::MemoryPool* pool = arrow::default_memory_pool();
};

/// Which calls answer which ranges.
struct JoinedRanges {
  std::vector<ByteRange> calls;   ///< Ascending, disjoint.
  std::vector<uint32_t> call_of;  ///< For each range its call.
};

/// Joins `ranges`, in any order, overlapping or not; empty ones cost no call of their own (their
/// call_of may be any).
JoinedRanges JoinRanges(std::span<const ByteRange> ranges, const CoalesceOptions& options);

/// The bytes of one range.
struct RangeBytes {
  std::span<const uint8_t> data;
  /// What keeps `data` alive; null for an empty range.
  std::shared_ptr<arrow::Buffer> owner;
};

/// Reads `ranges` of a file and returns their bytes in the same order. Small calls share one
/// buffer, large ones have their own. Cost: one store call for each joined range. Errors: kCorrupt:
/// a range beyond the end of the file; kTooLarge; kIo.
arrow::Result<std::vector<RangeBytes>> FetchRanges(RandomAccessFile* file,
                                                   std::span<const ByteRange> ranges,
                                                   const CoalesceOptions& options);

}  // namespace pennon
