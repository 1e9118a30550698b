// The bytes are a data file. What its end says is taken or refused, never more.
#include <arrow/buffer.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "dataset/data_file_facts.h"
#include "pennon/base/error.h"

namespace {

class BorrowedFile : public pennon::RandomAccessFile {
 public:
  BorrowedFile(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return size_; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(pennon::ByteRange range) override {
    if (range.begin > range.end || range.end > size_)
      std::abort();  // the reader checks before it asks
    return std::make_shared<arrow::Buffer>(data_ + range.begin, static_cast<int64_t>(range.size()));
  }
  arrow::Status ReadInto(pennon::ByteRange, uint8_t*) override { std::abort(); }

 private:
  std::string path_ = "file";
  const uint8_t* data_;
  size_t size_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  BorrowedFile file(data, size);
  const auto facts = pennon::ReadDataFileFacts(file);
  if (facts.ok() && !facts->is_legacy && facts->column_rows.size() != facts->num_columns)
    std::abort();
  return 0;
}
