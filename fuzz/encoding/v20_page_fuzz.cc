// One or two columns of 2.0 pages made of the input: whatever it says, the decoder answers with an
// error or with an array that Arrow finds valid.
#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/type.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "encoding/field_decoder.h"
#include "pennon/base/error.h"

namespace {

using pennon::ByteRange;
using pennon::FieldShape;

/// Takes numbers and bytes off the front of the input; an exhausted one gives zeros.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t Byte() { return size_ == 0 ? uint8_t{0} : (--size_, *data_++); }
  uint32_t Short() {
    const uint32_t low = Byte();
    return low | uint32_t{Byte()} << 8;
  }
  std::string Bytes(size_t count) {
    count = std::min(count, size_);
    std::string out(reinterpret_cast<const char*>(data_), count);
    data_ += count;
    size_ -= count;
    return out;
  }
  std::string Rest() { return Bytes(size_); }

 private:
  const uint8_t* data_;
  size_t size_;
};

/// Layout of the input: type, pages of both columns, then the bytes of the file.
class FuzzFile : public pennon::ColumnSource {
 public:
  explicit FuzzFile(Input* input) {
    const uint8_t num_pages[] = {input->Byte(), input->Byte()};
    for (uint32_t column = 0; column < 2; ++column) {
      columns_[column].column = column;
      for (int page = 0; page < num_pages[column] % 4; ++page) AddPage(input, &columns_[column]);
    }
    const std::string rest = input->Rest();
    bytes_ = arrow::Buffer::FromString(rest);
    // Real files are checked to have their buffers inside; so are these.
    for (auto& buffers : buffers_) {
      for (ByteRange& range : buffers) {
        range.begin = std::min<uint64_t>(range.begin, rest.size());
        range.end = std::min<uint64_t>(range.end, rest.size());
      }
    }
  }

  arrow::Result<const pennon::ColumnPages*> Pages(uint32_t column) override {
    if (column > 1) return pennon::MakeError(pennon::ErrorKind::kInvalidArgument, "no such column");
    return &columns_[column];
  }
  uint64_t file_size_bytes() const override { return static_cast<uint64_t>(bytes_->size()); }
  const std::shared_ptr<arrow::Buffer>& bytes() const { return bytes_; }

 private:
  void AddPage(Input* input, pennon::ColumnPages* column) {
    pennon::PageInfo page;
    page.num_rows = input->Short();
    page.first_row = column->num_rows;
    column->num_rows += page.num_rows;
    buffers_.emplace_back();
    const int num_buffers = input->Byte() % 4;
    for (int i = 0; i < num_buffers; ++i) {
      const uint64_t begin = input->Short();
      buffers_.back().push_back({begin, begin + input->Short()});
    }
    page.buffers = buffers_.back();
    encodings_.push_back(input->Bytes(input->Short()));
    page.encoding = encodings_.back();
    page.message = pennon::EncodingMessage::kArrayEncoding;
    column->pages.push_back(page);
  }

  pennon::ColumnPages columns_[2];
  std::deque<std::vector<ByteRange>> buffers_;
  std::deque<std::string> encodings_;
  std::shared_ptr<arrow::Buffer> bytes_;
};

FieldShape Leaf(std::shared_ptr<arrow::DataType> type, uint32_t column) {
  FieldShape shape;
  shape.type = std::move(type);
  shape.column = column;
  return shape;
}

FieldShape ShapeOf(uint8_t choice) {
  const auto descriptor = arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  FieldShape shape;
  switch (choice % 12) {
    case 0:
      return Leaf(arrow::int32(), 0);
    case 1:
      return Leaf(arrow::utf8(), 0);
    case 2:
      return Leaf(arrow::large_binary(), 0);
    case 3:
      return Leaf(arrow::boolean(), 0);
    case 4:
      return Leaf(arrow::fixed_size_list(arrow::float32(), 3), 0);
    case 5:
      return Leaf(arrow::dictionary(arrow::int8(), arrow::utf8()), 0);
    case 6:
      shape = Leaf(arrow::list(arrow::utf8()), 0);
      shape.children.push_back(Leaf(arrow::utf8(), 1));
      return shape;
    case 7:
      shape = Leaf(descriptor, 0);
      shape.storage = pennon::FieldStorage::kPackedStruct;
      return shape;
    case 8:
      shape = Leaf(arrow::large_binary(), 0);
      shape.storage = pennon::FieldStorage::kBlob;
      return shape;
    case 9:
      shape = Leaf(arrow::struct_({arrow::field("a", arrow::int64())}), 0);
      shape.children.push_back(Leaf(arrow::int64(), 1));
      return shape;
    case 10:
      return Leaf(arrow::uint8(), 0);
    default:
      return Leaf(arrow::null(), 0);
  }
}

void Read(FuzzFile& file, const FieldShape& shape, pennon::RowRanges rows) {
  pennon::DecodeContext context;
  context.columns = &file;
  context.buffer_bytes_max = 1 << 22;
  uint64_t left = pennon::CountRows(rows);
  auto made = pennon::MakeV20FieldDecoder(shape, std::move(rows), context);
  if (!made.ok()) return;
  auto& decoder = **made;
  for (int round = 0;; ++round) {
    if (round > 20) std::abort();
    std::vector<ByteRange> wanted;
    if (!decoder.Plan(&wanted).ok()) return;
    if (wanted.empty()) break;
    std::vector<pennon::FetchedBytes> fetched;
    for (const ByteRange& range : wanted) {
      if (range.begin >= range.end || range.end > file.file_size_bytes()) std::abort();
      fetched.push_back({{file.bytes()->data() + range.begin, range.size()}, file.bytes()});
    }
    if (!decoder.Accept(fetched).ok()) return;
  }
  while (left > 0) {
    const uint64_t count = std::min<uint64_t>(left, 1000);
    auto data = decoder.Decode(count);
    if (!data.ok()) return;
    // Whether strings are UTF-8 is not the decoder's to check.
    if (!arrow::MakeArray(*data)->Validate().ok()) std::abort();
    left -= count;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const uint8_t choice = input.Byte();
  FuzzFile file(&input);
  const FieldShape shape = ShapeOf(choice);
  const uint64_t rows = (*file.Pages(0))->num_rows;
  if (rows == 0) return 0;
  Read(file, shape, {{0, rows}});
  pennon::RowRanges some;
  for (uint64_t row = 0; row < rows && some.size() < 100; row += 3) some.push_back({row, row + 1});
  Read(file, shape, some);
  return 0;
}
