#include "rowset/roaring.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

// Builds bitmaps by hand, so that each rule can be broken on its own.
class Bytes {
 public:
  Bytes& U8(uint8_t value) { return Append(value); }
  Bytes& U16(uint16_t value) { return Append(value); }
  Bytes& U32(uint32_t value) { return Append(value); }
  Bytes& Fill(size_t size_bytes, char byte) {
    bytes_.append(size_bytes, byte);
    return *this;
  }
  operator const std::string&() const { return bytes_; }

 private:
  template <typename T>
  Bytes& Append(T value) {
    AppendLittleEndian(bytes_, value);
    return *this;
  }
  std::string bytes_;
};

constexpr uint32_t kPlain = 12346;
constexpr uint32_t kWithRuns = 12347;

TEST(Roaring, DecodesArrayBitmapAndRunContainers) {
  const std::string array = Bytes().U32(kPlain).U32(1).U16(2).U16(1).U32(16).U16(5).U16(9);
  EXPECT_EQ(DecodeRoaring(array).ValueOrDie(), RoaringSet::FromUnsorted({131077, 131081}));

  const std::string bitmap = Bytes().U32(kPlain).U32(1).U16(0).U16(32767).U32(16).Fill(8192, 0x55);
  const RoaringSet even = DecodeRoaring(bitmap).ValueOrDie();
  EXPECT_EQ(even.count(), 32768u);
  EXPECT_TRUE(even.Contains(65534));
  EXPECT_FALSE(even.Contains(1));

  const std::string runs =
      Bytes().U32(kWithRuns).U8(1).U16(0).U16(14).U16(2).U16(10).U16(9).U16(65531).U16(4);
  EXPECT_EQ(DecodeRoaring(runs).ValueOrDie(),
            RoaringSet::FromUnsorted(
                {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 65531, 65532, 65533, 65534, 65535}));

  const std::string empty = Bytes().U32(kPlain).U32(0);
  EXPECT_TRUE(DecodeRoaring(empty).ValueOrDie().empty());
}

TEST(Roaring, ReadsRunsThatTouch) {
  const std::string runs =
      Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(2).U16(0).U16(4).U16(5).U16(4);
  EXPECT_EQ(DecodeRoaring(runs).ValueOrDie(), RoaringSet::FromRange({0, 10}));
}

TEST(Roaring, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const struct {
    const char* what;
    std::string bytes;
  } cases[] = {
      {"cut short at byte 0", ""},
      {"unknown cookie at byte 0", Bytes().U32(1).U32(0)},
      {"impossible container count at byte 4", Bytes().U32(kPlain).U32(65537)},
      {"cut short at byte 8", Bytes().U32(kPlain).U32(65536)},
      {"container keys are not ascending at byte 12",
       Bytes().U32(kPlain).U32(2).U16(3).U16(0).U16(3).U16(0).U32(24).U32(26).U16(1).U16(1)},
      {"container does not lie at its stated position at byte 16",
       Bytes().U32(kPlain).U32(1).U16(0).U16(0).U32(15).U16(1)},
      {"values are not ascending at byte 18",
       Bytes().U32(kPlain).U32(1).U16(0).U16(1).U32(16).U16(9).U16(5)},
      {"values are not ascending at byte 18",
       Bytes().U32(kPlain).U32(1).U16(0).U16(1).U32(16).U16(9).U16(9)},
      {"cut short at byte 18", Bytes().U32(kPlain).U32(1).U16(0).U16(1).U32(16).U16(9)},
      {"bitmap container has another number of values than stated at byte 16",
       Bytes().U32(kPlain).U32(1).U16(0).U16(32766).U32(16).Fill(8192, 0x55)},
      {"cut short at byte 8207",
       Bytes().U32(kPlain).U32(1).U16(0).U16(32767).U32(16).Fill(8191, 0x55)},
      {"run container has another number of values than stated at byte 9",
       Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(1).U16(0).U16(4)},
      {"run container has another number of values than stated at byte 9",
       Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(0)},
      {"runs overlap, are out of order or leave the container at byte 15",
       Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(2).U16(0).U16(4).U16(4).U16(4)},
      {"runs overlap, are out of order or leave the container at byte 11",
       Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(1).U16(65530).U16(9)},
      {"cut short at byte 13", Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(1).U16(0)},
      {"bytes left over behind the last container at byte 18",
       Bytes().U32(kPlain).U32(1).U16(0).U16(0).U32(16).U16(1).U8(0)},
  };
  for (const auto& [what, bytes] : cases) {
    const auto result = DecodeRoaring(bytes);
    ASSERT_FALSE(result.ok()) << what;
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt);
    EXPECT_EQ(MessageOf(result.status()), std::string("roaring bitmap: ") + what);
  }
}

TEST(Roaring, KeepsToItsByteBudget) {
  const std::string bytes = EncodeRoaring(RoaringSet::FromUnsorted({1, 2}));
  EXPECT_TRUE(DecodeRoaring(bytes, bytes.size()).ok());
  EXPECT_EQ(KindOf(DecodeRoaring(bytes, bytes.size() - 1).status()), ErrorKind::kTooLarge);
}

TEST(Roaring, TinyFileOfFullContainersStaysTinyInMemory) {
  const RoaringSet all = RoaringSet::FromRange({0, uint64_t{1} << 32});
  const std::string bytes = EncodeRoaring(all);
  EXPECT_LT(bytes.size(), 1000u << 10);
  const RoaringSet decoded = DecodeRoaring(bytes).ValueOrDie();
  EXPECT_EQ(decoded, all);
  EXPECT_LT(decoded.memory_bytes(), 2 * bytes.size());
}

TEST(Roaring, EncodesTheSameBytesAsTheFormatFixes) {
  EXPECT_EQ(EncodeRoaring(RoaringSet()), std::string(Bytes().U32(kPlain).U32(0)));
  const std::string array = Bytes().U32(kPlain).U32(1).U16(2).U16(1).U32(16).U16(5).U16(9);
  EXPECT_EQ(EncodeRoaring(RoaringSet::FromUnsorted({131077, 131081})), array);
  const std::string runs = Bytes().U32(kWithRuns).U8(1).U16(0).U16(9).U16(1).U16(0).U16(9);
  EXPECT_EQ(EncodeRoaring(RoaringSet::FromRange({0, 10})), runs);
}

TEST(Roaring, EveryTruncationIsRefusedAndNoBitFlipCrashes) {
  std::vector<uint32_t> values;
  for (uint32_t value = 0; value < 30; value += 3) values.push_back(value);
  for (uint32_t value = 70000; value < 70100; ++value) values.push_back(value);
  for (uint32_t value = 200000; value < 220000; value += 2) values.push_back(value);
  values.push_back(0xFFFFFFFF);
  const std::string bytes = EncodeRoaring(RoaringSet::FromSorted(values));
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(DecodeRoaring(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto result = DecodeRoaring(flipped);
    if (result.ok()) {
      ASSERT_EQ(DecodeRoaring(EncodeRoaring(*result)).ValueOrDie(), *result);
    }
  }
}

}  // namespace
}  // namespace pennon
