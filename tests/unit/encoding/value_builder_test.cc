#include "encoding/value_builder.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <string>

#include "pennon/base/error.h"

namespace pennon {
namespace {

std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(ValueBuilderTest, BuildsStringsWithEmptyOnesBetween) {
  for (const auto& type : {arrow::utf8(), arrow::large_utf8()}) {
    const LeafType leaf = MakeLeafType(type).ValueOrDie();
    ValueBuilder builder(leaf, {});
    ASSERT_TRUE(builder.AppendEmpty(2).ok());
    ASSERT_TRUE(builder.AppendVariable(Bytes("abc")).ok());
    ASSERT_TRUE(builder.AppendEmpty(1).ok());
    ASSERT_TRUE(builder.AppendVariable(Bytes("d")).ok());
    const auto array = arrow::MakeArray(builder.Finish(nullptr, 0).ValueOrDie());
    ASSERT_TRUE(array->ValidateFull().ok());
    EXPECT_EQ(array->length(), 5);
    EXPECT_EQ(array->GetScalar(2).ValueOrDie()->ToString(), "abc");
    EXPECT_EQ(array->GetScalar(4).ValueOrDie()->ToString(), "d");
    // It starts anew.
    EXPECT_EQ(arrow::MakeArray(builder.Finish(nullptr, 0).ValueOrDie())->length(), 0);
  }
}

TEST(ValueBuilderTest, EmptyArraysOfEveryLayoutAreValid) {
  const auto packed =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  for (const auto& type : {arrow::null(), arrow::boolean(), arrow::int64(), arrow::utf8(),
                           arrow::large_binary(), arrow::fixed_size_list(arrow::float32(), 4),
                           packed, arrow::dictionary(arrow::int8(), arrow::utf8())}) {
    const LeafType leaf = MakeLeafType(type, true).ValueOrDie();
    ValueBuilder builder(leaf, {});
    const auto none = arrow::MakeArray(builder.Finish(nullptr, 0).ValueOrDie());
    EXPECT_TRUE(none->ValidateFull().ok()) << type->ToString();
    ASSERT_TRUE(builder.AppendEmpty(9).ok());
    auto bits = arrow::AllocateBuffer(8).ValueOrDie();
    std::fill_n(bits->mutable_data(), 8, uint8_t{0});
    const auto nulls = arrow::MakeArray(builder.Finish(std::move(bits), 9).ValueOrDie());
    EXPECT_TRUE(nulls->ValidateFull().ok()) << type->ToString();
    EXPECT_EQ(nulls->null_count(), 9) << type->ToString();
  }
}

TEST(ValueBuilderTest, KeepsTheBudget) {
  const LeafType leaf = MakeLeafType(arrow::int64()).ValueOrDie();
  ValueBuilder builder(leaf, {arrow::default_memory_pool(), 1000});
  builder.Expect(UINT64_MAX);
  EXPECT_TRUE(builder.AppendEmpty(125).ok());
  EXPECT_EQ(KindOf(builder.AppendEmpty(1)), ErrorKind::kTooLarge);
  EXPECT_EQ(KindOf(builder.AppendEmpty(UINT64_MAX / 4)), ErrorKind::kTooLarge);
  const LeafType text = MakeLeafType(arrow::utf8()).ValueOrDie();
  ValueBuilder strings(text, {arrow::default_memory_pool(), 1000});
  EXPECT_EQ(KindOf(strings.ReserveOffsets(UINT64_MAX)), ErrorKind::kTooLarge);
  EXPECT_EQ(KindOf(strings.CheckOffsets(uint64_t{1} << 31)), ErrorKind::kTooLarge);
}

}  // namespace
}  // namespace pennon
