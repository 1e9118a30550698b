#include "encoding/value_builder.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/dictionary_keys.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Room for bytes beyond what is likely: decoders want it for the worst case of their last values.
constexpr uint64_t kBytesMargin = 64 * 1024;
constexpr uint64_t kBytesLikelyMax = uint64_t{64} << 20;

}  // namespace

ValueBuilder::ValueBuilder(const LeafType& leaf_type, BufferBudget buffer_budget)
    : type(&leaf_type),
      budget(buffer_budget),
      values(buffer_budget),
      bits(buffer_budget),
      offsets(buffer_budget),
      bytes(buffer_budget),
      validity(buffer_budget) {
  if (type->kind != LeafKind::kFixedSizeList && type->kind != LeafKind::kStruct) return;
  children.reserve(type->children.size());
  for (const LeafType& child : type->children) children.emplace_back(child, buffer_budget);
}

void ValueBuilder::Expect(uint64_t count) {
  switch (type->kind) {
    case LeafKind::kNull:
      return;
    case LeafKind::kBits:
      return bits.Expect(count);
    case LeafKind::kFixed:
    case LeafKind::kDictionary:
      return values.Expect(SaturatingMultiply(count, type->width_bytes));
    case LeafKind::kVariable: {
      offsets.Expect(SaturatingMultiply(SaturatingAdd(count, 1), type->width_bytes));
      // About as many bytes a value as the last time.
      if (last_length_ == 0) return;
      const uint64_t likely = SaturatingMultiply(last_bytes_ / last_length_ + 1, count);
      if (likely > kBytesLikelyMax) return;  // a guess is not worth that much
      return bytes.Expect(likely + std::min(likely, kBytesMargin));
    }
    case LeafKind::kFixedSizeList:
      children[0].validity.Expect(SaturatingMultiply(count, type->list_size));
      return children[0].Expect(SaturatingMultiply(count, type->list_size));
    case LeafKind::kStruct:
      for (ValueBuilder& child : children) child.Expect(count);
      return;
  }
}

arrow::Status ValueBuilder::AppendFixed(const uint8_t* source, uint64_t count) {
  const uint64_t size = SaturatingMultiply(count, type->width_bytes);
  ARROW_RETURN_NOT_OK(values.Reserve(size));
  if (size != 0) std::memcpy(values.end(), source, size);
  values.Advance(size);
  length += count;
  return arrow::Status::OK();
}

arrow::Status ValueBuilder::AppendShared(std::span<const uint8_t> source,
                                         const std::shared_ptr<arrow::Buffer>& owner,
                                         uint64_t count) {
  ARROW_RETURN_NOT_OK(values.AppendShared(source, owner));
  length += count;
  return arrow::Status::OK();
}

arrow::Status ValueBuilder::ReserveOffsets(uint64_t count) {
  const bool is_new = offsets.size() == 0;
  const uint64_t entries = SaturatingAdd(count, is_new ? 1 : 0);
  ARROW_RETURN_NOT_OK(offsets.Reserve(SaturatingMultiply(entries, type->width_bytes)));
  if (is_new) {
    std::memset(offsets.end(), 0, type->width_bytes);
    offsets.Advance(type->width_bytes);
  }
  return arrow::Status::OK();
}

arrow::Status ValueBuilder::CheckOffsets(uint64_t extra) const {
  if (type->width_bytes == 4 && SaturatingAdd(bytes.size(), extra) >
                                    static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return MakeError(
        ErrorKind::kTooLarge,
        fmt::format("batch has more string bytes than 32-bit offsets reach: {}, ask for fewer rows",
                    SaturatingAdd(bytes.size(), extra)));
  }
  return arrow::Status::OK();
}

arrow::Status ValueBuilder::PushOffset() {
  ARROW_RETURN_NOT_OK(CheckOffsets(0));
  if (type->width_bytes == 4) {
    StoreLittleEndian(offsets.end(), static_cast<uint32_t>(bytes.size()));
  } else {
    StoreLittleEndian(offsets.end(), bytes.size());
  }
  offsets.Advance(type->width_bytes);
  ++length;
  return arrow::Status::OK();
}

