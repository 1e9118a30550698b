#include "encoding/v20_column.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <map>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

class MapCache : public PageIndexCache {
 public:
  std::shared_ptr<const PageIndex> Find(uint32_t column, uint32_t page) override {
    const auto found = kept.find({column, page});
    return found == kept.end() ? nullptr : found->second;
  }
  void Keep(uint32_t column, uint32_t page, std::shared_ptr<const PageIndex> index) override {
    kept[{column, page}] = std::move(index);
  }
  std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const PageIndex>> kept;
};

PageFile ThreePages() {
  PageFile file;
  file.AddPage(0, 3, Flat(8, 0), {"abc"});
  file.AddPage(0, 0, Flat(8, 0), {""});
  file.AddPage(0, 4, Flat(8, 0), {"defg"});
  return file;
}

TEST(V20ColumnTest, SplitsRowsByPage) {
  PageFile file = ThreePages();
  const ColumnPages& column = **file.Pages(0);
  const auto split = SplitByPage(column, {{1, 2}, {2, 5}, {6, 7}});
  ASSERT_EQ(split.size(), 2u);
  EXPECT_EQ(split[0].page, 0u);
  EXPECT_EQ(split[0].rows, (RowRanges{{1, 3}}));
  EXPECT_EQ(split[1].page, 2u);
  EXPECT_EQ(split[1].rows, (RowRanges{{0, 2}, {3, 4}}));
  EXPECT_TRUE(SplitByPage(column, {}).empty());
}

TEST(V20ColumnTest, EncodingsAreParsedOnce) {
  PageFile file = ThreePages();
  MapCache cache;
  DecodeContext context;
  context.columns = &file;
  context.indices = &cache;
  context.buffer_bytes_max = 100;
  const ColumnPages& column = **file.Pages(0);
  const auto first = LoadV20Page(column, 2, context).ValueOrDie();
  EXPECT_GT(first->memory_bytes(), 0u);
  file.encoding(2)[0] = '\xFF';
  EXPECT_EQ(LoadV20Page(column, 2, context).ValueOrDie(), first);
  EXPECT_EQ(cache.kept.size(), 1u);
}

TEST(V20ColumnTest, DecodingMoreThanSelectedIsAMistake) {
  PageFile file = ThreePages();
  DecodeContext context;
  context.columns = &file;
  auto decoder = V20ColumnDecoder::Make(**file.Pages(0), arrow::uint8(), {}, context).ValueOrDie();
  EXPECT_EQ(decoder->Decode(0).ValueOrDie()->length, 0);
  EXPECT_EQ(KindOf(decoder->Decode(1).status()), ErrorKind::kInternal);
}

}  // namespace
}  // namespace pennon::v20
