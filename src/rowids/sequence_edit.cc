// Slice, mask, extend and rechunk: new sequences from pieces of old ones.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pennon/base/error.h"
#include "rowids/array_piece.h"
#include "rowids/bitmap_piece.h"
#include "rowids/row_id_sequence.h"
#include "rowids/segment_encoder.h"
#include "rowids/segment_runs.h"

namespace pennon {
namespace {

arrow::Status Invalid(std::string message) {
  return MakeError(ErrorKind::kInvalidArgument, std::move(message));
}

/// How the ids that are left of a segment are written.
struct PieceForm {
  FormChoice choice = FormChoice::kSmallest;
  bool may_merge = false;
  bool keep_array = false;
};

// Appends the kept rows of segment i, of which there are some, their form chosen anew.
arrow::Status AddRows(const RowIdSequence& sequence, size_t i, const PieceRows& rows,
                      const PieceForm& form, SequenceWriter* writer) {
  const Segment& segment = sequence.segments()[i];
  const SegmentIndex& index = sequence.IndexOf(i);
  const auto replay = [&](auto&& fn) {
    return ForEachRunExcept(segment, index, rows.position, rows.count, rows.removed,
                            rows.removed_origin + rows.position, fn);
  };
  const auto choose = [&](const RunStatistics& statistics) {
    return ChooseForm(statistics, form.choice, form.keep_array);
  };
  if (segment.form == SegmentForm::kRangeWithBitmap) {
    const BitmapPiece piece(segment.bitmap, index.ranks, segment.start, rows);
    const RunStatistics& statistics = piece.statistics();
    const ChosenForm chosen = choose(statistics);
    if (chosen.form == SegmentForm::kRangeWithBitmap) {
      piece.WriteBody(writer->AddBody(statistics, chosen));
    } else {
      writer->AddRuns(statistics, chosen, form.may_merge, replay);
    }
    return arrow::Status::OK();
  }
  const auto disorder = [&] {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("row id sequence is corrupt: ids of a segment do not ascend at byte {}",
                    segment.wire.data() - sequence.encoded().data()));
  };
  if (segment.is_array()) {
    const ArrayPiece piece(segment.array, rows);
    const RunStatistics& statistics = piece.statistics();
    if (segment.is_ascending() && !statistics.ascending) return disorder();
    const ChosenForm chosen = choose(statistics);
    if (chosen.form == SegmentForm::kSortedArray || chosen.form == SegmentForm::kArray) {
      piece.WriteValues(chosen.width, writer->AddBody(statistics, chosen));
    } else if (chosen.form == SegmentForm::kRangeWithBitmap) {
      piece.WriteBitmap(writer->AddBody(statistics, chosen));
    } else {
      writer->AddRuns(statistics, chosen, form.may_merge, replay);
    }
    return arrow::Status::OK();
  }
  RunStatistics statistics;
  const uint64_t given =
      replay([&](uint64_t first, uint64_t length) { statistics.Add(first, length); });
  if (given != rows.num_kept() || !statistics.ascending) return disorder();
  writer->AddRuns(statistics, choose(statistics), form.may_merge, replay);
  return arrow::Status::OK();
}

// Appends the ids of one segment at [position, position + count).
arrow::Status AddPiece(const RowIdSequence& sequence, size_t i, uint64_t position, uint64_t count,
                       bool may_merge, FormChoice choice, SequenceWriter* writer) {
  if (count == 0) return arrow::Status::OK();
  const Segment& segment = sequence.segments()[i];
  if (segment.form == SegmentForm::kRange) {
    writer->AddRange(segment.start + position, segment.start + position + count, may_merge);
    return arrow::Status::OK();
  }
  return AddRows(sequence, i, {position, count}, {choice, may_merge, false}, writer);
}

// Appends segment i without the rows at `offsets`, counted from the sequence's start.
arrow::Status AddMasked(const RowIdSequence& sequence, size_t i, std::span<const uint32_t> offsets,
                        FormChoice choice, SequenceWriter* writer) {
  const Segment& segment = sequence.segments()[i];
  const uint64_t origin = sequence.FirstPosition(i);
  const uint64_t num_rows = sequence.FirstPosition(i + 1) - origin;
  if (num_rows == offsets.size()) return arrow::Status::OK();
  const bool smallest = choice == FormChoice::kSmallest;
  if (offsets.empty()) {
    writer->AddSegment(segment, smallest);
    return arrow::Status::OK();
  }
  const bool keep_array = !smallest && segment.form == SegmentForm::kArray;
  return AddRows(sequence, i, {0, num_rows, offsets, origin}, {choice, smallest, keep_array},
                 writer);
}

}  // namespace

