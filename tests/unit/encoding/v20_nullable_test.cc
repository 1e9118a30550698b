#include "encoding/v20_nullable.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

TEST(V20NullableTest, SomeNulls) {
  arrow::Int16Builder builder;
  std::vector<int16_t> values;
  std::string bits(4, '\0');
  for (int16_t i = 0; i < 30; ++i) {
    values.push_back(i);
    if (i % 3 == 0) {
      EXPECT_TRUE(builder.AppendNull().ok());
    } else {
      EXPECT_TRUE(builder.Append(i).ok());
      bits[static_cast<size_t>(i / 8)] =
          static_cast<char>(bits[static_cast<size_t>(i / 8)] | 1 << i % 8);
    }
  }
  PageFile file;
  file.AddPage(0, 30, SomeNulls(Flat(1, 0), Flat(16, 1)), {bits, Bytes(values)});
  ExpectReads(file, Leaf(arrow::int16(), 0), *builder.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, Leaf(arrow::int16(), 0), 30, 1);
}

TEST(V20NullableTest, AllNullsOfAnyType) {
  for (const auto& type :
       {arrow::int64(), arrow::utf8(), arrow::null(), arrow::fixed_size_list(arrow::float32(), 3),
        arrow::dictionary(arrow::int8(), arrow::utf8())}) {
    SCOPED_TRACE(type->ToString());
    PageFile file;
    file.AddPage(0, 9, AllNulls(), {});
    auto array = file.Read(Leaf(type, 0), {{1, 8}});
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ((*array)->length(), 7);
    EXPECT_EQ((*array)->null_count(), 7);
  }
}

TEST(V20NullableTest, NullsBeyondTheLimitAreRefused) {
  PageFile file;
  file.AddPage(0, uint64_t{1} << 40, AllNulls(), {});
  EXPECT_EQ(
      KindOf(
          file.Read(Leaf(arrow::int64(), 0), {{0, uint64_t{1} << 40}}, uint64_t{1} << 40).status()),
      ErrorKind::kTooLarge);
}

TEST(V20NullableTest, ItemsOfListsHaveTheirOwnNulls) {
  // Three lists of two; the second list is null, and so is the last item.
  PageFile file;
  file.AddPage(0, 3, SomeNulls(Flat(1, 0), FixedSizeList(2, SomeNulls(Flat(1, 1), Flat(8, 2)))),
               {"\x05", "\x1F", "abcdef"});
  auto array = file.Read(Leaf(arrow::fixed_size_list(arrow::int8(), 2), 0), {{0, 3}}).ValueOrDie();
  EXPECT_EQ(array->null_count(), 1);
  EXPECT_TRUE(array->IsNull(1));
  const auto& items = *static_cast<const arrow::FixedSizeListArray&>(*array).values();
  EXPECT_EQ(items.null_count(), 1);
  EXPECT_TRUE(items.IsNull(5));
}

}  // namespace
}  // namespace pennon::v20
