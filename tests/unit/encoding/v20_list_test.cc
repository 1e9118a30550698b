#include "encoding/v20_list.h"

#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <optional>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

using Lists = std::vector<std::optional<std::vector<int8_t>>>;

Lists Samples(size_t count) {
  Lists out;
  int8_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % 4 == 1) {
      out.push_back(std::nullopt);
      continue;
    }
    out.emplace_back();
    out.back().emplace();
    for (size_t k = 0; k < i * 3 % 5; ++k) out.back()->push_back(next++);
  }
  return out;
}

template <typename Builder>
std::shared_ptr<arrow::Array> ArrayOf(const Lists& lists) {
  auto items = std::make_shared<arrow::Int8Builder>();
  Builder builder(arrow::default_memory_pool(), items);
  for (const auto& list : lists) {
    EXPECT_TRUE((list ? builder.Append() : builder.AppendNull()).ok());
    if (list) {
      EXPECT_TRUE(items->AppendValues(*list).ok());
    }
  }
  return builder.Finish().ValueOrDie();
}

/// Adds lists to column 0; items go to `items`.
void AddLists(PageFile& file, const Lists& lists, std::vector<int8_t>* items) {
  std::vector<uint64_t> ends;
  uint64_t end = 0;
  for (const auto& list : lists) {
    if (list) {
      end += list->size();
      items->insert(items->end(), list->begin(), list->end());
    }
    ends.push_back(end);
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!lists[i]) ends[i] += end + 1;
  }
  file.AddPage(0, lists.size(), List(NoNulls(Flat(64, 0)), end + 1, end), {Bytes(ends)});
}

FieldShape ListShape(const std::shared_ptr<arrow::DataType>& type) {
  FieldShape shape = Leaf(type, 0);
  shape.children.push_back(Leaf(arrow::int8(), 1));
  return shape;
}

TEST(V20ListTest, ListsAndItemsOverPages) {
  const Lists all = Samples(50);
  PageFile file;
  std::vector<int8_t> items;
  AddLists(file, Lists(all.begin(), all.begin() + 17), &items);
  AddLists(file, Lists(all.begin() + 17, all.begin() + 18), &items);
  AddLists(file, Lists(all.begin() + 18, all.end()), &items);
  // Pages of items end where they like.
  const auto half = static_cast<ptrdiff_t>(items.size() / 2);
  file.AddPage(1, static_cast<uint64_t>(half), Flat(8, 0),
               {Bytes(std::vector<int8_t>(items.begin(), items.begin() + half))});
  file.AddPage(1, items.size() - static_cast<size_t>(half), Flat(8, 0),
               {Bytes(std::vector<int8_t>(items.begin() + half, items.end()))});
  ExpectReads(file, ListShape(arrow::list(arrow::int8())), *ArrayOf<arrow::ListBuilder>(all));
  ExpectReads(file, ListShape(arrow::large_list(arrow::int8())),
              *ArrayOf<arrow::LargeListBuilder>(all));
  ExpectSurvivesDamage(file, ListShape(arrow::list(arrow::int8())), 50, 5);
}

TEST(V20ListTest, AllEmptyAndAllNull) {
  for (const Lists& lists : {Lists(9, std::vector<int8_t>()), Lists(9, std::nullopt)}) {
    PageFile file;
    std::vector<int8_t> items;
    AddLists(file, lists, &items);
    file.AddPage(1, 0, Flat(8, 0), {""});
    ExpectReads(file, ListShape(arrow::list(arrow::int8())), *ArrayOf<arrow::ListBuilder>(lists));
  }
}

TEST(V20ListTest, OnlyTheItemsOfTheRowsAreRead) {
  PageFile file;
  std::vector<int8_t> items;
  AddLists(file, {{{1, 2, 3}}, {{4, 5}}, {{6}}}, &items);
  file.AddPage(1, items.size(), Flat(8, 0), {Bytes(items)});
  uint64_t bytes = 0;
  ASSERT_TRUE(file.Read(ListShape(arrow::list(arrow::int8())), {{1, 2}}, 10, &bytes).ok());
  EXPECT_EQ(bytes, 2u * 8 + 2);
}

TEST(V20ListTest, ItemsBeyondTheirColumnAreCorrupt) {
  PageFile file;
  file.AddPage(0, 2, List(Flat(64, 0), 9, 5), {Bytes<uint64_t>({2, 5})});
  file.AddPage(1, 4, Flat(8, 0), {"abcd"});
  EXPECT_EQ(KindOf(file.Read(ListShape(arrow::list(arrow::int8())), {{0, 2}}).status()),
            ErrorKind::kCorrupt);
  EXPECT_TRUE(file.Read(ListShape(arrow::list(arrow::int8())), {{0, 1}}).ok());
  PageFile low;
  low.AddPage(0, 2, List(Flat(64, 0), 9, 4), {Bytes<uint64_t>({2, 5})});
  low.AddPage(1, 5, Flat(8, 0), {"abcde"});
  auto array = low.Read(ListShape(arrow::list(arrow::int8())), {{0, 2}});
  EXPECT_EQ(KindOf(array.status()), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(array.status()).find("(column 0, page 0)"), std::string::npos);
  PageFile flat;
  flat.AddPage(0, 2, Flat(64, 0), {Bytes<uint64_t>({2, 5})});
  flat.AddPage(1, 5, Flat(8, 0), {"abcde"});
  EXPECT_EQ(KindOf(flat.Read(ListShape(arrow::list(arrow::int8())), {{0, 2}}).status()),
            ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
