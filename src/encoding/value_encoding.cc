#include "encoding/value_encoding.h"

#include <fmt/format.h>

#include <utility>

#include "encodings21.pb.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Deeper descriptions are damage: nested fixed-size lists are the only ones that nest at all.
constexpr int kDepthMax = 16;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

arrow::Status Unsupported(const char* what) {
  return MakeError(ErrorKind::kUnsupportedFeature,
                   fmt::format("encoding is not part of 2.1 or 2.2: {}", what));
}

bool IsWordWidth(uint64_t bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

arrow::Result<ValueEncoding> Make(const proto21::Encoding& message, int depth);

arrow::Status AddChild(bool is_there, const proto21::Encoding& message, int depth,
                       ValueEncoding* out) {
  if (!is_there)
    return Corrupt(fmt::format("encoding has nothing inside: {}", EncodingKindName(out->kind)));
  ARROW_ASSIGN_OR_RAISE(auto child, Make(message, depth + 1));
  out->children.push_back(std::move(child));
  return arrow::Status::OK();
}

/// Returns the width of a description that must be flat.
arrow::Result<uint64_t> FlatBits(bool is_there, const proto21::Encoding& message, const char* of) {
  if (!is_there || !message.has_flat())
    return Corrupt(fmt::format("encoding is not flat where it must be: {}", of));
  if (message.flat().has_compression()) return Unsupported("compressed flat buffers");
  return message.flat().bits_per_value();
}

arrow::Status MakeFlat(const proto21::Flat& message, ValueEncoding* out) {
  if (message.has_compression()) return Unsupported("compressed flat buffers");
  out->kind = EncodingKind::kFlat;
  out->bits = message.bits_per_value();
  if (out->bits == 0) return Corrupt("flat encoding has no width");
  return arrow::Status::OK();
}

arrow::Status MakeVariable(const proto21::Variable& message, ValueEncoding* out) {
  if (message.has_compression()) return Unsupported("compressed variable buffers");
  out->kind = EncodingKind::kVariable;
  ARROW_ASSIGN_OR_RAISE(out->bits, FlatBits(message.has_offsets(), message.offsets(), "offsets"));
  if (out->bits != 32 && out->bits != 64) {
    return Corrupt(
        fmt::format("variable encoding has offsets of a wrong width: {} bits", out->bits));
  }
  return arrow::Status::OK();
}

arrow::Status MakeBitpacking(uint64_t bits, ValueEncoding* out) {
  out->bits = bits;
  if (!IsWordWidth(bits))
    return Corrupt(fmt::format("bit packing has an impossible width: {} bits", bits));
  return arrow::Status::OK();
}

arrow::Status MakeOutOfLine(const proto21::OutOfLineBitpacking& message, ValueEncoding* out) {
  out->kind = EncodingKind::kOutOfLineBitpacking;
  ARROW_RETURN_NOT_OK(MakeBitpacking(message.uncompressed_bits_per_value(), out));
  ARROW_ASSIGN_OR_RAISE(const uint64_t packed,
                        FlatBits(message.has_values(), message.values(), "packed values"));
  if (packed > out->bits) {
    return Corrupt(fmt::format("bit packing widens its values: {} bits to {}", out->bits, packed));
  }
  out->packed_bits = static_cast<uint32_t>(packed);
  return arrow::Status::OK();
}

arrow::Status MakeRle(const proto21::Rle& message, ValueEncoding* out) {
  out->kind = EncodingKind::kRle;
  ARROW_ASSIGN_OR_RAISE(out->bits, FlatBits(message.has_values(), message.values(), "run values"));
  ARROW_ASSIGN_OR_RAISE(const uint64_t lengths,
                        FlatBits(message.has_run_lengths(), message.run_lengths(), "run lengths"));
  if (!IsWordWidth(out->bits) || lengths != 8) {
    return Corrupt(fmt::format("run-length encoding has wrong widths: values {} bits, lengths {}",
                               out->bits, lengths));
  }
  return arrow::Status::OK();
}

arrow::Status MakeGeneral(const proto21::General& message, int depth, ValueEncoding* out) {
  out->kind = EncodingKind::kGeneral;
  const uint32_t scheme = message.compression().scheme();
  if (scheme != 1 && scheme != 2)
    return Corrupt(fmt::format("compression scheme is unknown: {}", scheme));
  out->scheme = static_cast<CompressionScheme>(scheme);
  return AddChild(message.has_values(), message.values(), depth, out);
}

arrow::Status MakeVariablePackedStruct(const proto21::VariablePackedStruct& message, int depth,
                                       ValueEncoding* out) {
  out->kind = EncodingKind::kVariablePackedStruct;
  for (const auto& child : message.children()) {
    ARROW_RETURN_NOT_OK(AddChild(child.has_values(), child.values(), depth, out));
    const bool is_variable =
        child.width_case() == proto21::VariablePackedStruct::Child::kBitsPerLength;
    const uint64_t bits = is_variable ? child.bits_per_length() : child.bits_per_value();
    if (bits == 0 || bits % 8 != 0 || (is_variable && bits != 32 && bits != 64)) {
      return Corrupt(
          fmt::format("packed struct has a child of an impossible width: {} bits", bits));
    }
    out->child_bits.push_back(bits);
    out->child_is_variable.push_back(is_variable);
  }
  return arrow::Status::OK();
}

arrow::Result<ValueEncoding> Make(const proto21::Encoding& message, int depth) {
  if (depth > kDepthMax) return Corrupt("encoding is nested too deeply");
  using Case = proto21::Encoding::EncodingCase;
  ValueEncoding out;
  switch (message.encoding_case()) {
    case Case::kFlat:
      ARROW_RETURN_NOT_OK(MakeFlat(message.flat(), &out));
      break;
    case Case::kVariable:
      ARROW_RETURN_NOT_OK(MakeVariable(message.variable(), &out));
      break;
    case Case::kConstant:
      out.kind = EncodingKind::kConstant;
      out.has_value = message.constant().has_value();
      out.value = message.constant().value();
      break;
    case Case::kOutOfLineBitpacking:
      ARROW_RETURN_NOT_OK(MakeOutOfLine(message.out_of_line_bitpacking(), &out));
      break;
    case Case::kInlineBitpacking:
      if (message.inline_bitpacking().has_compression())
        return Unsupported("compressed bit packing");
      out.kind = EncodingKind::kInlineBitpacking;
      ARROW_RETURN_NOT_OK(
          MakeBitpacking(message.inline_bitpacking().uncompressed_bits_per_value(), &out));
      break;
    case Case::kFsst: {
      out.kind = EncodingKind::kFsst;
      ARROW_ASSIGN_OR_RAISE(auto symbols, FsstTable::Parse(message.fsst().symbol_table()));
      out.symbols = std::make_shared<const FsstTable>(std::move(symbols));
      ARROW_RETURN_NOT_OK(
          AddChild(message.fsst().has_values(), message.fsst().values(), depth, &out));
      break;
    }
    case Case::kRle:
      ARROW_RETURN_NOT_OK(MakeRle(message.rle(), &out));
      break;
    case Case::kByteStreamSplit: {
      out.kind = EncodingKind::kByteStreamSplit;
      const auto& split = message.byte_stream_split();
      ARROW_ASSIGN_OR_RAISE(out.bits, FlatBits(split.has_values(), split.values(), "split values"));
      if (out.bits != 32 && out.bits != 64) {
        return Corrupt(fmt::format("byte stream split has an impossible width: {} bits", out.bits));
      }
      break;
    }
    case Case::kGeneral:
      ARROW_RETURN_NOT_OK(MakeGeneral(message.general(), depth, &out));
      break;
    case Case::kFixedSizeList:
      out.kind = EncodingKind::kFixedSizeList;
      out.list_size = message.fixed_size_list().items_per_value();
      out.has_validity = message.fixed_size_list().has_validity();
      ARROW_RETURN_NOT_OK(AddChild(message.fixed_size_list().has_values(),
                                   message.fixed_size_list().values(), depth, &out));
      break;
    case Case::kPackedStruct: {
      out.kind = EncodingKind::kPackedStruct;
      const auto& widths = message.packed_struct().bits_per_child();
      out.child_bits.assign(widths.begin(), widths.end());
      ARROW_RETURN_NOT_OK(AddChild(message.packed_struct().has_values(),
                                   message.packed_struct().values(), depth, &out));
      break;
    }
    case Case::kVariablePackedStruct:
      ARROW_RETURN_NOT_OK(MakeVariablePackedStruct(message.variable_packed_struct(), depth, &out));
      break;
    case Case::kDictionary:
      return Unsupported("dictionary inside a page");
    case Case::ENCODING_NOT_SET:
      return Corrupt("encoding is missing or unknown");
  }
  return out;
}

}  // namespace

const char* EncodingKindName(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kFlat:
      return "flat";
    case EncodingKind::kVariable:
      return "variable";
    case EncodingKind::kConstant:
      return "constant";
    case EncodingKind::kOutOfLineBitpacking:
      return "out-of-line bit packing";
    case EncodingKind::kInlineBitpacking:
      return "inline bit packing";
    case EncodingKind::kFsst:
      return "fsst";
    case EncodingKind::kRle:
      return "rle";
    case EncodingKind::kByteStreamSplit:
      return "byte stream split";
    case EncodingKind::kGeneral:
      return "general";
    case EncodingKind::kFixedSizeList:
      return "fixed-size list";
    case EncodingKind::kPackedStruct:
      return "packed struct";
    case EncodingKind::kVariablePackedStruct:
      return "variable packed struct";
  }
  return "unknown";
}

arrow::Result<ValueEncoding> MakeValueEncoding(const proto21::Encoding& message) {
  return Make(message, 0);
}

arrow::Result<ValueEncoding> ParseValueEncoding(std::string_view message) {
  proto21::Encoding parsed;
  if (message.size() > INT32_MAX ||
      !parsed.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return Corrupt("encoding does not parse");
  }
  return Make(parsed, 0);
}

}  // namespace pennon