arrow::Result<RowIdSequence> RowIdSequence::Slice(uint64_t begin, uint64_t count,
                                                  FormChoice choice) const {
  if (begin > size() || count > size() - begin) {
    return Invalid(fmt::format("rows lie beyond the row id sequence: {} rows from {}, {} rows",
                               count, begin, size()));
  }
  SequenceWriter writer;
  for (size_t i = count == 0 ? 0 : SegmentAt(begin); count > 0; ++i) {
    const uint64_t position = begin - FirstPosition(i);
    const uint64_t part = std::min(FirstPosition(i + 1) - begin, count);
    ARROW_RETURN_NOT_OK(AddPiece(*this, i, position, part, true, choice, &writer));
    begin += part;
    count -= part;
  }
  return DecodeRowIdSequence(writer.Finish());
}

arrow::Result<RowIdSequence> RowIdSequence::Mask(std::span<const uint32_t> offsets,
                                                 FormChoice choice) const {
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i - 1] >= offsets[i]) {
      return Invalid(fmt::format("row offsets to mask do not ascend: {} before {}", offsets[i - 1],
                                 offsets[i]));
    }
  }
  if (offsets.empty()) return *this;
  if (offsets.back() >= size()) {
    return Invalid(
        fmt::format("row offset to mask lies beyond the row id sequence: offset {}, {} rows",
                    offsets.back(), size()));
  }
  SequenceWriter writer;
  auto next = offsets.begin();
  for (size_t i = 0; i < segments().size(); ++i) {
    const uint64_t end = FirstPosition(i + 1);
    const auto stop = std::lower_bound(next, offsets.end(), end);
    ARROW_RETURN_NOT_OK(AddMasked(*this, i, std::span(next, stop), choice, &writer));
    next = stop;
  }
  return DecodeRowIdSequence(writer.Finish());
}

arrow::Result<RowIdSequence> Extend(const RowIdSequence& first, const RowIdSequence& second) {
  SequenceWriter writer;
  for (const auto& segment : first.segments()) writer.AddSegment(segment, false);
  bool may_merge = true;
  for (const auto& segment : second.segments()) {
    writer.AddSegment(segment, may_merge);
    may_merge = false;
  }
  return DecodeRowIdSequence(writer.Finish());
}

arrow::Result<std::vector<RowIdSequence>> Rechunk(std::span<const RowIdSequence> sequences,
                                                  std::span<const uint64_t> sizes,
                                                  bool allow_incomplete, FormChoice choice) {
  std::vector<RowIdSequence> chunks;
  chunks.reserve(sizes.size());
  size_t source = 0;
  size_t segment = 0;
  uint64_t position = 0;  // inside of the segment
  // Moves to a segment that has rows left; false at the end.
  const auto settle = [&] {
    for (; source < sequences.size(); ++source, segment = 0) {
      for (; segment < sequences[source].segments().size(); ++segment, position = 0) {
        if (position < sequences[source].FirstPosition(segment + 1) -
                           sequences[source].FirstPosition(segment)) {
          return true;
        }
      }
    }
    return false;
  };
  for (const uint64_t size : sizes) {
    SequenceWriter writer;
    for (uint64_t left = size; left > 0;) {
      if (!settle()) {
        if (allow_incomplete) break;
        return Invalid(fmt::format("row ids to rechunk end too early: chunk {} lacks {} of {} rows",
                                   chunks.size(), left, size));
      }
      const auto& from = sequences[source];
      const uint64_t rows =
          from.FirstPosition(segment + 1) - from.FirstPosition(segment) - position;
      const uint64_t part = std::min(rows, left);
      ARROW_RETURN_NOT_OK(AddPiece(from, segment, position, part, true, choice, &writer));
      position += part;
      left -= part;
    }
    ARROW_ASSIGN_OR_RAISE(auto chunk, DecodeRowIdSequence(writer.Finish()));
    chunks.push_back(std::move(chunk));
  }
  if (settle())
    return Invalid(fmt::format("row ids to rechunk do not fit into {} chunks", sizes.size()));
  return chunks;
}

}  // namespace pennon
