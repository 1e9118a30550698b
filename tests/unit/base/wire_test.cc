#include "base/wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using testing_support::FromHex;
using testing_support::ToHex;

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

struct VarintCase {
  uint64_t value;
  const char* hex;
};

// From the protobuf documentation and by hand.
const VarintCase kVarints[] = {
    {0, "00"},
    {1, "01"},
    {127, "7f"},
    {128, "8001"},
    {150, "9601"},
    {300, "ac02"},
    {16383, "ff7f"},
    {16384, "808001"},
    {uint64_t{1} << 32, "8080808010"},
    {uint64_t{1} << 63, "80808080808080808001"},
    {kMax, "ffffffffffffffffff01"},
};

TEST(Wire, WritesVarints) {
  for (const auto& item : kVarints) {
    std::string out;
    AppendVarint(out, item.value);
    EXPECT_EQ(ToHex(out), item.hex);
    EXPECT_EQ(VarintSize(item.value), out.size());
  }
}

TEST(Wire, ReadsVarintFields) {
  for (const auto& item : kVarints) {
    const std::string message = FromHex(std::string("08") + item.hex);
    WireReader reader(message);
    WireField field;
    ASSERT_TRUE(reader.Next(&field).ok()) << item.hex;
    EXPECT_EQ(field.number, 1u);
    EXPECT_EQ(field.type, WireType::kVarint);
    EXPECT_EQ(field.value, item.value);
    EXPECT_TRUE(reader.done());
  }
}

TEST(Wire, ReadsEveryTypeInPlace) {
  // 1: varint 150; 2: bytes "abc"; 3: fixed64; 4: fixed32; 536870911: varint 0; 5: empty bytes.
  const std::string message = FromHex(
      "089601"
      "1203616263"
      "190102030405060708"
      "250a0b0c0d"
      "f8ffffff0f00"
      "2a00");
  WireReader reader(message, 1000);
  WireField field;

  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.number, 1u);
  EXPECT_EQ(field.value, 150u);
  EXPECT_EQ(field.begin_offset, 1000u);

  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.number, 2u);
  EXPECT_EQ(field.type, WireType::kBytes);
  EXPECT_EQ(field.bytes, "abc");
  EXPECT_EQ(field.bytes.data(), message.data() + 5);
  EXPECT_EQ(field.begin_offset, 1003u);
  EXPECT_EQ(field.bytes_offset, 1005u);
  EXPECT_EQ(field.value, 0u);

  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.type, WireType::kFixed64);
  EXPECT_EQ(field.value, 0x0807060504030201u);
  EXPECT_TRUE(field.bytes.empty());

  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.type, WireType::kFixed32);
  EXPECT_EQ(field.value, 0x0d0c0b0au);

  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.number, 536870911u);
  EXPECT_EQ(field.value, 0u);

  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.number, 5u);
  EXPECT_TRUE(field.bytes.empty());
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.offset(), 1000 + message.size());
}

TEST(Wire, AnEmptyMessageIsDone) {
  WireReader reader("", 7);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.offset(), 7u);
}

struct BadCase {
  const char* what;
  const char* hex;
  const char* message;
};

TEST(Wire, RefusesWhatIsNoMessage) {
  const BadCase cases[] = {
      {"tag cut short", "88", "message is cut short or has a bad tag at byte 101"},
      {"tag of eleven bytes", "8080808080808080808001",
       "message is cut short or has a bad tag at byte 110"},
      {"field number 0", "0000", "message has an impossible field number at byte 101"},
      {"field number above 2^29-1", "808080801000",
       "message has an impossible field number at byte 105"},
      {"integer cut short", "0896", "message has a bad integer at byte 102"},
      {"integer above 2^64", "08ffffffffffffffffff02", "message has a bad integer at byte 111"},
      {"integer of eleven bytes", "08ffffffffffffffffffff01",
       "message has a bad integer at byte 111"},
      {"length cut short", "1280", "message has a bad length at byte 102"},
      {"bytes cut short", "12046162", "field is longer than its message at byte 102"},
      {"length of 2^64-1", "12ffffffffffffffffff0161",
       "field is longer than its message at byte 111"},
      {"fixed64 cut short", "1901020304050607", "message is cut short at byte 101"},
      {"fixed32 cut short", "25010203", "message is cut short at byte 101"},
      {"group begins", "0b", "message has an unknown wire type at byte 101"},
      {"group ends", "0c", "message has an unknown wire type at byte 101"},
      {"wire type 6", "0e", "message has an unknown wire type at byte 101"},
      {"wire type 7", "0f", "message has an unknown wire type at byte 101"},
  };
  for (const auto& item : cases) {
    const std::string message = FromHex(item.hex);
    WireReader reader(message, 100);
    WireField field;
    const auto status = reader.Next(&field);
    ASSERT_FALSE(status.ok()) << item.what;
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << item.what;
    EXPECT_EQ(MessageOf(status), item.message) << item.what;
  }
}

TEST(Wire, AsksForMoreAtTheEnd) {
  WireReader reader("");
  WireField field;
  EXPECT_EQ(KindOf(reader.Next(&field)), ErrorKind::kCorrupt);
}

TEST(Wire, WritesFields) {
  std::string out;
  AppendVarintField(out, 1, 150);
  AppendBytesField(out, 2, "testing");
  AppendBytesField(out, 300, "");
  AppendVarintField(out, 16, 0);
  EXPECT_EQ(ToHex(out),
            "089601"
            "120774657374696e67"
            "e21200"
            "800100");
}

TEST(Wire, WritesHeadersOfBytesThatFollow) {
  std::string out;
  AppendBytesHeader(out, 3, 200);
  out.append(200, 'x');
  WireReader reader(out);
  WireField field;
  ASSERT_TRUE(reader.Next(&field).ok());
  EXPECT_EQ(field.number, 3u);
  EXPECT_EQ(field.bytes, std::string(200, 'x'));
  EXPECT_TRUE(reader.done());
}

TEST(Wire, KnowsTheSizeOfBytesFields) {
  for (const size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u, 100000u}) {
    std::string out;
    AppendBytesField(out, 15, std::string(size, 'x'));
    EXPECT_EQ(BytesFieldSize(size), out.size()) << size;
  }
}

TEST(Wire, SurvivesEveryTruncation) {
  const std::string message = FromHex(
      "089601"
      "1203616263"
      "190102030405060708"
      "250a0b0c0d");
  const std::vector<size_t> boundaries = {0, 3, 8, 17, 22};
  for (size_t size = 0; size <= message.size(); ++size) {
    WireReader reader(std::string_view(message).substr(0, size));
    WireField field;
    auto status = arrow::Status::OK();
    while (status.ok() && !reader.done()) status = reader.Next(&field);
    const bool is_boundary =
        std::find(boundaries.begin(), boundaries.end(), size) != boundaries.end();
    EXPECT_EQ(status.ok(), is_boundary) << size;
  }
}

}  // namespace
}  // namespace pennon
