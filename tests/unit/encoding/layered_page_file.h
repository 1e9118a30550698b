/// \file
/// Pages of a 2.1 or 2.2 file made by hand, in memory, and the dialogue with a decoder over them.
/// Spec: format/data-file.md, headings 6 and 7.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "base/wire.h"
#include "encoding/field_decoder.h"
#include "pennon/base/error.h"

namespace pennon::v21 {

using Message = std::string;

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

// Encodings.
inline Message Flat(uint64_t bits) { return Wrap(1, Varint(1, bits)); }
inline Message Variable(uint64_t bits) { return Wrap(2, Wrap(1, Flat(bits))); }
inline Message Constant() { return Wrap(3, ""); }
inline Message OutOfLine(uint64_t bits, uint64_t packed) {
  return Wrap(4, Varint(1, bits) + Wrap(3, packed == 0 ? Wrap(1, "") : Flat(packed)));
}
inline Message Inline(uint64_t bits) { return Wrap(5, Varint(1, bits)); }
inline Message Fsst(std::string_view table, std::string_view values) {
  return Wrap(6, Wrap(1, table) + Wrap(2, values));
}
inline Message Rle(uint64_t bits) { return Wrap(8, Wrap(1, Flat(bits)) + Wrap(2, Flat(8))); }
inline Message Split(uint64_t bits) { return Wrap(9, Wrap(1, Flat(bits))); }
inline Message General(uint64_t scheme, std::string_view values) {
  return Wrap(10, Wrap(1, Varint(1, scheme)) + Wrap(3, values));
}
inline Message ListOf(uint64_t size, bool has_validity, std::string_view values) {
  return Wrap(11, Varint(1, size) + Wrap(2, values) + Varint(3, has_validity ? 1 : 0));
}
inline Message Packed(const std::vector<uint64_t>& bits) {
  Message widths;
  uint64_t sum = 0;
  for (const uint64_t width : bits) {
    AppendVarint(widths, width);
    sum += width;
  }
  return Wrap(12, Wrap(1, widths) + Wrap(2, Flat(sum)));
}

// Layouts.
inline Message LayersAt(uint32_t number, const std::vector<int>& layers) {
  Message packed;
  for (const int layer : layers) AppendVarint(packed, static_cast<uint64_t>(layer));
  return Wrap(number, packed);
}
struct MiniBlock {
  Message rep, def, values, dictionary;
  uint64_t num_dictionary_items = 0;
  std::vector<int> layers = {1};
  uint64_t num_buffers = 1;
  uint64_t num_items = 0;
  bool is_large = true;

  Message Layout() const {
    Message out;
    if (!rep.empty()) out += Wrap(1, rep) + Varint(8, 1);
    if (!def.empty()) out += Wrap(2, def);
    out += Wrap(3, values);
    if (!dictionary.empty()) out += Wrap(4, dictionary) + Varint(5, num_dictionary_items);
    out += LayersAt(6, layers) + Varint(7, num_buffers) + Varint(9, num_items);
    out += Varint(10, is_large ? 1 : 0);
    return Wrap(1, out);
  }
};

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) AppendLittleEndian(out, value);
  return out;
}

/// One chunk: `rep` and `def` are encoded already; null: no such stream.
inline std::string Chunk(const MiniBlock& page, uint16_t num_levels, const std::string& rep,
                         const std::string& def, const std::vector<std::string>& buffers) {
  std::string out;
  AppendLittleEndian(out, num_levels);
  if (!page.rep.empty()) AppendLittleEndian(out, static_cast<uint16_t>(rep.size()));
  if (!page.def.empty()) AppendLittleEndian(out, static_cast<uint16_t>(def.size()));
  for (const std::string& buffer : buffers) {
    if (page.is_large) {
      AppendLittleEndian(out, static_cast<uint32_t>(buffer.size()));
    } else {
      AppendLittleEndian(out, static_cast<uint16_t>(buffer.size()));
    }
  }
  const auto pad = [&] { out.resize((out.size() + 7) / 8 * 8, '\xFE'); };
  pad();
  if (!page.rep.empty()) out += rep;
  pad();
  if (!page.def.empty()) out += def;
  pad();
  for (const std::string& buffer : buffers) {
    out += buffer;
    pad();
  }
  return out;
}

/// Words of chunks: their bytes and the logarithms of their numbers of values.
inline std::string Words(const MiniBlock& page,
                         const std::vector<std::pair<std::string, unsigned>>& chunks) {
  std::string out;
  for (const auto& [chunk, log_values] : chunks) {
    const auto word = static_cast<uint32_t>((chunk.size() / 8 - 1) << 4 | log_values);
    if (page.is_large) {
      AppendLittleEndian(out, word);
    } else {
      AppendLittleEndian(out, static_cast<uint16_t>(word));
    }
  }
  return out;
}

/// A file of columns in memory.
class PageFile : public ColumnSource, public PageIndexCache {
 public:
  /// Adds a page to a column; buffers are laid into the file at multiples of 64.
  void AddPage(uint32_t column, uint64_t num_rows, Message layout,
               const std::vector<std::string>& buffers) {
    if (columns_.size() <= column) columns_.resize(column + 1);
    ColumnPages& pages = columns_[column];
    pages.column = column;
    buffers_.emplace_back();
    for (const std::string& buffer : buffers) {
      buffers_.back().push_back(AddBytes(buffer));
    }
    layouts_.push_back(std::move(layout));
    PageInfo page;
    page.num_rows = num_rows;
    page.first_row = pages.num_rows;
    page.buffers = buffers_.back();
    page.message = EncodingMessage::kPageLayout;
    page.encoding = layouts_.back();
    pages.pages.push_back(page);
    pages.num_rows += num_rows;
  }
  /// Adds bytes at a multiple of 64 and returns where they lie.
  ByteRange AddBytes(const std::string& bytes) {
    bytes_.resize((bytes_.size() + 63) / 64 * 64, 'H');
    const ByteRange range{bytes_.size(), bytes_.size() + bytes.size()};
    bytes_ += bytes;
    return range;
  }

