#include "encoding/v20_binary.h"

#include <arrow/array/builder_binary.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <optional>

#include "unit/encoding/v20_page_file.h"

namespace pennon::v20 {
namespace {

using Strings = std::vector<std::optional<std::string>>;

Strings Samples(size_t count) {
  Strings out;
  for (size_t i = 0; i < count; ++i) {
    if (i % 5 == 3) {
      out.push_back(std::nullopt);
    } else {
      out.push_back(std::string(i * 7 % 11, static_cast<char>('a' + i % 26)));
    }
  }
  return out;
}

template <typename Builder = arrow::StringBuilder>
std::shared_ptr<arrow::Array> ArrayOf(const Strings& strings) {
  Builder builder;
  for (const auto& text : strings)
    EXPECT_TRUE((text ? builder.Append(*text) : builder.AppendNull()).ok());
  return builder.Finish().ValueOrDie();
}

/// End offsets and bytes; nulls carry the adjustment, which is the number of bytes and one.
struct Encoded {
  std::vector<uint64_t> ends;
  std::string bytes;
  uint64_t adjustment = 0;
};

Encoded Encode(const Strings& strings) {
  Encoded out;
  for (const auto& text : strings) {
    out.bytes += text.value_or("");
    out.ends.push_back(out.bytes.size());
  }
  out.adjustment = out.bytes.size() + 1;
  for (size_t i = 0; i < strings.size(); ++i) {
    if (!strings[i]) out.ends[i] += out.adjustment;
  }
  return out;
}

void AddStrings(PageFile& file, uint32_t column, const Strings& strings) {
  const Encoded encoded = Encode(strings);
  file.AddPage(column, strings.size(), Binary(NoNulls(Flat(64, 0)), Flat(8, 1), encoded.adjustment),
               {Bytes(encoded.ends), encoded.bytes});
}

TEST(V20BinaryTest, StringsOverPages) {
  PageFile file;
  const Strings all = Samples(60);
  AddStrings(file, 0, Strings(all.begin(), all.begin() + 25));
  AddStrings(file, 0, Strings(all.begin() + 25, all.end()));
  ExpectReads(file, Leaf(arrow::utf8(), 0), *ArrayOf(all));
  ExpectReads(file, Leaf(arrow::large_binary(), 0), *ArrayOf<arrow::LargeBinaryBuilder>(all));
  ExpectSurvivesDamage(file, Leaf(arrow::binary(), 0), 60, 2);
}

TEST(V20BinaryTest, AllNullAndAllEmpty) {
  PageFile file;
  AddStrings(file, 0, Strings(20, std::nullopt));
  AddStrings(file, 1, Strings(20, std::string()));
  ExpectReads(file, Leaf(arrow::utf8(), 0), *ArrayOf(Strings(20, std::nullopt)));
  ExpectReads(file, Leaf(arrow::utf8(), 1), *ArrayOf(Strings(20, std::string())));
}

TEST(V20BinaryTest, OnlyTheBytesOfTheRowsAreRead) {
  PageFile file;
  AddStrings(file, 0, {"aaaa", "bb", "cccccc", "d"});
  uint64_t bytes = 0;
  auto array = file.Read(Leaf(arrow::utf8(), 0), {{1, 2}}, 10, &bytes).ValueOrDie();
  EXPECT_EQ(array->ToString(), ArrayOf({"bb"})->ToString());
  EXPECT_EQ(bytes, 2u * 8 + 2);
}

TEST(V20BinaryTest, FallingOffsetsAreCorrupt) {
  PageFile file;
  file.AddPage(0, 3, Binary(Flat(64, 0), Flat(8, 1), 100), {Bytes<uint64_t>({4, 2, 6}), "abcdef"});
  file.AddPage(1, 3, Binary(Flat(64, 0), Flat(8, 1), 100), {Bytes<uint64_t>({4, 5, 7}), "abcdef"});
  file.AddPage(2, 3, Binary(Flat(64, 0), Flat(8, 1), 0), {Bytes<uint64_t>({4, 5, 6}), "abcdef"});
  file.AddPage(3, 3, Binary(Flat(32, 0), Flat(8, 1), 9), {Bytes<uint32_t>({4, 5, 6}), "abcdef"});
  for (uint32_t column = 0; column < 4; ++column) {
    SCOPED_TRACE(column);
    EXPECT_EQ(KindOf(file.Read(Leaf(arrow::utf8(), column), {{0, 3}}).status()),
              ErrorKind::kCorrupt);
  }
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::int32(), 1), {{0, 3}}).status()), ErrorKind::kCorrupt);
}

/// A table whose symbol i is the text i.
std::string SymbolTable(const std::vector<std::string>& symbols) {
  std::string out;
  AppendLittleEndian(out, (uint64_t{0x46535354} << 32) | (uint64_t{1} << 24) | symbols.size());
  std::string lengths;
  for (std::string symbol : symbols) {
    lengths.push_back(static_cast<char>(symbol.size()));
    symbol.resize(8, '\0');
    out += symbol;
  }
  out += lengths;
  out.resize(2312, '\0');
  return out;
}

TEST(V20BinaryTest, FsstStrings) {
  const Strings coded = {std::string("\0\1", 2), std::nullopt, "", std::string("\xFFx\1\1", 4)};
  const Encoded encoded = Encode(coded);
  const Message binary = Binary(Flat(64, 0), Flat(8, 1), encoded.adjustment);
  PageFile file;
  file.AddPage(0, 4, Fsst(binary, SymbolTable({"hello ", "wo"})),
               {Bytes(encoded.ends), encoded.bytes});
  ExpectReads(file, Leaf(arrow::utf8(), 0), *ArrayOf({"hello wo", std::nullopt, "", "xwowo"}));
  ExpectReads(file, Leaf(arrow::large_utf8(), 0),
              *ArrayOf<arrow::LargeStringBuilder>({"hello wo", std::nullopt, "", "xwowo"}));
  file.AddPage(1, 4, Fsst(binary, "short"), {Bytes(encoded.ends), encoded.bytes});
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::utf8(), 1), {{0, 4}}).status()), ErrorKind::kCorrupt);
}

TEST(V20BinaryTest, StringsOfOneLength) {
  PageFile file;
  file.AddPage(0, 5, FixedSizeBinary(Flat(8, 0), 3), {"aaabbbcccdddeee"});
  file.AddPage(1, 5, FixedSizeBinary(Flat(8, 0), 0), {""});
  file.AddPage(2, 5, FixedSizeBinary(Flat(8, 0), 4), {"aaabbbcccdddeee"});
  ExpectReads(file, Leaf(arrow::utf8(), 0), *ArrayOf({"aaa", "bbb", "ccc", "ddd", "eee"}));
  ExpectReads(file, Leaf(arrow::utf8(), 1), *ArrayOf(Strings(5, std::string())));
  EXPECT_EQ(KindOf(file.Read(Leaf(arrow::utf8(), 2), {{0, 5}}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon::v20
