#include "format/deletion_file.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

using Buffer = std::shared_ptr<arrow::Buffer>;
using MaybeRow = std::optional<uint32_t>;

std::shared_ptr<arrow::Schema> GoodSchema() {
  return arrow::schema({arrow::field("row_id", arrow::uint32(), false)});
}

std::shared_ptr<arrow::Array> Rows(const std::vector<MaybeRow>& rows) {
  arrow::UInt32Builder builder;
  for (const MaybeRow& row : rows)
    EXPECT_TRUE((row ? builder.Append(*row) : builder.AppendNull()).ok());
  return builder.Finish().ValueOrDie();
}

Buffer ArrowFile(const std::shared_ptr<arrow::Schema>& schema,
                 const std::vector<std::shared_ptr<arrow::Array>>& batches,
                 bool compressed = false) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  if (compressed) options.codec = arrow::util::Codec::Create(arrow::Compression::ZSTD).ValueOrDie();
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer = arrow::ipc::MakeFileWriter(sink, schema, options).ValueOrDie();
  for (const auto& column : batches) {
    const std::vector<std::shared_ptr<arrow::Array>> columns(
        static_cast<size_t>(schema->num_fields()), column);
    EXPECT_TRUE(
        writer->WriteRecordBatch(*arrow::RecordBatch::Make(schema, column->length(), columns))
            .ok());
  }
  EXPECT_TRUE(writer->Close().ok());
  return sink->Finish().ValueOrDie();
}

Buffer GoodFile(const std::vector<MaybeRow>& rows) { return ArrowFile(GoodSchema(), {Rows(rows)}); }

std::vector<uint32_t> FirstN(uint32_t n) {
  std::vector<uint32_t> offsets(n);
  std::iota(offsets.begin(), offsets.end(), 0u);
  return offsets;
}

DeletionVector EverySecond(uint32_t end, DeletionForm form) {
  std::vector<uint32_t> offsets;
  for (uint32_t offset = 1; offset < end; offset += 2) offsets.push_back(offset);
  return DeletionVector(RoaringSet::FromSorted(offsets), form);
}

void ExpectRefused(const Buffer& file, const DeletionFileExpectation& expected,
                   const std::string& message, DeletionFileType type = DeletionFileType::kArray,
                   ErrorKind kind = ErrorKind::kCorrupt) {
  const auto result = DecodeDeletionFile(type, file, expected);
  ASSERT_FALSE(result.ok()) << message;
  EXPECT_EQ(KindOf(result.status()), kind);
  EXPECT_EQ(MessageOf(result.status()).substr(0, message.size()), message);
  EXPECT_EQ(MessageOf(result.status()).find('\n'), std::string::npos);
}

TEST(DeletionFile, ReadsOffsetsInAnyOrder) {
  const auto deletions =
      DecodeDeletionFile(DeletionFileType::kArray, GoodFile({52, 3, 45, 17, 10}), {60, 5})
          .ValueOrDie();
  EXPECT_EQ(deletions, DeletionVector::FromOffsets({3, 10, 17, 45, 52}));
  EXPECT_EQ(deletions.form(), DeletionForm::kArray);
  EXPECT_EQ(
      DecodeDeletionFile(DeletionFileType::kArray, GoodFile({52, 3, 45, 17, 10}), {}).ValueOrDie(),
      deletions);
}

TEST(DeletionFile, WritesAndReadsBothForms) {
  const DeletionVector cases[] = {
      DeletionVector::FromOffsets({0}),           DeletionVector::FromOffsets({0xFFFFFFFF, 7}),
      DeletionVector::FromOffsets(FirstN(4999)),  DeletionVector::FromOffsets(FirstN(5000)),
      EverySecond(200000, DeletionForm::kBitmap), EverySecond(200000, DeletionForm::kArray),
  };
  for (const DeletionVector& deletions : cases) {
    const EncodedDeletionFile file = EncodeDeletionFile(deletions).ValueOrDie();
    EXPECT_EQ(file.type == DeletionFileType::kArray, deletions.form() == DeletionForm::kArray);
    const uint64_t rows = uint64_t{ToInteger(deletions.max())} + 1;
    const auto again =
        DecodeDeletionFile(file.type, file.bytes, {rows, deletions.count()}).ValueOrDie();
    EXPECT_EQ(again, deletions);
    EXPECT_EQ(again.form(), deletions.form());
  }
}

TEST(DeletionFile, IsNotWrittenForNoDeletions) {
  EXPECT_EQ(KindOf(EncodeDeletionFile(DeletionVector()).status()), ErrorKind::kInternal);
}

TEST(DeletionFile, RefusesContentsThatCannotBe) {
  ExpectRefused(GoodFile({1, 2, 1}), {10, 3}, "deletion file lists a row twice: offset 1");
  ExpectRefused(GoodFile({1, {}, 2}), {10, 2}, "deletion file has 1 nulls");
  ExpectRefused(
      GoodFile({1, 10}), {10, 2},
      "deletion file lists a row beyond its fragment: fragment has 10 rows, got offset 10");
  ExpectRefused(GoodFile({1, 2}), {10, 3}, "deletion file has too few rows: expected 3, got 2");
  ExpectRefused(GoodFile({1, 2}), {10, 1}, "deletion file has too many rows: expected 1, got 2");
  ExpectRefused(GoodFile({1, 2, 3}), {2, 0},
                "deletion file has too many rows: fragment has 2, got 3");
}

