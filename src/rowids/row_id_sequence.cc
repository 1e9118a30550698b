#include "rowids/row_id_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "pennon/base/error.h"
#include "rowids/publish_once.h"
#include "rowids/segment_runs.h"

namespace pennon {

namespace {

// A segment that profits from its index is asked without it until the searches have cost about as
// much as a quarter of making it: most are asked once or twice.
constexpr uint64_t kSearchesBeforeIndex = 16;
constexpr uint64_t kElementsPerSearch = 4096;

struct LazyIndex {
  PublishOnce<SegmentIndex> index;
  std::atomic<uint32_t> num_searches{0};
};

}  // namespace

struct RowIdSequence::Body {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
  std::vector<Segment> segments;
  // One for each segment if any of them profits from one.
  std::shared_ptr<LazyIndex[]> indexes;
  // Position of the first row of each segment, and the row count; for more than one segment.
  std::shared_ptr<PublishOnce<std::vector<uint64_t>>> first_positions;
};

namespace {

arrow::Status NotWhatHeaderSays(uint64_t offset) {
  return MakeError(
      ErrorKind::kCorrupt,
      fmt::format(
          "row id sequence is corrupt: segment has fewer ids than its header says at byte {}",
          offset));
}

SegmentDescription DescribeSegment(const Segment& segment) {
  const SegmentIndex index = MakeSegmentIndex(segment);
  SegmentDescription description{.form = SegmentFormName(segment.form),
                                 .num_rows = CountRows(segment, &index),
                                 .encoded_bytes = segment.wire.size()};
  if (segment.is_array() || segment.form == SegmentForm::kRangeWithHoles) {
    description.array_width = segment.array.width;
  }
  if (description.num_rows == 0) return description;
  if (segment.form == SegmentForm::kArray) {
    const auto bounds = BoundsOf(segment.array);
    description.smallest = bounds.smallest;
    description.largest = bounds.largest;
    return description;
  }
  description.smallest = ValueInSegment(segment, index, 0);
  description.largest = ValueInSegment(segment, index, description.num_rows - 1);
  if (!segment.is_array()) {
    description.num_holes = description.largest - description.smallest + 1 - description.num_rows;
  }
  return description;
}

}  // namespace

RowIdSequence::RowIdSequence() : body_(std::make_shared<const Body>()) {}

arrow::Result<RowIdSequence> RowIdSequence::Open(std::string_view bytes,
                                                 std::shared_ptr<const void> owner) {
  auto body = std::make_shared<Body>();
  ARROW_RETURN_NOT_OK(ReadSegments(bytes, &body->segments));
  body->owner = std::move(owner);
  body->bytes = bytes;
  if (std::any_of(body->segments.begin(), body->segments.end(), ProfitsFromIndex)) {
    body->indexes = std::shared_ptr<LazyIndex[]>(new LazyIndex[body->segments.size()]);
  }
  if (body->segments.size() > 1)
    body->first_positions = std::make_shared<PublishOnce<std::vector<uint64_t>>>();
  return RowIdSequence(std::move(body));
}

RowIdSequence RowIdSequence::Rebind(std::string_view same_bytes,
                                    std::shared_ptr<const void> owner) const {
  auto body = std::make_shared<Body>();
  body->owner = std::move(owner);
  body->bytes = same_bytes;
  body->segments = body_->segments;
  body->indexes = body_->indexes;
  body->first_positions = body_->first_positions;
  const char* const from = body_->bytes.data();
  const char* const to = same_bytes.data();
  const auto moved = [&](const char* at) { return at == nullptr ? at : to + (at - from); };
  for (Segment& segment : body->segments) {
    segment.array.data = moved(segment.array.data);
    segment.bitmap.data = moved(segment.bitmap.data);
    segment.wire = std::string_view(moved(segment.wire.data()), segment.wire.size());
  }
  return RowIdSequence(std::move(body));
}

arrow::Result<RowIdSequence> DecodeRowIdSequence(std::string_view bytes,
                                                 std::shared_ptr<const void> owner) {
  return RowIdSequence::Open(bytes, std::move(owner));
}

arrow::Result<RowIdSequence> DecodeRowIdSequence(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view view = *owner;
  return RowIdSequence::Open(view, std::move(owner));
}

std::string_view RowIdSequence::encoded() const { return body_->bytes; }
std::span<const Segment> RowIdSequence::segments() const { return body_->segments; }

const SegmentIndex& RowIdSequence::IndexOf(size_t segment) const {
  const Segment& of = body_->segments[segment];
  if (!ProfitsFromIndex(of)) return kNoSegmentIndex;
  const auto& lazy = body_->indexes[segment].index;
  if (NeedsIndex(of)) return lazy.GetOrMake([&] { return MakeSegmentIndex(of); });
  const SegmentIndex* made = lazy.get();
  return made != nullptr ? *made : kNoSegmentIndex;
}

const SegmentIndex* RowIdSequence::IndexForSearch(size_t segment) const {
  const Segment& of = body_->segments[segment];
  if (!ProfitsFromIndex(of)) return &kNoSegmentIndex;
  const LazyIndex& lazy = body_->indexes[segment];
  if (const SegmentIndex* made = lazy.index.get()) return made;
  auto& num_searches = body_->indexes[segment].num_searches;
  if (!NeedsIndex(of) && num_searches.fetch_add(1, std::memory_order_relaxed) <
                             kSearchesBeforeIndex + of.array.count / kElementsPerSearch)
    return nullptr;
  return &lazy.index.GetOrMake([&] { return MakeSegmentIndex(of); });
}

std::optional<uint64_t> RowIdSequence::FindIn(size_t segment, RowId id, bool may_index) const {
  const Segment& in = body_->segments[segment];
  if (!MayHold(in, ToInteger(id))) return std::nullopt;
  const SegmentIndex* index = may_index ? IndexForSearch(segment) : &IndexOf(segment);
  return FindInSegment(in, index != nullptr ? *index : kNoSegmentIndex, ToInteger(id));
}

uint64_t RowIdSequence::FirstPosition(size_t segment) const {
  const auto& segments = body_->segments;
  if (segment == 0) return 0;
  if (segments.size() == 1) return CountRows(segments[0], &IndexOf(0));
  return body_->first_positions->GetOrMake([&] {
    std::vector<uint64_t> positions(segments.size() + 1);
    for (size_t i = 0; i < segments.size(); ++i) {
      positions[i + 1] = positions[i] + CountRows(segments[i], &IndexOf(i));
    }
    return positions;
  })[segment];
}

size_t RowIdSequence::SegmentAt(uint64_t position) const {
  const size_t num_segments = body_->segments.size();
  if (num_segments <= 1) return 0;
  FirstPosition(num_segments);
  const auto& first = *body_->first_positions->get();
  return static_cast<size_t>(std::upper_bound(first.begin(), first.end(), position) -
                             first.begin()) -
         1;
}

uint64_t RowIdSequence::size() const { return FirstPosition(body_->segments.size()); }

RowId RowIdSequence::Get(RowOffset offset) const {
  const uint64_t position = ToInteger(offset);
  const size_t segment = SegmentAt(position);
  const Segment& in = body_->segments[segment];
  // Holes profit from an index both ways.
  const SegmentIndex* index =
      in.form == SegmentForm::kRangeWithHoles ? IndexForSearch(segment) : &IndexOf(segment);
  return RowId{ValueInSegment(in, index != nullptr ? *index : kNoSegmentIndex,
                              position - FirstPosition(segment))};
}

arrow::Result<RowId> RowIdSequence::At(RowOffset offset) const {
  if (ToInteger(offset) >= size()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("row offset lies beyond the row id sequence: offset {}, {} rows",
                                 ToInteger(offset), size()));
  }
  return Get(offset);
}

