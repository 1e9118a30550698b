#include "encoding/blob_cursor.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

class BlobCursor : public PageCursor {
 public:
  BlobCursor(PageSelection selection, std::unique_ptr<PageCursor> descriptors)
      : selection_(std::move(selection)),
        layers_(selection_.index->layout.blob_layers),
        wants_bytes_(selection_.leaf->kind == LeafKind::kVariable),
        cursor_(std::move(descriptors)),
        descriptors_(BlobDescriptorType(), {StructureNode{}}, 1, selection_.budget) {}

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    if (is_read_) return arrow::Status::OK();
    const size_t before = wanted->size();
    ARROW_RETURN_NOT_OK(cursor_->Plan(wanted));
    if (wanted->size() != before) return arrow::Status::OK();
    is_read_ = true;
    const uint64_t num_rows = CountRows(selection_.rows);
    descriptors_.rep.length = descriptors_.def.length = 0;
    ARROW_RETURN_NOT_OK(DecodeDescriptors(num_rows));
    return wants_bytes_ ? PlanBytes(num_rows, wanted) : arrow::Status::OK();
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    if (!is_read_) return cursor_->Accept(bytes);
    bytes_.assign(bytes.begin(), bytes.end());
    return arrow::Status::OK();
  }

  arrow::Status Decode(uint64_t num_rows, LeafOutput* out) override {
    const bool has_def = MaxDef(layers_) != 0;
    if (has_def) ARROW_RETURN_NOT_OK(out->def.values.Reserve(SaturatingMultiply(num_rows, 2)));
    for (uint64_t end = row_ + num_rows; row_ < end; ++row_) {
      const uint64_t position = Position(row_);
      const uint64_t size = Size(row_);
      const uint16_t def = size == 0 ? static_cast<uint16_t>(position >> 16) : uint16_t{0};
      if (size == 0 && position > UINT32_MAX) {
        return MakeError(ErrorKind::kCorrupt,
                         fmt::format("blob descriptor has impossible levels: {}", position));
      }
      if (has_def) {
        StoreLittleEndian(out->def.values.end(), def);
        out->def.values.Advance(2);
        ++out->def.length;
      }
      ARROW_RETURN_NOT_OK(wants_bytes_ ? AppendBytes(size, out)
                                       : AppendDescriptor(def == 0 ? position : 0, size, out));
    }
    return out->AppendStructure(layers_, false, has_def, num_rows, num_rows, num_rows);
  }

 private:
  uint64_t Position(uint64_t row) const {
    return LoadLittleEndian<uint64_t>(descriptors_.values.children[0].values.data() + row * 8);
  }
  uint64_t Size(uint64_t row) const {
    return LoadLittleEndian<uint64_t>(descriptors_.values.children[1].values.data() + row * 8);
  }

  arrow::Status DecodeDescriptors(uint64_t num_rows) {
    return cursor_->Decode(num_rows, &descriptors_);
  }

  arrow::Status PlanBytes(uint64_t num_rows, std::vector<ByteRange>* wanted) {
    for (uint64_t row = 0; row < num_rows; ++row) {
      const uint64_t size = Size(row);
      if (size == 0) continue;
      const uint64_t end = SaturatingAdd(Position(row), size);
      if (end > selection_.file_size_bytes) {
        return MakeError(ErrorKind::kCorrupt,
                         fmt::format("blob lies beyond the end of the file: bytes {} to {} of {}",
                                     Position(row), end, selection_.file_size_bytes));
      }
      wanted->push_back({Position(row), end});
    }
    return arrow::Status::OK();
  }

  arrow::Status AppendBytes(uint64_t size, LeafOutput* out) {
    if (size == 0) return out->values.AppendEmpty(1);
    return out->values.AppendVariable(bytes_[next_blob_++].data);
  }

  static arrow::Status AppendDescriptor(uint64_t position, uint64_t size, LeafOutput* out) {
    const uint64_t words[] = {position, size};
    for (size_t c = 0; c < 2; ++c) {
      ARROW_RETURN_NOT_OK(
          out->values.children[c].AppendFixed(reinterpret_cast<const uint8_t*>(&words[c]), 1));
    }
    ++out->values.length;
    return arrow::Status::OK();
  }

  PageSelection selection_;
  const Layers& layers_;
  const bool wants_bytes_;
  std::unique_ptr<PageCursor> cursor_;
  LeafOutput descriptors_;
  bool is_read_ = false;
  std::vector<FetchedBytes> bytes_;
  uint64_t row_ = 0;
  size_t next_blob_ = 0;
};

}  // namespace

const LeafType& BlobDescriptorType() {
  static const LeafType type =
      MakeLeafType(arrow::struct_({arrow::field("position", arrow::uint64()),
                                   arrow::field("size", arrow::uint64())}),
                   /*is_packed=*/true)
          .ValueOrDie();
  return type;
}

std::unique_ptr<PageCursor> MakeBlobCursor(PageSelection selection,
                                           std::unique_ptr<PageCursor> descriptors) {
  return std::make_unique<BlobCursor>(std::move(selection), std::move(descriptors));
}

}  // namespace pennon
