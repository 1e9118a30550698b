#include "encoding/dictionary_keys.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Calls `body` with the unsigned type of that many bytes.
template <typename Body>
arrow::Status WithWord(uint32_t bytes, Body&& body) {
  switch (bytes) {
    case 1:
      return body(uint8_t{});
    case 2:
      return body(uint16_t{});
    case 4:
      return body(uint32_t{});
    case 8:
      return body(uint64_t{});
    default:
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("dictionary keys have an impossible width: {} bytes", bytes));
  }
}

template <typename Key>
Key KeyAt(const uint8_t* keys, uint64_t i) {
  return LoadLittleEndian<Key>(keys + i * sizeof(Key));
}

template <typename Key>
arrow::Status CheckKeys(const uint8_t* keys, uint64_t count, int64_t num_values) {
  uint64_t largest = 0;
  for (uint64_t i = 0; i < count; ++i) largest = std::max<uint64_t>(largest, KeyAt<Key>(keys, i));
  if (count != 0 && largest >= static_cast<uint64_t>(num_values)) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("dictionary key is beyond the dictionary: {}, it has {} values",
                                 largest, num_values));
  }
  return arrow::Status::OK();
}

/// Values of N bytes; a fixed N lets the compiler copy with one move.
template <typename Key, size_t N>
void GatherFixed(const uint8_t* keys, uint64_t count, const uint8_t* values, uint8_t* out) {
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(out + i * N, values + uint64_t{KeyAt<Key>(keys, i)} * N, N);
}

template <typename Key>
arrow::Status LookUpFixed(const uint8_t* keys, uint64_t count, const arrow::ArrayData& dictionary,
                          ValueBuilder* out) {
  const size_t width = out->type->width_bytes;
  ARROW_RETURN_NOT_OK(out->values.Reserve(count * width));
  const uint8_t* values =
      dictionary.buffers[1]->data() + static_cast<size_t>(dictionary.offset) * width;
  uint8_t* end = out->values.end();
  switch (width) {
    case 1:
      GatherFixed<Key, 1>(keys, count, values, end);
      break;
    case 2:
      GatherFixed<Key, 2>(keys, count, values, end);
      break;
    case 4:
      GatherFixed<Key, 4>(keys, count, values, end);
      break;
    case 8:
      GatherFixed<Key, 8>(keys, count, values, end);
      break;
    case 16:
      GatherFixed<Key, 16>(keys, count, values, end);
      break;
    default:
      for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(end + i * width, values + uint64_t{KeyAt<Key>(keys, i)} * width, width);
      }
  }
  out->values.Advance(count * width);
  out->length += count;
  return arrow::Status::OK();
}

template <typename Key, typename Offset>
arrow::Status LookUpVariable(const uint8_t* keys, uint64_t count,
                             const arrow::ArrayData& dictionary, ValueBuilder* out) {
  constexpr uint64_t kStep = 16;  // short values are copied as one block of this size
  const Offset* offsets = dictionary.GetValues<Offset>(1);
  const uint8_t* values = dictionary.buffers[2]->data();
  uint64_t total = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto key = KeyAt<Key>(keys, i);
    total += static_cast<uint64_t>(offsets[key + 1] - offsets[key]);
  }
  ARROW_RETURN_NOT_OK(out->CheckOffsets(total));
  ARROW_RETURN_NOT_OK(out->ReserveOffsets(count));
  ARROW_RETURN_NOT_OK(out->bytes.Reserve(total + kStep));
  const auto readable_end = static_cast<uint64_t>(dictionary.buffers[2]->size());
  uint8_t* const begin = out->bytes.data();
  uint8_t* end = out->bytes.end();
  uint8_t* end_offset = out->offsets.end();
  for (uint64_t i = 0; i < count; ++i) {
    const auto key = KeyAt<Key>(keys, i);
    const auto first = static_cast<uint64_t>(offsets[key]);
    const auto size = static_cast<uint64_t>(offsets[key + 1]) - first;
    if (size <= kStep && first + kStep <= readable_end) {
      std::memcpy(end, values + first, kStep);
    } else {
      std::memcpy(end, values + first, size);
    }
    end += size;
    StoreLittleEndian(end_offset, static_cast<Offset>(end - begin));
    end_offset += sizeof(Offset);
  }
  out->bytes.Advance(total);
  out->offsets.Advance(count * sizeof(Offset));
  out->length += count;
  return arrow::Status::OK();
}

/// Largest value of the signed or unsigned key type of an Arrow dictionary.
uint64_t LargestKey(const arrow::DataType& index_type) {
  const auto bits = static_cast<unsigned>(index_type.byte_width()) * 8;
  const bool is_signed = arrow::is_signed_integer(index_type.id());
  return ~uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
}

template <typename Key>
void AddToKeys(uint8_t* keys, uint64_t count, uint64_t add) {
  for (uint64_t i = 0; i < count; ++i) {
    StoreLittleEndian(keys + i * sizeof(Key), static_cast<Key>(KeyAt<Key>(keys, i) + add));
  }
}

