#include "encoding/v20_dictionary.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <utility>

#include "base/little_endian.h"
#include "encoding/v20_binary.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t kNull = std::numeric_limits<uint64_t>::max();

/// The unsigned integer type as wide as the values of an encoding, or null.
std::shared_ptr<arrow::DataType> IndexTypeOf(const V20Encoding& encoding) {
  switch (encoding.kind) {
    case V20Kind::kNoNulls:
      return IndexTypeOf(encoding.children[0]);
    case V20Kind::kSomeNulls:
      return IndexTypeOf(encoding.children[1]);
    case V20Kind::kFlat:
    case V20Kind::kBitpacked:
    case V20Kind::kFastLanes:
      switch (encoding.kind == V20Kind::kFlat ? encoding.bits : encoding.plain_bits) {
        case 8:
          return arrow::uint8();
        case 16:
          return arrow::uint16();
        case 32:
          return arrow::uint32();
        case 64:
          return arrow::uint64();
        default:
          return nullptr;
      }
    case V20Kind::kAllNulls:
      return arrow::uint8();
    default:
      return nullptr;
  }
}

/// Sign extension is of no use here: a negative index becomes one far beyond the items.
uint64_t LoadIndex(const uint8_t* values, int64_t at, int width) {
  switch (width) {
    case 1:
      return values[at];
    case 2:
      return LoadLittleEndian<uint16_t>(values + at * 2);
    case 4:
      return LoadLittleEndian<uint32_t>(values + at * 4);
    default:
      return LoadLittleEndian<uint64_t>(values + at * 8);
  }
}

bool IsNull(const arrow::ArrayData& data, int64_t at) {
  return data.buffers[0] != nullptr &&
         !arrow::bit_util::GetBit(data.buffers[0]->data(), static_cast<uint64_t>(at));
}

arrow::Status BadIndex(uint64_t index, uint64_t num_items) {
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("dictionary index is beyond the items: {} of {}", index, num_items));
}

/// Copies the chosen items. `chosen`: item numbers, kNull for a null.
template <typename T>
arrow::Status TakeStrings(const arrow::ArrayData& items, const std::vector<uint64_t>& chosen,
                          uint64_t size_bytes, const V20Context& context, arrow::ArrayData* out) {
  const T* ends = reinterpret_cast<const T*>(items.buffers[1]->data());
  const uint8_t* bytes = items.buffers[2]->data();
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues((chosen.size() + 1) * sizeof(T), context));
  ARROW_ASSIGN_OR_RAISE(auto values, AllocateValues(size_bytes, context));
  auto* offset = reinterpret_cast<T*>(offsets->mutable_data());
  uint8_t* to = values->mutable_data();
  *offset++ = 0;
  for (const uint64_t item : chosen) {
    if (item != kNull) {
      const auto size = static_cast<size_t>(ends[item + 1] - ends[item]);
      std::memcpy(to, bytes + ends[item], size);
      to += size;
    }
    *offset++ = static_cast<T>(to - values->data());
  }
  out->buffers[1] = std::move(offsets);
  out->buffers[2] = std::move(values);
  return arrow::Status::OK();
}

template <typename T>
uint64_t SizeOfItem(const arrow::ArrayData& items, uint64_t item) {
  const T* ends = reinterpret_cast<const T*>(items.buffers[1]->data());
  return static_cast<uint64_t>(ends[item + 1] - ends[item]);
}

}  // namespace

arrow::Result<std::unique_ptr<V20Values>> V20DictionaryValues::Make(
    const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, RowRanges rows,
    const V20Context& context) {
  const auto found = IndexTypeOf(encoding.children[0]);
  if (found == nullptr) return MakeError(ErrorKind::kCorrupt, "dictionary indices are no integers");
  std::shared_ptr<arrow::DataType> item_type = type;
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
    item_type = dictionary.value_type();
    if (FixedWidthBits(*dictionary.index_type()) != FixedWidthBits(*found)) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("dictionary indices are {}, wanted are {}", found->ToString(),
                                   dictionary.index_type()->ToString()));
    }
  } else if (!IsBinaryType(*type)) {
    return MakeError(
        ErrorKind::kUnsupportedFeature,
        fmt::format("dictionary page for a column that holds neither strings nor a dictionary: {}",
                    type->ToString()));
  }
  RowRanges all_items;
  if (encoding.count > 0) all_items.push_back({0, encoding.count});
  ARROW_ASSIGN_OR_RAISE(auto indices,
                        MakeV20Values(encoding.children[0], found, std::move(rows), context));
  ARROW_ASSIGN_OR_RAISE(
      auto items, MakeV20Values(encoding.children[1], std::move(item_type), all_items, context));
  return std::unique_ptr<V20Values>(new V20DictionaryValues(
      std::move(type), std::move(indices), std::move(items), encoding.count, context));
}

