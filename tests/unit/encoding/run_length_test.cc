#include "encoding/run_length.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

template <typename T>
std::span<const uint8_t> AsBytes(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
std::vector<T> Words(ValueBuilder& builder) {
  std::vector<T> out(builder.length);
  std::memcpy(out.data(), builder.values.data(), out.size() * sizeof(T));
  return out;
}

template <typename T>
void CheckWidth() {
  std::mt19937 random(3);
  std::vector<T> values;
  std::vector<uint8_t> lengths;
  std::vector<T> expected;
  for (int i = 0; i < 300; ++i) {
    values.push_back(static_cast<T>(random()));
    lengths.push_back(static_cast<uint8_t>(i % 40 == 0 ? 255 : 1 + random() % 9));
    expected.insert(expected.end(), lengths.back(), values.back());
  }
  const LeafType type = MakeWordType(sizeof(T));
  ValueBuilder whole(type, {});
  const RowRange all{0, expected.size()};
  ASSERT_TRUE(DecodeRuns(AsBytes(values), lengths, expected.size(), {&all, 1}, &whole).ok());
  EXPECT_EQ(Words<T>(whole), expected);

  ValueBuilder parts(type, {});
  const RowRanges keep{{0, 3}, {3, 4}, {100, 700}, {expected.size() - 1, expected.size()}};
  ASSERT_TRUE(DecodeRuns(AsBytes(values), lengths, expected.size(), keep, &parts).ok());
  std::vector<T> kept;
  for (const RowRange& range : keep) {
    kept.insert(kept.end(), expected.begin() + static_cast<std::ptrdiff_t>(range.begin),
                expected.begin() + static_cast<std::ptrdiff_t>(range.end));
  }
  EXPECT_EQ(Words<T>(parts), kept);
}

TEST(RunLengthTest, DecodesEveryWidth) {
  CheckWidth<uint8_t>();
  CheckWidth<uint16_t>();
  CheckWidth<uint32_t>();
  CheckWidth<uint64_t>();
}

TEST(RunLengthTest, RefusesWrongSums) {
  const LeafType type = MakeWordType(2);
  const std::vector<uint16_t> values{1, 2};
  const std::vector<uint8_t> lengths{3, 4};
  EXPECT_EQ(CountRuns(lengths), 7u);
  for (const uint64_t count : {uint64_t{6}, uint64_t{8}, uint64_t{0}}) {
    ValueBuilder out(type, {});
    const RowRange all{0, count};
    EXPECT_EQ(KindOf(DecodeRuns(AsBytes(values), lengths, count, {&all, 1}, &out)),
              ErrorKind::kCorrupt);
  }
  ValueBuilder out(type, {});
  const RowRange all{0, 7};
  EXPECT_EQ(KindOf(DecodeRuns(AsBytes(std::vector<uint16_t>{1}), lengths, 7, {&all, 1}, &out)),
            ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace pennon
