#include "dataset/filter_ids.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <random>

namespace pennon {
namespace {

using Ranges = std::vector<RowNumberRange>;

const arrow::Schema& TestSchema() {
  static const auto schema = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("s", arrow::utf8()),
       arrow::field("_rowid", arrow::uint64()), arrow::field("_rowaddr", arrow::uint64())});
  return *schema;
}

std::string Bounds(const char* sql, bool of_addresses = false) {
  const auto filter = ParseFilter(sql, TestSchema());
  if (!filter.ok()) return filter.status().ToString();
  const RowNumberBounds& bounds = of_addresses ? filter->row_addresses() : filter->row_ids();
  std::string shown = bounds.is_exact ? "=" : "~";
  for (const RowNumberRange& range : bounds.ranges) {
    shown += " " + std::to_string(range.first);
    if (range.last == UINT64_MAX) {
      shown += "..";
    } else if (range.last != range.first) {
      shown += "-" + std::to_string(range.last);
    }
  }
  return shown;
}

TEST(FilterIds, FindsExactSets) {
  EXPECT_EQ(Bounds("_rowid = 4"), "= 4");
  EXPECT_EQ(Bounds("4 = _rowid"), "= 4");
  EXPECT_EQ(Bounds("_rowid in (7, 0, 8, 4)"), "= 0 4 7-8");
  EXPECT_EQ(Bounds("_rowid between 2 and 5"), "= 2-5");
  EXPECT_EQ(Bounds("_rowid not between 2 and 5"), "= 0-1 6..");
  EXPECT_EQ(Bounds("_rowid < 3 or _rowid > 10"), "= 0-2 11..");
  EXPECT_EQ(Bounds("_rowid >= 3 and _rowid < 6"), "= 3-5");
  EXPECT_EQ(Bounds("not (_rowid in (1, 2))"), "= 0 3..");
  EXPECT_EQ(Bounds("_rowid <> 0"), "= 1..");
  EXPECT_EQ(Bounds("_rowid = 18446744073709551615"), "= 18446744073709551615..");
  EXPECT_EQ(Bounds("_rowid > 18446744073709551615"), "=");
  EXPECT_EQ(Bounds("_rowid = 1 and _rowid = 2"), "=");
  EXPECT_EQ(Bounds("_rowid is null"), "=");
  EXPECT_EQ(Bounds("_rowid is not null"), "= 0..");
  EXPECT_EQ(Bounds("_rowid in (1, null)"), "= 1");
  EXPECT_EQ(Bounds("_rowid not in (1, null)"), "=");
  EXPECT_EQ(Bounds("not (_rowid > 5)"), "= 0-5");
  EXPECT_EQ(Bounds("_ROWID = 3"), "= 3");
}

TEST(FilterIds, BoundsWhatElseIsAsked) {
  EXPECT_EQ(Bounds("_rowid in (1, 2) and a > 3"), "~ 1-2");
  EXPECT_EQ(Bounds("_rowid in (1, 2) or a > 3"), "~ 0..");
  EXPECT_EQ(Bounds("a > 3"), "~ 0..");
  EXPECT_EQ(Bounds("_rowid + 1 = 2"), "~ 0..");
  EXPECT_EQ(Bounds("(_rowid = 1 and a = 1) or (_rowid = 5 and s = 'x')"), "~ 1 5");
  EXPECT_EQ(Bounds("not (_rowid = 1 or a = 1)"), "~ 0 2..");
  EXPECT_EQ(Bounds("_rowaddr between 4294967296 and 4294967299", true), "= 4294967296-4294967299");
  EXPECT_EQ(Bounds("_rowid = 1", true), "~ 0..");
}

TEST(FilterIds, SaysNeverWhenNothingIsLeft) {
  EXPECT_TRUE(ParseFilter("_rowid = 1 and _rowid = 2 and a = 1", TestSchema())->is_never());
  EXPECT_FALSE(ParseFilter("_rowid = 1 and a = 1", TestSchema())->is_never());
}

TEST(FilterIds, CountsNumbers) {
  EXPECT_EQ((RowNumberBounds{{{1, 3}, {7, 7}}, true}).Count(), 4u);
  EXPECT_EQ(RowNumberBounds{}.Count(), UINT64_MAX);
  EXPECT_EQ((RowNumberBounds{{}, true}).Count(), 0u);
}

TEST(FilterIds, SetAlgebraMatchesPlainSets) {
  std::mt19937 random(3);
  const auto members = [](const Ranges& ranges) {
    std::vector<bool> in(64);
    for (uint64_t i = 0; i < 64; ++i) {
      for (const RowNumberRange& range : ranges)
        in[i] = in[i] || (i >= range.first && i <= range.last);
    }
    return in;
  };
  const auto make = [&] {
    Ranges ranges;
    for (int i = 0; i < 4; ++i) {
      const uint64_t first = random() % 64;
      ranges = Unite(ranges, {{first, std::min<uint64_t>(63, first + random() % 8)}});
    }
    return ranges;
  };
  for (int round = 0; round < 200; ++round) {
    const Ranges a = make(), b = make();
    const auto in_a = members(a), in_b = members(b), both = members(Intersect(a, b)),
               either = members(Unite(a, b)), not_a = members(Complement(a));
    for (size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(both[i], in_a[i] && in_b[i]);
      ASSERT_EQ(either[i], in_a[i] || in_b[i]);
      ASSERT_EQ(not_a[i], !in_a[i]);
    }
    ASSERT_EQ(Complement(Complement(a)), a);
  }
}

}  // namespace
}  // namespace pennon
