#include "rowids/version_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/wire.h"
#include "pennon/base/error.h"
#include "rowids/segment.h"

namespace pennon {
namespace {

arrow::Status Corrupt(std::string_view what, uint64_t offset) {
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("row version sequence is corrupt: {} at byte {}", what, offset));
}

arrow::Status Invalid(std::string message) {
  return MakeError(ErrorKind::kInvalidArgument, std::move(message));
}

struct ParsedRun {
  uint64_t num_rows = 0;
  uint64_t version = 0;
};

arrow::Result<ParsedRun> ParseRun(std::string_view message, uint64_t origin) {
  WireReader reader(message, origin);
  ParsedRun run;
  bool has_span = false;
  bool has_version = false;
  while (!reader.done()) {
    WireField field;
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == 1 && field.type == WireType::kBytes && !has_span) {
      has_span = true;
      ARROW_ASSIGN_OR_RAISE(const auto span, ParseSegmentMessage(field.bytes, field.bytes_offset));
      ARROW_RETURN_NOT_OK(ValidateSegmentBody(span, field.bytes_offset));
      run.num_rows = CountRows(span, nullptr);
    } else if (field.number == 2 && field.type == WireType::kVarint && !has_version) {
      has_version = true;
      run.version = field.value;
    } else {
      return Corrupt("run has an unknown or repeated field", field.begin_offset);
    }
  }
  if (!has_span) return Corrupt("run has no span", origin);
  return run;
}

// Walks bytes without bounds checks of its own beyond `end`; for the spelling that every writer
// uses.
class PlainRunReader {
 public:
  explicit PlainRunReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  // Reads `0a len 0a len 0a len [08 start] [10 end] [10 version]` with one-byte lengths; false when
  // it is spelled otherwise.
  bool Read(ParsedRun* run, size_t* size) {
    const char* const begin = at_;
    size_t run_size = 0;
    size_t span_size = 0;
    size_t range_size = 0;
    if (!Header(0x0A, static_cast<size_t>(end_ - at_), &run_size)) return false;
    const char* const run_end = at_ + run_size;
    if (!Header(0x0A, run_size, &span_size) || !Header(0x0A, span_size, &range_size)) return false;
    if (range_size + 2 != span_size) return false;
    const char* const range_end = at_ + range_size;
    uint64_t first = 0;
    uint64_t last = 0;
    if (!Scalar(0x08, range_end, &first) || !Scalar(0x10, range_end, &last) || at_ != range_end)
      return false;
    if (!Scalar(0x10, run_end, &run->version) || at_ != run_end || first > last) return false;
    run->num_rows = last - first;
    *size = static_cast<size_t>(at_ - begin);
    return true;
  }

 private:
  bool Header(char tag, size_t left, size_t* size) {
    if (left < 2 || at_[0] != tag) return false;
    *size = static_cast<uint8_t>(at_[1]);
    at_ += 2;
    return *size < 0x80 && *size + 2 <= left;
  }
  // A field that may be left out.
  bool Scalar(char tag, const char* end, uint64_t* value) {
    if (at_ == end || *at_ != tag) return true;
    ++at_;
    uint64_t result = 0;
    for (int shift = 0; shift < 63 && at_ != end; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_++);
      result |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return false;
  }

  const char* at_;
  const char* end_;
};

uint64_t RangeSize(uint64_t begin, uint64_t end) {
  return (begin == 0 ? 0 : 1 + VarintSize(begin)) + (end == 0 ? 0 : 1 + VarintSize(end));
}

// Writes into a piece of memory that is known to be large enough.
class RunWriter {
 public:
  explicit RunWriter(char* at) : at_(at) {}
  char* at() const { return at_; }

  void Header(uint32_t number, uint64_t size_bytes) { TaggedVarint((number << 3) | 2, size_bytes); }
  void Scalar(uint32_t number, uint64_t value) {
    if (value != 0) TaggedVarint(number << 3, value);
  }

