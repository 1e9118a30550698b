#include "file/column_metadata.h"

#include <fmt/format.h>

#include <utility>

#include "base/checked_math.h"
#include "base/wire.h"
#include "file/footer.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Pages of one column; a file of 100 million one-row pages would be larger than any writer makes
/// it.
constexpr size_t kPagesMax = 100'000'000;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

/// Appends the integers of a field, packed or not.
arrow::Status AppendIntegers(const WireField& field, std::vector<uint64_t>* out) {
  if (field.type == WireType::kVarint) {
    out->push_back(field.value);
    return arrow::Status::OK();
  }
  if (field.type != WireType::kBytes) return Corrupt("buffer list has the wrong wire type");
  const char* at = field.bytes.data();
  const char* const end = at + field.bytes.size();
  while (at != end) {
    uint64_t value = 0;
    int shift = 0;
    uint8_t byte = 0;
    do {
      if (at == end || shift > 63) return Corrupt("buffer list has a bad integer");
      byte = static_cast<uint8_t>(*at++);
      value |= uint64_t{byte & 0x7Fu} << shift;
      shift += 7;
    } while (byte >= 0x80);
    out->push_back(value);
  }
  return arrow::Status::OK();
}

struct DirectEncoding {
  std::string_view type_url;
  std::string_view message;
};

arrow::Result<std::string_view> BytesOf(const WireField& field) {
  if (field.type != WireType::kBytes) return Corrupt("message has the wrong wire type");
  return field.bytes;
}

/// Encoding { direct { Any { type_url, value } } }
arrow::Result<DirectEncoding> ParseEncoding(std::string_view message) {
  DirectEncoding out;
  std::string_view direct;
  bool has_direct = false;
  WireField field;
  for (WireReader reader(message); !reader.done();) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == 2) {
      ARROW_ASSIGN_OR_RAISE(direct, BytesOf(field));
      has_direct = true;
    }
  }
  if (!has_direct)
    return MakeError(ErrorKind::kUnsupportedFeature, "encoding is not in the metadata itself");
  std::string_view any;
  for (WireReader reader(direct); !reader.done();) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == 1) {
      ARROW_ASSIGN_OR_RAISE(any, BytesOf(field));
    }
  }
  for (WireReader reader(any); !reader.done();) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number != 1 && field.number != 2) continue;
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, BytesOf(field));
    (field.number == 1 ? out.type_url : out.message) = bytes;
  }
  out.type_url.remove_prefix(out.type_url.rfind('/') + 1);
  return out;
}

arrow::Status SetPageEncoding(std::string_view message, PageInfo* page) {
  ARROW_ASSIGN_OR_RAISE(const DirectEncoding encoding, ParseEncoding(message));
  if (encoding.type_url == "lance.encodings21.PageLayout") {
    page->message = EncodingMessage::kPageLayout;
  } else if (encoding.type_url == "lance.encodings.ArrayEncoding") {
    page->message = EncodingMessage::kArrayEncoding;
  } else {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     fmt::format("page encoding is of an unknown kind: {}", encoding.type_url));
  }
  page->encoding = encoding.message;
  return arrow::Status::OK();
}

/// ColumnEncoding: only blob (field 3) matters.
arrow::Result<bool> IsBlobEncoding(std::string_view message) {
  ARROW_ASSIGN_OR_RAISE(const DirectEncoding encoding, ParseEncoding(message));
  if (encoding.type_url != "lance.encodings.ColumnEncoding") {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     fmt::format("column encoding is of an unknown kind: {}", encoding.type_url));
  }
  bool is_blob = false;
  WireField field;
  for (WireReader reader(encoding.message); !reader.done();) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    is_blob |= field.number == 3;
  }
  return is_blob;
}

class ColumnParser {
 public:
  ColumnParser(const ColumnPlace& place, ColumnPages* out) : place_(place), out_(*out) {}

