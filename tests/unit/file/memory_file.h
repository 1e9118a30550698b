/// \file
/// A small data file made in memory, and a file that counts its calls.
/// Spec: format/data-file.md, heading 1.
#pragma once

#include <arrow/buffer.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "base/wire.h"
#include "io/store.h"

namespace pennon {

class MemoryFile : public RandomAccessFile {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return bytes_.size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) override {
    ++num_calls;
    num_bytes += range.size();
    return arrow::Buffer::FromString(bytes_.substr(range.begin, range.size()));
  }
  arrow::Status ReadInto(ByteRange range, uint8_t* out) override {
    ++num_calls;
    num_bytes += range.size();
    bytes_.copy(reinterpret_cast<char*>(out), range.size(), range.begin);
    return arrow::Status::OK();
  }

  uint64_t num_calls = 0;
  uint64_t num_bytes = 0;

 private:
  std::string path_ = "memory.lance";
  std::string bytes_;
};

/// Encoding { direct { Any { type_url, value } } }
inline std::string DirectEncoding(std::string_view type_url, std::string_view value) {
  std::string any, direct, out;
  AppendBytesField(any, 1, type_url);
  AppendBytesField(any, 2, value);
  AppendBytesField(direct, 1, any);
  AppendBytesField(out, 2, direct);
  return out;
}

/// Puts a file together: pages of one chunk of flat int32 without nulls.
class FileMaker {
 public:
  /// Adds a column of int32, `values_per_page` in each page but the last.
  void AddColumn(const std::vector<int32_t>& values, size_t values_per_page) {
    std::string column;
    AppendBytesField(column, 1,
                     DirectEncoding("/lance.encodings.ColumnEncoding", std::string("\x0a\0", 2)));
    for (size_t at = 0; at < values.size(); at += values_per_page) {
      const size_t end = std::min(values.size(), at + values_per_page);
      AppendBytesField(column, 2,
                       MakePage({values.begin() + static_cast<std::ptrdiff_t>(at),
                                 values.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    columns_.push_back(column);
  }
  /// Adds ready metadata of a column.
  void AddColumn(std::string metadata) { columns_.push_back(std::move(metadata)); }

  /// Adds bytes at a multiple of 64 and returns where.
  ByteRange AddBytes(const std::string& bytes) {
    bytes_.resize((bytes_.size() + 63) / 64 * 64, 'H');
    bytes_ += bytes;
    return {bytes_.size() - bytes.size(), bytes_.size()};
  }

  std::string Finish(uint16_t major = 2, uint16_t minor = 2, const std::string& descriptor = "") {
    const ByteRange global = AddBytes(descriptor);
    std::string out = bytes_;
    const uint64_t metadata_begin = out.size();
    std::string table;
    for (const std::string& column : columns_) {
      AppendLittleEndian<uint64_t>(table, out.size());
      AppendLittleEndian<uint64_t>(table, column.size());
      out += column;
    }
    const uint64_t column_table = out.size();
    out += table;
    const uint64_t global_table = out.size();
    AppendLittleEndian<uint64_t>(out, global.begin);
    AppendLittleEndian<uint64_t>(out, global.size());
    AppendLittleEndian(out, metadata_begin);
    AppendLittleEndian(out, column_table);
    AppendLittleEndian(out, global_table);
    AppendLittleEndian<uint32_t>(out, 1);
    AppendLittleEndian(out, static_cast<uint32_t>(columns_.size()));
    AppendLittleEndian(out, major);
    AppendLittleEndian(out, minor);
    return out + "LANC";
  }

 private:
  std::string MakePage(const std::vector<int32_t>& values) {
    std::string chunk;
    AppendLittleEndian<uint16_t>(chunk, 0);
    AppendLittleEndian(chunk, static_cast<uint32_t>(values.size() * 4));
    chunk.resize(8);
    for (const int32_t value : values) AppendLittleEndian(chunk, value);
    chunk.resize((chunk.size() + 7) / 8 * 8);
    std::string word;
    AppendLittleEndian(word, static_cast<uint32_t>((chunk.size() / 8 - 1) << 4));
    const ByteRange words = AddBytes(word);
    const ByteRange data = AddBytes(chunk);

    std::string flat, encoding, layers, mini, layout, positions, sizes, page;
    AppendVarintField(flat, 1, 32);
    AppendBytesField(encoding, 1, flat);
    AppendVarint(layers, 1);
    AppendBytesField(mini, 3, encoding);
    AppendBytesField(mini, 6, layers);
    AppendVarintField(mini, 7, 1);
    AppendVarintField(mini, 9, values.size());
    AppendVarintField(mini, 10, 1);
    AppendBytesField(layout, 1, mini);
    for (const ByteRange& range : {words, data}) {
      AppendVarint(positions, range.begin);
      AppendVarint(sizes, range.size());
    }
    AppendBytesField(page, 1, positions);
    AppendBytesField(page, 2, sizes);
    AppendVarintField(page, 3, values.size());
    AppendBytesField(page, 4, DirectEncoding("/lance.encodings21.PageLayout", layout));
    return page;
  }

  std::string bytes_;
  std::vector<std::string> columns_;
};

}  // namespace pennon
