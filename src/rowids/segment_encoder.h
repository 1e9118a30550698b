/// \file
/// Chooses the form of a segment and writes it. Works on runs of ids that can be walked twice, so
/// that nothing is held in memory but the bytes that come out. Spec: format/row-ids.md, heading 2.
/// See docs/decisions/101-form-choice.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/checked_math.h"
#include "rowids/row_id_sequence.h"
#include "rowids/segment.h"

namespace pennon {

/// What the choice of a form depends on.
struct RunStatistics {
  uint64_t count = 0;
  uint64_t smallest = 0;
  uint64_t largest = 0;
  uint64_t first_hole = 0;  ///< Smallest and largest absent id between `smallest` and `largest`;
  uint64_t last_hole = 0;   ///< meaningful if there is one.
  bool ascending = true;    ///< Strictly.

  /// Takes the next run of ids into account. `length` is not zero.
  void Add(uint64_t first, uint64_t length) {
    const uint64_t last = first + length - 1;
    if (count == 0) {
      smallest = first;
      largest = last;
    } else if (first > largest) {
      if (first - largest > 1) {
        if (last_hole == 0) first_hole = largest + 1;
        last_hole = first - 1;
      }
      largest = last;
    } else {
      ascending = false;
      smallest = first < smallest ? first : smallest;
      largest = last > largest ? last : largest;
    }
    count += length;
  }
  /// Slots between the bounds less the ids. Only of use when ascending; cannot overflow since count
  /// > 0.
  uint64_t num_holes() const { return count == 0 ? 0 : largest - smallest - (count - 1); }
  /// Of a bit for each slot between the bounds. Only of use below the largest id of all.
  uint64_t bitmap_bytes() const { return CeilDivide(largest - smallest + 1, 8); }
};

/// The form and array width that ids get.
struct ChosenForm {
  SegmentForm form = SegmentForm::kRange;
  uint8_t width = 0;           ///< Bytes an element of the array, for forms with one.
  uint64_t encoded_bytes = 0;  ///< Of the whole segment, tag and length included.
};

/// `keep_array` stands for a segment of any order that stays one whatever is left of it, as the
/// reference has it.
ChosenForm ChooseForm(const RunStatistics& statistics, FormChoice choice, bool keep_array = false);

/// Collects segments into the bytes of a sequence.
class SequenceWriter {
 public:
  /// Appends one Range segment; makes one of it and the segment before when `may_merge` and they
  /// meet.
  void AddRange(uint64_t start, uint64_t end, bool may_merge);
  /// Appends a segment as it is, in the reference's spelling.
  void AddSegment(const Segment& segment, bool may_merge);
  /// Appends the ids that `replay` gives out as one segment in the form chosen. `replay(fn)` calls
  /// `fn(first, length)` for each run, in the same way every time, and `statistics` is of those
  /// runs.
  template <typename Replay>
  void AddRuns(const RunStatistics& statistics, const ChosenForm& chosen, bool may_merge,
               Replay&& replay);
  /// Appends one segment in a chosen form that has a body, zeros for the body, and returns where
  /// that lies.
  char* AddBody(const RunStatistics& statistics, const ChosenForm& chosen);

  /// The bytes; the writer is empty afterwards.
  std::string Finish();

 private:
  void FlushRange();

  std::string bytes_;
  bool has_range_ = false;
  uint64_t range_start_ = 0;
  uint64_t range_end_ = 0;
};

/// Sets bits [first, first + length) of a bitmap, whose byte 0 holds bit 0.
void SetBits(char* bitmap, uint64_t first, uint64_t length);

/// Encodes ids that need not be sorted, each listed once, as one segment. No ids: no segment
/// (kSmallest) or an empty range (kReference). Cost: two passes over the ids.
std::string EncodeRowIdSequence(std::span<const uint64_t> ids, FormChoice choice);
/// Encodes a sequence: kReference writes the segments as they are (ranges that meet become one, as
/// the reference folds them), kSmallest chooses the form of each anew. Errors: kCorrupt as
/// RowIdSequence::Read (kSmallest only).
arrow::Result<std::string> EncodeRowIdSequence(const RowIdSequence& sequence, FormChoice choice);

/// The encoded sequence of the ids [begin, end): what both choices write for a fresh fragment. At
/// most 26 bytes.
std::string RangeRowIds(uint64_t begin, uint64_t end);

// ---------------------------------------------------------------------------------------------------------------

namespace internal {

template <typename T, typename Replay>
void WriteValues(char* to, uint64_t base, Replay&& replay) {
  replay([&](uint64_t first, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i, to += sizeof(T))
      StoreLittleEndian<T>(to, static_cast<T>(first - base + i));
  });
}

// Turns a walk over the runs into one over the gaps between them.
template <typename Replay>
auto GapsOf(Replay& replay) {
  return [&replay](auto&& fn) {
    uint64_t next = 0;
    bool first_run = true;
    replay([&](uint64_t first, uint64_t length) {
      if (!first_run && first > next) fn(next, first - next);
      first_run = false;
      next = first + length;
    });
  };
}

template <typename Replay>
void WriteWidth(char* to, uint8_t width, uint64_t base, Replay&& replay) {
  switch (width) {
    case 2:
      return WriteValues<uint16_t>(to, base, replay);
    case 4:
      return WriteValues<uint32_t>(to, base, replay);
    default:
      return WriteValues<uint64_t>(to, 0, replay);
  }
}

}  // namespace internal

template <typename Replay>
void SequenceWriter::AddRuns(const RunStatistics& statistics, const ChosenForm& chosen,
                             bool may_merge, Replay&& replay) {
  switch (chosen.form) {
    case SegmentForm::kRange:
      if (statistics.count == 0) return AddRange(0, 0, false);
      return AddRange(statistics.smallest, statistics.largest + 1, may_merge);
    case SegmentForm::kRangeWithHoles: {
      char* body = AddBody(statistics, chosen);
      return internal::WriteWidth(body, chosen.width, statistics.first_hole,
                                  internal::GapsOf(replay));
    }
    case SegmentForm::kRangeWithBitmap: {
      char* body = AddBody(statistics, chosen);
      replay([&](uint64_t first, uint64_t length) {
        const uint64_t bit = first - statistics.smallest;
        if (length > 1) return SetBits(body, bit, length);
        body[bit / 8] = static_cast<char>(static_cast<uint8_t>(body[bit / 8]) | 1u << (bit % 8));
      });
      return;
    }
    default: {
      char* body = AddBody(statistics, chosen);
      return internal::WriteWidth(body, chosen.width, statistics.smallest, replay);
    }
  }
}

}  // namespace pennon
