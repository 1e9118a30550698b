#include "format/jsonb.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

std::string BigEndian(uint64_t value, int width) {
  std::string out;
  for (int i = width - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

/// An entry's kind and bytes.
using Entry = std::pair<uint32_t, std::string>;

Entry Text(std::string text) { return {0x10000000, std::move(text)}; }
Entry Number(uint8_t kind, const std::string& bytes) {
  return {0x20000000, static_cast<char>(kind) + bytes};
}
Entry Float(double value) { return Number(0x60, BigEndian(std::bit_cast<uint64_t>(value), 8)); }

std::string Container(uint32_t kind, uint32_t length, const std::vector<Entry>& entries) {
  std::string out = BigEndian(kind | length, 4);
  for (const Entry& entry : entries) out += BigEndian(entry.first | entry.second.size(), 4);
  for (const Entry& entry : entries) out += entry.second;
  return out;
}
std::string Scalar(const Entry& entry) { return Container(0x20000000, 0, {entry}); }
Entry Array(const std::vector<Entry>& items) {
  return {0x50000000, Container(0x80000000, static_cast<uint32_t>(items.size()), items)};
}
/// Keys first, then values.
Entry Object(std::vector<Entry> keys, const std::vector<Entry>& values) {
  const auto length = static_cast<uint32_t>(keys.size());
  keys.insert(keys.end(), values.begin(), values.end());
  return {0x50000000, Container(0x40000000, length, keys)};
}

std::string ToText(const std::string& stored) {
  std::string out;
  const auto status = AppendJsonText(stored, &out);
  return status.ok() ? out : status.ToString();
}

TEST(JsonbTest, Scalars) {
  EXPECT_EQ(ToText(Scalar({0x00000000, ""})), "null");
  EXPECT_EQ(ToText(Scalar({0x30000000, ""})), "false");
  EXPECT_EQ(ToText(Scalar({0x40000000, ""})), "true");
  EXPECT_EQ(ToText(Scalar(Text("a\"\\\n\x01\x7f/é"))), "\"a\\\"\\\\\\n\\u0001\x7f/é\"");
  EXPECT_EQ(ToText(Scalar(Number(0x00, ""))), "0");
  EXPECT_EQ(ToText(Scalar(Number(0x40, "\xFB"))), "-5");
  EXPECT_EQ(ToText(Scalar(Number(0x40, BigEndian(uint64_t(-300), 2)))), "-300");
  EXPECT_EQ(ToText(Scalar(Number(0x50, BigEndian(~uint64_t{0}, 8)))), "18446744073709551615");
  EXPECT_EQ(ToText(Scalar(Number(0x20, ""))), "null");
}

TEST(JsonbTest, FloatsAreSpelledAsTheReferenceDoes) {
  const std::pair<double, const char*> cases[] = {
      {1.0, "1.0"},
      {-0.0, "-0.0"},
      {0.1, "0.1"},
      {2.5, "2.5"},
      {1e14, "100000000000000.0"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {1.234e15, "1234000000000000.0"},
      {12345678901234567000.0, "1.2345678901234567e+19"},
      {1e-5, "0.00001"},
      {1.2e-5, "0.000012"},
      {1e-6, "1e-6"},
      {-1.5e-300, "-1.5e-300"},
      {1e300, "1e+300"},
      {123456.789, "123456.789"},
      {1234567890123456.5, "1234567890123456.5"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(ToText(Scalar(Float(value))), text);
}

TEST(JsonbTest, Decimals) {
  EXPECT_EQ(ToText(Scalar(Number(0x70, BigEndian(uint64_t(-12345), 8) + "\x02"))), "-123.45");
  EXPECT_EQ(ToText(Scalar(Number(0x70, BigEndian(5, 8) + "\x03"))), "0.005");
  EXPECT_EQ(ToText(Scalar(Number(0x70, BigEndian(1, 8) + BigEndian(0, 8) + std::string(1, '\0')))),
            "18446744073709551616");
  EXPECT_EQ(ToText(Scalar(Number(0x70, BigEndian(0, 8) + BigEndian(7, 8) + "\x26\x01"))), "0.7");
}

TEST(JsonbTest, Containers) {
  const Entry inner = Object({Text("x"), Text("y")}, {Number(0x50, "\x07"), Array({})});
  EXPECT_EQ(ToText(Array({Text("a"), inner, {0, ""}}).second), R"(["a",{"x":7,"y":[]},null])");
  EXPECT_EQ(ToText(Object({}, {}).second), "{}");
}

TEST(JsonbTest, DamageIsAnError) {
  const std::string stored = Array({Text("abc"), Object({Text("k")}, {Float(1.5)})}).second;
  for (size_t size = 0; size < stored.size(); ++size) {
    std::string out;
    EXPECT_EQ(KindOf(AppendJsonText(stored.substr(0, size), &out)), ErrorKind::kCorrupt) << size;
  }
  for (size_t at = 0; at < stored.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = stored;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
      std::string out;
      (void)AppendJsonText(flipped, &out).ok();
    }
  }
  std::string out;
  EXPECT_EQ(KindOf(AppendJsonText(Scalar({0x60000000, "\x10"}), &out)),
            ErrorKind::kUnsupportedFeature);
  Entry deep = Array({});
  for (int i = 0; i < 2000; ++i) deep = Array({deep});
  EXPECT_EQ(KindOf(AppendJsonText(deep.second, &out)), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
