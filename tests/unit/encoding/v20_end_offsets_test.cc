#include "encoding/v20_end_offsets.h"

#include <gtest/gtest.h>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

/// Lists that end at 3, null at 3, 5, 5, 9; the adjustment is 100.
class V20EndOffsetsTest : public testing::Test {
 protected:
  void SetUp() override {
    bytes_ = Bytes<uint64_t>({3, 103, 5, 5, 9});
    encoding_.kind = V20Kind::kFlat;
    encoding_.bits = 64;
    encoding_.buffer = {0, bytes_.size()};
    context_.buffer_bytes_max = 1000;
  }

  std::unique_ptr<V20EndOffsets> Load(RowRanges rows) {
    auto offsets = V20EndOffsets::Make(encoding_, 100, std::move(rows), context_).ValueOrDie();
    std::vector<ByteRange> wanted;
    EXPECT_TRUE(offsets->Plan(&wanted).ok());
    auto owner = std::make_shared<arrow::Buffer>(bytes_);
    std::vector<FetchedBytes> fetched;
    for (const ByteRange& range : wanted)
      fetched.push_back({{owner->data() + range.begin, range.size()}, owner});
    std::span<const FetchedBytes> all = fetched;
    EXPECT_TRUE(offsets->Accept(&all).ok());
    EXPECT_TRUE(all.empty());
    return offsets;
  }

  std::string bytes_;
  V20Encoding encoding_;
  V20Context context_;
};

TEST_F(V20EndOffsetsTest, FindsItemsOfRanges) {
  auto offsets = Load({{0, 2}, {3, 5}});
  ASSERT_TRUE(offsets->Load().ok());
  EXPECT_EQ(offsets->num_rows(), 4u);
  EXPECT_EQ(offsets->item_ranges(), (RowRanges{{0, 3}, {5, 9}}));
  const auto items = offsets->ItemsOf(1, 3).ValueOrDie();
  EXPECT_EQ(items.begin, 3u);
  EXPECT_EQ(items.count, 4u);
  EXPECT_TRUE(items.has_nulls);
  EXPECT_FALSE(offsets->ItemsOf(2, 2).ValueOrDie().has_nulls);
  std::vector<int32_t> written(5);
  offsets->WriteOffsets<int32_t>(0, 4, 10, written.data());
  EXPECT_EQ(written, (std::vector<int32_t>{10, 13, 13, 13, 17}));
  uint8_t bits = 0xFF;
  offsets->ClearNulls(0, 4, &bits, 2);
  EXPECT_EQ(bits, 0xF7);
}

TEST_F(V20EndOffsetsTest, OffsetsThatFallAreFoundBeforeUse) {
  bytes_ = Bytes<uint64_t>({3, 2, 5, 50, 9});
  auto offsets = Load({{0, 5}});
  ASSERT_TRUE(offsets->Load().ok());
  EXPECT_TRUE(offsets->ItemsOf(0, 1).ok());
  EXPECT_EQ(KindOf(offsets->ItemsOf(0, 2).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(offsets->ItemsOf(2, 2).status()), ErrorKind::kCorrupt);
  bytes_ = Bytes<uint64_t>({9, 3, 5, 5, 9});
  EXPECT_EQ(KindOf(Load({{1, 2}})->Load()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
