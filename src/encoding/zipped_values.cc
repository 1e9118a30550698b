#include "encoding/zipped_values.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/general_compression.h"
#include "encoding/inflate_budget.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

arrow::Status Mismatch(const ValueEncoding& encoding) {
  return Corrupt(
      fmt::format("encoding does not suit the column's type: {}", EncodingKindName(encoding.kind)));
}

/// Bytes of `items` flat values of one list, or of one value.
arrow::Result<uint64_t> FlatBytes(const ValueEncoding& encoding, const LeafType& type,
                                  uint64_t items) {
  // A boolean outside of lists takes a whole byte.
  const bool is_widened = type.kind == LeafKind::kBits && encoding.bits == 8;
  if (!is_widened && encoding.bits != type.FixedBits()) return Mismatch(encoding);
  const uint64_t bits = SaturatingMultiply(encoding.bits, items);
  if (bits % 8 != 0 || bits == UINT64_MAX)
    return Corrupt(fmt::format("value does not fill whole bytes: {} bits", bits));
  return bits / 8;
}

arrow::Result<uint64_t> ListBytes(const ValueEncoding& encoding, const LeafType& type,
                                  uint64_t lists) {
  if (type.kind != LeafKind::kFixedSizeList || type.list_size != encoding.list_size)
    return Mismatch(encoding);
  const uint64_t items = SaturatingMultiply(lists, encoding.list_size);
  uint64_t size = encoding.has_validity ? CeilDivide(items, 8) : 0;
  const ValueEncoding& inner = encoding.children[0];
  if (inner.kind == EncodingKind::kFixedSizeList) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t inner_size, ListBytes(inner, type.children[0], items));
    size = SaturatingAdd(size, inner_size);
  } else if (inner.kind == EncodingKind::kFlat) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t inner_size, FlatBytes(inner, type.children[0], items));
    size = SaturatingAdd(size, inner_size);
  } else if (inner.kind != EncodingKind::kConstant || inner.has_value || !encoding.has_validity) {
    return Mismatch(encoding);
  }
  return size;
}

arrow::Result<uint64_t> PackedBytes(const ValueEncoding& encoding, const LeafType& type) {
  if (type.kind != LeafKind::kStruct || type.children.size() != encoding.child_bits.size() ||
      encoding.children[0].kind != EncodingKind::kFlat) {
    return Mismatch(encoding);
  }
  uint64_t bits = 0;
  for (size_t c = 0; c < type.children.size(); ++c) {
    const uint64_t child_bits = encoding.child_bits[c];
    if (child_bits == 0 || child_bits % 8 != 0 || child_bits != type.children[c].FixedBits())
      return Mismatch(encoding);
    bits = SaturatingAdd(bits, child_bits);
  }
  if (bits != encoding.children[0].bits)
    return Corrupt("packed struct is not as wide as its children");
  return bits / 8;
}

/// Appends `count` runs of `per_value` flat items; each run starts `stride` bytes behind the one
/// before.
arrow::Status AppendFlat(uint64_t bits, const uint8_t* first, uint64_t stride, uint64_t count,
                         uint64_t per_value, ValueBuilder* out) {
  const uint64_t size = bits * per_value / 8;
  if (out->type->kind == LeafKind::kFixed) {
    if (stride == size) return out->AppendFixed(first, count * per_value);
    ARROW_RETURN_NOT_OK(out->values.Reserve(SaturatingMultiply(count, size)));
    uint8_t* target = out->values.end();
    for (uint64_t i = 0; i < count; ++i, first += stride, target += size)
      std::memcpy(target, first, size);
    out->values.Advance(count * size);
  } else if (bits == 1) {
    for (uint64_t i = 0; i < count; ++i, first += stride) {
      ARROW_RETURN_NOT_OK(out->bits.AppendBitmap(first, 0, per_value));
    }
  } else {
    ARROW_RETURN_NOT_OK(out->bits.Reserve(count * per_value));
    for (uint64_t i = 0; i < count; ++i, first += stride) {
      for (uint64_t item = 0; item < per_value; ++item) out->bits.AppendWord(first[item] & 1, 1);
    }
  }
  out->length += count * per_value;
  return arrow::Status::OK();
}

