/// \file
/// Pages of a 2.0 file made by hand, in memory, and the dialogue with a decoder over them.
/// Spec: format/data-file.md, heading 9.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "base/wire.h"
#include "encoding/field_decoder.h"
#include "pennon/base/error.h"

namespace pennon::v20 {

using Message = std::string;

/// A message with one field that is a message.
inline Message Wrap(uint32_t number, std::string_view inner) {
  Message out;
  AppendBytesField(out, number, inner);
  return out;
}

inline Message Varint(uint32_t number, uint64_t value) {
  Message out;
  AppendVarintField(out, number, value);
  return out;
}

inline Message BufferAt(uint32_t index, uint32_t place = 0) {
  return Varint(1, index) + Varint(2, place);
}

inline Message Flat(uint64_t bits, uint32_t buffer, std::string_view scheme = {}) {
  Message flat = Varint(1, bits) + Wrap(2, BufferAt(buffer));
  if (!scheme.empty()) flat += Wrap(3, Wrap(1, scheme));
  return Wrap(1, flat);
}
inline Message NoNulls(std::string_view values) { return Wrap(2, Wrap(1, Wrap(1, values))); }
inline Message SomeNulls(std::string_view validity, std::string_view values) {
  return Wrap(2, Wrap(2, Wrap(1, validity) + Wrap(2, values)));
}
inline Message AllNulls() { return Wrap(2, Wrap(3, "")); }
inline Message FixedSizeList(uint64_t dimension, std::string_view items) {
  return Wrap(3, Varint(1, dimension) + Wrap(2, items));
}
inline Message List(std::string_view offsets, uint64_t adjustment, uint64_t num_items) {
  return Wrap(4, Wrap(1, offsets) + Varint(2, adjustment) + Varint(3, num_items));
}
inline Message Struct() { return Wrap(5, ""); }
inline Message Binary(std::string_view indices, std::string_view bytes, uint64_t adjustment) {
  return Wrap(6, Wrap(1, indices) + Wrap(2, bytes) + Varint(3, adjustment));
}
inline Message Dictionary(std::string_view indices, std::string_view items, uint64_t num_items) {
  return Wrap(7, Wrap(1, indices) + Wrap(2, items) + Varint(3, num_items));
}
inline Message Fsst(std::string_view binary, std::string_view table) {
  return Wrap(8, Wrap(1, binary) + Wrap(2, table));
}
inline Message PackedStruct(const std::vector<Message>& inner, uint32_t buffer) {
  Message out;
  for (const Message& child : inner) out += Wrap(1, child);
  return Wrap(9, out + Wrap(2, BufferAt(buffer)));
}
inline Message Bitpacked(uint64_t bits, uint64_t plain_bits, uint32_t buffer, bool is_signed) {
  return Wrap(10, Varint(1, bits) + Varint(2, plain_bits) + Wrap(3, BufferAt(buffer)) +
                      Varint(4, is_signed ? 1 : 0));
}
inline Message FixedSizeBinary(std::string_view bytes, uint64_t width) {
  return Wrap(11, Wrap(1, bytes) + Varint(2, width));
}
inline Message FastLanes(uint64_t bits, uint64_t plain_bits, uint32_t buffer) {
  return Wrap(12, Varint(1, bits) + Varint(2, plain_bits) + Wrap(3, BufferAt(buffer)));
}

/// The bytes of numbers.
template <typename T>
std::string Bytes(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) AppendLittleEndian(out, value);
  return out;
}

/// A file of columns in memory.
class PageFile : public ColumnSource {
 public:
  /// Adds a page to a column; buffers are laid into the file at multiples of 64.
  void AddPage(uint32_t column, uint64_t num_rows, Message encoding,
               const std::vector<std::string>& buffers) {
    if (columns_.size() <= column) columns_.resize(column + 1);
    ColumnPages& pages = columns_[column];
    pages.column = column;
    buffers_.emplace_back();
    for (const std::string& buffer : buffers) {
      bytes_.resize((bytes_.size() + 63) / 64 * 64, 'H');
      buffers_.back().push_back({bytes_.size(), bytes_.size() + buffer.size()});
      bytes_ += buffer;
    }
    encodings_.push_back(std::move(encoding));
    PageInfo page;
    page.num_rows = num_rows;
    page.first_row = pages.num_rows;
    page.buffers = buffers_.back();
    page.message = EncodingMessage::kArrayEncoding;
    page.encoding = encodings_.back();
    pages.pages.push_back(page);
    pages.num_rows += num_rows;
  }

  std::string& bytes() { return bytes_; }
  std::string& encoding(size_t page) { return encodings_[page]; }

  arrow::Result<const ColumnPages*> Pages(uint32_t column) override {
    if (column >= columns_.size()) return MakeError(ErrorKind::kInvalidArgument, "no such column");
    return &columns_[column];
  }
  uint64_t file_size_bytes() const override { return bytes_.size(); }

