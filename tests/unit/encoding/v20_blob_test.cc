#include "encoding/v20_blob.h"

#include <arrow/array/array_binary.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

TEST(V20BlobTest, DescriptorsAndBytes) {
  PageFile file;
  // Bytes lie in the file before the pages; this page's buffer stands for them.
  file.AddPage(1, 9, Flat(8, 0), {"worldhelo"});
  // hello is not contiguous on purpose: "helo" at 5, "world" at 0, an empty value, a null.
  file.AddPage(0, 4, PackedStruct({Flat(64, 0), Flat(64, 0)}, 0),
               {Bytes<uint64_t>({5, 4, 0, 5, 0, 0, 1, 0})});
  FieldShape shape = Leaf(arrow::large_binary(), 0);
  shape.storage = FieldStorage::kBlob;
  auto array = file.Read(shape, {{0, 4}}).ValueOrDie();
  const auto& blobs = static_cast<const arrow::LargeBinaryArray&>(*array);
  EXPECT_EQ(blobs.GetView(0), "helo");
  EXPECT_EQ(blobs.GetView(1), "world");
  EXPECT_EQ(blobs.GetView(2), "");
  EXPECT_TRUE(blobs.IsValid(2));
  EXPECT_TRUE(blobs.IsNull(3));
  ExpectReads(file, shape, *array);
  ExpectSurvivesDamage(file, shape, 4, 2);

  shape.type = arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  auto descriptors = file.Read(shape, {{0, 4}}).ValueOrDie();
  EXPECT_EQ(descriptors->GetScalar(3).ValueOrDie()->ToString(),
            "{position:uint64 = 1, size:uint64 = 0}");
  shape.type = arrow::utf8();
  EXPECT_EQ(KindOf(file.Read(shape, {{0, 4}}).status()), ErrorKind::kInvalidArgument);
}

TEST(V20BlobTest, BytesOutsideTheFileAreCorrupt) {
  PageFile file;
  file.AddPage(0, 1, PackedStruct({Flat(64, 0), Flat(64, 0)}, 0), {Bytes<uint64_t>({5, 400})});
  FieldShape shape = Leaf(arrow::large_binary(), 0);
  shape.storage = FieldStorage::kBlob;
  EXPECT_EQ(KindOf(file.Read(shape, {{0, 1}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
