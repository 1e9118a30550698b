// The strict reader of segment headers.
#include <fmt/format.h>

#include <algorithm>

#include "base/wire.h"
#include "pennon/base/error.h"
#include "rowids/segment.h"

namespace pennon {
namespace {

arrow::Status Corrupt(std::string_view what, uint64_t offset) {
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("row id sequence is corrupt: {} at byte {}", what, offset));
}

// Remembers which fields of a message were seen, to refuse repetition.
class SeenFields {
 public:
  bool Repeats(uint32_t number) {
    const uint32_t bit = 1u << number;
    const bool repeats = (seen_ & bit) != 0;
    seen_ |= bit;
    return repeats;
  }

 private:
  uint32_t seen_ = 0;
};

struct RangeMessage {
  uint64_t start = 0;
  uint64_t end = 0;
  std::string_view body;  // field 3 of the two forms that have one
  uint64_t body_offset = 0;
  bool has_body = false;
};

arrow::Result<RangeMessage> ParseRange(std::string_view bytes, uint64_t origin,
                                       bool may_have_body) {
  WireReader reader(bytes, origin);
  RangeMessage range;
  range.body_offset = origin;
  SeenFields seen;
  while (!reader.done()) {
    WireField field;
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number > 3 || seen.Repeats(field.number)) {
      return Corrupt("range has an unknown or repeated field", field.begin_offset);
    }
    if (field.number == 3 && may_have_body && field.type == WireType::kBytes) {
      range.body = field.bytes;
      range.body_offset = field.bytes_offset;
      range.has_body = true;
    } else if (field.number < 3 && field.type == WireType::kVarint) {
      (field.number == 1 ? range.start : range.end) = field.value;
    } else {
      return Corrupt("range has an unknown field", field.begin_offset);
    }
  }
  if (range.start > range.end) return Corrupt("range ends before it starts", origin);
  return range;
}

// U16Array, U32Array (base, offsets) and U64Array (values only, in field 2 as well).
arrow::Result<PackedArray> ParsePacked(std::string_view bytes, uint64_t origin, uint8_t width) {
  WireReader reader(bytes, origin);
  PackedArray array;
  array.width = width;
  std::string_view body;
  SeenFields seen;
  while (!reader.done()) {
    WireField field;
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    const bool is_base = field.number == 1 && field.type == WireType::kVarint && width != 8;
    const bool is_body = field.number == 2 && field.type == WireType::kBytes;
    if ((!is_base && !is_body) || seen.Repeats(field.number)) {
      return Corrupt("packed array has an unknown or repeated field", field.begin_offset);
    }
    if (is_base) {
      array.base = field.value;
    } else {
      body = field.bytes;
    }
  }
  if (body.size() % width != 0) {
    return Corrupt(fmt::format("packed array of {} bytes is no multiple of {}", body.size(), width),
                   origin);
  }
  array.data = body.data();
  array.count = body.size() / width;
  if (width == 8 || array.count == 0) return array;
  // Only a base this high can overflow, and only then the body must be read to know.
  const uint64_t most = width == 2 ? 0xFFFFu : 0xFFFFFFFFu;
  if (array.base > ~uint64_t{0} - most) {
    PackedArray offsets = array;
    offsets.base = 0;
    if (BoundsOf(offsets).largest > ~uint64_t{0} - array.base) {
      return Corrupt("packed array has values beyond 64 bits", origin);
    }
  }
  return array;
}

arrow::Result<PackedArray> ParseEncodedArray(std::string_view bytes, uint64_t origin) {
  WireReader reader(bytes, origin);
  if (reader.done()) return Corrupt("array has no kind", origin);
  WireField field;
  ARROW_RETURN_NOT_OK(reader.Next(&field));
  if (!reader.done() || field.number > 3 || field.type != WireType::kBytes) {
    return Corrupt("array has an unknown or repeated field", field.begin_offset);
  }
  constexpr uint8_t kWidths[] = {0, 2, 4, 8};
  return ParsePacked(field.bytes, field.bytes_offset, kWidths[field.number]);
}

arrow::Result<Segment> ParseHoles(const WireField& field) {
  ARROW_ASSIGN_OR_RAISE(const auto range, ParseRange(field.bytes, field.bytes_offset, true));
  if (!range.has_body) return Corrupt("range with holes has no holes array", field.bytes_offset);
  Segment segment{.form = SegmentForm::kRangeWithHoles, .start = range.start, .end = range.end};
  ARROW_ASSIGN_OR_RAISE(segment.array, ParseEncodedArray(range.body, range.body_offset));
  const auto& holes = segment.array;
  if (holes.count > range.end - range.start)
    return Corrupt("range has more holes than places", range.body_offset);
  if (!holes.empty() && (holes.front() < range.start || holes.back() >= range.end)) {
    return Corrupt("hole lies outside of its range", range.body_offset);
  }
  segment.num_rows = range.end - range.start - holes.count;
  return segment;
}

