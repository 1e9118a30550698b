#include "rowids/version_sequence.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using namespace testing_support;  // NOLINT: a vocabulary of bytes

std::string LineageRun(std::string_view span, uint64_t version) {
  return Field(1, Field(1, span) + Scalar(2, version));
}

std::vector<uint64_t> All(const VersionSequence& sequence) {
  std::vector<uint64_t> versions(sequence.size());
  EXPECT_TRUE(sequence.Read(0, versions).ok());
  return versions;
}

// The sheet's example: spans are never renumbered by a compaction, only their sizes count.
TEST(VersionSequence, OnlyTheSizeOfASpanMatters) {
  const auto bytes = LineageRun(BitmapSegment(0, 4, "\x09"), 1) +
                     LineageRun(BitmapSegment(0, 4, "\x0D"), 2) + LineageRun(RangeSegment(0, 1), 1);
  const auto sequence = DecodeVersionSequence(bytes).ValueOrDie();
  EXPECT_EQ(All(sequence), (std::vector<uint64_t>{1, 1, 2, 2, 2, 1}));
  EXPECT_EQ(sequence.num_runs(), 3u);
  EXPECT_EQ(sequence.run(1), (VersionRun{3, Version{2}}));
  for (uint32_t i = 0; i < 6; ++i)
    EXPECT_EQ(ToInteger(sequence.VersionAt(RowOffset{i})), All(sequence)[i]);
}

TEST(VersionSequence, SpellsUniformLikeTheReference) {
  EXPECT_EQ(ToHex(UniformVersions(60, Version{1})), "0a080a040a02103c1001");
  EXPECT_EQ(UniformVersions(60, Version{1}), VersionSequence::Uniform(60, Version{1}).Encode());
  EXPECT_EQ(UniformVersions(0, Version{1}), "");
  EXPECT_LE(UniformVersions(~uint64_t{0}, Version{~uint64_t{0}}).size(), 38u);
}

TEST(VersionSequence, BuildsFromVersionsAndEdits) {
  const std::vector<uint64_t> versions = {1, 1, 3, 3, 3, 2, 1};
  const auto sequence = VersionSequence::FromVersions(versions);
  EXPECT_EQ(sequence.num_runs(), 4u);
  EXPECT_EQ(All(DecodeVersionSequence(sequence.Encode()).ValueOrDie()), versions);
  EXPECT_EQ(All(sequence.Slice(1, 4).ValueOrDie()), (std::vector<uint64_t>{1, 3, 3, 3}));
  EXPECT_EQ(All(sequence.Mask(std::vector<uint32_t>{5}).ValueOrDie()),
            (std::vector<uint64_t>{1, 1, 3, 3, 3, 1}));
  EXPECT_EQ(sequence.Mask(std::vector<uint32_t>{2, 3, 4, 5}).ValueOrDie().num_runs(), 1u);
  auto longer = sequence;
  longer.Append(sequence);
  EXPECT_EQ(longer.size(), 14u);
  EXPECT_EQ(longer.num_runs(), 7u);
  const std::vector<VersionSequence> both = {sequence, sequence};
  const auto chunks = Rechunk(both, std::vector<uint64_t>{6, 0, 8}, false).ValueOrDie();
  EXPECT_EQ(All(chunks[0]), (std::vector<uint64_t>{1, 1, 3, 3, 3, 2}));
  EXPECT_EQ(chunks[2].num_runs(), 4u);
  EXPECT_EQ(Rechunk(both, std::vector<uint64_t>{20}, true).ValueOrDie()[0].size(), 14u);
  EXPECT_TRUE(Rechunk({}, {}, false).ValueOrDie().empty());
}