arrow::Status V20DictionaryValues::PlanNext(std::vector<ByteRange>* wanted) {
  ARROW_RETURN_NOT_OK(items_->Plan(wanted));
  return indices_->Plan(wanted);
}

arrow::Status V20DictionaryValues::AcceptNext(std::span<const FetchedBytes> bytes) {
  ARROW_RETURN_NOT_OK(items_->Accept(&bytes));
  return indices_->Accept(&bytes);
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20DictionaryValues::Decode(uint64_t begin,
                                                                             uint64_t count) {
  if (dictionary_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(dictionary_, items_->Decode(0, num_items_));
    shown_dictionary_ = dictionary_->Copy();
    shown_dictionary_->buffers[0] = nullptr;
    shown_dictionary_->null_count = 0;
  }
  ARROW_ASSIGN_OR_RAISE(const auto indices, indices_->Decode(begin, count));
  return type_->id() == arrow::Type::DICTIONARY ? DecodeDictionary(*indices)
                                                : DecodeStrings(*indices);
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20DictionaryValues::DecodeStrings(
    const arrow::ArrayData& indices) const {
  const int width = indices.type->byte_width();
  const uint8_t* values = indices.buffers[1]->data();
  const bool large = HasLargeOffsets(*type_);
  std::vector<uint64_t> chosen(static_cast<size_t>(indices.length));
  uint64_t size_bytes = 0;
  int64_t nulls = 0;
  for (int64_t i = 0; i < indices.length; ++i) {
    const uint64_t index = LoadIndex(values, i, width);
    bool is_null = index == 0 || IsNull(indices, i);
    if (!is_null && index > num_items_) return BadIndex(index, num_items_);
    is_null = is_null || IsNull(*dictionary_, static_cast<int64_t>(index) - 1);
    chosen[static_cast<size_t>(i)] = is_null ? kNull : index - 1;
    nulls += is_null ? 1 : 0;
    if (is_null) continue;
    size_bytes += large ? SizeOfItem<int64_t>(*dictionary_, index - 1)
                        : SizeOfItem<int32_t>(*dictionary_, index - 1);
  }
  ARROW_RETURN_NOT_OK(CheckBinarySize(*type_, size_bytes));
  auto out = arrow::ArrayData::Make(type_, indices.length, {nullptr, nullptr, nullptr}, nulls);
  ARROW_RETURN_NOT_OK(
      large ? TakeStrings<int64_t>(*dictionary_, chosen, size_bytes, context_, out.get())
            : TakeStrings<int32_t>(*dictionary_, chosen, size_bytes, context_, out.get()));
  if (nulls > 0) {
    ARROW_ASSIGN_OR_RAISE(out->buffers[0], AllocateZeroed((chosen.size() + 7) / 8, context_));
    uint8_t* bits = out->buffers[0]->mutable_data();
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] != kNull) arrow::bit_util::SetBit(bits, static_cast<int64_t>(i));
    }
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20DictionaryValues::DecodeDictionary(
    const arrow::ArrayData& indices) const {
  const int width = indices.type->byte_width();
  const uint8_t* values = indices.buffers[1]->data();
  ARROW_ASSIGN_OR_RAISE(auto validity,
                        AllocateZeroed(static_cast<uint64_t>(indices.length + 7) / 8, context_));
  uint8_t* bits = validity->mutable_data();
  int64_t nulls = 0;
  for (int64_t i = 0; i < indices.length; ++i) {
    const uint64_t index = LoadIndex(values, i, width);
    if (IsNull(indices, i)) {
      ++nulls;
      continue;
    }
    if (index >= num_items_) return BadIndex(index, num_items_);
    if (IsNull(*dictionary_, static_cast<int64_t>(index))) {
      ++nulls;
    } else {
      arrow::bit_util::SetBit(bits, i);
    }
  }
  auto out = arrow::ArrayData::Make(
      type_, indices.length, {nulls == 0 ? nullptr : std::move(validity), indices.buffers[1]},
      nulls);
  out->dictionary = shown_dictionary_;
  return out;
}

}  // namespace pennon
