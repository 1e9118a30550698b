#include "encoding/v20_binary.h"

#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Status CheckIsBinary(const arrow::DataType& type) {
  if (IsBinaryType(type)) return arrow::Status::OK();
  return MakeError(ErrorKind::kCorrupt,
                   fmt::format("page holds strings, wanted are {}", type.ToString()));
}

// All values of one width: offsets are multiples of it.
template <typename T>
void WriteMultiples(uint64_t count, uint64_t width, uint8_t* out) {
  auto* offsets = reinterpret_cast<T*>(out);
  for (uint64_t i = 0; i <= count; ++i) offsets[i] = static_cast<T>(i * width);
}

template <typename T>
uint64_t DecodeValues(const FsstTable& table, const arrow::ArrayData& coded, uint8_t* bytes,
                      T* offsets) {
  const auto* in = reinterpret_cast<const T*>(coded.buffers[1]->data());
  const uint8_t* data = coded.buffers[2]->data();
  uint8_t* end = bytes;
  offsets[0] = 0;
  for (int64_t i = 0; i < coded.length; ++i) {
    end = table.Decode({data + in[i], static_cast<size_t>(in[i + 1] - in[i])}, end);
    offsets[i + 1] = static_cast<T>(end - bytes);
  }
  return static_cast<uint64_t>(end - bytes);
}

}  // namespace

bool IsBinaryType(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::BINARY ||
         HasLargeOffsets(type);
}

bool HasLargeOffsets(const arrow::DataType& type) {
  return type.id() == arrow::Type::LARGE_STRING || type.id() == arrow::Type::LARGE_BINARY;
}

arrow::Status CheckBinarySize(const arrow::DataType& type, uint64_t size) {
  const auto limit =
      static_cast<uint64_t>(HasLargeOffsets(type) ? std::numeric_limits<int64_t>::max()
                                                  : std::numeric_limits<int32_t>::max());
  if (size <= limit) return arrow::Status::OK();
  return MakeError(
      ErrorKind::kTooLarge,
      fmt::format("strings of one batch take more than 2 GiB: read fewer rows at once: {} bytes",
                  size));
}

arrow::Result<std::unique_ptr<V20Values>> V20BinaryValues::Make(
    const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, RowRanges rows,
    const V20Context& context) {
  ARROW_RETURN_NOT_OK(CheckIsBinary(*type));
  ARROW_ASSIGN_OR_RAISE(auto offsets,
                        V20EndOffsets::Make(encoding.children[0], encoding.null_adjustment,
                                            std::move(rows), context));
  return std::unique_ptr<V20Values>(
      new V20BinaryValues(encoding, std::move(type), std::move(offsets), context));
}

arrow::Status V20BinaryValues::PlanNext(std::vector<ByteRange>* wanted) {
  if (bytes_ != nullptr) return bytes_->Plan(wanted);
  const size_t before = wanted->size();
  ARROW_RETURN_NOT_OK(offsets_->Plan(wanted));
  if (wanted->size() > before) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(offsets_->Load());
  ARROW_ASSIGN_OR_RAISE(bytes_, MakeV20Values(encoding_.children[1], arrow::uint8(),
                                              offsets_->item_ranges(), context_));
  return bytes_->Plan(wanted);
}