arrow::Result<Segment> ParseBitmap(const WireField& field) {
  ARROW_ASSIGN_OR_RAISE(const auto range, ParseRange(field.bytes, field.bytes_offset, true));
  const uint64_t slots = range.end - range.start;
  const uint64_t expected = slots / 8 + (slots % 8 != 0 ? 1 : 0);
  if (range.body.size() != expected) {
    return Corrupt(fmt::format("bitmap has a wrong length: expected {} bytes, got {}", expected,
                               range.body.size()),
                   range.body_offset);
  }
  if (slots % 8 != 0 && (static_cast<uint8_t>(range.body.back()) >> (slots % 8)) != 0) {
    return Corrupt("bitmap has padding bits set", range.body_offset + expected - 1);
  }
  Segment segment{.form = SegmentForm::kRangeWithBitmap, .start = range.start, .end = range.end};
  segment.bitmap = {range.body.data(), slots};
  return segment;
}

arrow::Result<Segment> ParseArraySegment(const WireField& field) {
  Segment segment{.form = field.number == 4 ? SegmentForm::kSortedArray : SegmentForm::kArray};
  ARROW_ASSIGN_OR_RAISE(segment.array, ParseEncodedArray(field.bytes, field.bytes_offset));
  const auto& values = segment.array;
  if (segment.form == SegmentForm::kSortedArray && !values.empty() &&
      values.front() > values.back()) {
    return Corrupt("sorted array is not ascending", field.bytes_offset);
  }
  segment.num_rows = values.count;
  return segment;
}

}  // namespace

arrow::Result<Segment> ParseSegmentMessage(std::string_view message, uint64_t origin) {
  WireReader reader(message, origin);
  if (reader.done()) return Corrupt("segment has no kind", origin);
  WireField field;
  ARROW_RETURN_NOT_OK(reader.Next(&field));
  if (!reader.done() || field.number > 5 || field.type != WireType::kBytes) {
    return Corrupt("segment has an unknown or repeated field", field.begin_offset);
  }
  Segment segment;
  switch (field.number) {
    case 1: {
      ARROW_ASSIGN_OR_RAISE(const auto range, ParseRange(field.bytes, field.bytes_offset, false));
      segment.start = range.start;
      segment.end = range.end;
      segment.num_rows = range.end - range.start;
      break;
    }
    case 2: {
      ARROW_ASSIGN_OR_RAISE(segment, ParseHoles(field));
      break;
    }
    case 3: {
      ARROW_ASSIGN_OR_RAISE(segment, ParseBitmap(field));
      break;
    }
    default: {
      ARROW_ASSIGN_OR_RAISE(segment, ParseArraySegment(field));
    }
  }
  segment.wire = message;
  return segment;
}

namespace {

struct PlainRange {
  uint64_t start = 0;
  uint64_t end = 0;
};

// Reads `0a len 0a len [08 start] [10 end]` without the general machinery: tables hold tens of
// thousands. Returns the size of what it read, 0 if the bytes are spelled otherwise.
size_t ReadPlainRange(std::string_view bytes, PlainRange* range) {
  const char* at = bytes.data();
  const size_t left = bytes.size();
  if (left < 4 || at[0] != 0x0A || at[2] != 0x0A) return 0;
  const auto size = static_cast<uint8_t>(at[1]);
  if (size < 2 || size >= 0x80 || size + size_t{2} > left ||
      static_cast<uint8_t>(at[3]) + 2 != size)
    return 0;
  const char* position = at + 4;
  const char* end = at + 2 + size;
  uint64_t values[2] = {0, 0};
  int next = 0;
  while (position != end) {
    const int which = *position == 0x08 ? 0 : 1;
    if ((*position != 0x08 && *position != 0x10) || which < next) return 0;
    next = which + 1;
    ++position;
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (position == end || shift == 63) return 0;  // the rare ten-byte integer goes the long way
      const auto byte = static_cast<uint8_t>(*position++);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) break;
    }
    values[which] = value;
  }
  if (values[0] > values[1]) return 0;
  *range = {values[0], values[1]};
  return size + size_t{2};
}

Segment MakeRange(const PlainRange& range, std::string_view wire) {
  Segment segment{.start = range.start, .end = range.end, .num_rows = range.end - range.start};
  segment.wire = wire;
  return segment;
}

}  // namespace

