#include "file/data_file_reader.h"

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "encoding/field_decoder.h"
#include "file/column_metadata.h"
#include "file/footer.h"
#include "file/index_cache.h"
#include "io/coalesce.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t kEntryBytes = 16;
/// Metadata of all columns up to this size is fetched at once with the tables; beyond, column by
/// column.
constexpr uint64_t kMetadataTogetherMax = uint64_t{1} << 20;
/// Tables of more bytes than this are damage.
constexpr uint64_t kTablesBytesMax = uint64_t{1} << 30;
constexpr uint32_t kGapBytesMaxOf20 = 4096;

/// The end of a file, as far as it has been fetched.
struct Tail {
  uint64_t begin = 0;
  std::shared_ptr<arrow::Buffer> bytes;

  bool Holds(const ByteRange& range) const { return bytes != nullptr && range.begin >= begin; }
  std::span<const uint8_t> Part(const ByteRange& range) const {
    return {bytes->data() + (range.begin - begin), range.size()};
  }
};

class OpenDataFile : public DataFileReader, public ColumnSource {
 public:
  OpenDataFile(std::shared_ptr<RandomAccessFile> file, const DataFileReaderOptions& options,
               Footer footer, Tail tail)
      : file_(std::move(file)),
        options_(options),
        footer_(footer),
        tail_(std::move(tail)),
        indices_(options.index_bytes_max),
        columns_(footer.num_columns) {}

  FileVersion version() const override { return footer_.version; }
  const std::string& path() const override { return file_->path(); }
  uint32_t num_columns() const override { return footer_.num_columns; }
  uint32_t num_global_buffers() const override { return footer_.num_global_buffers; }
  uint64_t file_size_bytes() const override { return file_->size_bytes(); }
  uint64_t memory_bytes() const override {
    return indices_.memory_bytes() + static_cast<uint64_t>(tail_.bytes->size());
  }

  arrow::Result<uint64_t> NumPageRows(uint32_t column) override {
    ARROW_ASSIGN_OR_RAISE(const ColumnPages* const pages, PagesWithPath(column));
    return pages->num_rows;
  }

  arrow::Result<double> StoredBytes(uint32_t column) override {
    ARROW_ASSIGN_OR_RAISE(const ColumnPages* const pages, PagesWithPath(column));
    double bytes = 0;
    for (const PageInfo& page : pages->pages) {
      for (const ByteRange& buffer : page.buffers) bytes += static_cast<double>(buffer.size());
    }
    return bytes;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadGlobalBuffer(uint32_t index) override {
    auto result = FindGlobalBuffer(index);
    if (!result.ok()) return InFile(result.status());
    const ByteRange range = *result;
    if (tail_.Holds(range)) {
      return arrow::SliceBuffer(tail_.bytes, static_cast<int64_t>(range.begin - tail_.begin),
                                static_cast<int64_t>(range.size()));
    }
    return file_->ReadAt(range);
  }

  arrow::Result<const ColumnPages*> Pages(uint32_t column) override {
    if (column >= columns_.size()) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          fmt::format("column is not in the file: {}, it has {}", column, columns_.size()));
    }
    {
      const std::lock_guard lock(mutex_);
      if (columns_[column] != nullptr) return &columns_[column]->pages;
    }
    auto parsed = std::make_unique<Column>();
    const uint8_t* entry = tail_.Part(footer_.column_table).data() + column * kEntryBytes;
    ARROW_ASSIGN_OR_RAISE(const ByteRange range, ParseTableEntry(entry, file_->size_bytes()));
    std::string_view message;
    if (tail_.Holds(range)) {
      const auto bytes = tail_.Part(range);
      message = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    } else {
      ARROW_ASSIGN_OR_RAISE(parsed->metadata, file_->ReadAt(range));
      message = std::string_view(*parsed->metadata);
    }
    ARROW_ASSIGN_OR_RAISE(parsed->pages, ParseColumnMetadata(message, {column, footer_.version,
                                                                       file_->size_bytes()}));
    const std::lock_guard lock(mutex_);
    if (columns_[column] == nullptr) columns_[column] = std::move(parsed);
    return &columns_[column]->pages;
  }

  arrow::Result<std::unique_ptr<RowWindow>> OpenWindow(std::span<const FieldShape> fields,
                                                       RowRanges rows) override;

  /// Reads ranges of the file; what lies in the tail costs no call.
  arrow::Status Fetch(std::span<const ByteRange> ranges, std::vector<FetchedBytes>* out) {
    out->clear();
    out->resize(ranges.size());
    std::vector<ByteRange> missing;
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].begin >= ranges[i].end) continue;
      if (tail_.Holds(ranges[i]) && ranges[i].end <= file_->size_bytes()) {
        (*out)[i] = {tail_.Part(ranges[i]), tail_.bytes};
      } else {
        missing.push_back(ranges[i]);
      }
    }
    if (missing.empty()) return arrow::Status::OK();
    CoalesceOptions coalesce;
    // Pages of 2.0 are asked for value by value: what lies between is seldom wanted.
    coalesce.gap_bytes_max = version() == FileVersion::kV2_0
                                 ? std::min(options_.coalesce_gap_bytes, kGapBytesMaxOf20)
                                 : options_.coalesce_gap_bytes;
    coalesce.fetch_bytes_max = options_.buffer_bytes_max;
    coalesce.pool = options_.pool;
    ARROW_ASSIGN_OR_RAISE(auto fetched, FetchRanges(file_.get(), missing, coalesce));
    auto next = fetched.begin();
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].begin >= ranges[i].end || (*out)[i].owner != nullptr) continue;
      (*out)[i] = {next->data, std::move(next->owner)};
      ++next;
    }
    return arrow::Status::OK();
  }

  arrow::Status InFile(const arrow::Status& status) const {
    // What the store says names the path already.
    if (status.ok() || status.message().find(file_->path()) != std::string::npos) return status;
    return AddContext(status, fmt::format(": {}", file_->path()));
  }

  DecodeContext MakeContext() {
    DecodeContext context;
    context.columns = this;
    context.indices = &indices_;
    context.pool = options_.pool;
    context.buffer_bytes_max = options_.buffer_bytes_max;
    return context;
  }

 private:
  /// Parsed metadata, and the bytes it points into when they are not the tail's.
  struct Column {
    std::shared_ptr<arrow::Buffer> metadata;
    ColumnPages pages;
  };

  arrow::Result<const ColumnPages*> PagesWithPath(uint32_t column) {
    auto result = Pages(column);
    if (!result.ok()) return InFile(result.status());
    return result;
  }

  arrow::Result<ByteRange> FindGlobalBuffer(uint32_t index) const {
    if (index >= footer_.num_global_buffers) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("global buffer is not in the file: {}, it has {}", index,
                                   footer_.num_global_buffers));
    }
    const uint8_t* entry = tail_.Part(footer_.global_buffer_table).data() + index * kEntryBytes;
    ARROW_ASSIGN_OR_RAISE(const ByteRange range, ParseTableEntry(entry, file_->size_bytes()));
    if (footer_.version != FileVersion::kV2_0 && range.begin % kBufferAlignment != 0) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("global buffer is not aligned to {} bytes: position {}",
                                   kBufferAlignment, range.begin));
    }
    return range;
  }

  std::shared_ptr<RandomAccessFile> file_;
  const DataFileReaderOptions options_;
  const Footer footer_;
  const Tail tail_;
  IndexCache indices_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Column>> columns_;  // null until asked for; never changed afterwards
};