TEST(VersionSequence, RefusesWhatCannotBe) {
  const auto sequence = VersionSequence::Uniform(3, Version{2});
  std::vector<uint64_t> out(4);
  EXPECT_EQ(KindOf(sequence.Read(0, out)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(sequence.Slice(2, 2).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(sequence.Mask(std::vector<uint32_t>{3}).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(sequence.Mask(std::vector<uint32_t>{1, 0}).status()),
            ErrorKind::kInvalidArgument);
  const std::vector<VersionSequence> one = {sequence};
  EXPECT_EQ(KindOf(Rechunk(one, std::vector<uint64_t>{2}, true).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(Rechunk(one, std::vector<uint64_t>{2, 2}, false).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(Rechunk(one, {}, true).status()), ErrorKind::kInvalidArgument);
}

TEST(VersionSequence, RefusesCorruptBytesWithThePlace) {
  struct Wrong {
    std::string bytes;
    const char* message;
  };
  const uint64_t most = ~uint64_t{0};
  const std::vector<Wrong> cases = {
      {Field(2, ""), "unknown field at byte 0"},
      {Field(1, Scalar(2, 1)), "run has no span at byte 2"},
      {Field(1, Field(1, RangeSegment(0, 1)) + Field(3, "")),
       "unknown or repeated field at byte 10"},
      {Field(1, Field(1, RangeSegment(0, 1)) + Field(1, RangeSegment(0, 1))), "repeated field"},
      {LineageRun(SortedSegment(U16(0, {3, 3})), 1), "not strictly ascending"},
      {LineageRun(RangeSegment(4, 2), 1), "range ends before it starts"},
      {LineageRun(RangeSegment(0, most), 1) + LineageRun(RangeSegment(0, 1), 1),
       "more than 2^64 rows"},
  };
  for (const auto& wrong : cases) {
    const auto status = DecodeVersionSequence(wrong.bytes).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << wrong.message;
    EXPECT_NE(MessageOf(status).find(wrong.message), std::string::npos) << status;
  }
  const auto whole = LineageRun(RangeSegment(7, 3000), 9);
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(DecodeVersionSequence(whole.substr(0, size)).ok());
}

// As many runs as are written at once, and one less and more; numbers of every width.
TEST(VersionSequence, ManyRunsComeBackAsTheyWere) {
  for (const uint64_t num_runs : {1u, 99u, 100u, 101u, 200u, 1003u}) {
    VersionSequence sequence;
    for (uint64_t i = 0; i < num_runs; ++i) {
      sequence.Append(uint64_t{1} << (i % 50), Version{i % 3 == 0 ? i : ~uint64_t{0} - i});
    }
    const auto again = DecodeVersionSequence(sequence.Encode()).ValueOrDie();
    ASSERT_EQ(again.num_runs(), num_runs);
    for (size_t i = 0; i < num_runs; ++i) ASSERT_EQ(again.run(i), sequence.run(i)) << i;
  }
}

TEST(VersionSequence, EmptyRunsAreKeptAndHarmless) {
  const auto sequence =
      DecodeVersionSequence(LineageRun(RangeSegment(3, 3), 5) + LineageRun(RangeSegment(0, 2), 6) +
                            LineageRun(RangeSegment(0, 0), 7))
          .ValueOrDie();
  EXPECT_EQ(sequence.num_runs(), 3u);
  EXPECT_EQ(All(sequence), (std::vector<uint64_t>{6, 6}));
  EXPECT_EQ(sequence.VersionAt(RowOffset{0}), Version{6});
}

TEST(VersionSequence, GoldenLineageIsReadAsTheReferenceSays) {
  std::ifstream file(std::string(PENNON_SOURCE_DIR) + "/tests/golden/14.0.2/row_ids.txt");
  ASSERT_TRUE(file.is_open());
  int num_sequences = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string hex;
    words >> kind >> hex;
    if (kind != "versions") continue;
    const auto sequence = DecodeVersionSequence(FromHex(hex)).ValueOrDie();
    size_t run = 0;
    for (std::string told; words >> told; ++run) {
      ASSERT_LT(run, sequence.num_runs());
      const auto [rows, version] = sequence.run(run);
      EXPECT_EQ(told, std::to_string(rows) + "," + std::to_string(ToInteger(version)));
    }
    EXPECT_EQ(run, sequence.num_runs());
    const auto again = DecodeVersionSequence(sequence.Encode()).ValueOrDie();
    EXPECT_EQ(All(again), All(sequence));
    ++num_sequences;
  }
  EXPECT_GT(num_sequences, 50);
}

}  // namespace
}  // namespace pennon
