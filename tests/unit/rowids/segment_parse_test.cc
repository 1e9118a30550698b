#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/row_id_sequence.h"
#include "rowids/segment.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

constexpr uint64_t kMax = ~uint64_t{0};

std::vector<uint64_t> Ids(const std::string& bytes) {
  auto sequence = DecodeRowIdSequence(bytes);
  EXPECT_TRUE(sequence.ok()) << sequence.status();
  if (!sequence.ok()) return {};
  EXPECT_TRUE(sequence->Validate().ok()) << sequence->Validate();
  return sequence->ToVector().ValueOrDie();
}

TEST(SegmentParse, ReadsEveryForm) {
  EXPECT_EQ(Ids(Sequence(RangeSegment(3, 6))), (std::vector<uint64_t>{3, 4, 5}));
  EXPECT_EQ(Ids(FromHex("0a040a02100a")).size(), 10u);
  EXPECT_EQ(Ids(Sequence(HolesSegment(2, 8, U16(4, {0, 2})))), (std::vector<uint64_t>{2, 3, 5, 7}));
  EXPECT_EQ(Ids(Sequence(BitmapSegment(1, 6, "\x11"))), (std::vector<uint64_t>{1, 5}));
  EXPECT_EQ(Ids(Sequence(SortedSegment(U32(100000, {0, 70000})))),
            (std::vector<uint64_t>{100000, 170000}));
  EXPECT_EQ(Ids(Sequence(ArraySegment(U16(5, {3, 0, 1})))), (std::vector<uint64_t>{8, 5, 6}));
  EXPECT_EQ(Ids(Sequence(ArraySegment(U64({kMax, 0})))), (std::vector<uint64_t>{kMax, 0}));
  EXPECT_EQ(Ids(Sequence(SortedSegment(U16(kMax - 1, {0, 1})))),
            (std::vector<uint64_t>{kMax - 1, kMax}));
}

TEST(SegmentParse, ReadsEmptyForms) {
  EXPECT_TRUE(Ids("").empty());
  EXPECT_TRUE(Ids(FromHex("0a020a00")).empty());
  EXPECT_TRUE(Ids(Sequence(HolesSegment(5, 5, U64({})))).empty());
  EXPECT_TRUE(Ids(Sequence(HolesSegment(5, 6, U16(5, {0})))).empty());
  EXPECT_TRUE(Ids(Sequence(BitmapSegment(7, 7, ""))).empty());
  EXPECT_TRUE(Ids(Sequence(BitmapSegment(7, 9, std::string(1, '\0')))).empty());
  EXPECT_TRUE(Ids(Sequence(SortedSegment(U64({})))).empty());
  EXPECT_TRUE(Ids(Sequence(ArraySegment(U16(0, {})))).empty());
}

TEST(SegmentParse, FoldsRangesAsReadersDo) {
  const auto forms = [](const std::string& bytes) {
    const auto sequence = DecodeRowIdSequence(bytes).ValueOrDie();
    std::vector<SegmentForm> result;
    for (const auto& segment : sequence.segments()) result.push_back(segment.form);
    return result;
  };
  using enum SegmentForm;
  const auto range = [](uint64_t start, uint64_t end) {
    return Sequence(RangeSegment(start, end));
  };
  EXPECT_EQ(forms(range(0, 5) + range(5, 9)), (std::vector{kRange}));
  EXPECT_EQ(forms(range(0, 5) + range(6, 9) + range(20, 21)), (std::vector{kRangeRun}));
  EXPECT_EQ(forms(range(6, 9) + range(0, 5)), (std::vector{kRange, kRange}));
  EXPECT_EQ(forms(range(0, 5) + range(6, 9) + range(1, 2) + range(3, 4)),
            (std::vector{kRangeRun, kRangeRun}));
  EXPECT_EQ(forms(range(0, 5) + range(5, 5) + range(6, 9)), (std::vector{kRange, kRange, kRange}));
  EXPECT_EQ(forms(range(0, 1) + range(uint64_t{1} << 32, (uint64_t{1} << 32) + 1)),
            (std::vector{kRange, kRange}));
  EXPECT_EQ(forms(range(0, 1) + range(0xFFFFFFFE, 0xFFFFFFFF)), (std::vector{kRangeRun}));
  EXPECT_EQ(
      forms(range(0, 5) + Sequence(BitmapSegment(6, 7, "\x01")) + range(8, 9) + range(10, 12)),
      (std::vector{kRange, kRangeWithBitmap, kRangeRun}));
}

