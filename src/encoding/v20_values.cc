#include "encoding/v20_values.h"

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "encoding/v20_binary.h"
#include "encoding/v20_bitpacked.h"
#include "encoding/v20_dictionary.h"
#include "encoding/v20_fixed_width.h"
#include "encoding/v20_flat.h"
#include "encoding/v20_nullable.h"
#include "pennon/base/error.h"

namespace pennon {

arrow::Result<std::unique_ptr<V20Values>> MakeV20Values(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context) {
  switch (encoding.kind) {
    case V20Kind::kFlat:
      return V20FlatValues::Make(encoding, std::move(type), std::move(rows), context);
    case V20Kind::kNoNulls:
      return MakeV20Values(encoding.children[0], std::move(type), std::move(rows), context);
    case V20Kind::kSomeNulls: {
      ARROW_ASSIGN_OR_RAISE(auto validity,
                            MakeV20Values(encoding.children[0], arrow::boolean(), rows, context));
      ARROW_ASSIGN_OR_RAISE(auto values, MakeV20Values(encoding.children[1], std::move(type),
                                                       std::move(rows), context));
      return std::make_unique<V20SomeNulls>(std::move(validity), std::move(values), context);
    }
    case V20Kind::kAllNulls:
      return std::make_unique<V20AllNulls>(std::move(type), context);
    case V20Kind::kFixedSizeList:
      return V20FixedSizeListValues::Make(encoding, std::move(type), rows, context);
    case V20Kind::kBinary:
      return V20BinaryValues::Make(encoding, std::move(type), std::move(rows), context);
    case V20Kind::kDictionary:
      return V20DictionaryValues::Make(encoding, std::move(type), std::move(rows), context);
    case V20Kind::kFsst:
      return V20FsstValues::Make(encoding, std::move(type), std::move(rows), context);
    case V20Kind::kPackedStruct:
      return V20PackedStructValues::Make(encoding, std::move(type), std::move(rows), context);
    case V20Kind::kBitpacked:
    case V20Kind::kFastLanes:
      return V20BitpackedValues::Make(encoding, std::move(type), std::move(rows), context);
    case V20Kind::kFixedSizeBinary:
      return V20FixedSizeBinaryValues::Make(encoding, std::move(type), rows, context);
    case V20Kind::kList:
    case V20Kind::kStruct:
      break;
  }
  return MakeError(
      ErrorKind::kCorrupt,
      fmt::format("page describes a list or struct where values are wanted: {}", type->ToString()));
}

uint64_t FixedWidthBits(const arrow::DataType& type) {
  if (type.id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
    return FixedWidthBits(*list.value_type()) * static_cast<uint64_t>(list.list_size());
  }
  if (!arrow::is_fixed_width(type.id()) || type.id() == arrow::Type::DICTIONARY) return 0;
  return static_cast<uint64_t>(type.bit_width());
}

arrow::Result<std::shared_ptr<arrow::Buffer>> AllocateValues(uint64_t size_bytes,
                                                             const V20Context& context) {
  if (size_bytes > context.buffer_bytes_max) {
    return MakeError(
        ErrorKind::kTooLarge,
        fmt::format("decoded buffer would be larger than the limit: {} bytes, at most {}",
                    size_bytes, context.buffer_bytes_max));
  }
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        arrow::AllocateBuffer(static_cast<int64_t>(size_bytes), context.pool));
  buffer->ZeroPadding();
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> AllocateZeroed(uint64_t size_bytes,
                                                             const V20Context& context) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues(size_bytes, context));
  std::memset(buffer->mutable_data(), 0, size_bytes);
  return buffer;
}

RowRanges ScaleRanges(const RowRanges& rows, uint64_t factor) {
  RowRanges scaled;
  scaled.reserve(rows.size());
  for (const RowRange& range : rows) scaled.push_back({range.begin * factor, range.end * factor});
  return scaled;
}

}  // namespace pennon