class DecodingWindow : public RowWindow {
 public:
  DecodingWindow(std::shared_ptr<OpenDataFile> file, uint64_t num_rows)
      : file_(std::move(file)), rows_left_(num_rows) {}

  /// Runs the dialogue of all decoders in step until none needs more bytes.
  arrow::Status Fill() {
    std::vector<ByteRange> wanted;
    std::vector<size_t> counts(decoders_.size());
    std::vector<FetchedBytes> bytes;
    while (true) {
      wanted.clear();
      for (size_t i = 0; i < decoders_.size(); ++i) {
        const size_t before = wanted.size();
        ARROW_RETURN_NOT_OK(decoders_[i]->Plan(&wanted));
        counts[i] = wanted.size() - before;
      }
      if (wanted.empty()) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(file_->Fetch(wanted, &bytes));
      size_t at = 0;
      for (size_t i = 0; i < decoders_.size(); ++i) {
        ARROW_RETURN_NOT_OK(
            decoders_[i]->Accept(std::span<const FetchedBytes>(bytes).subspan(at, counts[i])));
        at += counts[i];
      }
    }
  }

  void Add(std::unique_ptr<FieldDecoder> decoder) { decoders_.push_back(std::move(decoder)); }

  uint64_t rows_left() const override { return rows_left_; }

  arrow::Result<FieldArrays> Next(uint64_t num_rows) override {
    if (num_rows > rows_left_) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          fmt::format("window has fewer rows: asked for {}, it has {}", num_rows, rows_left_));
    }
    if (has_joined_ && num_rows != rows_left_) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          fmt::format("rows of several files are given out at once: asked for {} of {}", num_rows,
                      rows_left_));
    }
    FieldArrays arrays;
    arrays.reserve(decoders_.size());
    for (const auto& decoder : decoders_) {
      auto array = decoder->Decode(num_rows);
      if (!array.ok()) return file_->InFile(array.status());
      arrays.push_back(*std::move(array));
    }
    rows_left_ -= num_rows;
    return arrays;
  }

  arrow::Result<bool> Join(const std::shared_ptr<DataFileReader>& file, RowRanges rows) override {
    const bool is_possible =
        file->version() != FileVersion::kV2_0 &&
        std::all_of(decoders_.begin(), decoders_.end(),
                    [](const auto& decoder) { return decoder->CanContinue(); });
    if (!is_possible) return false;
    for (const auto& decoder : decoders_) ARROW_RETURN_NOT_OK(file_->InFile(decoder->Drain()));
    // The decoders hold on to the pages of the file before until they have those of this one.
    const auto before = std::exchange(
        file_, std::static_pointer_cast<OpenDataFile>(file));  // the only kind there is
    const DecodeContext context = file_->MakeContext();
    for (const auto& decoder : decoders_)
      ARROW_RETURN_NOT_OK(file_->InFile(decoder->Continue(rows, context)));
    rows_left_ += CountRows(rows);
    has_joined_ = true;
    ARROW_RETURN_NOT_OK(file_->InFile(Fill()));
    return true;
  }

 private:
  std::shared_ptr<OpenDataFile> file_;
  uint64_t rows_left_;
  bool has_joined_ = false;
  std::vector<std::unique_ptr<FieldDecoder>> decoders_;
};

