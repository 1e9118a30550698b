#include "file/column_metadata.h"

#include <gtest/gtest.h>

#include "memory_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string ColumnEncoding() {
  return DirectEncoding("/lance.encodings.ColumnEncoding", std::string("\x0a\0", 2));
}

std::string Page(const std::vector<uint64_t>& positions, const std::vector<uint64_t>& sizes,
                 uint64_t length, const std::string& encoding, bool is_packed = true) {
  std::string page, packed_positions, packed_sizes;
  for (const uint64_t value : positions)
    is_packed ? AppendVarint(packed_positions, value) : AppendVarintField(page, 1, value);
  for (const uint64_t value : sizes)
    is_packed ? AppendVarint(packed_sizes, value) : AppendVarintField(page, 2, value);
  if (is_packed) {
    AppendBytesField(page, 1, packed_positions);
    AppendBytesField(page, 2, packed_sizes);
  }
  AppendVarintField(page, 3, length);
  if (!encoding.empty()) AppendBytesField(page, 4, encoding);
  AppendVarintField(page, 5, 77);
  return page;
}

std::string Column(const std::vector<std::string>& pages,
                   const std::string& encoding = ColumnEncoding()) {
  std::string column;
  if (!encoding.empty()) AppendBytesField(column, 1, encoding);
  for (const std::string& page : pages) AppendBytesField(column, 2, page);
  return column;
}

arrow::Result<ColumnPages> Parse(const std::string& message,
                                 FileVersion version = FileVersion::kV2_2) {
  return ParseColumnMetadata(message, {5, version, 100'000});
}

const std::string kLayout = DirectEncoding("/lance.encodings21.PageLayout", "layout");

TEST(ColumnMetadataTest, ReadsPages) {
  for (const bool is_packed : {true, false}) {
    const std::string message = Column({Page({64, 128}, {10, 3000}, 500, kLayout, is_packed),
                                        Page({8192}, {0}, 7, kLayout, is_packed)});
    const ColumnPages pages = Parse(message).ValueOrDie();
    EXPECT_EQ(pages.column, 5u);
    EXPECT_FALSE(pages.is_blob);
    EXPECT_EQ(pages.num_rows, 507u);
    ASSERT_EQ(pages.pages.size(), 2u);
    EXPECT_EQ(pages.pages[1].first_row, 500u);
    EXPECT_EQ(pages.pages[0].buffers.size(), 2u);
    EXPECT_EQ(pages.pages[0].buffers[1], (ByteRange{128, 3128}));
    EXPECT_EQ(pages.pages[1].buffers[0], (ByteRange{8192, 8192}));
    EXPECT_EQ(pages.pages[0].encoding, "layout");
    EXPECT_EQ(pages.pages[0].message, EncodingMessage::kPageLayout);
  }
  EXPECT_EQ(Parse(Column({})).ValueOrDie().num_rows, 0u);
}

TEST(ColumnMetadataTest, ReadsTheOtherMessages) {
  const auto array =
      Parse(Column({Page({3}, {4}, 1, DirectEncoding("/lance.encodings.ArrayEncoding", "a"))}),
            FileVersion::kV2_0)
          .ValueOrDie();
  EXPECT_EQ(array.pages[0].message, EncodingMessage::kArrayEncoding);
  const auto blob =
      Parse(Column({}, DirectEncoding("/lance.encodings.ColumnEncoding", std::string("\x1a\0", 2))))
          .ValueOrDie();
  EXPECT_TRUE(blob.is_blob);
}

TEST(ColumnMetadataTest, RefusesWhatCannotBe) {
  const auto kind = [](const std::string& message) {
    const auto status = Parse(message).status();
    EXPECT_NE(MessageOf(status).find("(column 5)"), std::string::npos) << status;
    return KindOf(status);
  };
  EXPECT_EQ(kind(Column({}, "")), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Column({Page({64}, {10}, 5, "")})), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Column({Page({64, 128}, {10}, 5, kLayout)})), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Column({Page({65}, {10}, 5, kLayout)})), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Column({Page({64}, {100'000}, 5, kLayout)})), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(Column({Page({64}, {UINT64_MAX}, 5, kLayout)})), ErrorKind::kCorrupt);
  EXPECT_EQ(
      kind(Column({Page({64}, {1}, 5, DirectEncoding("/lance.encodings23.PlanarLayout", ""))})),
      ErrorKind::kUnsupportedFeature);
  std::string indirect;
  AppendBytesField(indirect, 1, "elsewhere");
  EXPECT_EQ(kind(Column({Page({64}, {1}, 5, indirect)})), ErrorKind::kUnsupportedFeature);
  // Not aligned is fine at 2.0 only.
  EXPECT_TRUE(Parse(Column({Page({65}, {10}, 5, kLayout)}), FileVersion::kV2_0).ok());
}

TEST(ColumnMetadataTest, SurvivesEveryCutAndFlip) {
  const std::string good = Column({Page({64, 128}, {10, 3000}, 500, kLayout)});
  for (size_t size = 0; size < good.size(); ++size) {
    const std::string message = good.substr(0, size);
    const auto pages = Parse(message);
    EXPECT_TRUE(pages.ok() || KindOf(pages.status()) == ErrorKind::kCorrupt) << size;
  }
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string message = good;
    message[bit / 8] = static_cast<char>(message[bit / 8] ^ (1 << (bit % 8)));
    const auto pages = Parse(message);
    EXPECT_TRUE(pages.ok() || KindOf(pages.status()) != ErrorKind::kInternal);
  }
}

}  // namespace
}  // namespace pennon