 private:
  void TaggedVarint(uint32_t tag, uint64_t value) {
    *at_++ = static_cast<char>(tag);
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }

  char* at_;
};

constexpr size_t kEncodedRunBytesMax = 40;

// Writes a run to `to`, which has room for kEncodedRunBytesMax; returns its end.
char* WriteRun(char* to, uint64_t begin, uint64_t end, uint64_t version) {
  const uint64_t range = RangeSize(begin, end);
  const uint64_t span = BytesFieldSize(range);
  RunWriter writer(to);
  writer.Header(1, BytesFieldSize(span) + (version == 0 ? 0 : 1 + VarintSize(version)));
  writer.Header(1, span);
  writer.Header(1, range);
  writer.Scalar(1, begin);
  writer.Scalar(2, end);
  writer.Scalar(2, version);
  return writer.at();
}

}  // namespace

VersionSequence VersionSequence::Uniform(uint64_t num_rows, Version version) {
  VersionSequence sequence;
  sequence.Append(num_rows, version);
  return sequence;
}

VersionSequence VersionSequence::FromVersions(std::span<const uint64_t> versions) {
  VersionSequence sequence;
  for (size_t i = 0; i < versions.size();) {
    size_t end = i + 1;
    while (end < versions.size() && versions[end] == versions[i]) ++end;
    sequence.AppendRun(end - i, versions[i]);
    i = end;
  }
  return sequence;
}

void VersionSequence::AppendRun(uint64_t num_rows, uint64_t version) {
  ends_.push_back(size() + num_rows);
  versions_.push_back(version);
}

void VersionSequence::Append(uint64_t num_rows, Version version) {
  if (num_rows == 0) return;
  if (!ends_.empty() && versions_.back() == ToInteger(version)) {
    ends_.back() += num_rows;
  } else {
    AppendRun(num_rows, ToInteger(version));
  }
}

void VersionSequence::Append(const VersionSequence& other) {
  const size_t num_runs = other.num_runs();
  for (size_t i = 0; i < num_runs; ++i) {
    const VersionRun appended = other.run(i);
    Append(appended.num_rows, appended.version);
  }
}

size_t VersionSequence::RunAt(uint64_t offset) const {
  return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
}

Version VersionSequence::VersionAt(RowOffset offset) const {
  return Version{versions_[RunAt(ToInteger(offset))]};
}

arrow::Status VersionSequence::Read(uint64_t begin, std::span<uint64_t> out) const {
  if (begin > size() || out.size() > size() - begin) {
    return Invalid(fmt::format("rows lie beyond the row version sequence: {} rows from {}, {} rows",
                               out.size(), begin, size()));
  }
  for (size_t i = RunAt(begin); !out.empty(); ++i) {
    const auto part = std::min<uint64_t>(ends_[i] - begin, out.size());
    std::fill_n(out.begin(), part, versions_[i]);
    out = out.subspan(part);
    begin += part;
  }
  return arrow::Status::OK();
}

arrow::Result<VersionSequence> VersionSequence::Slice(uint64_t begin, uint64_t count) const {
  if (begin > size() || count > size() - begin) {
    return Invalid(fmt::format("rows lie beyond the row version sequence: {} rows from {}, {} rows",
                               count, begin, size()));
  }
  VersionSequence slice;
  for (size_t i = RunAt(begin); count > 0; ++i) {
    const uint64_t part = std::min(ends_[i] - begin, count);
    slice.Append(part, Version{versions_[i]});
    begin += part;
    count -= part;
  }
  return slice;
}

