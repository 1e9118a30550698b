#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

/// 500 vectors of four floats in chunks of 64.
std::shared_ptr<arrow::Array> AddVectors(PageFile* file, bool is_large) {
  const auto type = arrow::fixed_size_list(arrow::float32(), 4);
  MiniBlock page;
  page.values = ListOf(4, false, Flat(32));
  page.num_items = 500;
  page.is_large = is_large;
  std::vector<std::pair<std::string, unsigned>> chunks;
  std::string data;
  std::vector<float> all;
  for (size_t at = 0; at < 500; at += 64) {
    std::vector<float> items;
    for (size_t i = at * 4; i < std::min<size_t>(500, at + 64) * 4; ++i) {
      items.push_back(static_cast<float>(i) / 3);
    }
    all.insert(all.end(), items.begin(), items.end());
    chunks.emplace_back(Chunk(page, 0, "", "", {Bytes(items)}), at + 64 > 500 ? 0 : 6);
    data += chunks.back().first;
  }
  file->AddPage(0, 500, page.Layout(), {Words(page, chunks), data});
  arrow::FixedSizeListBuilder expected(arrow::default_memory_pool(),
                                       std::make_shared<arrow::FloatBuilder>(), type);
  EXPECT_TRUE(expected.AppendValues(500).ok());
  EXPECT_TRUE(static_cast<arrow::FloatBuilder*>(expected.value_builder())->AppendValues(all).ok());
  return expected.Finish().ValueOrDie();
}

TEST(FlatChunkCursorTest, ReadsRowsOverChunks) {
  for (const bool is_large : {false, true}) {
    PageFile file;
    const auto expected = AddVectors(&file, is_large);
    ExpectReads(file, Leaf(expected->type(), 0), *expected);
    ExpectSurvivesDamage(file, Leaf(expected->type(), 0), 500);
  }
}

TEST(FlatChunkCursorTest, FetchesRowsWithoutTheirChunks) {
  PageFile file;
  const auto expected = AddVectors(&file, true);
  file.keeps_indices = true;
  ASSERT_TRUE(file.Read(Leaf(expected->type(), 0), {{0, 1}}).ok());
  PageFile::Cost cost;
  ASSERT_TRUE(file.Read(Leaf(expected->type(), 0), {{5, 6}, {63, 65}, {499, 500}}, 9, &cost).ok());
  EXPECT_EQ(cost.ranges, 3u);
  EXPECT_EQ(cost.bytes, 16u + (2 * 16 + 8) + 16u);
}

TEST(FlatChunkCursorTest, RefusesChunksOfAnotherSize) {
  MiniBlock page;
  page.values = Flat(64);
  page.num_items = 6;
  const std::string chunk = Chunk(page, 0, "", "", {std::string(5 * 8, 'x')});
  PageFile file;
  file.AddPage(0, 6, page.Layout(), {Words(page, {{chunk, 0}}), chunk});
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int64(), 0), {{0, 6}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
