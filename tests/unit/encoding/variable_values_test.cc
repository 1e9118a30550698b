#include "encoding/variable_values.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "encoded_bytes.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using namespace v21;  // NOLINT

arrow::Result<std::vector<std::string>> ReadBlock(const std::string& block, uint64_t count) {
  const LeafType type = MakeLeafType(arrow::binary()).ValueOrDie();
  ValueBuilder out(type, {});
  ARROW_RETURN_NOT_OK(DecodeVariableBlock(
      {reinterpret_cast<const uint8_t*>(block.data()), block.size()}, count, &out));
  ARROW_ASSIGN_OR_RAISE(auto data, out.Finish(nullptr, 0));
  const arrow::BinaryArray array(data);
  std::vector<std::string> values;
  for (int64_t i = 0; i < array.length(); ++i) values.emplace_back(array.GetView(i));
  return values;
}

const std::vector<std::string> kValues{"", "abc", "", "defghij", "k"};

TEST(VariableValuesTest, BlocksOfBothWidths) {
  EXPECT_EQ(ReadBlock(VariableBlock(kValues), 5).ValueOrDie(), kValues);
  std::string wide;
  AppendLittleEndian<uint64_t>(wide, 64);
  AppendLittleEndian<uint64_t>(wide, 16 + 8 * 6);
  uint64_t at = 0;
  AppendLittleEndian(wide, at);
  for (const auto& value : kValues) AppendLittleEndian(wide, at += value.size());
  for (const auto& value : kValues) wide += value;
  EXPECT_EQ(ReadBlock(wide, 5).ValueOrDie(), kValues);
}

TEST(VariableValuesTest, BlocksOfVeryOldFiles) {
  std::string narrow(1, 32);
  AppendLittleEndian<uint32_t>(narrow, 5);
  AppendLittleEndian<uint32_t>(narrow, 9 + 4 * 6);
  uint32_t at = 0;
  AppendLittleEndian(narrow, at);
  for (const auto& value : kValues) {
    AppendLittleEndian(narrow, at += static_cast<uint32_t>(value.size()));
  }
  for (const auto& value : kValues) narrow += value;
  EXPECT_EQ(ReadBlock(narrow, 5).ValueOrDie(), kValues);
}

TEST(VariableValuesTest, RefusesDamagedBlocks) {
  const std::string good = VariableBlock(kValues);
  for (size_t size = 1; size < good.size(); ++size) {
    EXPECT_EQ(KindOf(ReadBlock(good.substr(0, size), 5).status()), ErrorKind::kCorrupt) << size;
  }
  EXPECT_EQ(KindOf(ReadBlock(good, 6).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(ReadBlock(good, UINT64_MAX).status()), ErrorKind::kCorrupt);
  for (const size_t at : {size_t{0}, size_t{4}, size_t{12}, size_t{28}}) {
    std::string bad = good;
    StoreLittleEndian<uint32_t>(bad.data() + at, 0xFFFFFF00u);
    EXPECT_EQ(KindOf(ReadBlock(bad, 5).status()), ErrorKind::kCorrupt) << at;
  }
  EXPECT_EQ(ReadBlock("", 0).ValueOrDie(), std::vector<std::string>());
}

}  // namespace
}  // namespace pennon
