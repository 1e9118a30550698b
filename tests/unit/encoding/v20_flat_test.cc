#include "encoding/v20_flat.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <numeric>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

std::vector<int32_t> Numbers(int32_t begin, int32_t end) {
  std::vector<int32_t> out(static_cast<size_t>(end - begin));
  std::iota(out.begin(), out.end(), begin);
  return out;
}

std::shared_ptr<arrow::Array> Int32s(int32_t end) {
  arrow::Int32Builder builder;
  EXPECT_TRUE(builder.AppendValues(Numbers(0, end)).ok());
  return builder.Finish().ValueOrDie();
}

std::string Compressed(std::string_view scheme, const std::string& plain) {
  std::string out;
  if (scheme == "zstd") {
    AppendLittleEndian(out, uint64_t{plain.size()});
    std::string frame(ZSTD_compressBound(plain.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), plain.data(), plain.size(), 1));
    return out + frame;
  }
  AppendLittleEndian(out, static_cast<uint32_t>(plain.size()));
  std::string block(static_cast<size_t>(LZ4_compressBound(static_cast<int>(plain.size()))), '\0');
  block.resize(static_cast<size_t>(LZ4_compress_default(
      plain.data(), block.data(), static_cast<int>(plain.size()), static_cast<int>(block.size()))));
  return out + block;
}

TEST(V20FlatTest, NumbersOverPages) {
  PageFile file;
  file.AddPage(0, 10, NoNulls(Flat(32, 0)), {Bytes(Numbers(0, 10))});
  file.AddPage(0, 25, Flat(32, 0), {Bytes(Numbers(10, 35))});
  ExpectReads(file, Leaf(arrow::int32(), 0), *Int32s(35));
  ExpectSurvivesDamage(file, Leaf(arrow::int32(), 0), 35, 2);
}

TEST(V20FlatTest, OneRangeIsNotCopied) {
  PageFile file;
  file.AddPage(0, 10, Flat(32, 0), {Bytes(Numbers(0, 10))});
  uint64_t bytes = 0;
  auto array = file.Read(Leaf(arrow::int32(), 0), {{2, 6}}, 100, &bytes).ValueOrDie();
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(array->data()->buffers[1]->data(),
            reinterpret_cast<const uint8_t*>(file.bytes().data()) + 8);
}

TEST(V20FlatTest, Booleans) {
  PageFile file;
  arrow::BooleanBuilder builder;
  std::string bits(5, '\0');
  for (int i = 0; i < 37; ++i) {
    const bool value = i * i % 7 < 3;
    EXPECT_TRUE(builder.Append(value).ok());
    if (value)
      bits[static_cast<size_t>(i / 8)] =
          static_cast<char>(bits[static_cast<size_t>(i / 8)] | 1 << i % 8);
  }
  file.AddPage(0, 37, Flat(1, 0), {bits});
  ExpectReads(file, Leaf(arrow::boolean(), 0), *builder.Finish().ValueOrDie());
}

TEST(V20FlatTest, CompressedBuffers) {
  for (const std::string_view scheme : {"zstd", "lz4"}) {
    SCOPED_TRACE(scheme);
    PageFile file;
    file.AddPage(0, 50, Flat(32, 0, scheme), {Compressed(scheme, Bytes(Numbers(0, 50)))});
    ExpectReads(file, Leaf(arrow::int32(), 0), *Int32s(50));
    ExpectSurvivesDamage(file, Leaf(arrow::int32(), 0), 50, 1);
    file.buffer_bytes_max = 100;
    EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 0), {{0, 5}}).status()), ErrorKind::kTooLarge);
  }
  PageFile plain;
  plain.AddPage(0, 9, Flat(32, 0, "none"), {Bytes(Numbers(0, 9))});
  ExpectReads(plain, Leaf(arrow::int32(), 0), *Int32s(9));
}

TEST(V20FlatTest, MistakesNameColumnAndPage) {
  PageFile file;
  file.AddPage(0, 10, Flat(32, 0), {Bytes(Numbers(0, 10))});
  file.AddPage(0, 10, Flat(32, 0), {Bytes(Numbers(0, 9))});
  auto array = file.Read(Leaf(arrow::int32(), 0), {{0, 20}});
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(KindOf(array.status()), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(array.status()),
            "page buffer is too short: 36 bytes for 10 values of 32 bits (column 0, page 1)");
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int64(), 0), {{0, 3}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 0), {{0, 21}}).status()),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 1), {{0, 1}}).status()),
            ErrorKind::kInvalidArgument);

  PageFile broken;
  broken.AddPage(0, 3, Flat(32, 1), {Bytes(Numbers(0, 3))});
  broken.AddPage(1, 3, Flat(33, 0), {Bytes(Numbers(0, 3))});
  broken.AddPage(2, 3, Flat(32, 0, "brotli"), {Bytes(Numbers(0, 3))});
  broken.AddPage(3, 3, Wrap(14, ""), {});
  broken.AddPage(4, 3, "\xFF\xFF", {});
  EXPECT_EQ(KindOf(broken.Read(Leaf(arrow::int32(), 0), {{0, 3}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(broken.Read(Leaf(arrow::int32(), 1), {{0, 3}}).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(broken.Read(Leaf(arrow::int32(), 2), {{0, 3}}).status()),
            ErrorKind::kUnsupportedFeature);
  EXPECT_EQ(KindOf(broken.Read(Leaf(arrow::int32(), 3), {{0, 3}}).status()),
            ErrorKind::kUnsupportedFeature);
  EXPECT_EQ(KindOf(broken.Read(Leaf(arrow::int32(), 4), {{0, 3}}).status()), ErrorKind::kCorrupt);
}

TEST(V20FlatTest, DeepEncodingsAreRefused) {
  PageFile file;
  Message deep = Flat(32, 0);
  for (int i = 0; i < 60; ++i) deep = NoNulls(deep);
  file.AddPage(0, 1, deep, {Bytes(Numbers(0, 1))});
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 0), {{0, 1}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
