#include "rowids/segment_encoder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

constexpr uint64_t kMax = ~uint64_t{0};

std::vector<uint64_t> Iota(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> ids(end - begin);
  std::iota(ids.begin(), ids.end(), begin);
  return ids;
}

std::string FormOf(const std::vector<uint64_t>& ids, FormChoice choice) {
  const auto sequence = DecodeRowIdSequence(EncodeRowIdSequence(ids, choice)).ValueOrDie();
  EXPECT_TRUE(sequence.Validate().ok());
  EXPECT_EQ(sequence.ToVector().ValueOrDie(), ids);
  if (sequence.segments().empty()) return "none";
  const auto described = sequence.Describe()[0];
  std::string form(described.form);
  if (described.array_width != 0) form += ":u" + std::to_string(8 * described.array_width);
  return form;
}

TEST(SegmentEncoder, SpellsWhatTheSheetShows) {
  EXPECT_EQ(ToHex(EncodeRowIdSequence(Iota(0, 10), FormChoice::kReference)), "0a040a02100a");
  EXPECT_EQ(ToHex(RangeRowIds(0, 10)), "0a040a02100a");
  EXPECT_EQ(ToHex(RangeRowIds(0, 0)), "0a020a00");
  EXPECT_EQ(RangeRowIds(300, kMax),
            EncodeRowIdSequence(DecodeRowIdSequence(RangeRowIds(300, kMax)).ValueOrDie(),
                                FormChoice::kReference)
                .ValueOrDie());
  EXPECT_LE(RangeRowIds(kMax - 1, kMax).size(), 26u);
  const std::vector<uint64_t> pair = {1, 5};
  EXPECT_EQ(EncodeRowIdSequence(pair, FormChoice::kReference),
            Sequence(BitmapSegment(1, 6, "\x11")));
}

TEST(SegmentEncoder, ChoosesLikeTheReference) {
  const auto reference = [](const std::vector<uint64_t>& ids) {
    return FormOf(ids, FormChoice::kReference);
  };
  EXPECT_EQ(reference({0, 16}), "range_with_bitmap");
  EXPECT_EQ(reference({0, 40}), "sorted_array:u16");
  EXPECT_EQ(reference({0, 69999}), "sorted_array:u32");
  EXPECT_EQ(reference({1, (uint64_t{2} << 32) + 2}), "sorted_array:u64");
  auto one_hole = Iota(0, 100);
  one_hole.erase(one_hole.begin() + 50);
  EXPECT_EQ(reference(one_hole), "range_with_holes:u16");
  EXPECT_EQ(reference({3, 1, 2}), "array:u16");
  EXPECT_EQ(reference({kMax}), "sorted_array:u16");
  EXPECT_EQ(reference({kMax - 1, kMax}), "sorted_array:u16");
  EXPECT_EQ(reference({0, kMax}), "sorted_array:u64");
  EXPECT_EQ(reference({kMax, 0}), "array:u64");
  EXPECT_EQ(reference({kMax - 1}), "range");
  EXPECT_EQ(reference({}), "range");
}

TEST(SegmentEncoder, SmallestCountsTrueBytes) {
  std::mt19937_64 random(3);
  // One id in twelve: the reference counts 2 bytes an id and takes 4.
  std::vector<uint64_t> sparse;
  for (uint64_t id = 0; id < 2000000; id += 1 + random() % 40) sparse.push_back(id);
  EXPECT_EQ(FormOf(sparse, FormChoice::kReference), "sorted_array:u32");
  EXPECT_EQ(FormOf(sparse, FormChoice::kSmallest), "range_with_bitmap");
  EXPECT_LT(EncodeRowIdSequence(sparse, FormChoice::kSmallest).size(),
            EncodeRowIdSequence(sparse, FormChoice::kReference).size());
  EXPECT_EQ(FormOf({}, FormChoice::kSmallest), "none");
  EXPECT_EQ(FormOf({5}, FormChoice::kSmallest), "range");
  EXPECT_EQ(FormOf({kMax}, FormChoice::kSmallest), "sorted_array:u16");
}

