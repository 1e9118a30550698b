/// \file
/// Strings and bytes of varying length: end offsets beside bytes, as they are or FSST-compressed,
/// or all of one length. Spec: format/data-file.md, headings 9 (Binary, Fsst, FixedSizeBinary)
/// and 7.10.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/fsst.h"
#include "encoding/v20_end_offsets.h"
#include "encoding/v20_values.h"

namespace pennon {

/// kBinary. Bytes of one range are given without a copy.
class V20BinaryValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override;
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override;

 private:
  V20BinaryValues(const V20Encoding& encoding, std::shared_ptr<arrow::DataType> type,
                  std::unique_ptr<V20EndOffsets> offsets, const V20Context& context)
      : encoding_(encoding),
        type_(std::move(type)),
        offsets_(std::move(offsets)),
        context_(context) {}

  const V20Encoding& encoding_;
  const std::shared_ptr<arrow::DataType> type_;
  const std::unique_ptr<V20EndOffsets> offsets_;
  const V20Context context_;
  /// Made when the offsets have been read.
  std::unique_ptr<V20Values> bytes_;
};

/// kFsst.
class V20FsstValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        RowRanges rows, const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override { return coded_->Plan(wanted); }
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override {
    return coded_->Accept(&bytes);
  }

 private:
  V20FsstValues(FsstTable table, std::unique_ptr<V20Values> coded, const V20Context& context)
      : table_(std::move(table)), coded_(std::move(coded)), context_(context) {}

  const FsstTable table_;
  const std::unique_ptr<V20Values> coded_;
  const V20Context context_;
};

/// kFixedSizeBinary.
class V20FixedSizeBinaryValues : public V20Values {
 public:
  static arrow::Result<std::unique_ptr<V20Values>> Make(const V20Encoding& encoding,
                                                        std::shared_ptr<arrow::DataType> type,
                                                        const RowRanges& rows,
                                                        const V20Context& context);

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t begin, uint64_t count) override;

 protected:
  arrow::Status PlanNext(std::vector<ByteRange>* wanted) override { return bytes_->Plan(wanted); }
  arrow::Status AcceptNext(std::span<const FetchedBytes> bytes) override {
    return bytes_->Accept(&bytes);
  }

 private:
  V20FixedSizeBinaryValues(std::shared_ptr<arrow::DataType> type, uint64_t width,
                           std::unique_ptr<V20Values> bytes, const V20Context& context)
      : type_(std::move(type)), width_(width), bytes_(std::move(bytes)), context_(context) {}

  const std::shared_ptr<arrow::DataType> type_;
  const uint64_t width_;
  const std::unique_ptr<V20Values> bytes_;
  const V20Context context_;
};

/// True for utf8, binary and their large forms.
bool IsBinaryType(const arrow::DataType& type);
/// True for the large ones, whose offsets have 64 bits.
bool HasLargeOffsets(const arrow::DataType& type);
/// Errors: kTooLarge when `size` bytes do not fit one array of the type.
arrow::Status CheckBinarySize(const arrow::DataType& type, uint64_t size);

}  // namespace pennon
