#include "encoding/blob_cursor.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

/// A page of blobs: null, empty and full ones; returns the values, null for none.
std::vector<const char*> AddBlobs(PageFile* file) {
  const std::vector<const char*> blobs{"first blob",           nullptr, "",
                                       "another, longer blob", nullptr, "x"};
  MiniBlock page;
  page.values = Packed({64, 64});
  page.num_items = blobs.size();
  std::string rows;
  for (const char* blob : blobs) {
    ByteRange range{1 << 16, 1 << 16};  // null: definition level 1 in the upper half
    if (blob != nullptr) range = *blob == '\0' ? ByteRange{0, 0} : file->AddBytes(blob);
    AppendLittleEndian(rows, range.begin);
    AppendLittleEndian(rows, range.size());
  }
  const std::string chunk = Chunk(page, 0, "", "", {rows});
  file->AddPage(0, blobs.size(), Wrap(4, Wrap(1, page.Layout()) + LayersAt(2, {3})),
                {Words(page, {{chunk, 0}}), chunk});
  return blobs;
}

TEST(BlobCursorTest, GivesTheBytes) {
  PageFile file;
  arrow::LargeBinaryBuilder expected;
  for (const char* blob : AddBlobs(&file)) {
    ASSERT_TRUE((blob == nullptr ? expected.AppendNull() : expected.Append(blob)).ok());
  }
  const FieldShape shape = Leaf(arrow::large_binary(), 0, FieldStorage::kBlob);
  ExpectReads(file, shape, *expected.Finish().ValueOrDie());
  ExpectSurvivesDamage(file, shape, 6);
}

TEST(BlobCursorTest, GivesTheDescriptors) {
  PageFile file;
  const auto blobs = AddBlobs(&file);
  const FieldShape shape = Leaf(BlobDescriptorType().type, 0, FieldStorage::kBlob);
  const auto array = file.Read(shape, {{0, 6}}).ValueOrDie();
  EXPECT_EQ(array->null_count(), 2);
  const auto* positions = array->data()->child_data[0]->GetValues<uint64_t>(1);
  const auto* sizes = array->data()->child_data[1]->GetValues<uint64_t>(1);
  for (size_t i = 0; i < blobs.size(); ++i) {
    EXPECT_EQ(array->IsNull(static_cast<int64_t>(i)), blobs[i] == nullptr);
    if (blobs[i] == nullptr) continue;
    EXPECT_EQ(file.bytes().substr(positions[i], sizes[i]), blobs[i]);
  }
  ExpectReads(file, shape, *array);
}

}  // namespace
}  // namespace pennon