  /// Reads rows in batches and joins them. Counts the bytes asked for in `bytes_read`.
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const FieldShape& shape, RowRanges rows,
                                                    uint64_t batch_rows = 1 << 20,
                                                    uint64_t* bytes_read = nullptr) {
    DecodeContext context;
    context.columns = this;
    context.buffer_bytes_max = buffer_bytes_max;
    uint64_t left = CountRows(rows);
    // An image of the file in aligned memory, as a reader would fetch it.
    auto image = std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(bytes_.data()),
                                                 static_cast<int64_t>(bytes_.size()));
    ARROW_ASSIGN_OR_RAISE(auto decoder, MakeV20FieldDecoder(shape, std::move(rows), context));
    for (int round = 0;; ++round) {
      if (round > 10) return MakeError(ErrorKind::kInternal, "the decoder never has enough");
      std::vector<ByteRange> wanted;
      ARROW_RETURN_NOT_OK(decoder->Plan(&wanted));
      if (wanted.empty()) break;
      std::vector<FetchedBytes> fetched;
      for (const ByteRange& range : wanted) {
        if (range.begin >= range.end || range.end > bytes_.size()) {
          return MakeError(ErrorKind::kInternal, "the decoder asks for bytes outside the file");
        }
        if (bytes_read != nullptr) *bytes_read += range.size();
        fetched.push_back({{image->data() + range.begin, range.size()}, image});
      }
      ARROW_RETURN_NOT_OK(decoder->Accept(fetched));
    }
    arrow::ArrayVector parts;
    while (left > 0) {
      const uint64_t count = std::min(left, batch_rows);
      ARROW_ASSIGN_OR_RAISE(auto data, decoder->Decode(count));
      auto array = arrow::MakeArray(std::move(data));
      ARROW_RETURN_NOT_OK(array->ValidateFull());
      parts.push_back(std::move(array));
      left -= count;
    }
    if (parts.empty()) return arrow::MakeEmptyArray(shape.type);
    if (parts.size() == 1) return parts[0];
    return arrow::Concatenate(parts);
  }

  uint64_t buffer_bytes_max = uint64_t{1} << 30;

 private:
  std::string bytes_;
  std::deque<std::vector<ByteRange>> buffers_;
  std::deque<Message> encodings_;
  std::vector<ColumnPages> columns_;
};

/// The shape of a leaf.
inline FieldShape Leaf(std::shared_ptr<arrow::DataType> type, uint32_t column) {
  FieldShape shape;
  shape.type = std::move(type);
  shape.column = column;
  return shape;
}

/// Reads the column whole, in batches, and in selections, and compares each with slices of
/// `expected`.
inline void ExpectReads(PageFile& file, const FieldShape& shape, const arrow::Array& expected) {
  const auto rows = static_cast<uint64_t>(expected.length());
  for (const uint64_t batch : {uint64_t{1} << 20, uint64_t{7}, uint64_t{1}}) {
    auto whole = file.Read(shape, {{0, rows}}, batch);
    ASSERT_TRUE(whole.ok()) << whole.status();
    EXPECT_TRUE((*whole)->Equals(expected)) << (*whole)->ToString() << expected.ToString();
  }
  for (uint64_t begin = 0; begin < rows; begin += 1 + rows / 9) {
    auto tail = file.Read(shape, {{begin, rows}});
    ASSERT_TRUE(tail.ok()) << tail.status();
    EXPECT_TRUE((*tail)->Equals(expected.Slice(static_cast<int64_t>(begin)))) << begin;
  }
  // Every row but each third, as single rows, and pairs with gaps.
  for (const uint64_t step : {uint64_t{2}, uint64_t{3}, uint64_t{11}}) {
    RowRanges ranges;
    arrow::ArrayVector slices;
    for (uint64_t row = step / 2; row < rows; row += step) {
      const uint64_t end = std::min(rows, row + step / 2);
      ranges.push_back({row, end});
      slices.push_back(expected.Slice(static_cast<int64_t>(row), static_cast<int64_t>(end - row)));
    }
    if (ranges.empty()) continue;
    for (const uint64_t batch : {uint64_t{1} << 20, uint64_t{5}}) {
      auto taken = file.Read(shape, ranges, batch);
      ASSERT_TRUE(taken.ok()) << taken.status();
      EXPECT_TRUE((*taken)->Equals(*arrow::Concatenate(slices).ValueOrDie()))
          << (*taken)->ToString();
    }
  }
}

/// Reads with every prefix of the bytes cut off a page's encoding and with single bits flipped in
/// encodings and data: each answer is an error or an array, never a crash.
inline void ExpectSurvivesDamage(PageFile& file, const FieldShape& shape, uint64_t rows,
                                 size_t num_encodings) {
  for (size_t page = 0; page < num_encodings; ++page) {
    std::string& encoding = file.encoding(page);
    for (size_t at = 0; at < encoding.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        encoding[at] = static_cast<char>(encoding[at] ^ (1 << bit));
        (void)file.Read(shape, {{0, rows}}).ok();
        encoding[at] = static_cast<char>(encoding[at] ^ (1 << bit));
      }
    }
  }
  std::string& bytes = file.bytes();
  for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
    for (const int bit : {0, 3, 7}) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      (void)file.Read(shape, {{0, rows}}, 3).ok();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    }
  }
}

}  // namespace pennon::v20
