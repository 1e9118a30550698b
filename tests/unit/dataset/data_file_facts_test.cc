#include "dataset/data_file_facts.h"

#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "pennon/base/error.h"
#include "support/table_copy.h"

namespace pennon {
namespace {

class MemoryFile : public RandomAccessFile {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return bytes_.size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) override {
    ++num_reads;
    if (range.begin > range.end || range.end > bytes_.size()) {
      return MakeError(ErrorKind::kCorrupt, "file ends before the range");
    }
    return arrow::Buffer::FromString(bytes_.substr(range.begin, range.size()));
  }
  arrow::Status ReadInto(ByteRange range, uint8_t* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto buffer, ReadAt(range));
    std::memcpy(out, buffer->data(), range.size());
    return arrow::Status::OK();
  }

  int num_reads = 0;

 private:
  std::string path_ = "file";
  std::string bytes_;
};

std::string GoldenDataFile(const std::string& table) {
  return ReadFile(FilesIn(GoldenTables() / (table + ".lance") / "data").front());
}

TEST(DataFileFacts, ReadsVersionColumnsAndRows) {
  const struct {
    const char* table;
    uint16_t major;
    uint16_t minor;
  } cases[] = {{"create_simple.stable.v2_0", 0, 3},
               {"create_simple.plain.v2_1", 2, 1},
               {"create_simple.stable.v2_2", 2, 2}};
  for (const auto& [table, major, minor] : cases) {
    MemoryFile file(GoldenDataFile(table));
    const DataFileFacts facts = ReadDataFileFacts(file).ValueOrDie();
    EXPECT_EQ(facts.major_version, major) << table;
    EXPECT_EQ(facts.minor_version, minor) << table;
    EXPECT_FALSE(facts.is_legacy);
    EXPECT_EQ(facts.num_rows, 100u) << table;
    EXPECT_GE(facts.num_columns, 4u) << table;
    ASSERT_EQ(facts.column_rows.size(), facts.num_columns);
    EXPECT_EQ(facts.column_rows[0], 100u) << table;
    EXPECT_LE(file.num_reads, 3) << table;
  }
}

TEST(DataFileFacts, KnowsALegacyFileByItsLastBytes) {
  MemoryFile file(std::string(8, '\0') + std::string("\0\0\2\0LANC", 8));
  const DataFileFacts facts = ReadDataFileFacts(file).ValueOrDie();
  EXPECT_TRUE(facts.is_legacy);
  EXPECT_EQ(facts.minor_version, 2);
}

TEST(DataFileFacts, RefusesEveryTruncationAndSurvivesEveryBitFlipOfTheTail) {
  const std::string bytes = GoldenDataFile("create_simple.stable.v2_2");
  for (size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 97) {
    MemoryFile file(bytes.substr(0, size));
    EXPECT_FALSE(ReadDataFileFacts(file).ok()) << size;
  }
  for (size_t bit = (bytes.size() - 600) * 8; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    MemoryFile file(flipped);
    const auto facts = ReadDataFileFacts(file);
    if (facts.ok() && !facts->is_legacy) {
      EXPECT_EQ(facts->column_rows.size(), facts->num_columns);
    }
  }
}

}  // namespace
}  // namespace pennon
