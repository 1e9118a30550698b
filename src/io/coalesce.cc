#include "io/coalesce.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked_math.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Calls below this size are read into a buffer that they share.
constexpr uint64_t kOwnBufferFromBytes = 64 * 1024;
/// Where calls start in a shared buffer.
constexpr uint64_t kSharedAlignment = 64;

/// Indices of the ranges by position; empty when they ascend already, as they nearly always do.
std::vector<uint32_t> OrderOf(std::span<const ByteRange> ranges) {
  const auto before = [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; };
  std::vector<uint32_t> order;
  if (std::is_sorted(ranges.begin(), ranges.end(), before)) return order;
  order.resize(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return before(ranges[a], ranges[b]); });
  return order;
}

struct CallBytes {
  uint8_t* data = nullptr;
  std::shared_ptr<arrow::Buffer> owner;
};

arrow::Result<std::vector<CallBytes>> AllocateCalls(std::span<const ByteRange> calls,
                                                    const CoalesceOptions& options) {
  std::vector<CallBytes> out(calls.size());
  uint64_t shared_size = 0;
  for (const ByteRange& call : calls) {
    if (call.size() < kOwnBufferFromBytes)
      shared_size += CeilDivide(call.size(), kSharedAlignment) * kSharedAlignment;
  }
  std::shared_ptr<arrow::Buffer> shared;
  if (shared_size != 0) {
    ARROW_ASSIGN_OR_RAISE(shared,
                          arrow::AllocateBuffer(static_cast<int64_t>(shared_size), options.pool));
  }
  uint64_t shared_at = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].size() < kOwnBufferFromBytes) {
      out[i] = {shared->mutable_data() + shared_at, shared};
      shared_at += CeilDivide(calls[i].size(), kSharedAlignment) * kSharedAlignment;
    } else {
      // A call starts at any byte; what lies at a multiple of 64 in the file does so in memory.
      const uint64_t lead = calls[i].begin % kSharedAlignment;
      ARROW_ASSIGN_OR_RAISE(
          std::shared_ptr<arrow::Buffer> own,
          arrow::AllocateBuffer(static_cast<int64_t>(calls[i].size() + lead), options.pool));
      out[i] = {own->mutable_data() + lead, std::move(own)};
    }
  }
  return out;
}

}  // namespace

JoinedRanges JoinRanges(std::span<const ByteRange> ranges, const CoalesceOptions& options) {
  JoinedRanges joined;
  joined.call_of.resize(ranges.size(), 0);
  const std::vector<uint32_t> order = OrderOf(ranges);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const uint32_t at = order.empty() ? static_cast<uint32_t>(i) : order[i];
    const ByteRange& range = ranges[at];
    if (range.begin >= range.end) continue;
    bool is_joined = false;
    if (!joined.calls.empty()) {
      const ByteRange& last = joined.calls.back();
      const uint64_t end = std::max(last.end, range.end);
      is_joined = range.begin <= last.end || (range.begin - last.end <= options.gap_bytes_max &&
                                              end - last.begin <= options.call_bytes_max);
    }
    if (is_joined) {
      joined.calls.back().end = std::max(joined.calls.back().end, range.end);
    } else {
      joined.calls.push_back(range);
    }
    joined.call_of[at] = static_cast<uint32_t>(joined.calls.size() - 1);
  }
  return joined;
}

arrow::Result<std::vector<RangeBytes>> FetchRanges(RandomAccessFile* file,
                                                   std::span<const ByteRange> ranges,
                                                   const CoalesceOptions& options) {
  const JoinedRanges joined = JoinRanges(ranges, options);
  uint64_t total = 0;
  for (const ByteRange& call : joined.calls) {
    if (call.end > file->size_bytes()) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("range is beyond the end of the file: bytes {} to {} of {}: {}",
                                   call.begin, call.end, file->size_bytes(), file->path()));
    }
    total = SaturatingAdd(total, call.size());
  }
  if (total > options.fetch_bytes_max) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("read is larger than allowed: {} bytes, at most {}: {}", total,
                                 options.fetch_bytes_max, file->path()));
  }
  ARROW_ASSIGN_OR_RAISE(const auto calls, AllocateCalls(joined.calls, options));
  for (size_t i = 0; i < calls.size(); ++i)
    ARROW_RETURN_NOT_OK(file->ReadInto(joined.calls[i], calls[i].data));
  std::vector<RangeBytes> out(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin >= ranges[i].end) continue;
    const CallBytes& call = calls[joined.call_of[i]];
    out[i].data = {call.data + (ranges[i].begin - joined.calls[joined.call_of[i]].begin),
                   ranges[i].size()};
    out[i].owner = call.owner;
  }
  return out;
}

}  // namespace pennon
