#include "dataset/scan_plan.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// A table without stable ids, of fragments 0, 3 and 7.
class ScanPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    schema_ =
        FromArrowSchema(
            *arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8()),
                            arrow::field("s", arrow::struct_({arrow::field("x", arrow::int8()),
                                                              arrow::field("y", arrow::int8())}))}))
            .ValueOrDie();
    AssignFieldIds(&schema_, 0);
    for (const uint32_t id : {0, 3, 7}) {
      Fragment fragment;
      fragment.id = FragmentId{id};
      fragment.physical_rows = 100;
      manifest_.fragments.push_back(fragment);
    }
  }

  arrow::Result<ScanPlan> Plan(const std::string& where, ColumnSelection select = {},
                               std::optional<std::vector<FragmentId>> fragments = std::nullopt) {
    if (!where.empty()) {
      auto fields = ToArrowSchema(schema_).ValueOrDie()->fields();
      for (const char* name :
           {"_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"}) {
        fields.push_back(arrow::field(name, arrow::uint64()));
      }
      ARROW_ASSIGN_OR_RAISE(filter_, ParseFilter(where, *arrow::schema(fields)));
    }
    return MakeScanPlan({manifest_, schema_, select, filter_, fragments});
  }

  static std::vector<uint32_t> Ids(const ScanPlan& plan) {
    std::vector<uint32_t> ids;
    for (const ScanStep& step : plan.steps) ids.push_back(ToInteger(step.fragment->id));
    return ids;
  }

  Manifest manifest_;
  TableSchema schema_;
  std::optional<Filter> filter_;
};

TEST_F(ScanPlanTest, WithoutAFilterAllIsRest) {
  const auto plan = Plan("").ValueOrDie();
  EXPECT_FALSE(plan.has_filter());
  EXPECT_EQ(Ids(plan), (std::vector<uint32_t>{0, 3, 7}));
  EXPECT_EQ(plan.rest.columns.size(), 3u);
  EXPECT_EQ(plan.in_rest, (std::vector<int>{0, 1, 2}));
}

TEST_F(ScanPlanTest, FragmentsInTheOrderAsked) {
  EXPECT_EQ(Ids(*Plan("", {}, std::vector{FragmentId{7}, FragmentId{0}})),
            (std::vector<uint32_t>{7, 0}));
  EXPECT_EQ(KindOf(Plan("", {}, std::vector{FragmentId{1}}).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(Plan("", {}, std::vector{FragmentId{7}, FragmentId{7}}).status()),
            ErrorKind::kInvalidArgument);
}

TEST_F(ScanPlanTest, TermsOverSystemColumnsComeFirst) {
  const auto plan = Plan("a > 1 and _row_created_at_version = 2 and b = 'x'").ValueOrDie();
  EXPECT_EQ(plan.on_systems.terms.size(), 1u);
  EXPECT_EQ(plan.on_systems.inputs.schema->field_names(),
            std::vector<std::string>{"_row_created_at_version"});
  EXPECT_EQ(plan.on_data.terms.size(), 2u);
  EXPECT_EQ(plan.on_data.inputs.roots.size(), 2u);
}

TEST_F(ScanPlanTest, ColumnsOfTheFilterAreNotReadTwice) {
  const auto plan = Plan("a > 1 and s.x = 2").ValueOrDie();
  ASSERT_EQ(plan.reused.size(), 3u);
  EXPECT_TRUE(plan.reused[0].has_value());
  EXPECT_FALSE(plan.reused[1].has_value());
  // Of the struct the filter reads a part only.
  EXPECT_FALSE(plan.reused[2].has_value());
  EXPECT_EQ(plan.rest.schema->field_names(), (std::vector<std::string>{"b", "s"}));
  EXPECT_EQ(plan.rest.roots.size(), 2u);
  EXPECT_EQ(plan.in_rest[1], 0);
  EXPECT_EQ(plan.in_rest[2], 1);
}

TEST_F(ScanPlanTest, AddressesChooseFragmentsAndRows) {
  const auto plan = Plan("_rowaddr = 12884901893 or _rowaddr between 10 and 12").ValueOrDie();
  EXPECT_EQ(Ids(plan), (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(plan.steps[0].candidates, (RowRanges{{10, 13}}));
  EXPECT_EQ(plan.steps[1].candidates, (RowRanges{{5, 6}}));
  // Without stable ids an id is an address.
  EXPECT_EQ(Ids(*Plan("_rowid in (3, 30064771072) and a = 1")), (std::vector<uint32_t>{0, 7}));
  EXPECT_TRUE(Plan("_rowid = 99999999999999999")->steps.empty());
  manifest_.reader_flags = 2;
  EXPECT_EQ(Plan("_rowid = 3")->steps.size(), 3u);
}

TEST_F(ScanPlanTest, FiltersThatLetNothingPassReadNothing) {
  EXPECT_TRUE(Plan("false and a > 1")->steps.empty());
  EXPECT_FALSE(Plan("true")->has_filter());
}

TEST_F(ScanPlanTest, RangesIntersect) {
  EXPECT_EQ(IntersectRanges({{0, 5}, {7, 9}}, {{3, 8}}), (RowRanges{{3, 5}, {7, 8}}));
  EXPECT_TRUE(IntersectRanges({{0, 5}}, {{5, 8}}).empty());
  EXPECT_TRUE(IntersectRanges({}, {{5, 8}}).empty());
}

}  // namespace
}  // namespace pennon