arrow::Status AppendLists(const ValueEncoding& encoding, const uint8_t* first, uint64_t stride,
                          uint64_t count, uint64_t lists, ValueBuilder* out) {
  ValueBuilder& items = out->children[0];
  const uint64_t per_value = lists * encoding.list_size;
  if (encoding.has_validity) {
    const uint8_t* bitmap = first;
    for (uint64_t i = 0; i < count; ++i, bitmap += stride) {
      ARROW_RETURN_NOT_OK(items.validity.AppendBitmap(bitmap, 0, per_value));
    }
    first += CeilDivide(per_value, 8);
  } else {
    items.validity.AppendValid(count * per_value);
  }
  const ValueEncoding& inner = encoding.children[0];
  if (inner.kind == EncodingKind::kFixedSizeList) {
    ARROW_RETURN_NOT_OK(AppendLists(inner, first, stride, count, per_value, &items));
  } else if (inner.kind == EncodingKind::kFlat) {
    ARROW_RETURN_NOT_OK(AppendFlat(inner.bits, first, stride, count, per_value, &items));
  } else {
    ARROW_RETURN_NOT_OK(items.AppendEmpty(count * per_value));
  }
  out->length += count * lists;
  return arrow::Status::OK();
}

/// Appends one child of `count` packed rows; a fixed-size list there has no validity of its own.
arrow::Status AppendPackedChild(const uint8_t* first, uint64_t stride, uint64_t count,
                                ValueBuilder* child) {
  uint64_t per_value = 1;
  while (child->type->kind == LeafKind::kFixedSizeList) {
    child->length += count * per_value;
    per_value *= child->type->list_size;
    child = &child->children[0];
    child->validity.AppendValid(count * per_value);
  }
  return AppendFlat(child->type->FixedBits(), first, stride, count, per_value, child);
}

arrow::Status AppendInflated(const ValueEncoding& encoding, std::span<const uint8_t> value,
                             DecodeScratch* scratch, ValueBuilder* out) {
  const ValueEncoding& inner = encoding.children[0];
  if (inner.kind == EncodingKind::kVariable && out->type->kind == LeafKind::kVariable) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t size,
                          CheckedInflatedSize(encoding.scheme, value, out->budget));
    ARROW_RETURN_NOT_OK(out->ReserveOffsets(1));
    ARROW_RETURN_NOT_OK(out->bytes.Reserve(size));
    ARROW_RETURN_NOT_OK(Inflate(encoding.scheme, value, {out->bytes.end(), size}));
    out->bytes.Advance(size);
    return out->PushOffset();
  }
  ARROW_RETURN_NOT_OK(InflateChecked(encoding.scheme, value, out->budget, &scratch->inflated));
  // The scratch moves along, since what lies inside may use it again.
  const std::vector<uint8_t> inflated = std::move(scratch->inflated);
  return AppendZippedVariable(inner, inflated, scratch, out);
}

arrow::Status AppendCodes(const FsstTable& symbols, std::span<const uint8_t> value,
                          ValueBuilder* out) {
  ARROW_RETURN_NOT_OK(out->ReserveOffsets(1));
  ARROW_RETURN_NOT_OK(
      out->bytes.Reserve(symbols.DecodedBytesMax(value.size()) + FsstTable::kSlackBytes));
  const uint8_t* end = symbols.Decode(value, out->bytes.end());
  out->bytes.Advance(static_cast<uint64_t>(end - out->bytes.end()));
  return out->PushOffset();
}

