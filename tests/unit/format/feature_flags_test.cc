#include "format/feature_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t Bit(int n) { return uint64_t{1} << n; }

TEST(FeatureFlags, HaveNames) {
  EXPECT_EQ(FeatureFlagNames(0), std::vector<std::string>{});
  EXPECT_EQ(FeatureFlagNames(kFlagDeletionFiles | kFlagStableRowIds),
            (std::vector<std::string>{"deletion-files", "stable-row-ids"}));
  EXPECT_EQ(FeatureFlagNames(Bit(63) | Bit(17) | Bit(18)),
            (std::vector<std::string>{"object-metadata", "bit 18", "bit 63"}));
  // Every bit has a name of its own.
  std::vector<std::string> all = FeatureFlagNames(~uint64_t{0});
  ASSERT_EQ(all.size(), 64u);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

/// What may be done with a table in which one bit is set. The table of the format sheet, row by
/// row.
enum class Answer { kOk, kUnsupported, kCorrupt };

struct BitRow {
  int bit;
  Answer read_reader_only;  ///< Reading, bit in the reader word only.
  Answer read_writer_only;
  Answer read_both;
  Answer write_writer_only;
  Answer write_both;
};

constexpr Answer kOk = Answer::kOk;
constexpr Answer kNo = Answer::kUnsupported;
constexpr Answer kBad = Answer::kCorrupt;

const BitRow kRows[] = {
    {0, kOk, kOk, kOk, kOk, kOk},      // deletion files
    {1, kOk, kOk, kOk, kOk, kOk},      // stable row ids
    {2, kOk, kOk, kOk, kOk, kOk},      // use v2
    {3, kOk, kOk, kOk, kOk, kOk},      // config
    {4, kOk, kOk, kOk, kOk, kOk},      // base paths
    {5, kOk, kOk, kOk, kOk, kOk},      // no transaction files
    {6, kNo, kOk, kNo, kNo, kNo},      // overlays
    {7, kOk, kOk, kOk, kOk, kOk},      // covering columns
    {8, kBad, kBad, kOk, kBad, kOk},   // mixed file versions: paired
    {9, kNo, kOk, kNo, kNo, kNo},      // fragment reuse on stable
    {10, kBad, kBad, kOk, kBad, kNo},  // tagged reuse index: paired, we do not write it
    {11, kOk, kOk, kOk, kOk, kOk},     // spilled lineage
    {12, kNo, kOk, kNo, kNo, kNo},     // fragment tree
    {13, kNo, kOk, kNo, kNo, kNo},     // independent covering fields
    {14, kBad, kBad, kOk, kBad, kOk},  // managed blobs: paired
    {15, kBad, kOk, kBad, kOk, kBad},  // field ids: writers only
    {16, kNo, kOk, kNo, kNo, kNo},     // zone write seeds
    {17, kNo, kOk, kNo, kNo, kNo},     // object metadata: readable when in the writer word only
    {18, kNo, kOk, kNo, kNo, kNo},     // unknown
    {63, kNo, kOk, kNo, kNo, kNo},
};

Answer AnswerOf(const arrow::Status& status) {
  if (status.ok()) return Answer::kOk;
  EXPECT_TRUE(KindOf(status) == ErrorKind::kCorrupt ||
              KindOf(status) == ErrorKind::kUnsupportedFeature)
      << status;
  return KindOf(status) == ErrorKind::kCorrupt ? Answer::kCorrupt : Answer::kUnsupported;
}

TEST(FeatureFlags, DecideWhatMayBeDone) {
  for (const auto& row : kRows) {
    const uint64_t bit = Bit(row.bit);
    EXPECT_EQ(AnswerOf(CheckReadable(bit, 0)), row.read_reader_only) << row.bit;
    EXPECT_EQ(AnswerOf(CheckReadable(0, bit)), row.read_writer_only) << row.bit;
    EXPECT_EQ(AnswerOf(CheckReadable(bit, bit)), row.read_both) << row.bit;
    EXPECT_EQ(AnswerOf(CheckWritable(bit, 0)), row.read_reader_only) << row.bit;
    EXPECT_EQ(AnswerOf(CheckWritable(0, bit)), row.write_writer_only) << row.bit;
    EXPECT_EQ(AnswerOf(CheckWritable(bit, bit)), row.write_both) << row.bit;
  }
}

TEST(FeatureFlags, RefusalsNameEveryBit) {
  EXPECT_EQ(MessageOf(CheckReadable(Bit(12) | Bit(20) | Bit(1), 0)),
            "table uses features that this version of pennon cannot read: fragment-tree, bit 20");
  EXPECT_EQ(MessageOf(CheckWritable(0, Bit(6) | Bit(17) | Bit(0))),
            "table uses features that this version of pennon cannot write: data-overlays, "
            "object-metadata");
  EXPECT_EQ(
      MessageOf(CheckReadable(Bit(8), Bit(14))),
      "feature flag is set in only one of the two words: mixed-data-file-versions, managed-blobs");
}

}  // namespace
}  // namespace pennon
