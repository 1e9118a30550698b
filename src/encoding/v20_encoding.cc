#include "encoding/v20_encoding.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <limits>
#include <utility>

#include "encodings20.pb.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr int kDepthMax = 32;
constexpr uint64_t kBitsMax = uint64_t{1} << 32;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

class Parser {
 public:
  Parser(const PageInfo& page, std::span<const ByteRange> column_buffers)
      : page_(page), column_buffers_(column_buffers) {}

  arrow::Result<V20Encoding> Parse(const proto20::ArrayEncoding& message, int depth) {
    if (depth > kDepthMax) return Corrupt("page encoding nests too deep");
    using Case = proto20::ArrayEncoding::EncodingCase;
    V20Encoding out;
    switch (message.encoding_case()) {
      case Case::kFlat:
        return ParseFlat(message.flat());
      case Case::kNullable:
        return ParseNullable(message.nullable(), depth);
      case Case::kFixedSizeList:
        out.kind = V20Kind::kFixedSizeList;
        out.count = message.fixed_size_list().dimension();
        if (out.count == 0) return Corrupt("fixed-size list encoding has no dimension");
        ARROW_RETURN_NOT_OK(AddChild(&out, message.fixed_size_list().items(), depth));
        return out;
      case Case::kList:
        out.kind = V20Kind::kList;
        out.count = message.list().num_items();
        out.null_adjustment = message.list().null_offset_adjustment();
        ARROW_RETURN_NOT_OK(AddChild(&out, message.list().offsets(), depth));
        return CheckAdjustment(std::move(out));
      case Case::kStructHeader:
        out.kind = V20Kind::kStruct;
        return out;
      case Case::kBinary:
        out.kind = V20Kind::kBinary;
        out.null_adjustment = message.binary().null_adjustment();
        ARROW_RETURN_NOT_OK(AddChild(&out, message.binary().indices(), depth));
        ARROW_RETURN_NOT_OK(AddChild(&out, message.binary().bytes(), depth));
        return CheckAdjustment(std::move(out));
      case Case::kDictionary:
        out.kind = V20Kind::kDictionary;
        out.count = message.dictionary().num_items();
        ARROW_RETURN_NOT_OK(AddChild(&out, message.dictionary().indices(), depth));
        ARROW_RETURN_NOT_OK(AddChild(&out, message.dictionary().items(), depth));
        return out;
      case Case::kFsst:
        out.kind = V20Kind::kFsst;
        out.symbol_table = message.fsst().symbol_table();
        ARROW_RETURN_NOT_OK(AddChild(&out, message.fsst().binary(), depth));
        return out;
      case Case::kPackedStruct:
        return ParsePackedStruct(message.packed_struct(), depth);
      case Case::kBitpacked:
        return ParseBitpacked(message.bitpacked(), V20Kind::kBitpacked);
      case Case::kBitpackedNonNegative:
        return ParseBitpacked(message.bitpacked_non_negative(), V20Kind::kFastLanes);
      case Case::kFixedSizeBinary:
        out.kind = V20Kind::kFixedSizeBinary;
        out.count = message.fixed_size_binary().byte_width();
        ARROW_RETURN_NOT_OK(AddChild(&out, message.fixed_size_binary().bytes(), depth));
        return out;
      case Case::ENCODING_NOT_SET:
        return MakeError(ErrorKind::kUnsupportedFeature,
                         "page encoding is not one of file version 2.0");
    }
    return MakeError(ErrorKind::kUnsupportedFeature,
                     "page encoding is not one of file version 2.0");
  }

 private:
  arrow::Status AddChild(V20Encoding* parent, const proto20::ArrayEncoding& message, int depth) {
    ARROW_ASSIGN_OR_RAISE(auto child, Parse(message, depth + 1));
    parent->children.push_back(std::move(child));
    return arrow::Status::OK();
  }

  static arrow::Result<V20Encoding> CheckAdjustment(V20Encoding encoding) {
    // Doubled and added to offsets: it must not come near the end of 64 bits.
    if (encoding.null_adjustment == 0 ||
        encoding.null_adjustment > std::numeric_limits<int64_t>::max()) {
      return Corrupt(fmt::format("offset encoding has an impossible null adjustment: {}",
                                 encoding.null_adjustment));
    }
    return encoding;
  }