  arrow::Status Parse(std::string_view message) {
    out_.column = place_.column;
    bool has_encoding = false;
    WireField field;
    for (WireReader reader(message); !reader.done();) {
      ARROW_RETURN_NOT_OK(reader.Next(&field));
      if (field.number == 1) {
        ARROW_ASSIGN_OR_RAISE(const auto bytes, BytesOf(field));
        ARROW_ASSIGN_OR_RAISE(out_.is_blob, IsBlobEncoding(bytes));
        has_encoding = true;
      } else if (field.number == 2) {
        ARROW_ASSIGN_OR_RAISE(const auto bytes, BytesOf(field));
        auto status = ParsePage(bytes);
        if (!status.ok()) return AddContext(status, fmt::format(" (page {})", out_.pages.size()));
      } else if (field.number == 3) {
        ARROW_RETURN_NOT_OK(AppendIntegers(field, &positions_));
      } else if (field.number == 4) {
        ARROW_RETURN_NOT_OK(AppendIntegers(field, &sizes_));
      }
    }
    if (!has_encoding) return Corrupt("column has no encoding");
    ARROW_RETURN_NOT_OK(
        AppendBuffers(positions_, sizes_, /*is_aligned=*/false, &out_.column_buffers));
    // The spans are set last: the vector they point into has been growing.
    size_t first = 0;
    for (size_t i = 0; i < out_.pages.size(); ++i) {
      out_.pages[i].buffers =
          std::span<const ByteRange>(out_.page_buffers).subspan(first, num_buffers_[i]);
      first += num_buffers_[i];
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status ParsePage(std::string_view message) {
    if (out_.pages.size() == kPagesMax)
      return MakeError(ErrorKind::kTooLarge, "column has too many pages");
    page_positions_.clear();
    page_sizes_.clear();
    PageInfo page;
    bool has_encoding = false;
    WireField field;
    for (WireReader reader(message); !reader.done();) {
      ARROW_RETURN_NOT_OK(reader.Next(&field));
      if (field.number == 1) {
        ARROW_RETURN_NOT_OK(AppendIntegers(field, &page_positions_));
      } else if (field.number == 2) {
        ARROW_RETURN_NOT_OK(AppendIntegers(field, &page_sizes_));
      } else if (field.number == 3) {
        page.num_rows = field.value;
      } else if (field.number == 4) {
        ARROW_ASSIGN_OR_RAISE(const auto bytes, BytesOf(field));
        ARROW_RETURN_NOT_OK(SetPageEncoding(bytes, &page));
        has_encoding = true;
      }
    }
    if (!has_encoding) return Corrupt("page has no encoding");
    const size_t before = out_.page_buffers.size();
    ARROW_RETURN_NOT_OK(AppendBuffers(page_positions_, page_sizes_,
                                      place_.version != FileVersion::kV2_0, &out_.page_buffers));
    num_buffers_.push_back(out_.page_buffers.size() - before);
    page.first_row = out_.num_rows;
    out_.num_rows = SaturatingAdd(out_.num_rows, page.num_rows);
    out_.pages.push_back(page);
    return arrow::Status::OK();
  }

  arrow::Status AppendBuffers(const std::vector<uint64_t>& positions,
                              const std::vector<uint64_t>& sizes, bool is_aligned,
                              std::vector<ByteRange>* out) const {
    if (positions.size() != sizes.size()) {
      return Corrupt(fmt::format("buffer lists have different lengths: {} positions, {} sizes",
                                 positions.size(), sizes.size()));
    }
    for (size_t i = 0; i < positions.size(); ++i) {
      const uint64_t end = SaturatingAdd(positions[i], sizes[i]);
      if (end > place_.file_size_bytes) {
        return Corrupt(fmt::format("buffer lies beyond the end of the file: bytes {} to {} of {}",
                                   positions[i], end, place_.file_size_bytes));
      }
      if (is_aligned && positions[i] % kBufferAlignment != 0) {
        return Corrupt(fmt::format("buffer is not aligned to {} bytes: position {}",
                                   kBufferAlignment, positions[i]));
      }
      out->push_back({positions[i], end});
    }
    return arrow::Status::OK();
  }

  const ColumnPlace& place_;
  ColumnPages& out_;
  std::vector<uint64_t> positions_;
  std::vector<uint64_t> sizes_;
  std::vector<uint64_t> page_positions_;
  std::vector<uint64_t> page_sizes_;
  std::vector<size_t> num_buffers_;
};

}  // namespace

arrow::Result<ColumnPages> ParseColumnMetadata(std::string_view message, const ColumnPlace& place) {
  ColumnPages out;
  auto status = ColumnParser(place, &out).Parse(message);
  if (!status.ok()) return AddContext(status, fmt::format(" (column {})", place.column));
  return out;
}

}  // namespace pennon
