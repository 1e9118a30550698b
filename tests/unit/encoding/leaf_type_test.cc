#include "encoding/leaf_type.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

TEST(LeafTypeTest, KnowsEveryLayout) {
  const struct {
    std::shared_ptr<arrow::DataType> type;
    LeafKind kind;
    uint32_t width_bytes;
    uint64_t fixed_bits;
  } cases[] = {
      {arrow::null(), LeafKind::kNull, 0, 0},
      {arrow::boolean(), LeafKind::kBits, 0, 1},
      {arrow::int8(), LeafKind::kFixed, 1, 8},
      {arrow::float16(), LeafKind::kFixed, 2, 16},
      {arrow::date32(), LeafKind::kFixed, 4, 32},
      {arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), LeafKind::kFixed, 8, 64},
      {arrow::decimal128(10, 2), LeafKind::kFixed, 16, 128},
      {arrow::decimal256(50, 2), LeafKind::kFixed, 32, 256},
      {arrow::fixed_size_binary(7), LeafKind::kFixed, 7, 56},
      {arrow::utf8(), LeafKind::kVariable, 4, 0},
      {arrow::binary(), LeafKind::kVariable, 4, 0},
      {arrow::large_utf8(), LeafKind::kVariable, 8, 0},
      {arrow::large_binary(), LeafKind::kVariable, 8, 0},
      {arrow::fixed_size_list(arrow::float32(), 16), LeafKind::kFixedSizeList, 0, 512},
      {arrow::fixed_size_list(arrow::fixed_size_list(arrow::boolean(), 3), 5),
       LeafKind::kFixedSizeList, 0, 15},
      {arrow::dictionary(arrow::int16(), arrow::utf8()), LeafKind::kDictionary, 2, 0},
  };
  for (const auto& c : cases) {
    const LeafType leaf = MakeLeafType(c.type).ValueOrDie();
    EXPECT_EQ(leaf.kind, c.kind) << c.type->ToString();
    EXPECT_EQ(leaf.width_bytes, c.width_bytes) << c.type->ToString();
    EXPECT_EQ(leaf.FixedBits(), c.fixed_bits) << c.type->ToString();
    EXPECT_EQ(leaf.type, c.type);
  }
}

TEST(LeafTypeTest, PackedStructsAreOneColumn) {
  const auto fixed =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::int64())});
  EXPECT_EQ(MakeLeafType(fixed, true).ValueOrDie().FixedBits(), 96u);
  const auto variable =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  EXPECT_EQ(MakeLeafType(variable, true).ValueOrDie().FixedBits(), 0u);
  EXPECT_EQ(KindOf(MakeLeafType(fixed).status()), ErrorKind::kUnsupportedFeature);
}

TEST(LeafTypeTest, RefusesWhatHasSeveralColumns) {
  for (const auto& type : {arrow::list(arrow::int32()), arrow::map(arrow::utf8(), arrow::int32()),
                           arrow::fixed_size_list(arrow::utf8(), 2), arrow::utf8_view()}) {
    EXPECT_EQ(KindOf(MakeLeafType(type).status()), ErrorKind::kUnsupportedFeature)
        << type->ToString();
  }
}

TEST(LeafTypeTest, HugeListsSaturate) {
  auto type = arrow::fixed_size_list(arrow::int64(), INT32_MAX);
  for (int i = 0; i < 3; ++i) type = arrow::fixed_size_list(type, INT32_MAX);
  EXPECT_EQ(MakeLeafType(type).ValueOrDie().FixedBits(), UINT64_MAX);
}

}  // namespace
}  // namespace pennon
