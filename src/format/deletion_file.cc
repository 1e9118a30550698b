#include "format/deletion_file.h"

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget_pool.h"
#include "pennon/base/error.h"
#include "rowset/roaring.h"

namespace pennon {
namespace {

constexpr uint64_t kRowsMaxUnknown = uint64_t{1} << 28;
constexpr int64_t kDecoderOverheadBytes = int64_t{1} << 20;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

// Arrow's reasons may span lines; ours are one.
std::string FirstLine(const arrow::Status& status) {
  const std::string message = MessageOf(status);
  return message.substr(0, message.find('\n'));
}

arrow::Status NotAnArrowFile(const arrow::Status& status) {
  if (KindOf(status) == ErrorKind::kTooLarge) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("deletion file unpacks to more than its fragment can need: {}",
                                 FirstLine(status)));
  }
  return Corrupt(fmt::format("deletion file is no valid Arrow file: {}", FirstLine(status)));
}

uint64_t RowsMax(const DeletionFileExpectation& expected) {
  return std::min(expected.physical_rows == 0 ? kRowsMaxUnknown : expected.physical_rows,
                  uint64_t{1} << 32);
}

std::shared_ptr<arrow::Schema> ArrayFileSchema() {
  return arrow::schema({arrow::field("row_id", arrow::uint32(), /*nullable=*/false)});
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadOnlyBatch(
    const std::shared_ptr<arrow::Buffer>& file, arrow::MemoryPool* pool) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = pool;
  options.use_threads = false;
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  const auto opened = arrow::ipc::RecordBatchFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(file), options);
  if (!opened.ok()) return NotAnArrowFile(opened.status());
  const auto& reader = *opened;
  if (!reader->schema()->Equals(*ArrayFileSchema())) {
    return Corrupt("deletion file has another schema than one column 'row_id: uint32 not null'");
  }
  if (reader->num_record_batches() != 1) {
    return Corrupt(fmt::format("deletion file has another number of batches: expected 1, got {}",
                               reader->num_record_batches()));
  }
  auto batch = reader->ReadRecordBatch(0);
  if (!batch.ok()) return NotAnArrowFile(batch.status());
  const arrow::Status valid = (*batch)->ValidateFull();
  if (!valid.ok()) return NotAnArrowFile(valid);
  return batch;
}

arrow::Result<RoaringSet> DecodeArrayFile(const std::shared_ptr<arrow::Buffer>& file,
                                          const DeletionFileExpectation& expected) {
  const uint64_t rows_max = RowsMax(expected);
  BudgetPool pool(static_cast<int64_t>(rows_max * 8) + kDecoderOverheadBytes);
  ARROW_ASSIGN_OR_RAISE(const auto batch, ReadOnlyBatch(file, &pool));
  const auto& column = static_cast<const arrow::UInt32Array&>(*batch->column(0));
  if (column.null_count() != 0)
    return Corrupt(fmt::format("deletion file has {} nulls", column.null_count()));
  if (static_cast<uint64_t>(column.length()) > rows_max) {
    return Corrupt(fmt::format("deletion file has too many rows: fragment has {}, got {}", rows_max,
                               column.length()));
  }
  std::vector<uint32_t> offsets(column.raw_values(), column.raw_values() + column.length());
  std::sort(offsets.begin(), offsets.end());
  const auto twice = std::adjacent_find(offsets.begin(), offsets.end());
  if (twice != offsets.end())
    return Corrupt(fmt::format("deletion file lists a row twice: offset {}", *twice));
  return RoaringSet::FromSorted(offsets);
}

arrow::Result<RoaringSet> DecodeBitmapFile(const arrow::Buffer& file) {
  auto set = DecodeRoaring(std::string_view(file));
  if (!set.ok())
    return set.status().WithMessage("deletion file is no valid ", MessageOf(set.status()));
  return set;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> EncodeArrayFile(const RoaringSet& offsets) {
  const std::vector<uint32_t> values = offsets.ToVector();
  const auto schema = ArrayFileSchema();
  const auto length = static_cast<int64_t>(values.size());
  const auto column = std::make_shared<arrow::UInt32Array>(length, arrow::Buffer::Wrap(values));
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(arrow::Compression::ZSTD));
  ARROW_ASSIGN_OR_RAISE(const auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(sink, schema, options));
  ARROW_RETURN_NOT_OK(
      writer->WriteRecordBatch(*arrow::RecordBatch::Make(schema, length, {column})));
  ARROW_RETURN_NOT_OK(writer->Close());
  return sink->Finish();
}

}  // namespace

arrow::Result<DeletionVector> DecodeDeletionFile(DeletionFileType type,
                                                 const std::shared_ptr<arrow::Buffer>& file,
                                                 const DeletionFileExpectation& expected) {
  const bool is_array = type == DeletionFileType::kArray;
  ARROW_ASSIGN_OR_RAISE(RoaringSet offsets,
                        is_array ? DecodeArrayFile(file, expected) : DecodeBitmapFile(*file));
  if (expected.physical_rows != 0 && !offsets.empty() && offsets.max() >= expected.physical_rows) {
    return Corrupt(fmt::format(
        "deletion file lists a row beyond its fragment: fragment has {} rows, got offset {}",
        expected.physical_rows, offsets.max()));
  }
  if (expected.num_deleted_rows != 0 && offsets.count() != expected.num_deleted_rows) {
    return Corrupt(fmt::format("deletion file has too {} rows: expected {}, got {}",
                               offsets.count() < expected.num_deleted_rows ? "few" : "many",
                               expected.num_deleted_rows, offsets.count()));
  }
  return DeletionVector(std::move(offsets),
                        is_array ? DeletionForm::kArray : DeletionForm::kBitmap);
}

arrow::Result<EncodedDeletionFile> EncodeDeletionFile(const DeletionVector& deletions) {
  if (deletions.empty())
    return MakeError(ErrorKind::kInternal, "no deletion file is written for no deletions");
  if (deletions.form() == DeletionForm::kBitmap) {
    return EncodedDeletionFile{DeletionFileType::kBitmap,
                               arrow::Buffer::FromString(EncodeRoaring(deletions.offsets()))};
  }
  ARROW_ASSIGN_OR_RAISE(auto bytes, EncodeArrayFile(deletions.offsets()));
  return EncodedDeletionFile{DeletionFileType::kArray, std::move(bytes)};
}

}  // namespace pennon