std::optional<RowOffset> RowIdSequence::PositionOf(RowId id) const {
  for (size_t i = 0; i < body_->segments.size(); ++i) {
    const auto& segment = body_->segments[i];
    const auto bounds = HeaderBounds(segment);
    if (!bounds || ToInteger(id) < bounds->smallest || ToInteger(id) > bounds->largest) continue;
    const auto position = FindIn(i, id);
    if (!position) continue;
    const uint64_t offset = FirstPosition(i) + *position;
    if (offset > 0xFFFFFFFFu) return std::nullopt;
    return RowOffset{static_cast<uint32_t>(offset)};
  }
  return std::nullopt;
}

arrow::Status RowIdSequence::Read(uint64_t begin, std::span<uint64_t> out) const {
  if (begin > size() || out.size() > size() - begin) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("rows lie beyond the row id sequence: rows {} to {}, {} rows",
                                 begin, begin + out.size(), size()));
  }
  if (out.empty()) return arrow::Status::OK();
  uint64_t position = begin;
  for (size_t i = SegmentAt(begin); !out.empty(); ++i) {
    const uint64_t left = FirstPosition(i + 1) - position;
    const auto part = out.first(std::min<uint64_t>(left, out.size()));
    const auto& segment = body_->segments[i];
    if (ReadSegmentValues(segment, IndexOf(i), position - FirstPosition(i), part) != part.size()) {
      return NotWhatHeaderSays(static_cast<uint64_t>(segment.wire.data() - body_->bytes.data()));
    }
    position += part.size();
    out = out.subspan(part.size());
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<uint64_t>> RowIdSequence::ToVector(uint64_t rows_max) const {
  if (size() > rows_max) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("row id sequence has too many ids to list: {} of at most {}",
                                 size(), rows_max));
  }
  std::vector<uint64_t> values(size());
  ARROW_RETURN_NOT_OK(Read(0, values));
  return values;
}