arrow::Status ValueBuilder::AppendVariable(std::span<const uint8_t> value) {
  ARROW_RETURN_NOT_OK(ReserveOffsets(1));
  ARROW_RETURN_NOT_OK(bytes.Append(value));
  return PushOffset();
}

arrow::Status ValueBuilder::AppendEmpty(uint64_t count) {
  switch (type->kind) {
    case LeafKind::kNull:
      break;
    case LeafKind::kBits:
      ARROW_RETURN_NOT_OK(bits.AppendRun(false, count));
      break;
    case LeafKind::kDictionary:
      dictionaries.push_back({nullptr, count});
      [[fallthrough]];
    case LeafKind::kFixed:
      ARROW_RETURN_NOT_OK(values.AppendZeros(SaturatingMultiply(count, type->width_bytes)));
      break;
    case LeafKind::kVariable: {
      ARROW_RETURN_NOT_OK(ReserveOffsets(count));
      if (bytes.size() == 0) {
        std::memset(offsets.end(), 0, count * type->width_bytes);
        offsets.Advance(count * type->width_bytes);
        break;
      }
      for (uint64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(PushOffset());
      length -= count;
      break;
    }
    case LeafKind::kFixedSizeList: {
      const uint64_t items = SaturatingMultiply(count, type->list_size);
      children[0].validity.AppendValid(items);
      ARROW_RETURN_NOT_OK(children[0].AppendEmpty(items));
      break;
    }
    case LeafKind::kStruct:
      for (ValueBuilder& child : children) ARROW_RETURN_NOT_OK(child.AppendEmpty(count));
      break;
  }
  length += count;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> ValueBuilder::Finish(
    std::shared_ptr<arrow::Buffer> valid_bits, uint64_t null_count) {
  auto out = std::make_shared<arrow::ArrayData>(type->type, static_cast<int64_t>(length),
                                                static_cast<int64_t>(null_count));
  if (type->kind == LeafKind::kNull) {
    out->null_count = out->length;
    valid_bits = nullptr;
  }
  out->buffers.push_back(std::move(valid_bits));
  switch (type->kind) {
    case LeafKind::kNull:
      break;
    case LeafKind::kBits: {
      ARROW_ASSIGN_OR_RAISE(auto buffer, bits.Finish());
      out->buffers.push_back(std::move(buffer));
      break;
    }
    case LeafKind::kFixed: {
      ARROW_ASSIGN_OR_RAISE(auto buffer, values.Finish());
      out->buffers.push_back(std::move(buffer));
      break;
    }
    case LeafKind::kVariable: {
      last_length_ = length;
      last_bytes_ = bytes.size();
      ARROW_RETURN_NOT_OK(ReserveOffsets(0));
      ARROW_ASSIGN_OR_RAISE(auto offset_buffer, offsets.Finish());
      ARROW_ASSIGN_OR_RAISE(auto byte_buffer, bytes.Finish());
      out->buffers.push_back(std::move(offset_buffer));
      out->buffers.push_back(std::move(byte_buffer));
      break;
    }
    case LeafKind::kFixedSizeList: {
      const uint64_t nulls = children[0].validity.null_count();
      ARROW_ASSIGN_OR_RAISE(auto item_bits, children[0].validity.Finish());
      ARROW_ASSIGN_OR_RAISE(auto items, children[0].Finish(std::move(item_bits), nulls));
      out->child_data.push_back(std::move(items));
      break;
    }
    case LeafKind::kStruct:
      for (ValueBuilder& child : children) {
        ARROW_ASSIGN_OR_RAISE(auto field, child.Finish(nullptr, 0));
        out->child_data.push_back(std::move(field));
      }
      break;
    case LeafKind::kDictionary:
      ARROW_RETURN_NOT_OK(FinishDictionary(this, out.get()));
      break;
  }
  length = 0;
  return out;
}

}  // namespace pennon
