// Sequences against a plain vector of ids.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rowids/row_id_sequence.h"
#include "rowids/segment_encoder.h"
#include "rowids/version_sequence.h"

namespace pennon {
namespace {

using Ids = std::vector<uint64_t>;

// Distinct ids in pieces of every shape: runs, gaps small and vast, falling pieces, the extremes.
rc::Gen<Ids> AnyIds() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::tuple<uint8_t, uint8_t, uint16_t>>>(
          rc::gen::tuple(rc::gen::inRange<uint8_t>(0, 8), rc::gen::arbitrary<uint8_t>(),
                         rc::gen::arbitrary<uint16_t>())),
      [](const std::vector<std::tuple<uint8_t, uint8_t, uint16_t>>& pieces) {
        Ids ids;
        uint64_t next = 0;
        for (const auto& [kind, length, jump] : pieces) {
          constexpr uint64_t kJumps[] = {1, 1, 2, 200, 70000, uint64_t{1} << 33, uint64_t{1} << 40,
                                         3};
          if (next > ~uint64_t{0} - (uint64_t{1} << 58)) break;
          const size_t begin = ids.size();
          next += kJumps[kind] * (1 + jump % 7);
          for (uint32_t i = 0; i <= length; ++i) {
            ids.push_back(next);
            next += kind < 2 ? 1 : 1 + (jump >> (i % 16)) % 3;
          }
          if (kind == 7) std::reverse(ids.begin() + static_cast<ptrdiff_t>(begin), ids.end());
        }
        if (!pieces.empty() && std::get<2>(pieces[0]) % 5 == 0) ids.push_back(~uint64_t{0});
        return ids;
      });
}

RowIdSequence Encoded(const Ids& ids, FormChoice choice) {
  return DecodeRowIdSequence(EncodeRowIdSequence(ids, choice)).ValueOrDie();
}

// The ids as several segments, each with its own form.
RowIdSequence InPieces(const Ids& ids, FormChoice choice) {
  RowIdSequence sequence;
  for (size_t begin = 0; begin < ids.size();) {
    const size_t count = std::min(ids.size() - begin, *rc::gen::inRange<size_t>(1, 600));
    sequence = Extend(sequence, Encoded(Ids(ids.begin() + static_cast<ptrdiff_t>(begin),
                                            ids.begin() + static_cast<ptrdiff_t>(begin + count)),
                                        choice))
                   .ValueOrDie();
    begin += count;
  }
  return sequence;
}

FormChoice AnyChoice() { return *rc::gen::element(FormChoice::kSmallest, FormChoice::kReference); }

std::vector<uint32_t> AnyOffsets(size_t size) {
  std::vector<uint32_t> offsets;
  const auto step = *rc::gen::inRange<uint32_t>(1, 40);
  for (uint32_t i = *rc::gen::inRange<uint32_t>(0, 40); i < size;
       i += 1 + static_cast<uint32_t>(i * 2654435761u) % step) {
    offsets.push_back(i);
  }
  return offsets;
}

Ids Without(const Ids& ids, const std::vector<uint32_t>& offsets) {
  Ids left;
  size_t next = 0;
  for (uint32_t i = 0; i < ids.size(); ++i) {
    if (next < offsets.size() && offsets[next] == i) {
      ++next;
    } else {
      left.push_back(ids[i]);
    }
  }
  return left;
}

RC_GTEST_PROP(SequenceProperty, AnswersLikeAVector, ()) {
  const Ids ids = *AnyIds();
  const auto sequence = InPieces(ids, AnyChoice());
  RC_ASSERT(sequence.Validate().ok());
  RC_ASSERT(sequence.size() == ids.size());
  RC_ASSERT(sequence.ToVector().ValueOrDie() == ids);
  for (uint32_t i = 0; i < ids.size(); i += 1 + i / 50) {
    RC_ASSERT(sequence.Get(RowOffset{i}) == RowId{ids[i]});
    RC_ASSERT(sequence.PositionOf(RowId{ids[i]}) == RowOffset{i});
    for (const uint64_t absent : {ids[i] - 1, ids[i] + 1, ids[i] ^ (uint64_t{1} << 41)}) {
      const auto at = std::find(ids.begin(), ids.end(), absent);
      RC_ASSERT(sequence.PositionOf(RowId{absent}).has_value() == (at != ids.end()));
    }
  }
}