arrow::Status RowIdSequence::Validate() const {
  for (const auto& segment : body_->segments) {
    const auto origin = static_cast<uint64_t>(segment.wire.data() - body_->bytes.data());
    ARROW_RETURN_NOT_OK(ValidateSegmentBody(segment, origin));
  }
  return arrow::Status::OK();
}

uint64_t RowIdSequence::num_wire_segments() const {
  uint64_t count = 0;
  for (const auto& segment : body_->segments) count += segment.num_wire_segments;
  return count;
}

std::vector<SegmentDescription> RowIdSequence::Describe(size_t count_max) const {
  std::vector<SegmentDescription> descriptions;
  std::string_view bytes = body_->bytes;
  while (!bytes.empty() && descriptions.size() < count_max) {
    const auto segment = TakeWireSegment(&bytes, 0);
    if (!segment.ok()) break;  // cannot be: it was read when the sequence was opened
    descriptions.push_back(DescribeSegment(*segment));
  }
  return descriptions;
}

std::optional<ValueBounds> RowIdSequence::Bounds() const {
  std::optional<ValueBounds> bounds;
  for (size_t i = 0; i < body_->segments.size(); ++i) {
    const auto& segment = body_->segments[i];
    const uint64_t rows = CountRows(segment, &IndexOf(i));
    if (rows == 0) continue;
    const ValueBounds own = segment.form == SegmentForm::kArray
                                ? BoundsOf(segment.array)
                                : ValueBounds{ValueInSegment(segment, IndexOf(i), 0),
                                              ValueInSegment(segment, IndexOf(i), rows - 1)};
    bounds = bounds ? ValueBounds{std::min(bounds->smallest, own.smallest),
                                  std::max(bounds->largest, own.largest)}
                    : own;
  }
  return bounds;
}

uint64_t RowIdSequence::memory_bytes() const {
  uint64_t bytes = sizeof(Body) + body_->segments.capacity() * sizeof(Segment);
  for (size_t i = 0; body_->indexes != nullptr && i < body_->segments.size(); ++i) {
    bytes += sizeof(LazyIndex);
    if (const auto* index = body_->indexes[i].index.get())
      bytes += sizeof(SegmentIndex) + index->memory_bytes();
  }
  if (body_->first_positions == nullptr) return bytes;
  if (const auto* first = body_->first_positions->get())
    bytes += first->capacity() * sizeof(uint64_t);
  return bytes;
}

}  // namespace pennon
