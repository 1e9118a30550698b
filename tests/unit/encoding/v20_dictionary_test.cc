#include "encoding/v20_dictionary.h"

#include <arrow/array/array_dict.h>
#include <arrow/array/builder_binary.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

// Items "x", "yy", "" over buffers 1 and 2.
const Message kItems = Binary(Flat(64, 1), Flat(8, 2), 100);
const std::vector<std::string> kItemBuffers = {Bytes<uint64_t>({1, 3, 3}), "xyy"};

std::vector<std::string> Buffers(const std::string& indices) {
  return {indices, kItemBuffers[0], kItemBuffers[1]};
}

TEST(V20DictionaryTest, PlainStringsKeepZeroForNull) {
  PageFile file;
  file.AddPage(0, 8, Dictionary(NoNulls(Flat(8, 0)), kItems, 3),
               Buffers(Bytes<uint8_t>({1, 0, 2, 3, 2, 2, 0, 1})));
  arrow::StringBuilder small;
  arrow::LargeBinaryBuilder large;
  for (const char* text : {"x", "", "yy", "", "yy", "yy", "", "x"}) {
    ASSERT_TRUE(small.Append(text).ok());
    ASSERT_TRUE(large.Append(text).ok());
  }
  auto read = file.Read(Leaf(arrow::utf8(), 0), {{0, 8}}).ValueOrDie();
  EXPECT_EQ(read->null_count(), 2);
  EXPECT_TRUE(read->IsNull(1));
  EXPECT_TRUE(read->IsValid(3));
  ExpectReads(file, Leaf(arrow::utf8(), 0), *read);
  auto bytes = file.Read(Leaf(arrow::large_binary(), 0), {{0, 8}}).ValueOrDie();
  EXPECT_EQ(bytes->GetScalar(2).ValueOrDie()->ToString(),
            large.Finish().ValueOrDie()->GetScalar(2).ValueOrDie()->ToString());
  ExpectSurvivesDamage(file, Leaf(arrow::utf8(), 0), 8, 1);
}

TEST(V20DictionaryTest, AllNullsOverOneNullItem) {
  PageFile file;
  file.AddPage(0, 4, Dictionary(Flat(8, 0), Binary(Flat(64, 1), Flat(8, 2), 1), 1),
               {Bytes<uint8_t>({1, 0, 1, 1}), Bytes<uint64_t>({1}), ""});
  EXPECT_EQ(file.Read(Leaf(arrow::utf8(), 0), {{0, 4}}).ValueOrDie()->null_count(), 4);
}

TEST(V20DictionaryTest, DictionaryColumnsKeepTheirKeys) {
  const auto type = arrow::dictionary(arrow::int16(), arrow::utf8());
  // The second item is null.
  const Message items = Binary(Flat(64, 1), Flat(8, 2), 4);
  PageFile file;
  file.AddPage(0, 5, Dictionary(Flat(16, 0), items, 3),
               {Bytes<int16_t>({2, 1, 0, 2, 1}), Bytes<uint64_t>({1, 5, 3}), "xyy"});
  auto array = file.Read(Leaf(type, 0), {{0, 5}}).ValueOrDie();
  EXPECT_EQ(array->null_count(), 2);
  EXPECT_TRUE(array->IsNull(4));
  const auto& keyed = static_cast<const arrow::DictionaryArray&>(*array);
  // Only the keys tell nulls: Arrow does not join dictionaries with nulls.
  EXPECT_EQ(keyed.dictionary()->null_count(), 0);
  EXPECT_EQ(keyed.GetValueIndex(0), 2);
  EXPECT_EQ(keyed.dictionary()->GetScalar(2).ValueOrDie()->ToString(), "yy");
  ExpectReads(file, Leaf(type, 0), *array);
}

TEST(V20DictionaryTest, IndicesBeyondTheItemsAreCorrupt) {
  PageFile file;
  file.AddPage(0, 1, Dictionary(Flat(8, 0), kItems, 3), Buffers(Bytes<uint8_t>({4})));
  file.AddPage(1, 1, Dictionary(Flat(8, 0), kItems, 3), Buffers(Bytes<uint8_t>({3})));
  file.AddPage(2, 1, Dictionary(Flat(8, 0), kItems, 3), Buffers(Bytes<int8_t>({-1})));
  const auto dictionary = arrow::dictionary(arrow::int8(), arrow::utf8());
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::utf8(), 0), {{0, 1}}).status()), ErrorKind::kCorrupt);
  EXPECT_TRUE(file.Read(Leaf(arrow::utf8(), 1), {{0, 1}}).ok());
  EXPECT_EQ(KindOf(file.Read(Leaf(dictionary, 1), {{0, 1}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(dictionary, 2), {{0, 1}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 1), {{0, 1}}).status()),
            ErrorKind::kUnsupportedFeature);
  const auto wide = arrow::dictionary(arrow::int32(), arrow::utf8());
  EXPECT_EQ(KindOf(file.Read(Leaf(wide, 1), {{0, 1}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
