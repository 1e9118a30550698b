#include "encoding/run_length.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

template <typename T>
arrow::Status Decode(const uint8_t* values, std::span<const uint8_t> run_lengths,
                     std::span<const RowRange> keep, ValueBuilder* out) {
  size_t run = 0;
  uint64_t run_begin = 0;  // first word of the run
  for (const RowRange& range : keep) {
    ARROW_RETURN_NOT_OK(out->values.Reserve(range.size() * sizeof(T)));
    uint8_t* target = out->values.end();
    uint64_t at = range.begin;
    while (at < range.end) {
      const uint64_t run_end = run_begin + run_lengths[run];
      if (run_end <= at) {
        run_begin = run_end;
        ++run;
        continue;
      }
      const T value = LoadLittleEndian<T>(values + run * sizeof(T));
      const uint64_t count = std::min(run_end, range.end) - at;
      for (uint64_t i = 0; i < count; ++i) StoreLittleEndian(target + i * sizeof(T), value);
      target += count * sizeof(T);
      at += count;
    }
    out->values.Advance(range.size() * sizeof(T));
    out->length += range.size();
  }
  return arrow::Status::OK();
}

}  // namespace

uint64_t CountRuns(std::span<const uint8_t> run_lengths) {
  uint64_t sum = 0;
  for (const uint8_t length : run_lengths) sum += length;
  return sum;
}

arrow::Status DecodeRuns(std::span<const uint8_t> values, std::span<const uint8_t> run_lengths,
                         uint64_t num_values, std::span<const RowRange> keep, ValueBuilder* out) {
  const uint64_t width = out->type->width_bytes;
  if (out->type->kind != LeafKind::kFixed || width == 0 || width > 8) {
    return MakeError(ErrorKind::kCorrupt, "run-length values in a column of another layout");
  }
  if (values.size() != run_lengths.size() * width) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("run values and run lengths do not match: {} bytes of values, {} runs",
                    values.size(), run_lengths.size()));
  }
  if (const uint64_t sum = CountRuns(run_lengths); sum != num_values) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("run lengths have the wrong sum: expected {}, got {}", num_values, sum));
  }
  switch (width) {
    case 1:
      return Decode<uint8_t>(values.data(), run_lengths, keep, out);
    case 2:
      return Decode<uint16_t>(values.data(), run_lengths, keep, out);
    case 4:
      return Decode<uint32_t>(values.data(), run_lengths, keep, out);
    case 8:
      return Decode<uint64_t>(values.data(), run_lengths, keep, out);
    default:
      return MakeError(ErrorKind::kCorrupt, "run-length values in a column of another layout");
  }
}

}  // namespace pennon
