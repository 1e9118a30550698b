#include "io/coalesce.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// A file in memory that counts its calls.
class CountedFile : public RandomAccessFile {
 public:
  explicit CountedFile(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return bytes_.size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) override {
    ++num_calls;
    return arrow::Buffer::FromString(bytes_.substr(range.begin, range.size()));
  }
  arrow::Status ReadInto(ByteRange range, uint8_t* out) override {
    ++num_calls;
    num_bytes += range.size();
    bytes_.copy(reinterpret_cast<char*>(out), range.size(), range.begin);
    return arrow::Status::OK();
  }
  uint64_t num_calls = 0;
  uint64_t num_bytes = 0;

 private:
  std::string path_ = "memory";
  std::string bytes_;
};

std::string SomeBytes(size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(CoalesceTest, JoinsAcrossSmallGaps) {
  CoalesceOptions options;
  options.gap_bytes_max = 10;
  const std::vector<ByteRange> ranges{{0, 5}, {15, 20}, {31, 40}, {40, 41}};
  const JoinedRanges joined = JoinRanges(ranges, options);
  EXPECT_EQ(joined.calls, (std::vector<ByteRange>{{0, 20}, {31, 41}}));
  EXPECT_EQ(joined.call_of, (std::vector<uint32_t>{0, 0, 1, 1}));
}

TEST(CoalesceTest, TakesRangesInAnyOrderAndOverlapping) {
  CoalesceOptions options;
  options.gap_bytes_max = 0;
  const std::vector<ByteRange> ranges{{50, 60}, {0, 10}, {5, 30}, {7, 8}, {30, 31}, {40, 40}};
  const JoinedRanges joined = JoinRanges(ranges, options);
  EXPECT_EQ(joined.calls, (std::vector<ByteRange>{{0, 31}, {50, 60}}));
  EXPECT_EQ(joined.call_of[0], 1u);
  EXPECT_EQ(joined.call_of[3], 0u);
}

TEST(CoalesceTest, LimitsCallsByJoiningOnly) {
  CoalesceOptions options;
  options.gap_bytes_max = 100;
  options.call_bytes_max = 50;
  const std::vector<ByteRange> ranges{{0, 40}, {45, 60}, {100, 300}};
  EXPECT_EQ(JoinRanges(ranges, options).calls,
            (std::vector<ByteRange>{{0, 40}, {45, 60}, {100, 300}}));
}

TEST(CoalesceTest, GivesTheRightBytes) {
  const std::string bytes = SomeBytes(1 << 20);
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    CountedFile file(bytes);
    std::vector<ByteRange> ranges;
    for (int i = 0; i < 40; ++i) {
      const uint64_t begin = random() % bytes.size();
      const uint64_t size = i % 5 == 0 ? random() % 200'000 : random() % 50;
      ranges.push_back({begin, std::min<uint64_t>(bytes.size(), begin + size)});
    }
    CoalesceOptions options;
    options.gap_bytes_max = random() % 5000;
    const auto fetched = FetchRanges(&file, ranges, options).ValueOrDie();
    ASSERT_EQ(fetched.size(), ranges.size());
    EXPECT_EQ(file.num_calls, JoinRanges(ranges, options).calls.size());
    for (size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_EQ(std::string(fetched[i].data.begin(), fetched[i].data.end()),
                bytes.substr(ranges[i].begin, ranges[i].size()));
    }
  }
}

TEST(CoalesceTest, LargeCallsKeepTheAlignmentOfTheFile) {
  CountedFile file(SomeBytes(1 << 20));
  const std::vector<ByteRange> ranges{{4096 + 8, 400'000}};
  const auto fetched = FetchRanges(&file, ranges, {}).ValueOrDie();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(fetched[0].data.data()) % 64, 8u);
}

TEST(CoalesceTest, RefusesRangesOutsideAndTooMuch) {
  CountedFile file(SomeBytes(1000));
  const std::vector<ByteRange> outside{{990, 1001}};
  EXPECT_EQ(KindOf(FetchRanges(&file, outside, {}).status()), ErrorKind::kCorrupt);
  CoalesceOptions options;
  options.fetch_bytes_max = 99;
  const std::vector<ByteRange> all{{0, 100}};
  EXPECT_EQ(KindOf(FetchRanges(&file, all, options).status()), ErrorKind::kTooLarge);
  EXPECT_EQ(file.num_calls, 0u);
}

}  // namespace
}  // namespace pennon