TEST(SegmentParse, CountsSegmentsOnDisk) {
  const auto range = [](uint64_t start, uint64_t end) {
    return Sequence(RangeSegment(start, end));
  };
  const auto bytes =
      range(0, 5) + range(5, 9) + range(10, 12) + range(1, 2) + Sequence(ArraySegment(U64({})));
  const auto sequence = DecodeRowIdSequence(bytes).ValueOrDie();
  EXPECT_EQ(sequence.num_wire_segments(), 5u);
  EXPECT_EQ(sequence.Describe().size(), 5u);
  EXPECT_EQ(sequence.Describe(2).size(), 2u);
  EXPECT_EQ(sequence.ToVector().ValueOrDie(),
            (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 1}));
}

struct Wrong {
  const char* what;
  std::string bytes;
  const char* message;
};

TEST(SegmentParse, RefusesWhatHeadersShow) {
  const std::vector<Wrong> cases = {
      {"unknown field of a sequence", Field(2, RangeSegment(0, 1)), "unknown field at byte 0"},
      {"scalar in a sequence", Sequence(RangeSegment(0, 1)) + Scalar(1, 4),
       "unknown field at byte 8"},
      {"segment without kind", Sequence(""), "segment has no kind at byte 2"},
      {"two kinds", Sequence(RangeSegment(0, 1) + SortedSegment(U64({}))),
       "unknown or repeated field at byte 2"},
      {"unknown kind", Sequence(Field(6, "")), "unknown or repeated field at byte 2"},
      {"array without kind", Sequence(ArraySegment("")), "array has no kind at byte 4"},
      {"unknown array", Sequence(ArraySegment(Field(4, ""))), "array has an unknown"},
      {"field added to a range", Sequence(Field(1, Scalar(1, 0) + Scalar(2, 1) + Scalar(3, 1))),
       "unknown field"},
      {"range with field 4", Sequence(Field(1, Scalar(4, 0))),
       "range has an unknown or repeated field at byte 4"},
      {"range twice", Sequence(Field(1, Scalar(2, 1) + Scalar(2, 1))), "repeated field at byte 6"},
      {"range backwards", Sequence(RangeSegment(5, 4)), "range ends before it starts at byte 4"},
      {"bitmap too short", Sequence(BitmapSegment(0, 9, "\x01")), "expected 2 bytes, got 1"},
      {"bitmap too long", Sequence(BitmapSegment(0, 8, "\x01\x01")), "expected 1 bytes, got 2"},
      {"bitmap of a vast range", Sequence(BitmapSegment(0, kMax, "")), "bitmap has a wrong length"},
      {"padding", Sequence(BitmapSegment(0, 5, "\x21")), "padding bits set at byte 10"},
      {"holes missing", Sequence(Field(2, Scalar(1, 0) + Scalar(2, 4))), "has no holes array"},
      {"hole below", Sequence(HolesSegment(4, 9, U16(3, {0}))), "hole lies outside"},
      {"hole above", Sequence(HolesSegment(4, 9, U16(5, {0, 4}))), "hole lies outside"},
      {"more holes than places", Sequence(HolesSegment(4, 5, U16(4, {0, 0}))),
       "more holes than places"},
      {"odd u16", Sequence(ArraySegment(Field(1, Field(2, "abc")))),
       "packed array of 3 bytes is no multiple of 2"},
      {"odd u32", Sequence(ArraySegment(Field(2, Field(2, "abcdef")))), "is no multiple of 4"},
      {"odd u64", Sequence(ArraySegment(Field(3, Field(2, "abcd")))), "is no multiple of 8"},
      {"base on u64", Sequence(ArraySegment(Field(3, Scalar(1, 1) + Field(2, "")))),
       "unknown or repeated field"},
      {"u64 values in field 1", Sequence(ArraySegment(Field(3, Field(1, "")))),
       "unknown or repeated field"},
      {"u16 overflow", Sequence(ArraySegment(U16(kMax - 1, {0, 2}))), "beyond 64 bits"},
      {"u32 overflow", Sequence(SortedSegment(U32(kMax - 100, {0, 101}))), "beyond 64 bits"},
      {"sorted ends swapped", Sequence(SortedSegment(U16(0, {5, 1}))),
       "sorted array is not ascending"},
      {"too many ids", Sequence(RangeSegment(0, kMax)) + Sequence(RangeSegment(0, 2)),
       "more than 2^64 ids"},
      {"cut", Sequence(RangeSegment(3, 6)).substr(0, 4), "longer than its message"},
  };
  for (const auto& wrong : cases) {
    const auto sequence = DecodeRowIdSequence(wrong.bytes);
    ASSERT_FALSE(sequence.ok()) << wrong.what;
    EXPECT_EQ(KindOf(sequence.status()), ErrorKind::kCorrupt) << wrong.what;
    EXPECT_NE(MessageOf(sequence.status()).find(wrong.message), std::string::npos)
        << wrong.what << ": " << sequence.status();
  }
}