arrow::Status AppendPackedRow(const ValueEncoding& encoding, std::span<const uint8_t> row,
                              DecodeScratch* scratch, ValueBuilder* out) {
  if (row.empty()) return out->AppendEmpty(1);
  for (size_t c = 0; c < out->children.size(); ++c) {
    const ValueEncoding& inner = encoding.children[c];
    uint64_t size = encoding.child_bits[c] / 8;
    if (encoding.child_is_variable[c]) {
      if (size > row.size()) return Corrupt("packed struct row is cut short");
      const uint64_t length = size == 4 ? LoadLittleEndian<uint32_t>(row.data())
                                        : LoadLittleEndian<uint64_t>(row.data());
      row = row.subspan(size);
      size = length;
    }
    if (size > row.size()) return Corrupt("packed struct row is cut short");
    if (encoding.child_is_variable[c]) {
      ARROW_RETURN_NOT_OK(AppendZippedVariable(inner, row.first(size), scratch, &out->children[c]));
    } else {
      ARROW_RETURN_NOT_OK(AppendZipped(inner, row.data(), size, 1, &out->children[c]));
    }
    row = row.subspan(size);
  }
  if (!row.empty())
    return Corrupt(fmt::format("packed struct row has {} bytes too many", row.size()));
  ++out->length;
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<uint64_t> ZippedBytes(const ValueEncoding& encoding, const LeafType& type) {
  switch (encoding.kind) {
    case EncodingKind::kFlat:
      if (type.kind != LeafKind::kBits && type.kind != LeafKind::kFixed) return Mismatch(encoding);
      return FlatBytes(encoding, type, 1);
    case EncodingKind::kFixedSizeList:
      return ListBytes(encoding, type, 1);
    case EncodingKind::kPackedStruct:
      return PackedBytes(encoding, type);
    default:
      return Mismatch(encoding);
  }
}

arrow::Status AppendZipped(const ValueEncoding& encoding, const uint8_t* first, uint64_t stride,
                           uint64_t count, ValueBuilder* out) {
  switch (encoding.kind) {
    case EncodingKind::kFlat:
      return AppendFlat(encoding.bits, first, stride, count, 1, out);
    case EncodingKind::kFixedSizeList:
      return AppendLists(encoding, first, stride, count, 1, out);
    case EncodingKind::kPackedStruct:
      for (size_t c = 0; c < out->children.size(); ++c) {
        ARROW_RETURN_NOT_OK(AppendPackedChild(first, stride, count, &out->children[c]));
        first += encoding.child_bits[c] / 8;
      }
      out->length += count;
      return arrow::Status::OK();
    default:
      return Mismatch(encoding);
  }
}

arrow::Status CheckZippedVariable(const ValueEncoding& encoding, const LeafType& type) {
  switch (encoding.kind) {
    case EncodingKind::kVariable:
      return type.kind == LeafKind::kVariable ? arrow::Status::OK() : Mismatch(encoding);
    case EncodingKind::kFsst:
      if (type.kind != LeafKind::kVariable ||
          encoding.children[0].kind != EncodingKind::kVariable) {
        return Mismatch(encoding);
      }
      return arrow::Status::OK();
    case EncodingKind::kGeneral:
      return CheckZippedVariable(encoding.children[0], type);
    case EncodingKind::kVariablePackedStruct:
      if (type.kind != LeafKind::kStruct || type.children.size() != encoding.children.size())
        return Mismatch(encoding);
      for (size_t c = 0; c < type.children.size(); ++c) {
        if (encoding.child_is_variable[c]) {
          ARROW_RETURN_NOT_OK(CheckZippedVariable(encoding.children[c], type.children[c]));
          continue;
        }
        ARROW_ASSIGN_OR_RAISE(const uint64_t size,
                              ZippedBytes(encoding.children[c], type.children[c]));
        if (size != encoding.child_bits[c] / 8) return Mismatch(encoding);
      }
      return arrow::Status::OK();
    default:
      return Mismatch(encoding);
  }
}

arrow::Status AppendZippedVariable(const ValueEncoding& encoding, std::span<const uint8_t> value,
                                   DecodeScratch* scratch, ValueBuilder* out) {
  switch (encoding.kind) {
    case EncodingKind::kVariable:
      return out->AppendVariable(value);
    case EncodingKind::kFsst:
      return AppendCodes(*encoding.symbols, value, out);
    case EncodingKind::kGeneral:
      return AppendInflated(encoding, value, scratch, out);
    case EncodingKind::kVariablePackedStruct:
      return AppendPackedRow(encoding, value, scratch, out);
    default:
      return Mismatch(encoding);
  }
}

}  // namespace pennon
