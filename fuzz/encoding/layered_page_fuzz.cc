// Pages of a 2.1 or 2.2 column made of the input: whatever they say, the decoder answers with an
// error or with an array that Arrow finds valid, within its budget.
#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "encoding/field_decoder.h"
#include "pennon/base/error.h"

namespace {

using pennon::ByteRange;
using pennon::FieldShape;

constexpr uint64_t kBufferBytesMax = 1 << 22;

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

 private:
  const uint8_t* data_;
  size_t size_;
};

/// The input: type, number of pages less one, how to read; per page its rows, layout and buffers,
/// each with its size in front.
class FuzzColumn : public pennon::ColumnSource {
 public:
  void AddPage(Input* input) {
    pennon::PageInfo page;
    page.num_rows = input->Short();
    page.first_row = pages_.num_rows;
    layouts_.push_back(input->Bytes(input->Short()));
    page.encoding = layouts_.back();
    buffers_.emplace_back();
    const int num_buffers = input->Byte() % 5;
    for (int i = 0; i < num_buffers; ++i) {
      bytes_.resize((bytes_.size() + 63) / 64 * 64);
      const std::string buffer = input->Bytes(input->Short());
      buffers_.back().push_back({bytes_.size(), bytes_.size() + buffer.size()});
      bytes_ += buffer;
    }
    page.buffers = buffers_.back();
    pages_.num_rows += page.num_rows;
    pages_.pages.push_back(page);
  }

  arrow::Result<const pennon::ColumnPages*> Pages(uint32_t column) override {
    if (column == 0) return &pages_;
    return pennon::MakeError(pennon::ErrorKind::kInvalidArgument, "no such column");
  }
  uint64_t file_size_bytes() const override { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  uint64_t num_rows() const { return pages_.num_rows; }

 private:
  pennon::ColumnPages pages_;
  std::deque<std::string> layouts_;
  std::deque<std::vector<ByteRange>> buffers_;
  std::string bytes_;
};

FieldShape Leaf(std::shared_ptr<arrow::DataType> type,
                pennon::FieldStorage storage = pennon::FieldStorage::kPlain) {
  FieldShape shape;
  shape.type = std::move(type);
  shape.column = 0;
  shape.storage = storage;
  return shape;
}

FieldShape Above(std::shared_ptr<arrow::DataType> type, FieldShape child) {
  FieldShape shape;
  shape.type = std::move(type);
  shape.children.push_back(std::move(child));
  return shape;
}

/// Types in the order of the corpus; new ones go at the end.
FieldShape ShapeOf(uint8_t choice) {
  using pennon::FieldStorage;
  const auto descriptor = arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  const auto pair =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  switch (choice % 20) {
    case 0:
      return Leaf(arrow::int32());
    case 1:
      return Leaf(arrow::int64());
    case 2:
      return Leaf(arrow::uint8());
    case 3:
      return Leaf(arrow::int16());
    case 4:
      return Leaf(arrow::boolean());
    case 5:
      return Leaf(arrow::utf8());
    case 6:
      return Leaf(arrow::large_binary());
    case 7:
      return Leaf(arrow::decimal128(20, 2));
    case 8:
      return Leaf(arrow::fixed_size_list(arrow::float32(), 4));
    case 9:
      return Leaf(arrow::dictionary(arrow::int32(), arrow::utf8()));
    case 10:
      return Above(arrow::list(arrow::int32()), Leaf(arrow::int32()));
    case 11:
      return Above(arrow::list(arrow::utf8()), Leaf(arrow::utf8()));
    case 12:
      return Above(arrow::list(arrow::list(arrow::float32())),
                   Above(arrow::list(arrow::float32()), Leaf(arrow::float32())));
    case 13:
      return Above(arrow::struct_({arrow::field("a", arrow::int32())}), Leaf(arrow::int32()));
    case 14:
      return Leaf(descriptor, FieldStorage::kPackedStruct);
    case 15:
      return Leaf(pair, FieldStorage::kPackedStruct);
    case 16:
      return Leaf(arrow::large_binary(), FieldStorage::kBlob);
    case 17:
      return Leaf(descriptor, FieldStorage::kBlob);
    case 18:
      return Above(
          arrow::fixed_size_list(arrow::struct_({arrow::field("a", arrow::int32())}), 2),
          Above(arrow::struct_({arrow::field("a", arrow::int32())}), Leaf(arrow::int32())));
    default:
      return Leaf(arrow::null());
  }
}

pennon::RowRanges RowsOf(uint8_t choice, uint64_t num_rows) {
  pennon::RowRanges rows;
  if (choice % 3 == 0) {
    if (num_rows != 0) rows.push_back({0, num_rows});
    return rows;
  }
  const uint64_t step = 2 + choice / 3;
  for (uint64_t row = choice % 7; row < num_rows; row += step) {
    rows.push_back({row, std::min(num_rows, row + (choice % 3 == 1 ? 1 : step - 1))});
  }
  return rows;
}

arrow::Status Read(FuzzColumn* column, const FieldShape& shape, uint8_t choice) {
  pennon::DecodeContext context;
  context.columns = column;
  context.buffer_bytes_max = kBufferBytesMax;
  pennon::RowRanges rows = RowsOf(choice, column->num_rows());
  uint64_t left = pennon::CountRows(rows);
  ARROW_ASSIGN_OR_RAISE(auto decoder, pennon::MakeFieldDecoder(shape, std::move(rows), context));
  for (int round = 0;; ++round) {
    if (round > 8) std::abort();
    std::vector<ByteRange> wanted;
    ARROW_RETURN_NOT_OK(decoder->Plan(&wanted));
    if (wanted.empty()) break;
    // Every range in memory of its own, so that the sanitizer sees a step outside.
    std::vector<pennon::FetchedBytes> fetched;
    for (const ByteRange& range : wanted) {
      if (range.begin > range.end || range.end > column->bytes().size()) std::abort();
      auto owner = arrow::Buffer::FromString(column->bytes().substr(range.begin, range.size()));
      fetched.push_back({{owner->data(), range.size()}, owner});
    }
    ARROW_RETURN_NOT_OK(decoder->Accept(fetched));
  }
  const uint64_t batch = choice % 2 == 0 ? left : uint64_t{1} + choice;
  while (left > 0) {
    const uint64_t count = std::min(left, batch);
    ARROW_ASSIGN_OR_RAISE(auto data, decoder->Decode(count));
    if (data->length != static_cast<int64_t>(count)) std::abort();
    // Text need not be UTF-8: no reader checks that.
    if (!arrow::MakeArray(data)->Validate().ok()) std::abort();
    left -= count;
  }
  return arrow::Status::OK();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const FieldShape shape = ShapeOf(input.Byte());
  const int num_pages = 1 + input.Byte() % 3;
  const uint8_t choice = input.Byte();
  FuzzColumn column;
  for (int page = 0; page < num_pages; ++page) column.AddPage(&input);
  const arrow::Status status = Read(&column, shape, choice);
  if (!status.ok() && pennon::KindOf(status) == pennon::ErrorKind::kInternal) std::abort();
  return 0;
}
