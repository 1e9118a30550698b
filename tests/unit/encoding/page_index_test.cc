#include "encoding/page_index.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "layered_page_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

/// Makes the index of a page whose index buffers hold these bytes.
arrow::Result<std::shared_ptr<const LayoutPageIndex>> MakeIndex(
    const Message& message, uint64_t num_rows, const std::vector<std::string>& buffers,
    const std::shared_ptr<arrow::DataType>& type) {
  ARROW_ASSIGN_OR_RAISE(PageLayout layout, ParsePageLayout(message));
  std::vector<ByteRange> ranges;
  uint64_t at = 0;
  for (const std::string& buffer : buffers) {
    ranges.push_back({at, at + buffer.size()});
    at += 1 << 20;
  }
  PageInfo page;
  page.num_rows = num_rows;
  page.buffers = ranges;
  ARROW_ASSIGN_OR_RAISE(const auto wanted, PageIndexRanges(layout, page));
  std::vector<FetchedBytes> bytes;
  for (const ByteRange& range : wanted) {
    const std::string& buffer = buffers[range.begin >> 20];
    bytes.push_back({{reinterpret_cast<const uint8_t*>(buffer.data()), buffer.size()}, nullptr});
  }
  return MakePageIndex(std::move(layout), page, MakeLeafType(type).ValueOrDie(), bytes, {});
}

MiniBlock FlatPage(uint64_t num_items) {
  MiniBlock page;
  page.values = Flat(32);
  page.num_items = num_items;
  return page;
}

TEST(PageIndexTest, ChunkTable) {
  for (const bool is_large : {false, true}) {
    MiniBlock page = FlatPage(16 + 8 + 5);
    page.is_large = is_large;
    const std::string data(80 + 48 + 32, 'x');
    const std::string words = Words(
        page, {{std::string(80, 'x'), 4}, {std::string(48, 'x'), 3}, {std::string(32, 'x'), 0}});
    const auto index = MakeIndex(page.Layout(), 29, {words, data}, arrow::int32()).ValueOrDie();
    ASSERT_EQ(index->chunks.size(), 4u);
    EXPECT_EQ(index->chunks[1].begin, 80u);
    EXPECT_EQ(index->chunks[2].first_value, 24u);
    EXPECT_EQ(index->chunks[3].begin, 160u);
    EXPECT_EQ(index->chunks[3].first_row, 29u);
    EXPECT_GT(index->memory_bytes(), 0u);
    const auto corrupt = [&](uint64_t rows, const std::string& w, const std::string& d) {
      return KindOf(MakeIndex(page.Layout(), rows, {w, d}, arrow::int32()).status()) ==
             ErrorKind::kCorrupt;
    };
    EXPECT_TRUE(corrupt(28, words, data));
    EXPECT_TRUE(corrupt(29, words, data + "12345678"));
    EXPECT_TRUE(corrupt(29, words.substr(1), data));
    EXPECT_TRUE(corrupt(29, "", ""));
    // A chunk before the last with a single value.
    EXPECT_TRUE(
        corrupt(29, Words(page, {{std::string(80, 'x'), 0}, {std::string(80, 'x'), 0}}), data));
  }
}