TEST(DeletionFile, RefusesAnotherSchemaOrNumberOfBatches) {
  const std::string schema =
      "deletion file has another schema than one column 'row_id: uint32 not null'";
  const auto rows = Rows({1});
  ExpectRefused(ArrowFile(arrow::schema({arrow::field("row_id", arrow::uint32(), true)}), {rows}),
                {}, schema);
  ExpectRefused(ArrowFile(arrow::schema({arrow::field("row", arrow::uint32(), false)}), {rows}), {},
                schema);
  ExpectRefused(ArrowFile(arrow::schema({GoodSchema()->field(0), GoodSchema()->field(0)}), {rows}),
                {}, schema);
  const auto ints = rows->View(arrow::int32()).ValueOrDie();
  ExpectRefused(ArrowFile(arrow::schema({arrow::field("row_id", arrow::int32(), false)}), {ints}),
                {}, schema);
  ExpectRefused(ArrowFile(GoodSchema(), {}), {},
                "deletion file has another number of batches: expected 1, got 0");
  ExpectRefused(ArrowFile(GoodSchema(), {rows, rows}), {},
                "deletion file has another number of batches: expected 1, got 2");
}

TEST(DeletionFile, RefusesForeignBytes) {
  for (const std::string& bytes : {std::string(), std::string("ARROW1"), std::string(1000, '\0')}) {
    ExpectRefused(arrow::Buffer::FromString(bytes), {}, "deletion file is no valid Arrow file: ");
    ExpectRefused(arrow::Buffer::FromString(bytes), {},
                  "deletion file is no valid roaring bitmap: ", DeletionFileType::kBitmap);
  }
  const DeletionVector deletions = EverySecond(100, DeletionForm::kBitmap);
  const Buffer bitmap = EncodeDeletionFile(deletions).ValueOrDie().bytes;
  ExpectRefused(bitmap, {}, "deletion file is no valid Arrow file: ");
  ExpectRefused(
      bitmap, {99, 50},
      "deletion file lists a row beyond its fragment: fragment has 99 rows, got offset 99",
      DeletionFileType::kBitmap);
  ExpectRefused(bitmap, {100, 49}, "deletion file has too many rows: expected 49, got 50",
                DeletionFileType::kBitmap);
}

TEST(DeletionFile, DoesNotUnpackMoreThanItsFragmentCanNeed) {
  // A million zeros pack into a few hundred bytes.
  const auto zeros = Rows(std::vector<MaybeRow>(1 << 20, 0));
  const Buffer file = ArrowFile(GoodSchema(), {zeros}, /*compressed=*/true);
  ASSERT_LT(file->size(), 4000);
  ExpectRefused(file, {1000, 1000}, "deletion file unpacks to more than its fragment can need",
                DeletionFileType::kArray, ErrorKind::kTooLarge);
}

TEST(DeletionFile, SurvivesEveryTruncationAndBitFlip) {
  for (const DeletionForm form : {DeletionForm::kArray, DeletionForm::kBitmap}) {
    const EncodedDeletionFile file = EncodeDeletionFile(EverySecond(300, form)).ValueOrDie();
    const std::string bytes = file.bytes->ToString();
    const DeletionFileExpectation expected{300, 150};
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(
          DecodeDeletionFile(file.type, arrow::Buffer::FromString(bytes.substr(0, size)), expected)
              .ok());
    }
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      const auto result =
          DecodeDeletionFile(file.type, arrow::Buffer::FromString(flipped), expected);
      if (result.ok()) {
        EXPECT_LE(result->count(), 150u);
      }
    }
  }
}

// Calls `visit` for every deletion file below the reference engine's tables that are there.
int ForEachReferenceFile(const std::function<void(const std::filesystem::path&)>& visit) {
  int num_files = 0;
  const std::filesystem::path source = PENNON_SOURCE_DIR;
  for (const auto& root :
       {source / "tests/golden/14.0.2/datasets", source / "../shared/reference/datasets"}) {
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().parent_path().filename() != "_deletions") continue;
      visit(entry.path());
      ++num_files;
    }
  }
  return num_files;
}

TEST(DeletionFile, ReadsWhatTheReferenceEngineWrote) {
  const int num_files = ForEachReferenceFile([](const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto type =
        path.extension() == ".bin" ? DeletionFileType::kBitmap : DeletionFileType::kArray;
    const auto deletions = DecodeDeletionFile(type, arrow::Buffer::FromString(bytes), {});
    ASSERT_TRUE(deletions.ok()) << path << ": " << deletions.status();
    EXPECT_GT(deletions->count(), 0u) << path;
    const EncodedDeletionFile again = EncodeDeletionFile(*deletions).ValueOrDie();
    EXPECT_EQ(again.type, type) << path;
    EXPECT_EQ(DecodeDeletionFile(type, again.bytes, {}).ValueOrDie(), *deletions) << path;
  });
  EXPECT_GE(num_files, 3);
}

}  // namespace
}  // namespace pennon
