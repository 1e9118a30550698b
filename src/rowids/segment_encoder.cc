#include "rowids/segment_encoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/wire.h"
#include "rowids/array_piece.h"
#include "rowids/segment_runs.h"

namespace pennon {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

uint8_t WidthFor(uint64_t spread) { return spread <= 0xFFFFu ? 2 : spread <= 0xFFFFFFFFu ? 4 : 8; }

// Bytes of a scalar field with a number below 16, which is left out when zero.
uint64_t ScalarSize(uint64_t value) { return value == 0 ? 0 : 1 + VarintSize(value); }
// Bytes of a bytes field that is left out when empty.
uint64_t BodySize(uint64_t body_bytes) { return body_bytes == 0 ? 0 : BytesFieldSize(body_bytes); }

// Message U16Array, U32Array or U64Array.
uint64_t PackedSize(uint8_t width, uint64_t base, uint64_t body_bytes) {
  return (width == 8 ? 0 : ScalarSize(base)) + BodySize(body_bytes);
}

// The message inside of the kind's field.
uint64_t KindSize(const RunStatistics& s, SegmentForm form, uint8_t width, uint64_t body_bytes) {
  const uint64_t range = ScalarSize(s.smallest) + ScalarSize(s.largest + 1);
  switch (form) {
    case SegmentForm::kRangeWithHoles:
      return range + BytesFieldSize(BytesFieldSize(PackedSize(width, s.first_hole, body_bytes)));
    case SegmentForm::kRangeWithBitmap:
      return range + BodySize(body_bytes);
    case SegmentForm::kRange:
      return s.count == 0 ? 0 : range;
    default:
      return BytesFieldSize(PackedSize(width, s.smallest, body_bytes));
  }
}

ChosenForm Sized(const RunStatistics& s, SegmentForm form, uint8_t width, uint64_t body_bytes) {
  // Beyond this the sums below would wrap around; no such form is ever chosen.
  if (body_bytes > kNever / 4) return {form, width, kNever};
  return {form, width, BytesFieldSize(BytesFieldSize(KindSize(s, form, width, body_bytes)))};
}

uint64_t SaturatingProduct(uint64_t a, uint64_t b) { return a > kNever / b ? kNever : a * b; }
uint64_t SaturatingSum(uint64_t a, uint64_t b) { return a > kNever - b ? kNever : a + b; }

// The kind's field number on the wire.
uint32_t KindField(SegmentForm form) {
  switch (form) {
    case SegmentForm::kRangeWithHoles:
      return 2;
    case SegmentForm::kRangeWithBitmap:
      return 3;
    case SegmentForm::kSortedArray:
      return 4;
    case SegmentForm::kArray:
      return 5;
    default:
      return 1;
  }
}

uint64_t BodyBytes(const RunStatistics& s, const ChosenForm& chosen) {
  switch (chosen.form) {
    case SegmentForm::kRangeWithHoles:
      return s.num_holes() * chosen.width;
    case SegmentForm::kRangeWithBitmap:
      return s.bitmap_bytes();
    default:
      return s.count * chosen.width;
  }
}

void AppendScalar(std::string& out, uint32_t number, uint64_t value) {
  if (value != 0) AppendVarintField(out, number, value);
}

uint32_t ArrayField(uint8_t width) { return width == 2 ? 1 : width == 4 ? 2 : 3; }

void AppendRangeSegment(std::string& out, uint64_t start, uint64_t end) {
  const uint64_t kind = ScalarSize(start) + ScalarSize(end);
  AppendBytesHeader(out, 1, BytesFieldSize(kind));
  AppendBytesHeader(out, 1, kind);
  AppendScalar(out, 1, start);
  AppendScalar(out, 2, end);
}

}  // namespace

ChosenForm ChooseForm(const RunStatistics& s, FormChoice choice, bool keep_array) {
  if (s.count == 0) return Sized(s, SegmentForm::kRange, 0, 0);
  const uint8_t width = WidthFor(s.largest - s.smallest);
  if (!s.ascending || keep_array) return Sized(s, SegmentForm::kArray, width, s.count * width);
  const uint64_t holes = s.num_holes();
  // The largest id has no exclusive end, so no form with a range can hold it.
  if (s.largest == kNever) return Sized(s, SegmentForm::kSortedArray, width, s.count * width);
  if (holes == 0) return Sized(s, SegmentForm::kRange, 0, 0);
  const uint64_t bitmap_bytes = s.bitmap_bytes();
  const uint8_t holes_width = WidthFor(s.last_hole - s.first_hole);
  const ChosenForm with_holes =
      Sized(s, SegmentForm::kRangeWithHoles, holes_width, SaturatingProduct(holes, holes_width));
  const ChosenForm with_bitmap = Sized(s, SegmentForm::kRangeWithBitmap, 0, bitmap_bytes);
  const ChosenForm sorted =
      Sized(s, SegmentForm::kSortedArray, width, SaturatingProduct(s.count, width));
  uint64_t costs[3] = {with_holes.encoded_bytes, with_bitmap.encoded_bytes, sorted.encoded_bytes};
  if (choice == FormChoice::kReference) {
    costs[0] = SaturatingSum(24, SaturatingProduct(holes, 4));
    costs[1] = SaturatingSum(24, bitmap_bytes);
    costs[2] = SaturatingSum(24, SaturatingProduct(s.count, 2));
  }
  if (costs[0] <= costs[1] && costs[0] <= costs[2]) return with_holes;
  return costs[1] <= costs[2] ? with_bitmap : sorted;
}

