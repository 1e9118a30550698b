#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/row_id_sequence.h"
#include "rowids/segment_encoder.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

RowIdSequence Open(const std::string& bytes) { return DecodeRowIdSequence(bytes).ValueOrDie(); }
std::string Range(uint64_t start, uint64_t end) { return RangeRowIds(start, end); }

TEST(SequenceEdit, MaskSpellsLikeTheReference) {
  const auto mask = [](const std::string& bytes, std::vector<uint32_t> offsets) {
    return std::string(Open(bytes).Mask(offsets, FormChoice::kReference).ValueOrDie().encoded());
  };
  // The middle gone, an end gone, everything gone, and a segment that nothing happens to.
  EXPECT_EQ(mask(Range(0, 4), {1, 2}), Sequence(Field(3, Scalar(2, 4) + Field(3, "\x09"))));
  EXPECT_EQ(mask(Range(0, 4), {0, 3}), Range(1, 3));
  EXPECT_EQ(mask(Range(0, 4), {0, 1, 2, 3}), "");
  EXPECT_EQ(mask(Range(10, 14) + Range(3, 5), {0, 1, 2, 3}), Range(3, 5));
  EXPECT_EQ(mask(Range(10, 14) + Range(3, 5), {4}), Range(10, 14) + Range(4, 5));
  // What is left of an array of any order stays one.
  const std::string array = Sequence(ArraySegment(U16(5, {3, 0, 1})));
  EXPECT_EQ(mask(array, {0}),
            Sequence(Field(5, Field(1, Scalar(1, 5) + Field(2, Words<uint16_t>({0, 1}))))));
  EXPECT_EQ(Open(array).Mask(std::vector<uint32_t>{0}).ValueOrDie().encoded(), Range(5, 7));
}

TEST(SequenceEdit, MaskOfAVastRangeIsSmall) {
  const auto masked =
      Open(Range(0, ~uint64_t{0})).Mask(std::vector<uint32_t>{5, 1u << 31}).ValueOrDie();
  EXPECT_LT(masked.encoded().size(), 60u);
  EXPECT_EQ(masked.size(), ~uint64_t{0} - 2);
  EXPECT_EQ(masked.Get(RowOffset{5}), RowId{6});
}

TEST(SequenceEdit, MaskRefusesBadOffsets) {
  const auto sequence = Open(Range(0, 4));
  for (const auto& offsets : {std::vector<uint32_t>{2, 1}, {1, 1}, {4}}) {
    EXPECT_EQ(KindOf(sequence.Mask(offsets).status()), ErrorKind::kInvalidArgument);
  }
}

TEST(SequenceEdit, SliceTakesPiecesOfSegments) {
  const auto sequence = Open(Range(10, 14) + Range(3, 5) +
                             Sequence(BitmapSegment(40, 51, std::string("\x81\x05", 2))));
  EXPECT_EQ(sequence.Slice(2, 5).ValueOrDie().ToVector().ValueOrDie(),
            (std::vector<uint64_t>{12, 13, 3, 4, 40}));
  EXPECT_EQ(sequence.Slice(0, 0).ValueOrDie().size(), 0u);
  EXPECT_EQ(sequence.Slice(10, 0).ValueOrDie().size(), 0u);
  EXPECT_EQ(KindOf(sequence.Slice(9, 2).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(sequence.Slice(~uint64_t{0}, 2).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Open(Range(0, ~uint64_t{0}))
                .Slice(uint64_t{1} << 60, uint64_t{1} << 40)
                .ValueOrDie()
                .encoded(),
            Range(uint64_t{1} << 60, (uint64_t{1} << 60) + (uint64_t{1} << 40)));
}

TEST(SequenceEdit, ExtendMergesRangesThatMeetAndNothingElse) {
  EXPECT_EQ(Extend(Open(Range(0, 5)), Open(Range(5, 9))).ValueOrDie().encoded(), Range(0, 9));
  EXPECT_EQ(Extend(Open(Range(0, 5)), Open(Range(6, 9))).ValueOrDie().encoded(),
            Range(0, 5) + Range(6, 9));
  const std::string bitmap = Sequence(BitmapSegment(1, 6, "\x11"));
  EXPECT_EQ(Extend(Open(bitmap), Open(Range(6, 9))).ValueOrDie().encoded(), bitmap + Range(6, 9));
  EXPECT_EQ(Extend(RowIdSequence(), Open(bitmap)).ValueOrDie().encoded(), bitmap);
  EXPECT_EQ(Extend(Open(bitmap), RowIdSequence()).ValueOrDie().encoded(), bitmap);
}

TEST(SequenceEdit, RechunkCutsAtSizes) {
  const std::vector<RowIdSequence> sequences = {Open(Range(0, 4)), RowIdSequence(),
                                                Open(Range(4, 6) + Range(20, 23))};
  const auto chunks = Rechunk(sequences, std::vector<uint64_t>{5, 0, 4}, false).ValueOrDie();
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].encoded(), Range(0, 5));
  EXPECT_TRUE(chunks[1].empty());
  EXPECT_EQ(chunks[2].ToVector().ValueOrDie(), (std::vector<uint64_t>{5, 20, 21, 22}));
  EXPECT_EQ(KindOf(Rechunk(sequences, std::vector<uint64_t>{5, 5}, false).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(Rechunk(sequences, std::vector<uint64_t>{5, 3}, true).status()),
            ErrorKind::kInvalidArgument);
  const auto incomplete = Rechunk(sequences, std::vector<uint64_t>{8, 5, 2}, true).ValueOrDie();
  EXPECT_EQ(incomplete[1].encoded(), Range(22, 23));
  EXPECT_TRUE(incomplete[2].empty());
  EXPECT_TRUE(Rechunk({}, {}, false).ValueOrDie().empty());
}

// Case 24: a piece of a bitmap must not keep the dead bits around it.
TEST(SequenceEdit, PiecesOfBitmapsHoldTheirIdsOnly) {
  const auto sequence = Open(Sequence(BitmapSegment(0, 20, "\xB6\x6D\x0B")));
  const auto ids = sequence.ToVector().ValueOrDie();
  for (uint64_t begin = 0; begin < ids.size(); ++begin) {
    for (uint64_t count = 1; begin + count <= ids.size(); ++count) {
      const auto slice = sequence.Slice(begin, count, FormChoice::kReference).ValueOrDie();
      EXPECT_EQ(slice.size(), count);
      for (uint32_t i = 0; i < count; ++i)
        EXPECT_EQ(slice.PositionOf(RowId{ids[begin + i]}), RowOffset{i});
    }
  }
}

}  // namespace
}  // namespace pennon
