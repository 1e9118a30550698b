#include "dataset/data_file_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/little_endian.h"
#include "base/wire.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t kTailBytes = 16 * 1024;
constexpr uint64_t kLegacyFooterBytes = 16;
constexpr uint64_t kFooterBytes = 40;
constexpr uint64_t kTableEntryBytes = 16;
constexpr uint64_t kMetadataBytesMax = uint64_t{1} << 30;
constexpr std::string_view kMagic = "LANC";

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

/// The last bytes of the file, from `begin` on, and more when asked for.
class Tail {
 public:
  explicit Tail(RandomAccessFile& file) : file_(file), begin_(file.size_bytes()) {}

  /// Bytes [position, position + size) of the file; they must lie before its footer's end.
  arrow::Result<std::string_view> At(uint64_t position, uint64_t size) {
    const uint64_t end = file_.size_bytes();
    if (position > end || size > end - position) {
      return Corrupt(
          fmt::format("{} bytes at byte {} lie outside the file of {}", size, position, end));
    }
    if (position < begin_) ARROW_RETURN_NOT_OK(Load(position));
    return std::string_view(reinterpret_cast<const char*>(bytes_->data()) + (position - begin_),
                            size);
  }

 private:
  arrow::Status Load(uint64_t position) {
    const uint64_t end = file_.size_bytes();
    if (end - position > kMetadataBytesMax) {
      return MakeError(ErrorKind::kTooLarge, fmt::format("metadata has {} bytes, limit {}",
                                                         end - position, kMetadataBytesMax));
    }
    ARROW_ASSIGN_OR_RAISE(bytes_, file_.ReadAt({position, end}));
    begin_ = position;
    return arrow::Status::OK();
  }

  RandomAccessFile& file_;
  uint64_t begin_;
  std::shared_ptr<arrow::Buffer> bytes_;
};

// Sums field `length` of the pages of one ColumnMetadata message.
arrow::Result<uint64_t> CountPageRows(std::string_view message, uint64_t origin) {
  uint64_t rows = 0;
  WireReader reader(message, origin);
  for (WireField field; !reader.done();) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number != 2 || field.type != WireType::kBytes) continue;
    WireReader page(field.bytes, field.bytes_offset);
    for (WireField item; !page.done();) {
      ARROW_RETURN_NOT_OK(page.Next(&item));
      if (item.number == 3 && item.type == WireType::kVarint) rows += item.value;
    }
  }
  return rows;
}

// Field `length` of a FileDescriptor message.
arrow::Result<uint64_t> DescriptorRows(std::string_view message, uint64_t origin) {
  uint64_t rows = 0;
  WireReader reader(message, origin);
  for (WireField field; !reader.done();) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == 2 && field.type == WireType::kVarint) rows = field.value;
  }
  return rows;
}

arrow::Status ReadColumns(Tail* tail, uint64_t first_metadata, uint64_t table,
                          DataFileFacts* facts) {
  if (first_metadata > table)
    return Corrupt(
        fmt::format("column metadata begins at byte {}, behind its offset table", first_metadata));
  // One read for all of it: the metadata lies in one piece before its table.
  ARROW_RETURN_NOT_OK(tail->At(first_metadata, 0).status());
  for (uint32_t i = 0; i < facts->num_columns; ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto entry,
                          tail->At(table + i * kTableEntryBytes, kTableEntryBytes));
    const auto position = LoadLittleEndian<uint64_t>(entry.data());
    const auto size = LoadLittleEndian<uint64_t>(entry.data() + 8);
    if (position < first_metadata || position > table || size > table - position) {
      return Corrupt(fmt::format("metadata of column {} lies outside its place", i));
    }
    ARROW_ASSIGN_OR_RAISE(const auto message, tail->At(position, size));
    ARROW_ASSIGN_OR_RAISE(const uint64_t rows, CountPageRows(message, position));
    facts->column_rows.push_back(rows);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<DataFileFacts> ReadDataFileFacts(RandomAccessFile& file) {
  const uint64_t size = file.size_bytes();
  if (size < kLegacyFooterBytes)
    return Corrupt(fmt::format("{} bytes are too few for a data file", size));
  Tail tail(file);
  ARROW_RETURN_NOT_OK(tail.At(size - std::min(size, kTailBytes), 0).status());
  ARROW_ASSIGN_OR_RAISE(const auto end, tail.At(size - 8, 8));
  if (end.substr(4) != kMagic) return Corrupt("the file does not end in LANC");
  DataFileFacts facts;
  facts.major_version = LoadLittleEndian<uint16_t>(end.data());
  facts.minor_version = LoadLittleEndian<uint16_t>(end.data() + 2);
  facts.is_legacy = facts.major_version == 0 && facts.minor_version <= 2;
  if (facts.is_legacy) return facts;
  if (size < kFooterBytes)
    return Corrupt(fmt::format("{} bytes are too few for a data file", size));

  ARROW_ASSIGN_OR_RAISE(const auto footer, tail.At(size - kFooterBytes, kFooterBytes));
  const auto first_metadata = LoadLittleEndian<uint64_t>(footer.data());
  const auto columns_table = LoadLittleEndian<uint64_t>(footer.data() + 8);
  const auto buffers_table = LoadLittleEndian<uint64_t>(footer.data() + 16);
  const auto num_buffers = LoadLittleEndian<uint32_t>(footer.data() + 24);
  facts.num_columns = LoadLittleEndian<uint32_t>(footer.data() + 28);
  if (num_buffers > 0) {
    ARROW_ASSIGN_OR_RAISE(const auto entry, tail.At(buffers_table, kTableEntryBytes));
    const auto position = LoadLittleEndian<uint64_t>(entry.data());
    ARROW_ASSIGN_OR_RAISE(const auto message,
                          tail.At(position, LoadLittleEndian<uint64_t>(entry.data() + 8)));
    ARROW_ASSIGN_OR_RAISE(facts.num_rows, DescriptorRows(message, position));
  }
  ARROW_RETURN_NOT_OK(ReadColumns(&tail, first_metadata, columns_table, &facts));
  return facts;
}

}  // namespace pennon