void SetBits(char* bitmap, uint64_t first, uint64_t length) {
  const auto set = [&](uint64_t byte, unsigned mask) {
    bitmap[byte] = static_cast<char>(static_cast<uint8_t>(bitmap[byte]) | mask);
  };
  const uint64_t end = first + length;
  const uint64_t first_byte = first / 8;
  const uint64_t end_byte = end / 8;
  const unsigned from = (0xFFu << (first % 8)) & 0xFFu;
  const unsigned until = (1u << (end % 8)) - 1;
  if (first_byte == end_byte) return set(first_byte, from & until);
  set(first_byte, from);
  std::memset(bitmap + first_byte + 1, 0xFF, end_byte - first_byte - 1);
  if (until != 0) set(end_byte, until);
}

void SequenceWriter::FlushRange() {
  if (has_range_) AppendRangeSegment(bytes_, range_start_, range_end_);
  has_range_ = false;
}

void SequenceWriter::AddRange(uint64_t start, uint64_t end, bool may_merge) {
  if (has_range_ && may_merge && range_end_ == start) {
    range_end_ = end;
    return;
  }
  FlushRange();
  has_range_ = true;
  range_start_ = start;
  range_end_ = end;
}

void SequenceWriter::AddSegment(const Segment& segment, bool may_merge) {
  if (segment.form == SegmentForm::kRange) return AddRange(segment.start, segment.end, may_merge);
  FlushRange();
  if (segment.form != SegmentForm::kRangeRun) {
    bytes_.append(segment.wire);
    return;
  }
  std::string_view wire = segment.wire;
  while (!wire.empty()) {
    const auto range = TakeWireSegment(&wire, 0).ValueOr(Segment{});  // read before, cannot fail
    AddRange(range.start, range.end, true);
  }
  FlushRange();
}

char* SequenceWriter::AddBody(const RunStatistics& s, const ChosenForm& chosen) {
  FlushRange();
  const uint64_t body_bytes = BodyBytes(s, chosen);
  bytes_.reserve(bytes_.size() + chosen.encoded_bytes);
  const uint64_t kind = KindSize(s, chosen.form, chosen.width, body_bytes);
  AppendBytesHeader(bytes_, 1, BytesFieldSize(kind));
  AppendBytesHeader(bytes_, KindField(chosen.form), kind);
  uint64_t base = s.smallest;
  if (chosen.form == SegmentForm::kRangeWithHoles || chosen.form == SegmentForm::kRangeWithBitmap) {
    AppendScalar(bytes_, 1, s.smallest);
    AppendScalar(bytes_, 2, s.largest + 1);
    base = s.first_hole;
  }
  if (chosen.form == SegmentForm::kRangeWithBitmap) {
    AppendBytesHeader(bytes_, 3, body_bytes);
  } else {
    const uint64_t packed = PackedSize(chosen.width, base, body_bytes);
    if (chosen.form == SegmentForm::kRangeWithHoles)
      AppendBytesHeader(bytes_, 3, BytesFieldSize(packed));
    AppendBytesHeader(bytes_, ArrayField(chosen.width), packed);
    if (chosen.width != 8) AppendScalar(bytes_, 1, base);
    AppendBytesHeader(bytes_, 2, body_bytes);
  }
  bytes_.resize(bytes_.size() + body_bytes);
  return bytes_.data() + bytes_.size() - body_bytes;
}

std::string SequenceWriter::Finish() {
  FlushRange();
  return std::exchange(bytes_, {});
}

std::string EncodeRowIdSequence(std::span<const uint64_t> ids, FormChoice choice) {
  if (ids.empty() && choice == FormChoice::kSmallest) return {};
  Segment values{.form = SegmentForm::kArray};
  values.array = {reinterpret_cast<const char*>(ids.data()), ids.size(), 0, 8};
  const ArrayPiece piece(values.array, {0, ids.size()});
  const RunStatistics& statistics = piece.statistics();
  const ChosenForm chosen = ChooseForm(statistics, choice);
  SequenceWriter writer;
  if (chosen.form == SegmentForm::kSortedArray || chosen.form == SegmentForm::kArray) {
    piece.WriteValues(chosen.width, writer.AddBody(statistics, chosen));
  } else {
    writer.AddRuns(statistics, chosen, false,
                   [&](auto&& fn) { ForEachRun(values, kNoSegmentIndex, 0, ids.size(), fn); });
  }
  return writer.Finish();
}

arrow::Result<std::string> EncodeRowIdSequence(const RowIdSequence& sequence, FormChoice choice) {
  if (choice == FormChoice::kSmallest) {
    ARROW_ASSIGN_OR_RAISE(const auto anew, sequence.Slice(0, sequence.size(), choice));
    return std::string(anew.encoded());
  }
  SequenceWriter writer;
  for (const auto& segment : sequence.segments()) writer.AddSegment(segment, false);
  return writer.Finish();
}

std::string RangeRowIds(uint64_t begin, uint64_t end) {
  std::string bytes;
  AppendRangeSegment(bytes, begin, end);
  return bytes;
}

}  // namespace pennon