RC_GTEST_PROP(SequenceProperty, SliceMaskAndRechunkKeepIds, ()) {
  const Ids ids = *AnyIds();
  const auto choice = AnyChoice();
  const auto sequence = InPieces(ids, AnyChoice());
  const auto begin = *rc::gen::inRange<size_t>(0, ids.size() + 1);
  const auto count = *rc::gen::inRange<size_t>(0, ids.size() - begin + 1);
  const Ids piece(ids.begin() + static_cast<ptrdiff_t>(begin),
                  ids.begin() + static_cast<ptrdiff_t>(begin + count));
  RC_ASSERT(sequence.Slice(begin, count, choice).ValueOrDie().ToVector().ValueOrDie() == piece);

  const auto offsets = AnyOffsets(ids.size());
  const Ids left = Without(ids, offsets);
  RC_ASSERT(sequence.Mask(offsets, choice).ValueOrDie().ToVector().ValueOrDie() == left);

  std::vector<uint64_t> sizes;
  for (uint64_t total = 2 * ids.size(); total > 0; total -= sizes.back()) {
    sizes.push_back(std::min(total, *rc::gen::inRange<uint64_t>(0, 700)));
  }
  const std::vector<RowIdSequence> twice = {sequence, sequence};
  Ids joined;
  const auto chunks = Rechunk(twice, sizes, false, choice).ValueOrDie();
  for (size_t i = 0; i < chunks.size(); ++i) {
    RC_ASSERT(chunks[i].size() == sizes[i]);
    const auto chunk = chunks[i].ToVector().ValueOrDie();
    joined.insert(joined.end(), chunk.begin(), chunk.end());
  }
  Ids expected = ids;
  expected.insert(expected.end(), ids.begin(), ids.end());
  RC_ASSERT(joined == expected);
}

RC_GTEST_PROP(SequenceProperty, SmallestIsSmallest, ()) {
  const Ids ids = *AnyIds();
  const auto sequence = InPieces(ids, FormChoice::kReference);
  const auto smallest = EncodeRowIdSequence(sequence, FormChoice::kSmallest).ValueOrDie();
  RC_ASSERT(smallest.size() <= sequence.encoded().size());
  RC_ASSERT(DecodeRowIdSequence(smallest).ValueOrDie().ToVector().ValueOrDie() == ids);
  RC_ASSERT(EncodeRowIdSequence(ids, FormChoice::kSmallest).size() <=
            EncodeRowIdSequence(ids, FormChoice::kReference).size());
}

RC_GTEST_PROP(SequenceProperty, DamagedBytesNeverCrash,
              (std::vector<std::pair<uint16_t, uint8_t>> flips)) {
  std::string bytes(InPieces(*AnyIds(), AnyChoice()).encoded());
  for (const auto& [at, value] : flips) {
    if (!bytes.empty()) bytes[at % bytes.size()] = static_cast<char>(value);
  }
  const auto sequence = DecodeRowIdSequence(bytes);
  if (!sequence.ok()) return;
  const auto rows_max = std::min<uint64_t>(sequence->size(), 5000);
  std::vector<uint64_t> ids(rows_max);
  const bool readable = sequence->Read(0, ids).ok();
  for (uint32_t i = 0; i < rows_max; i += 7) {
    const auto id = sequence->Get(RowOffset{i});
    if (readable && sequence->Validate().ok()) RC_ASSERT(ToInteger(id) == ids[i]);
    (void)sequence->PositionOf(id);
  }
  (void)sequence->Slice(0, rows_max);
  (void)sequence->Bounds();
}

RC_GTEST_PROP(VersionSequenceProperty, AnswersLikeAVector, ()) {
  const auto versions =
      *rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, 4));
  const auto built = VersionSequence::FromVersions(versions);
  const auto sequence = DecodeVersionSequence(built.Encode()).ValueOrDie();
  RC_ASSERT(sequence.size() == versions.size());
  std::vector<uint64_t> read(versions.size());
  RC_ASSERT(sequence.Read(0, read).ok());
  RC_ASSERT(read == versions);
  for (uint32_t i = 0; i < versions.size(); ++i)
    RC_ASSERT(sequence.VersionAt(RowOffset{i}) == Version{versions[i]});
  const auto offsets = AnyOffsets(versions.size());
  const auto masked = sequence.Mask(offsets).ValueOrDie();
  const auto left = Without(versions, offsets);
  std::vector<uint64_t> masked_versions(masked.size());
  RC_ASSERT(masked.Read(0, masked_versions).ok());
  RC_ASSERT(masked_versions == left);
  RC_ASSERT(masked.Encode() == VersionSequence::FromVersions(left).Encode());
}

}  // namespace
}  // namespace pennon