arrow::Status V20BinaryValues::AcceptNext(std::span<const FetchedBytes> bytes) {
  return bytes_ == nullptr ? offsets_->Accept(&bytes) : bytes_->Accept(&bytes);
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20BinaryValues::Decode(uint64_t begin,
                                                                         uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(const auto items, offsets_->ItemsOf(begin, count));
  ARROW_RETURN_NOT_OK(CheckBinarySize(*type_, items.count));
  const bool large = HasLargeOffsets(*type_);
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues((count + 1) * (large ? 8 : 4), context_));
  if (large) {
    offsets_->WriteOffsets<int64_t>(begin, count, 0,
                                    reinterpret_cast<int64_t*>(offsets->mutable_data()));
  } else {
    offsets_->WriteOffsets<int32_t>(begin, count, 0,
                                    reinterpret_cast<int32_t*>(offsets->mutable_data()));
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (items.has_nulls) {
    ARROW_ASSIGN_OR_RAISE(validity, AllocateZeroed((count + 7) / 8, context_));
    arrow::bit_util::SetBitsTo(validity->mutable_data(), 0, static_cast<int64_t>(count), true);
    offsets_->ClearNulls(begin, count, validity->mutable_data(), 0);
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, bytes_->Decode(items.begin, items.count));
  return arrow::ArrayData::Make(type_, static_cast<int64_t>(count),
                                {std::move(validity), std::move(offsets), bytes->buffers[1]},
                                items.has_nulls ? arrow::kUnknownNullCount : 0);
}

arrow::Result<std::unique_ptr<V20Values>> V20FsstValues::Make(const V20Encoding& encoding,
                                                              std::shared_ptr<arrow::DataType> type,
                                                              RowRanges rows,
                                                              const V20Context& context) {
  ARROW_RETURN_NOT_OK(CheckIsBinary(*type));
  ARROW_ASSIGN_OR_RAISE(FsstTable table, FsstTable::Parse(encoding.symbol_table));
  ARROW_ASSIGN_OR_RAISE(
      auto coded, MakeV20Values(encoding.children[0], std::move(type), std::move(rows), context));
  return std::unique_ptr<V20Values>(new V20FsstValues(std::move(table), std::move(coded), context));
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20FsstValues::Decode(uint64_t begin,
                                                                       uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto coded, coded_->Decode(begin, count));
  const bool large = HasLargeOffsets(*coded->type);
  const uint8_t* ends = coded->buffers[1]->data();
  const uint64_t coded_bytes =
      large ? static_cast<uint64_t>(reinterpret_cast<const int64_t*>(ends)[count])
            : static_cast<uint64_t>(reinterpret_cast<const int32_t*>(ends)[count]);
  const uint64_t size_max = table_.DecodedBytesMax(coded_bytes);
  ARROW_ASSIGN_OR_RAISE(auto bytes, AllocateValues(size_max + FsstTable::kSlackBytes, context_));
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues((count + 1) * (large ? 8 : 4), context_));
  // Offsets of 32 bits wrap only when the whole is too long, which is found out afterwards.
  const uint64_t size = large ? DecodeValues(table_, *coded, bytes->mutable_data(),
                                             reinterpret_cast<int64_t*>(offsets->mutable_data()))
                              : DecodeValues(table_, *coded, bytes->mutable_data(),
                                             reinterpret_cast<int32_t*>(offsets->mutable_data()));
  ARROW_RETURN_NOT_OK(CheckBinarySize(*coded->type, size));
  coded->buffers[1] = std::move(offsets);
  // The bound may be eight times what came out: what is kept is cut to size.
  ARROW_ASSIGN_OR_RAISE(auto kept, AllocateValues(size, context_));
  std::memcpy(kept->mutable_data(), bytes->data(), size);
  coded->buffers[2] = std::move(kept);
  return coded;
}

arrow::Result<std::unique_ptr<V20Values>> V20FixedSizeBinaryValues::Make(
    const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type, const RowRanges& rows,
    const V20Context& context) {
  ARROW_RETURN_NOT_OK(CheckIsBinary(*type));
  const uint64_t end = rows.empty() ? 0 : rows.back().end;
  if (encoding.count > 0 && end > std::numeric_limits<int64_t>::max() / encoding.count) {
    return MakeError(ErrorKind::kCorrupt, "page holds more strings than can be");
  }
  const RowRanges byte_ranges =
      encoding.count == 0 ? RowRanges{} : ScaleRanges(rows, encoding.count);
  ARROW_ASSIGN_OR_RAISE(auto bytes,
                        MakeV20Values(encoding.children[0], arrow::uint8(), byte_ranges, context));
  return std::unique_ptr<V20Values>(
      new V20FixedSizeBinaryValues(std::move(type), encoding.count, std::move(bytes), context));
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> V20FixedSizeBinaryValues::Decode(uint64_t begin,
                                                                                  uint64_t count) {
  ARROW_RETURN_NOT_OK(CheckBinarySize(*type_, count * width_));
  const bool large = HasLargeOffsets(*type_);
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues((count + 1) * (large ? 8 : 4), context_));
  if (large) {
    WriteMultiples<int64_t>(count, width_, offsets->mutable_data());
  } else {
    WriteMultiples<int32_t>(count, width_, offsets->mutable_data());
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, bytes_->Decode(begin * width_, count * width_));
  return arrow::ArrayData::Make(type_, static_cast<int64_t>(count),
                                {nullptr, std::move(offsets), bytes->buffers[1]}, 0);
}

}  // namespace pennon