template <typename Key>
void Transpose(uint8_t* keys, uint64_t count, const int32_t* map) {
  for (uint64_t i = 0; i < count; ++i) {
    StoreLittleEndian(keys + i * sizeof(Key), static_cast<Key>(map[KeyAt<Key>(keys, i)]));
  }
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> JoinDictionaries(ValueBuilder* builder) {
  arrow::ArrayVector parts;
  uint64_t first_key = 0;
  uint64_t base = 0;
  const uint32_t width = builder->type->width_bytes;
  for (const auto& part : builder->dictionaries) {
    uint8_t* keys = builder->values.data() + first_key * width;
    first_key += part.num_keys;
    if (part.values == nullptr) continue;
    ARROW_RETURN_NOT_OK(WithWord(width, [&](auto word) {
      AddToKeys<decltype(word)>(keys, part.num_keys, base);
      return arrow::Status::OK();
    }));
    base += static_cast<uint64_t>(part.values->length);
    parts.push_back(arrow::MakeArray(part.values));
  }
  if (parts.empty()) {
    ARROW_ASSIGN_OR_RAISE(
        auto empty, arrow::MakeEmptyArray(builder->type->children[0].type, builder->budget.pool));
    parts.push_back(std::move(empty));
  }
  ARROW_ASSIGN_OR_RAISE(auto joined, arrow::Concatenate(parts, builder->budget.pool));
  return joined->data();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> UnifyDictionaries(ValueBuilder* builder,
                                                                   uint64_t largest_key) {
  ARROW_ASSIGN_OR_RAISE(auto unifier, arrow::DictionaryUnifier::Make(
                                          builder->type->children[0].type, builder->budget.pool));
  uint64_t first_key = 0;
  const uint32_t width = builder->type->width_bytes;
  for (const auto& part : builder->dictionaries) {
    if (part.values == nullptr) {
      first_key += part.num_keys;
      continue;
    }
    std::shared_ptr<arrow::Buffer> map;
    ARROW_RETURN_NOT_OK(unifier->Unify(*arrow::MakeArray(part.values), &map));
    uint8_t* keys = builder->values.data() + first_key * width;
    ARROW_RETURN_NOT_OK(WithWord(width, [&](auto word) {
      Transpose<decltype(word)>(keys, part.num_keys, reinterpret_cast<const int32_t*>(map->data()));
      return arrow::Status::OK();
    }));
    first_key += part.num_keys;
  }
  std::shared_ptr<arrow::DataType> type;
  std::shared_ptr<arrow::Array> unified;
  ARROW_RETURN_NOT_OK(unifier->GetResult(&type, &unified));
  if (static_cast<uint64_t>(unified->length()) > SaturatingAdd(largest_key, 1)) {
    return MakeError(
        ErrorKind::kTooLarge,
        fmt::format(
            "batch has more distinct values than its dictionary keys reach: {}, ask for fewer rows",
            unified->length()));
  }
  return unified->data();
}

}  // namespace

arrow::Status AppendLookedUp(const uint8_t* keys, uint32_t key_bytes, uint64_t count,
                             const arrow::ArrayData& dictionary, ValueBuilder* out) {
  return WithWord(key_bytes, [&](auto word) -> arrow::Status {
    using Key = decltype(word);
    ARROW_RETURN_NOT_OK(CheckKeys<Key>(keys, count, dictionary.length));
    if (out->type->kind == LeafKind::kFixed) return LookUpFixed<Key>(keys, count, dictionary, out);
    if (out->type->width_bytes == 4)
      return LookUpVariable<Key, int32_t>(keys, count, dictionary, out);
    return LookUpVariable<Key, int64_t>(keys, count, dictionary, out);
  });
}

arrow::Status AppendKeys(const uint8_t* keys, uint32_t key_bytes, uint64_t count,
                         const std::shared_ptr<arrow::ArrayData>& dictionary, ValueBuilder* out) {
  const auto& type = static_cast<const arrow::DictionaryType&>(*out->type->type);
  const uint64_t largest = LargestKey(*type.index_type());
  const uint32_t width = out->type->width_bytes;
  ARROW_RETURN_NOT_OK(out->values.Reserve(count * width));
  ARROW_RETURN_NOT_OK(WithWord(key_bytes, [&](auto word) -> arrow::Status {
    using Key = decltype(word);
    ARROW_RETURN_NOT_OK(CheckKeys<Key>(keys, count, dictionary->length));
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t key = KeyAt<Key>(keys, i);
      if (key > largest) {
        return MakeError(ErrorKind::kTooLarge,
                         fmt::format("dictionary key does not fit its column's type: {}", key));
      }
      std::memcpy(out->values.end() + i * width, &key, width);
    }
    return arrow::Status::OK();
  }));
  out->values.Advance(count * width);
  out->length += count;
  if (!out->dictionaries.empty() && out->dictionaries.back().values == dictionary) {
    out->dictionaries.back().num_keys += count;
  } else {
    out->dictionaries.push_back({dictionary, count});
  }
  return arrow::Status::OK();
}

arrow::Status FinishDictionary(ValueBuilder* builder, arrow::ArrayData* array) {
  const auto& type = static_cast<const arrow::DictionaryType&>(*builder->type->type);
  if (builder->dictionaries.size() == 1 && builder->dictionaries[0].values != nullptr) {
    array->dictionary = builder->dictionaries[0].values;
  } else {
    const uint64_t largest = LargestKey(*type.index_type());
    uint64_t total = 0;
    for (const auto& part : builder->dictionaries) {
      if (part.values != nullptr) total += static_cast<uint64_t>(part.values->length);
    }
    if (total <= SaturatingAdd(largest, 1)) {
      ARROW_ASSIGN_OR_RAISE(array->dictionary, JoinDictionaries(builder));
    } else {
      ARROW_ASSIGN_OR_RAISE(array->dictionary, UnifyDictionaries(builder, largest));
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto keys, builder->values.Finish());
  array->buffers.push_back(std::move(keys));
  builder->dictionaries.clear();
  return arrow::Status::OK();
}

}  // namespace pennon
