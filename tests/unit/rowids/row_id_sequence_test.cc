#include "rowids/row_id_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

// One sequence with every form in it; the forms overlap and do not ascend, as they may.
std::string EveryForm() {
  return Sequence(RangeSegment(100, 105)) + Sequence(HolesSegment(10, 20, U16(11, {0, 3, 4}))) +
         Sequence(BitmapSegment(40, 51, std::string("\x81\x05", 2))) +
         Sequence(SortedSegment(U32(7, {0, 100000}))) +
         Sequence(ArraySegment(U64({uint64_t{1} << 50, 3, ~uint64_t{0}, 0}))) +
         Sequence(RangeSegment(200, 202)) + Sequence(RangeSegment(204, 206));
}

const std::vector<uint64_t>& EveryId() {
  static const auto* ids = new std::vector<uint64_t>{100,
                                                     101,
                                                     102,
                                                     103,
                                                     104,
                                                     10,
                                                     12,
                                                     13,
                                                     16,
                                                     17,
                                                     18,
                                                     19,
                                                     40,
                                                     47,
                                                     48,
                                                     50,
                                                     7,
                                                     100007,
                                                     uint64_t{1} << 50,
                                                     3,
                                                     ~uint64_t{0},
                                                     0,
                                                     200,
                                                     201,
                                                     204,
                                                     205};
  return *ids;
}

TEST(RowIdSequence, AnswersByPositionAndById) {
  const auto sequence = DecodeRowIdSequence(EveryForm()).ValueOrDie();
  ASSERT_EQ(sequence.size(), EveryId().size());
  EXPECT_EQ(sequence.ToVector().ValueOrDie(), EveryId());
  for (uint32_t i = 0; i < EveryId().size(); ++i) {
    EXPECT_EQ(sequence.Get(RowOffset{i}), RowId{EveryId()[i]});
    EXPECT_EQ(sequence.At(RowOffset{i}).ValueOrDie(), RowId{EveryId()[i]});
    EXPECT_EQ(sequence.PositionOf(RowId{EveryId()[i]}), RowOffset{i});
  }
  for (uint64_t id = 0; id < 300; ++id) {
    const bool there = std::find(EveryId().begin(), EveryId().end(), id) != EveryId().end();
    EXPECT_EQ(sequence.PositionOf(RowId{id}).has_value(), there) << id;
  }
  EXPECT_EQ(sequence.PositionOf(RowId{~uint64_t{0} - 1}), std::nullopt);
}

TEST(RowIdSequence, ReadsAnyPart) {
  const auto sequence = DecodeRowIdSequence(EveryForm()).ValueOrDie();
  for (size_t begin = 0; begin <= EveryId().size(); ++begin) {
    for (size_t end = begin; end <= EveryId().size(); ++end) {
      std::vector<uint64_t> read(end - begin);
      ASSERT_TRUE(sequence.Read(begin, read).ok());
      ASSERT_TRUE(
          std::equal(read.begin(), read.end(), EveryId().begin() + static_cast<ptrdiff_t>(begin)));
    }
  }
}

