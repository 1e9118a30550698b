#include "encoding/v20_values.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

TEST(V20ValuesTest, WidthsOfTypes) {
  EXPECT_EQ(FixedWidthBits(*arrow::boolean()), 1u);
  EXPECT_EQ(FixedWidthBits(*arrow::decimal256(50, 1)), 256u);
  EXPECT_EQ(FixedWidthBits(*arrow::fixed_size_binary(5)), 40u);
  EXPECT_EQ(FixedWidthBits(*arrow::fixed_size_list(arrow::fixed_size_list(arrow::int16(), 3), 2)),
            96u);
  EXPECT_EQ(FixedWidthBits(*arrow::utf8()), 0u);
  EXPECT_EQ(FixedWidthBits(*arrow::null()), 0u);
  EXPECT_EQ(FixedWidthBits(*arrow::dictionary(arrow::int8(), arrow::utf8())), 0u);
}

TEST(V20ValuesTest, BuffersKeepToTheLimit) {
  V20Context context;
  context.buffer_bytes_max = 10;
  EXPECT_EQ((*AllocateZeroed(10, context))->data()[9], 0);
  EXPECT_EQ(KindOf(AllocateValues(11, context).status()), ErrorKind::kTooLarge);
}

TEST(V20ValuesTest, HeadersAreNoValues) {
  for (const V20Kind kind : {V20Kind::kList, V20Kind::kStruct}) {
    V20Encoding encoding;
    encoding.kind = kind;
    EXPECT_EQ(KindOf(MakeV20Values(encoding, arrow::int8(), {}, {}).status()), ErrorKind::kCorrupt);
  }
  EXPECT_EQ(ScaleRanges({{1, 3}, {5, 6}}, 4), (RowRanges{{4, 12}, {20, 24}}));
}

}  // namespace
}  // namespace pennon