TEST(SegmentParse, ValidateRefusesWhatOnlyBodiesShow) {
  const std::vector<Wrong> cases = {
      {"holes equal", Sequence(HolesSegment(0, 9, U16(1, {0, 0, 3}))),
       "holes are not strictly ascending at byte 16"},
      {"holes fall", Sequence(HolesSegment(0, 9, U16(0, {2, 5, 3, 6}))),
       "holes are not strictly ascending"},
      {"sorted equal", Sequence(SortedSegment(U64({1, 1}))),
       "sorted array is not strictly ascending"},
      {"sorted falls", Sequence(SortedSegment(U32(0, {1, 9, 3, 10}))),
       "sorted array is not strictly ascending"},
  };
  for (const auto& wrong : cases) {
    const auto sequence = DecodeRowIdSequence(wrong.bytes);
    ASSERT_TRUE(sequence.ok()) << wrong.what << sequence.status();
    const auto status = sequence->Validate();
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << wrong.what;
    EXPECT_NE(MessageOf(status).find(wrong.message), std::string::npos)
        << wrong.what << ": " << status;
  }
}

TEST(SegmentParse, TruncationIsNeverTakenForTheWhole) {
  const std::string whole =
      Sequence(HolesSegment(2, 3000, U16(4, {0, 2, 9}))) + Sequence(BitmapSegment(1, 6, "\x11"));
  const size_t first = Sequence(HolesSegment(2, 3000, U16(4, {0, 2, 9}))).size();
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(DecodeRowIdSequence(whole.substr(0, size)).ok(), size == first) << size;
  }
}

TEST(SegmentParse, HugeRangesCostNothing) {
  const auto sequence = DecodeRowIdSequence(Sequence(RangeSegment(0, kMax))).ValueOrDie();
  EXPECT_EQ(sequence.size(), kMax);
  EXPECT_EQ(sequence.Get(RowOffset{7}), RowId{7});
  EXPECT_EQ(sequence.PositionOf(RowId{1u << 31}), RowOffset{1u << 31});
  EXPECT_EQ(sequence.PositionOf(RowId{uint64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(sequence.PositionOf(RowId{kMax}), std::nullopt);
  EXPECT_EQ(KindOf(sequence.ToVector().status()), ErrorKind::kTooLarge);
}

}  // namespace
}  // namespace pennon