arrow::Result<std::unique_ptr<RowWindow>> OpenDataFile::OpenWindow(
    std::span<const FieldShape> fields, RowRanges rows) {
  auto window = std::make_unique<DecodingWindow>(
      std::static_pointer_cast<OpenDataFile>(shared_from_this()), CountRows(rows));
  const DecodeContext context = MakeContext();
  for (const FieldShape& field : fields) {
    auto decoder = footer_.version == FileVersion::kV2_0 ? MakeV20FieldDecoder(field, rows, context)
                                                         : MakeFieldDecoder(field, rows, context);
    if (!decoder.ok()) return InFile(decoder.status());
    window->Add(*std::move(decoder));
  }
  ARROW_RETURN_NOT_OK(InFile(window->Fill()));
  return window;
}

/// Fetches the end of the file, so far that it holds the tables, and the columns' metadata too if
/// that is small.
arrow::Result<Tail> FetchTail(RandomAccessFile* file, const Footer& footer, Tail tail) {
  uint64_t begin = std::min(footer.column_table.begin, footer.global_buffer_table.begin);
  if (begin - std::min(begin, footer.column_metadata_begin) <= kMetadataTogetherMax) {
    begin = std::min(begin, footer.column_metadata_begin);
  }
  if (begin >= tail.begin) return tail;
  if (tail.begin - begin > kTablesBytesMax) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("tables of the data file are larger than allowed: {} bytes: {}",
                                 tail.begin - begin, file->path()));
  }
  const auto missing = static_cast<int64_t>(tail.begin - begin);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> whole,
                        arrow::AllocateBuffer(missing + tail.bytes->size()));
  ARROW_RETURN_NOT_OK(file->ReadInto({begin, tail.begin}, whole->mutable_data()));
  std::copy_n(tail.bytes->data(), tail.bytes->size(), whole->mutable_data() + missing);
  return Tail{begin, std::move(whole)};
}

}  // namespace

arrow::Result<std::shared_ptr<DataFileReader>> DataFileReader::Open(
    std::shared_ptr<RandomAccessFile> file, const DataFileReaderOptions& options) {
  const uint64_t size = file->size_bytes();
  const uint64_t tail_bytes =
      std::min<uint64_t>(size, std::max<uint64_t>(options.tail_bytes, kFooterBytes));
  Tail tail;
  tail.begin = size - tail_bytes;
  ARROW_ASSIGN_OR_RAISE(tail.bytes, file->ReadAt({tail.begin, size}));
  ARROW_ASSIGN_OR_RAISE(const Footer footer,
                        ParseFooter(tail.Part({tail.begin, size}), size, file->path()));
  ARROW_ASSIGN_OR_RAISE(tail, FetchTail(file.get(), footer, std::move(tail)));
  return std::make_shared<OpenDataFile>(std::move(file), options, footer, std::move(tail));
}

arrow::Result<uint64_t> DataFileReader::NumRows(const FieldShape& field) {
  if (field.column != FieldShape::kNoColumn) return NumPageRows(field.column);
  for (const FieldShape& child : field.children) {
    if (child.storage == FieldStorage::kMissing) continue;
    ARROW_ASSIGN_OR_RAISE(const uint64_t rows, NumRows(child));
    if (field.type->id() != arrow::Type::FIXED_SIZE_LIST) return rows;
    const auto size = static_cast<uint64_t>(
        static_cast<const arrow::FixedSizeListType&>(*field.type).list_size());
    if (size != 0) return rows / size;
  }
  return MakeError(
      ErrorKind::kInvalidArgument,
      fmt::format("field is not stored in the data file: {}: {}", field.type->ToString(), path()));
}

arrow::Result<FieldArrays> DataFileReader::ReadRange(std::span<const FieldShape> fields,
                                                     RowRange rows) {
  RowRanges ranges;
  if (rows.begin < rows.end) ranges.push_back(rows);
  ARROW_ASSIGN_OR_RAISE(const auto window, OpenWindow(fields, std::move(ranges)));
  return window->Next(window->rows_left());
}

arrow::Result<FieldArrays> DataFileReader::TakeRows(std::span<const FieldShape> fields,
                                                    std::span<const uint32_t> offsets) {
  if (std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) != offsets.end()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("row offsets do not ascend: {}", path()));
  }
  ARROW_ASSIGN_OR_RAISE(const auto window, OpenWindow(fields, RangesOfOffsets(offsets)));
  return window->Next(window->rows_left());
}

}  // namespace pennon