arrow::Result<VersionSequence> VersionSequence::Mask(std::span<const uint32_t> offsets) const {
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i - 1] >= offsets[i]) {
      return Invalid(fmt::format("row offsets to mask do not ascend: {} before {}", offsets[i - 1],
                                 offsets[i]));
    }
  }
  if (!offsets.empty() && offsets.back() >= size()) {
    return Invalid(
        fmt::format("row offset to mask lies beyond the row version sequence: offset {}, {} rows",
                    offsets.back(), size()));
  }
  VersionSequence masked;
  auto next = offsets.begin();
  uint64_t begin = 0;
  for (size_t i = 0; i < ends_.size(); ++i) {
    const auto stop = std::lower_bound(next, offsets.end(), ends_[i]);
    masked.Append(ends_[i] - begin - static_cast<uint64_t>(stop - next), Version{versions_[i]});
    begin = ends_[i];
    next = stop;
  }
  return masked;
}

std::string VersionSequence::Encode() const {
  std::string bytes;
  constexpr size_t kRunsAtOnce = 100;
  std::array<char, kRunsAtOnce * kEncodedRunBytesMax> buffer;
  char* at = buffer.data();
  uint64_t begin = 0;
  for (size_t i = 0; i < ends_.size(); ++i) {
    at = WriteRun(at, begin, ends_[i], versions_[i]);
    begin = ends_[i];
    if ((i + 1) % kRunsAtOnce == 0 || i + 1 == ends_.size()) {
      bytes.append(buffer.data(), static_cast<size_t>(at - buffer.data()));
      at = buffer.data();
    }
  }
  return bytes;
}

std::string UniformVersions(uint64_t num_rows, Version version) {
  std::string bytes;
  if (num_rows == 0) return bytes;
  std::array<char, kEncodedRunBytesMax> run;
  bytes.append(run.data(), static_cast<size_t>(
                               WriteRun(run.data(), 0, num_rows, ToInteger(version)) - run.data()));
  return bytes;
}

arrow::Result<VersionSequence> DecodeVersionSequence(std::string_view bytes) {
  return VersionSequence::Decode(bytes);
}

arrow::Result<VersionSequence> VersionSequence::Decode(std::string_view bytes) {
  VersionSequence sequence;
  size_t position = 0;
  while (position < bytes.size()) {
    ParsedRun run;
    size_t size = 0;
    if (!PlainRunReader(bytes.substr(position)).Read(&run, &size)) {
      WireReader reader(bytes.substr(position), position);
      WireField field;
      ARROW_RETURN_NOT_OK(reader.Next(&field));
      if (field.number != 1 || field.type != WireType::kBytes) {
        return Corrupt("sequence has an unknown field", field.begin_offset);
      }
      ARROW_ASSIGN_OR_RAISE(run, ParseRun(field.bytes, field.bytes_offset));
      size = reader.offset() - position;
    }
    if (run.num_rows > ~uint64_t{0} - sequence.size())
      return Corrupt("sequence has more than 2^64 rows", position);
    sequence.AppendRun(run.num_rows, run.version);
    position += size;
  }
  return sequence;
}

arrow::Result<std::vector<VersionSequence>> Rechunk(std::span<const VersionSequence> sequences,
                                                    std::span<const uint64_t> sizes,
                                                    bool allow_incomplete) {
  std::vector<VersionSequence> chunks(sizes.size());
  size_t chunk = 0;
  uint64_t left = sizes.empty() ? 0 : sizes[0];
  const auto settle = [&] {
    while (left == 0 && chunk + 1 < sizes.size()) left = sizes[++chunk];
  };
  for (const auto& sequence : sequences) {
    for (size_t i = 0; i < sequence.num_runs(); ++i) {
      for (VersionRun run = sequence.run(i); run.num_rows > 0;) {
        settle();
        if (left == 0) {
          return Invalid(
              fmt::format("row versions to rechunk do not fit into {} chunks", sizes.size()));
        }
        const uint64_t part = std::min(run.num_rows, left);
        chunks[chunk].Append(part, run.version);
        run.num_rows -= part;
        left -= part;
      }
    }
  }
  settle();
  if (left > 0 && !allow_incomplete) {
    return Invalid(
        fmt::format("row versions to rechunk end too early: chunk {} lacks {} of {} rows", chunk,
                    left, sizes[chunk]));
  }
  return chunks;
}

}  // namespace pennon
