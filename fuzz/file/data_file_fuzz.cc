// A whole data file in memory, read by its own schema, whole and by single rows: errors or valid
// arrays, and no read outside the file.
#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "file/data_file_reader.h"
#include "file/field_mapping.h"
#include "file/file_schema.h"
#include "pennon/base/error.h"

namespace {

constexpr uint64_t kRowsMax = 1 << 16;

class MemoryFile : public pennon::RandomAccessFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return size_; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(pennon::ByteRange range) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(static_cast<int64_t>(range.size())));
    ARROW_RETURN_NOT_OK(ReadInto(range, buffer->mutable_data()));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  arrow::Status ReadInto(pennon::ByteRange range, uint8_t* out) override {
    if (range.begin > range.end || range.end > size_) std::abort();
    if (range.size() != 0) std::memcpy(out, data_ + range.begin, range.size());
    return arrow::Status::OK();
  }

 private:
  std::string path_ = "fuzz.lance";
  const uint8_t* data_;
  size_t size_;
};

arrow::Status Read(pennon::DataFileReader* reader, const std::vector<pennon::FieldShape>& shapes,
                   pennon::RowRanges rows) {
  ARROW_ASSIGN_OR_RAISE(const auto window, reader->OpenWindow(shapes, std::move(rows)));
  ARROW_ASSIGN_OR_RAISE(const auto arrays, window->Next(window->rows_left()));
  for (const auto& array : arrays) {
    if (!arrow::MakeArray(array)->Validate().ok()) std::abort();
  }
  return arrow::Status::OK();
}

arrow::Status ReadAll(const uint8_t* data, size_t size) {
  pennon::DataFileReaderOptions options;
  options.tail_bytes = 512;
  options.buffer_bytes_max = 1 << 22;
  ARROW_ASSIGN_OR_RAISE(const auto reader, pennon::DataFileReader::Open(
                                               std::make_shared<MemoryFile>(data, size), options));
  ARROW_ASSIGN_OR_RAISE(const auto schema, pennon::ReadFileSchema(reader.get()));
  const auto columns = pennon::ColumnMap::OfOwnSchema(schema, reader->version());
  for (const auto& field : schema.fields) {
    ARROW_ASSIGN_OR_RAISE(auto shape, pennon::ShapeOfField(field, columns, reader->version(),
                                                           pennon::BlobReading::kBytes));
    const std::vector<pennon::FieldShape> shapes{std::move(shape)};
    const auto num_rows = reader->NumRows(shapes[0]);
    if (!num_rows.ok() || *num_rows == 0 || *num_rows > kRowsMax) continue;
    // Errors of one field say nothing about the next.
    (void)Read(reader.get(), shapes, {{0, *num_rows}}).ok();
    (void)Read(reader.get(), shapes, {{*num_rows / 2, *num_rows / 2 + 1}}).ok();
  }
  return arrow::Status::OK();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto status = ReadAll(data, size);
  if (!status.ok() && pennon::KindOf(status) == pennon::ErrorKind::kInternal) std::abort();
  return 0;
}
