#include "encoding/fsst.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string MakeTable(const std::vector<std::string>& symbols, bool is_coded = true) {
  std::string table;
  AppendLittleEndian<uint64_t>(
      table, (uint64_t{0x46535354} << 32) | (is_coded ? 1u << 24 : 0u) | symbols.size());
  for (const std::string& symbol : symbols) {
    table += symbol;
    table.append(8 - symbol.size(), '\0');
  }
  for (const std::string& symbol : symbols) table.push_back(static_cast<char>(symbol.size()));
  table.resize(2312, '\0');
  return table;
}

std::string Decode(const FsstTable& table, const std::string& coded) {
  std::vector<uint8_t> out(table.DecodedBytesMax(coded.size()) + FsstTable::kSlackBytes);
  const uint8_t* end =
      table.Decode({reinterpret_cast<const uint8_t*>(coded.data()), coded.size()}, out.data());
  return std::string(reinterpret_cast<const char*>(out.data()),
                     static_cast<size_t>(end - out.data()));
}

TEST(FsstTest, DecodesSymbolsAndEscapes) {
  const FsstTable table = FsstTable::Parse(MakeTable({"http://", "abcdefgh", "x"})).ValueOrDie();
  EXPECT_EQ(Decode(table, ""), "");
  EXPECT_EQ(Decode(table, std::string("\0", 1)), "http://");
  EXPECT_EQ(Decode(table, std::string("\1\2\2\1\0", 5)), "abcdefghxxabcdefghhttp://");
  EXPECT_EQ(Decode(table, std::string("\xff\xff\1\xffZ\2\xffY", 8)),
            "\xff"
            "abcdefghZxY");
  // The escape as the last of four, its literal in the next four.
  EXPECT_EQ(Decode(table, std::string("\2\2\2\xffQ\2\2\2\2", 9)), "xxxQxxxx");
}

TEST(FsstTest, PlainWhenSwitchedOff) {
  const FsstTable table = FsstTable::Parse(MakeTable({"ab"}, false)).ValueOrDie();
  EXPECT_EQ(Decode(table, std::string("\0\xffz", 3)), std::string("\0\xffz", 3));
}

TEST(FsstTest, DamagedCodesStayInside) {
  const FsstTable table = FsstTable::Parse(MakeTable({"ab"})).ValueOrDie();
  EXPECT_EQ(Decode(table, std::string("\0\x17\0", 3)), "abab");
  EXPECT_EQ(Decode(table, std::string("\0\xff", 2)), "ab");
  EXPECT_EQ(Decode(table, std::string("\0\0\0\xff", 4)), "ababab");
}

TEST(FsstTest, RefusesBadTables) {
  std::string table = MakeTable({"ab", "c"});
  EXPECT_EQ(KindOf(FsstTable::Parse(table.substr(1)).status()), ErrorKind::kCorrupt);
  table[7] = 0;
  EXPECT_EQ(KindOf(FsstTable::Parse(table).status()), ErrorKind::kCorrupt);
  table = MakeTable({"ab", "c"});
  table[8 + 16] = 9;
  EXPECT_EQ(MessageOf(FsstTable::Parse(table).status()),
            "FSST symbol has an impossible length: symbol 0, 9 bytes");
}

}  // namespace
}  // namespace pennon