  arrow::Result<ByteRange> FindBuffer(const proto20::Buffer& buffer) const {
    const std::span<const ByteRange> buffers =
        buffer.place() == 0 ? page_.buffers : column_buffers_;
    if (buffer.place() > 1) {
      return MakeError(ErrorKind::kUnsupportedFeature,
                       "page encoding refers to a buffer outside its column");
    }
    if (buffer.index() >= buffers.size()) {
      return Corrupt(fmt::format("page encoding refers to a missing buffer: {} of {}",
                                 buffer.index(), buffers.size()));
    }
    return buffers[buffer.index()];
  }

  arrow::Result<V20Encoding> ParseFlat(const proto20::Flat& message) const {
    V20Encoding out;
    out.kind = V20Kind::kFlat;
    out.bits = message.bits_per_value();
    if (out.bits == 0 || out.bits > kBitsMax || (out.bits != 1 && out.bits % 8 != 0)) {
      return Corrupt(fmt::format("flat encoding has an impossible width: {} bits", out.bits));
    }
    ARROW_ASSIGN_OR_RAISE(out.buffer, FindBuffer(message.buffer()));
    if (!message.has_compression()) return out;
    const std::string& scheme = message.compression().scheme();
    if (scheme == "zstd") {
      out.compression = CompressionScheme::kZstd;
    } else if (scheme == "lz4") {
      out.compression = CompressionScheme::kLz4;
    } else if (!scheme.empty() && scheme != "none") {
      return MakeError(ErrorKind::kUnsupportedFeature,
                       fmt::format("compression scheme is not known: {}", scheme));
    }
    return out;
  }

  arrow::Result<V20Encoding> ParsePackedStruct(const proto20::PackedStruct& message, int depth) {
    V20Encoding out;
    out.kind = V20Kind::kPackedStruct;
    ARROW_ASSIGN_OR_RAISE(out.buffer, FindBuffer(message.buffer()));
    for (const auto& inner : message.inner()) ARROW_RETURN_NOT_OK(AddChild(&out, inner, depth));
    return out;
  }

  arrow::Result<V20Encoding> ParseBitpacked(const proto20::Bitpacked& message, V20Kind kind) const {
    V20Encoding out;
    out.kind = kind;
    out.bits = message.packed_bits();
    out.plain_bits = message.plain_bits();
    out.is_signed = message.is_signed();
    const uint64_t plain = out.plain_bits;
    if ((plain != 8 && plain != 16 && plain != 32 && plain != 64) || out.bits > plain) {
      return Corrupt(
          fmt::format("bit-packed encoding has impossible widths: {} of {} bits", out.bits, plain));
    }
    ARROW_ASSIGN_OR_RAISE(out.buffer, FindBuffer(message.buffer()));
    return out;
  }

  arrow::Result<V20Encoding> ParseNullable(const proto20::Nullable& message, int depth) {
    using Case = proto20::Nullable::NullsCase;
    V20Encoding out;
    switch (message.nulls_case()) {
      case Case::kNone:
        out.kind = V20Kind::kNoNulls;
        ARROW_RETURN_NOT_OK(AddChild(&out, message.none().values(), depth));
        return out;
      case Case::kSome:
        out.kind = V20Kind::kSomeNulls;
        ARROW_RETURN_NOT_OK(AddChild(&out, message.some().validity(), depth));
        ARROW_RETURN_NOT_OK(AddChild(&out, message.some().values(), depth));
        return out;
      case Case::kAll:
        out.kind = V20Kind::kAllNulls;
        return out;
      case Case::NULLS_NOT_SET:
        break;
    }
    return Corrupt("nullable encoding does not say which values are null");
  }

  const PageInfo& page_;
  const std::span<const ByteRange> column_buffers_;
};

}  // namespace

arrow::Result<V20Encoding> ParseV20Encoding(const PageInfo& page,
                                            std::span<const ByteRange> column_buffers) {
  if (page.message != EncodingMessage::kArrayEncoding) {
    return Corrupt("page of a 2.0 file is not described by an array encoding");
  }
  // Bytes that are no UTF-8 fail to parse; the library shall not write about it to the terminal.
  const google::protobuf::LogSilencer silence;
  proto20::ArrayEncoding message;
  if (page.encoding.size() > std::numeric_limits<int>::max() ||
      !message.ParseFromArray(page.encoding.data(), static_cast<int>(page.encoding.size()))) {
    return Corrupt("page encoding does not parse");
  }
  return Parser(page, column_buffers).Parse(message, 0);
}

}  // namespace pennon