TEST(SegmentEncoder, SmallestIsNeverLargerThanTheReferenceAndSizesAreExact) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 400; ++round) {
    std::vector<uint64_t> ids;
    uint64_t id = random() % 3 == 0 ? 0 : random() >> (random() % 60);
    const uint64_t gap = uint64_t{1} << (random() % 20);
    for (uint64_t n = random() % 300; n > 0 && id < kMax - gap; --n) {
      ids.push_back(id);
      id += 1 + (random() % 4 == 0 ? random() % gap : 0);
    }
    if (random() % 5 == 0) std::shuffle(ids.begin(), ids.end(), random);
    const auto smallest = EncodeRowIdSequence(ids, FormChoice::kSmallest);
    const auto reference = EncodeRowIdSequence(ids, FormChoice::kReference);
    EXPECT_LE(smallest.size(), reference.size());
    RunStatistics statistics;
    for (const uint64_t value : ids) statistics.Add(value, 1);
    EXPECT_EQ(ChooseForm(statistics, FormChoice::kReference).encoded_bytes, reference.size());
    EXPECT_EQ(DecodeRowIdSequence(smallest).ValueOrDie().ToVector().ValueOrDie(), ids);
    EXPECT_EQ(DecodeRowIdSequence(reference).ValueOrDie().ToVector().ValueOrDie(), ids);
    if (ids.empty()) continue;
    EXPECT_EQ(ChooseForm(statistics, FormChoice::kSmallest).encoded_bytes, smallest.size());
  }
}

TEST(SegmentEncoder, SetBitsTouchesOnlyItsBits) {
  for (uint64_t first = 0; first < 40; ++first) {
    for (uint64_t length = 1; first + length <= 40; ++length) {
      std::string bytes(5, '\0');
      SetBits(bytes.data(), first, length);
      for (uint64_t bit = 0; bit < 40; ++bit) {
        const bool set = ((static_cast<uint8_t>(bytes[bit / 8]) >> (bit % 8)) & 1) != 0;
        ASSERT_EQ(set, bit >= first && bit < first + length);
      }
    }
  }
}

TEST(SegmentEncoder, SequencesKeepTheirBytesInTheReferenceSpelling) {
  const std::string bytes = Sequence(BitmapSegment(1, 6, "\x11")) + Sequence(RangeSegment(20, 22)) +
                            Sequence(RangeSegment(30, 40)) +
                            Sequence(ArraySegment(U16(5, {3, 0, 1})));
  const auto sequence = DecodeRowIdSequence(bytes).ValueOrDie();
  EXPECT_EQ(EncodeRowIdSequence(sequence, FormChoice::kReference).ValueOrDie(), bytes);
  const auto smallest = EncodeRowIdSequence(sequence, FormChoice::kSmallest).ValueOrDie();
  EXPECT_EQ(DecodeRowIdSequence(smallest).ValueOrDie().ToVector(), sequence.ToVector());
}

// Every short sequence the reference engine wrote into the golden tables, and what it says of it.
TEST(SegmentEncoder, GoldenSequencesComeOutByteForByte) {
  std::ifstream file(std::string(PENNON_SOURCE_DIR) + "/tests/golden/14.0.2/row_ids.txt");
  ASSERT_TRUE(file.is_open());
  int num_sequences = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string hex;
    words >> kind;
    if (kind != "ids") continue;
    ASSERT_TRUE(words >> hex);
    const std::string bytes = FromHex(hex);
    const auto sequence = DecodeRowIdSequence(bytes).ValueOrDie();
    ASSERT_TRUE(sequence.Validate().ok()) << hex;
    EXPECT_EQ(ToHex(EncodeRowIdSequence(sequence, FormChoice::kReference).ValueOrDie()), hex);
    const auto described = sequence.Describe();
    std::string again;
    uint64_t position = 0;
    for (const auto& segment : described) {
      std::string told;
      ASSERT_TRUE(words >> told) << hex;
      EXPECT_EQ(told.substr(0, told.find(',')), segment.form);
      EXPECT_NE(told.find("," + std::to_string(segment.num_rows) + ","), std::string::npos) << told;
      std::vector<uint64_t> ids(segment.num_rows);
      ASSERT_TRUE(sequence.Read(position, ids).ok());
      position += segment.num_rows;
      again += EncodeRowIdSequence(ids, FormChoice::kReference);
      ++num_sequences;
    }
    EXPECT_EQ(ToHex(again), hex) << line;
  }
  EXPECT_GT(num_sequences, 300);
}

}  // namespace
}  // namespace pennon