TEST(RowIdSequence, RefusesWhatLiesBeyond) {
  const auto sequence = DecodeRowIdSequence(Sequence(RangeSegment(0, 3))).ValueOrDie();
  EXPECT_EQ(KindOf(sequence.At(RowOffset{3}).status()), ErrorKind::kInvalidArgument);
  std::vector<uint64_t> out(2);
  EXPECT_EQ(KindOf(sequence.Read(2, out)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(sequence.Read(~uint64_t{0}, out)), ErrorKind::kInvalidArgument);
  EXPECT_TRUE(sequence.Read(3, {}).ok());
  EXPECT_EQ(KindOf(sequence.ToVector(2).status()), ErrorKind::kTooLarge);
}

TEST(RowIdSequence, EmptyIsHarmless) {
  const RowIdSequence sequence;
  EXPECT_TRUE(sequence.empty());
  EXPECT_TRUE(sequence.encoded().empty());
  EXPECT_EQ(sequence.PositionOf(RowId{0}), std::nullopt);
  EXPECT_EQ(sequence.Bounds(), std::nullopt);
  EXPECT_TRUE(sequence.Read(0, {}).ok());
  EXPECT_TRUE(sequence.Describe().empty());
  EXPECT_TRUE(sequence.Mask({}).ok());
}

TEST(RowIdSequence, KeepsItsOwnerAlive) {
  std::optional<RowIdSequence> sequence;
  {
    auto owner = std::make_shared<std::string>(EveryForm());
    const std::string_view view = *owner;
    sequence = DecodeRowIdSequence(view, std::move(owner)).ValueOrDie();
  }
  EXPECT_EQ(sequence->ToVector().ValueOrDie(), EveryId());
  EXPECT_EQ(sequence->encoded(), EveryForm());
}

TEST(RowIdSequence, DescribesWhatLiesOnDisk) {
  const auto described = DecodeRowIdSequence(EveryForm()).ValueOrDie().Describe();
  ASSERT_EQ(described.size(), 7u);
  EXPECT_EQ(described[0].form, "range");
  EXPECT_EQ(described[0].encoded_bytes, 8u);
  EXPECT_EQ(described[1].form, "range_with_holes");
  EXPECT_EQ(described[1].smallest, 10u);
  EXPECT_EQ(described[1].largest, 19u);
  EXPECT_EQ(described[1].num_holes, 3u);
  EXPECT_EQ(described[1].array_width, 2);
  EXPECT_EQ(described[2].form, "range_with_bitmap");
  EXPECT_EQ(described[2].num_rows, 4u);
  EXPECT_EQ(described[2].num_holes, 7u);
  EXPECT_EQ(described[3].form, "sorted_array");
  EXPECT_EQ(described[3].largest, 100007u);
  EXPECT_EQ(described[4].form, "array");
  EXPECT_EQ(described[4].smallest, 0u);
  EXPECT_EQ(described[4].largest, ~uint64_t{0});
  EXPECT_EQ(described[4].array_width, 8);
  EXPECT_EQ(described[6].form, "range");
  EXPECT_EQ(described[6].smallest, 204u);
}

TEST(RowIdSequence, BoundsAreExact) {
  const auto bounds = [](const std::string& bytes) {
    return DecodeRowIdSequence(bytes).ValueOrDie().Bounds();
  };
  // The ends of this bitmap and of these holes are absent.
  const auto bitmap = bounds(Sequence(BitmapSegment(10, 18, "\x3C")));
  EXPECT_EQ(bitmap->smallest, 12u);
  EXPECT_EQ(bitmap->largest, 15u);
  const auto holes = bounds(Sequence(HolesSegment(10, 20, U16(10, {0, 9}))));
  EXPECT_EQ(holes->smallest, 11u);
  EXPECT_EQ(holes->largest, 18u);
  EXPECT_EQ(bounds(Sequence(BitmapSegment(10, 18, std::string(1, '\0')))), std::nullopt);
}

TEST(RowIdSequence, CorruptBodiesGiveErrorsOrWrongAnswersOnly) {
  const auto holes =
      DecodeRowIdSequence(Sequence(HolesSegment(0, 12, U16(0, {3, 1, 9})))).ValueOrDie();
  const auto sorted =
      DecodeRowIdSequence(Sequence(SortedSegment(U16(0, {1, 9, 3, 3, 20})))).ValueOrDie();
  for (const auto& sequence : {holes, sorted}) {
    for (uint32_t i = 0; i < sequence.size(); ++i) sequence.Get(RowOffset{i});
    for (uint64_t id = 0; id < 30; ++id) {
      const auto position = sequence.PositionOf(RowId{id});
      EXPECT_LT(position ? ToInteger(*position) : 0, sequence.size());
    }
    sequence.Describe();
    sequence.Bounds();
  }
  EXPECT_EQ(KindOf(holes.ToVector().status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(holes.Mask(std::vector<uint32_t>{1}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(sorted.Slice(0, 4).status()), ErrorKind::kCorrupt);
}

TEST(RowIdSequence, CountsItsMemory) {
  const auto sequence = DecodeRowIdSequence(EveryForm()).ValueOrDie();
  const uint64_t before = sequence.memory_bytes();
  sequence.size();
  EXPECT_GT(sequence.memory_bytes(), before);
}

}  // namespace
}  // namespace pennon