arrow::Result<Segment> TakeWireSegment(std::string_view* bytes, uint64_t origin) {
  PlainRange range;
  if (const size_t plain = ReadPlainRange(*bytes, &range); plain > 0) {
    const std::string_view wire = bytes->substr(0, plain);
    bytes->remove_prefix(plain);
    return MakeRange(range, wire);
  }
  WireReader reader(*bytes, origin);
  WireField field;
  ARROW_RETURN_NOT_OK(reader.Next(&field));
  if (field.number != 1 || field.type != WireType::kBytes) {
    return Corrupt("sequence has an unknown field", field.begin_offset);
  }
  ARROW_ASSIGN_OR_RAISE(auto segment, ParseSegmentMessage(field.bytes, field.bytes_offset));
  const uint64_t size = reader.offset() - origin;
  segment.wire = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return segment;
}

namespace {

// Folds ranges that follow each other, as readers of 14.0.2 do: those that meet become one range,
// those that ascend without meeting become one run as long as its span fits 32 bits.
class RangeFolder {
 public:
  explicit RangeFolder(std::vector<Segment>* out) : out_(out) {}

  void Add(const PlainRange& range, std::string_view wire) {
    if (num_wire_ > 0 && end_ > range.start) Finish();
    if (num_wire_ == 0) {
      start_ = range.start;
      begin_ = wire.data();
    } else {
      meet_ = meet_ && end_ == range.start;
    }
    ++num_wire_;
    num_rows_ += range.end - range.start;
    end_ = range.end;
    size_ += wire.size();
  }

  // Ends the run of ranges.
  void Finish() {
    if (num_wire_ == 0) return;
    const std::string_view wire(begin_, size_);
    if (num_wire_ == 1 || meet_ || end_ - start_ <= 0xFFFFFFFFu) {
      Segment run = MakeRange({start_, end_}, wire);
      run.form = meet_ ? SegmentForm::kRange : SegmentForm::kRangeRun;
      run.num_rows = num_rows_;
      run.num_wire_segments = num_wire_;
      out_->push_back(run);
    } else {
      Unfold(wire);
    }
    *this = RangeFolder(out_);
  }

 private:
  // The run is too wide: only ranges that meet are put together.
  void Unfold(std::string_view wire) {
    const size_t first = out_->size();
    while (!wire.empty()) {
      const auto range = TakeWireSegment(&wire, 0).ValueOr(Segment{});  // read before, cannot fail
      if (out_->size() > first && out_->back().end == range.start) {
        Segment& last = out_->back();
        last.end = range.end;
        last.num_rows += range.num_rows;
        last.num_wire_segments += 1;
        last.wire = std::string_view(last.wire.data(), last.wire.size() + range.wire.size());
      } else {
        out_->push_back(range);
      }
    }
  }

  std::vector<Segment>* out_;
  uint64_t start_ = 0;
  uint64_t end_ = 0;
  uint64_t num_rows_ = 0;
  uint64_t num_wire_ = 0;
  const char* begin_ = nullptr;
  size_t size_ = 0;
  bool meet_ = true;
};

}  // namespace

arrow::Status ReadSegments(std::string_view sequence, std::vector<Segment>* out) {
  const size_t first = out->size();
  RangeFolder folder(out);
  std::string_view bytes = sequence;
  while (!bytes.empty()) {
    PlainRange range;
    if (const size_t size = ReadPlainRange(bytes, &range); size > 0 && range.start < range.end) {
      folder.Add(range, bytes.substr(0, size));
      bytes.remove_prefix(size);
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const auto segment,
                          TakeWireSegment(&bytes, sequence.size() - bytes.size()));
    if (segment.form == SegmentForm::kRange && segment.num_rows > 0) {
      folder.Add({segment.start, segment.end}, segment.wire);
      continue;
    }
    folder.Finish();
    out->push_back(segment);
  }
  folder.Finish();
  uint64_t total = 0;
  for (size_t i = first; i < out->size(); ++i) {
    // A bitmap counts with its bits first: only next to the limit its ones must be counted.
    const auto& segment = (*out)[i];
    uint64_t rows = segment.is_uncounted() ? segment.bitmap.num_bits : segment.num_rows;
    if (rows > ~uint64_t{0} - total) rows = CountRows(segment, nullptr);
    if (rows > ~uint64_t{0} - total) return Corrupt("sequence has more than 2^64 ids", 0);
    total += rows;
  }
  return arrow::Status::OK();
}

}  // namespace pennon