TEST(PageIndexTest, LastChunkMayNotBeHuge) {
  const std::string chunk(16, 'x');
  const MiniBlock page = FlatPage(40'000);
  EXPECT_EQ(
      KindOf(MakeIndex(page.Layout(), 40'000, {Words(page, {{chunk, 0}}), chunk}, arrow::int32())
                 .status()),
      ErrorKind::kCorrupt);
}

TEST(PageIndexTest, RepetitionIndex) {
  MiniBlock page = FlatPage(6);
  page.rep = Flat(16);
  page.layers = {1, 2};
  const std::string chunk(16, 'x');
  const std::string words = Words(page, {{chunk, 1}, {chunk, 1}, {chunk, 1}});
  const std::string data = chunk + chunk + chunk;
  // Two rows end in chunk 0 and a third goes on through chunk 1 into chunk 2, where two end.
  const auto index = MakeIndex(page.Layout(), 4, {words, data, Bytes<uint64_t>({2, 3, 0, 4, 2, 0})},
                               arrow::int32())
                         .ValueOrDie();
  EXPECT_EQ(index->chunks[1].first_row, 3u);
  EXPECT_EQ(index->chunks[2].first_row, 3u);
  EXPECT_EQ(index->chunks[3].first_row, 4u);
  EXPECT_EQ(index->has_preamble, (std::vector<bool>{false, true, true}));
  for (const auto& bad :
       {Bytes<uint64_t>({2, 3, 0, 4, 3, 0}), Bytes<uint64_t>({2, 3, 0, 0, 2, 0}),
        Bytes<uint64_t>({2, 3, 0, 4}), Bytes<uint64_t>({UINT64_MAX, 3, 0, 4, 2, 0})}) {
    EXPECT_EQ(KindOf(MakeIndex(page.Layout(), 4, {words, data, bad}, arrow::int32()).status()),
              ErrorKind::kCorrupt);
  }
}

TEST(PageIndexTest, Dictionaries) {
  MiniBlock page = FlatPage(3);
  page.dictionary = Variable(32);
  page.num_dictionary_items = 2;
  const std::string chunk(16, 'x');
  const std::vector<std::string> buffers{Words(page, {{chunk, 0}}), chunk,
                                         VariableBlock({"a", "bc"})};
  const auto index = MakeIndex(page.Layout(), 3, buffers, arrow::utf8()).ValueOrDie();
  EXPECT_EQ(index->dictionary->length, 2);
  EXPECT_EQ(KindOf(MakeIndex(page.Layout(), 3, buffers, arrow::boolean()).status()),
            ErrorKind::kCorrupt);
  EXPECT_EQ(
      KindOf(MakeIndex(page.Layout(), 3, {buffers[0], buffers[1], "x"}, arrow::utf8()).status()),
      ErrorKind::kCorrupt);
  page.num_dictionary_items = uint64_t{1} << 60;
  EXPECT_EQ(KindOf(MakeIndex(page.Layout(), 3, buffers, arrow::utf8()).status()),
            ErrorKind::kCorrupt);
}

TEST(PageIndexTest, ConstantPages) {
  const Message inlined = Wrap(2, LayersAt(5, {3}) + Wrap(6, std::string("\7\0\0\0", 4)));
  const std::string def = Bytes<uint16_t>({0, 1, 0});
  const auto index = MakeIndex(inlined, 3, {"", def}, arrow::int32()).ValueOrDie();
  EXPECT_TRUE(index->has_value);
  EXPECT_EQ(index->def, (std::vector<uint16_t>{0, 1, 0}));
  EXPECT_EQ(KindOf(MakeIndex(inlined, 4, {"", def}, arrow::int32()).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(MakeIndex(inlined, 3, {"", def}, arrow::int64()).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(MakeIndex(inlined, 3, {def}, arrow::int32()).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(
      KindOf(MakeIndex(inlined, 3, {"", Bytes<uint16_t>({0, 2, 0})}, arrow::int32()).status()),
      ErrorKind::kCorrupt);
  // A string in its two Arrow buffers.
  std::string value = Bytes<uint32_t>({2, 8, 5, 0, 5}) + "hello";
  const Message buffered = Wrap(2, LayersAt(5, {1}));
  const auto text = MakeIndex(buffered, 9, {value}, arrow::utf8()).ValueOrDie();
  EXPECT_EQ(std::string(text->value.begin(), text->value.end()), "hello");
  for (const size_t at : {size_t{0}, size_t{4}, size_t{8}, size_t{16}}) {
    std::string bad = value;
    bad[at] = static_cast<char>(bad[at] + 3);
    EXPECT_EQ(KindOf(MakeIndex(buffered, 9, {bad}, arrow::utf8()).status()), ErrorKind::kCorrupt)
        << at;
  }
  // Rows of lists, found by their levels.
  const Message lists = Wrap(2, LayersAt(5, {1, 5}) + Wrap(6, std::string("\7\0\0\0", 4)));
  const auto rows =
      MakeIndex(lists, 2, {Bytes<uint16_t>({1, 0, 1}), Bytes<uint16_t>({0, 0, 1})}, arrow::int32())
          .ValueOrDie();
  EXPECT_EQ(rows->row_starts, (std::vector<uint64_t>{0, 2, 3}));
  EXPECT_EQ(KindOf(MakeIndex(lists, 2, {Bytes<uint16_t>({0, 0, 1}), Bytes<uint16_t>({0, 0, 1})},
                             arrow::int32())
                       .status()),
            ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
