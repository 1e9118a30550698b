#include "dataset/fault_sink.h"

#include <gtest/gtest.h>

namespace pennon {
namespace {

TEST(FaultSink, PutsTheWorstFirstAndKeepsTheOrderInside) {
  FaultSink sink(10);
  sink.Note("left", {}, "n1");
  sink.Error("broken", {.fragment = FragmentId{4}}, "e1");
  sink.Warning("odd", {}, "w1");
  sink.Error("broken", {.row_id = RowId{9}, .file = "data/x"}, "e2");
  VerifyReport report;
  sink.MoveInto(&report);
  ASSERT_EQ(report.faults.size(), 4u);
  EXPECT_EQ(report.faults[0].message, "e1");
  EXPECT_EQ(report.faults[0].fragment, FragmentId{4});
  EXPECT_EQ(report.faults[1].message, "e2: data/x");
  EXPECT_EQ(report.faults[1].row_id, RowId{9});
  EXPECT_EQ(report.faults[1].file, "data/x");
  EXPECT_EQ(report.faults[2].message, "w1");
  EXPECT_EQ(report.faults[3].message, "n1");
  EXPECT_EQ(report.Count(VerifySeverity::kError), 2u);
  EXPECT_FALSE(report.sound());
}

TEST(FaultSink, KeepsSomeOfEachCodeAndCountsAll) {
  FaultSink sink(2);
  for (int i = 0; i < 5; ++i) sink.Note("left", {}, "n");
  sink.Warning("left", {}, "w");
  VerifyReport report;
  sink.MoveInto(&report);
  EXPECT_EQ(report.faults.size(), 3u);
  ASSERT_EQ(report.tallies.size(), 2u);
  EXPECT_EQ(report.tallies[0].severity, VerifySeverity::kWarning);
  EXPECT_EQ(report.tallies[1].count, 5u);
  EXPECT_TRUE(report.sound());
}

TEST(FaultSink, SeveritiesHaveWords) {
  EXPECT_EQ(VerifySeverityName(VerifySeverity::kNote), "note");
  EXPECT_EQ(VerifySeverityName(VerifySeverity::kWarning), "warning");
  EXPECT_EQ(VerifySeverityName(VerifySeverity::kError), "error");
}

}  // namespace
}  // namespace pennon