  std::string& bytes() { return bytes_; }
  std::string& layout(size_t page) { return layouts_[page]; }
  void RefreshLayouts() {
    size_t at = 0;
    for (ColumnPages& column : columns_) {
      for (PageInfo& page : column.pages) page.encoding = layouts_[at++];
    }
  }

  arrow::Result<const ColumnPages*> Pages(uint32_t column) override {
    if (column >= columns_.size()) return MakeError(ErrorKind::kInvalidArgument, "no such column");
    return &columns_[column];
  }
  uint64_t file_size_bytes() const override { return bytes_.size(); }
  std::shared_ptr<const PageIndex> Find(uint32_t column, uint32_t page) override {
    const auto found = kept_.find({column, page});
    return found == kept_.end() ? nullptr : found->second;
  }
  void Keep(uint32_t column, uint32_t page, std::shared_ptr<const PageIndex> index) override {
    kept_[{column, page}] = std::move(index);
  }

  struct Cost {
    uint64_t rounds = 0;
    uint64_t ranges = 0;
    uint64_t bytes = 0;
  };
  /// Reads rows in batches and joins them.
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const FieldShape& shape, RowRanges rows,
                                                    uint64_t batch_rows = 1 << 20,
                                                    Cost* cost = nullptr) {
    DecodeContext context;
    context.columns = this;
    context.indices = keeps_indices ? this : nullptr;
    context.buffer_bytes_max = buffer_bytes_max;
    uint64_t left = CountRows(rows);
    auto image = std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(bytes_.data()),
                                                 static_cast<int64_t>(bytes_.size()));
    ARROW_ASSIGN_OR_RAISE(auto decoder, MakeFieldDecoder(shape, std::move(rows), context));
    for (int round = 0;; ++round) {
      if (round > 10) return MakeError(ErrorKind::kInternal, "the decoder never has enough");
      std::vector<ByteRange> wanted;
      ARROW_RETURN_NOT_OK(decoder->Plan(&wanted));
      if (wanted.empty()) break;
      std::vector<FetchedBytes> fetched;
      for (const ByteRange& range : wanted) {
        if (range.begin > range.end || range.end > bytes_.size()) {
          return MakeError(ErrorKind::kInternal, "the decoder asks for bytes outside the file");
        }
        fetched.push_back({{image->data() + range.begin, range.size()}, image});
        if (cost != nullptr) cost->bytes += range.size();
      }
      if (cost != nullptr) {
        cost->rounds += 1;
        cost->ranges += wanted.size();
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

  bool keeps_indices = false;
  uint64_t buffer_bytes_max = uint64_t{1} << 28;

 private:
  std::string bytes_;
  std::deque<std::vector<ByteRange>> buffers_;
  std::deque<Message> layouts_;
  std::vector<ColumnPages> columns_;
  std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const PageIndex>> kept_;
};

/// The shape of a leaf.
inline FieldShape Leaf(std::shared_ptr<arrow::DataType> type, uint32_t column,
                       FieldStorage storage = FieldStorage::kPlain) {
  FieldShape shape;
  shape.type = std::move(type);
  shape.column = column;
  shape.storage = storage;
  return shape;
}
/// The shape of a field with others below it.
inline FieldShape Node(std::shared_ptr<arrow::DataType> type, std::vector<FieldShape> children) {
  FieldShape shape;
  shape.type = std::move(type);
  shape.children = std::move(children);
  return shape;
}

/// Reads the field whole, in batches and in selections, and compares each with what is expected.
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

/// Reads with every prefix of the page descriptions and with single bits flipped in them and in the
/// file: errors are fine, crashes and wrong kinds of error are not.
inline void ExpectSurvivesDamage(PageFile& file, const FieldShape& shape, uint64_t num_rows) {
  file.buffer_bytes_max = 1 << 24;
  const auto check = [&] {
    const auto result = file.Read(shape, {{0, num_rows}});
    if (result.ok()) return;
    const ErrorKind kind = KindOf(result.status());
    EXPECT_TRUE(kind == ErrorKind::kCorrupt || kind == ErrorKind::kTooLarge ||
                kind == ErrorKind::kUnsupportedFeature || kind == ErrorKind::kInvalidArgument)
        << result.status();
  };
  const std::string layout = file.layout(0);
  for (size_t size = 0; size < layout.size(); ++size) {
    file.layout(0) = layout.substr(0, size);
    file.RefreshLayouts();
    check();
  }
  for (size_t bit = 0; bit < layout.size() * 8; ++bit) {
    file.layout(0) = layout;
    file.layout(0)[bit / 8] = static_cast<char>(file.layout(0)[bit / 8] ^ (1 << (bit % 8)));
    file.RefreshLayouts();
    check();
  }
  file.layout(0) = layout;
  file.RefreshLayouts();
  const std::string bytes = file.bytes();
  const size_t step = 1 + bytes.size() * 8 / 4000;
  for (size_t bit = 0; bit < bytes.size() * 8; bit += step) {
    file.bytes()[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    check();
    file.bytes()[bit / 8] = bytes[bit / 8];
  }
}

}  // namespace pennon::v21
