/// \file
/// Reads and writes protobuf's wire format over borrowed bytes, without copying what it points to.
/// Used where a message is large and mostly one field of bytes (fragment lists, row id sequences);
/// everything else goes through generated classes. See docs/decisions/003-wire-reader.md. Spec:
/// format/row-ids.md, heading 1 (offsets in errors); protobuf encoding.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pennon {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field as it lies in a message. `bytes` is set for kBytes only, `value` for the others.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;
  std::string_view bytes;
  /// Where the field starts (its tag) and where its payload starts, counted from the reader's
  /// origin.
  uint64_t begin_offset = 0;
  uint64_t bytes_offset = 0;
};

/// Walks the fields of one message. Borrows `message`; `origin` is added to every offset it
/// reports.
class WireReader {
 public:
  explicit WireReader(std::string_view message, uint64_t origin = 0)
      : begin_(message.data()),
        position_(message.data()),
        end_(message.data() + message.size()),
        origin_(origin) {}

  bool done() const { return position_ == end_; }
  /// Offset of the next field.
  uint64_t offset() const { return origin_ + static_cast<uint64_t>(position_ - begin_); }

  /// Reads the next field into `field`. Errors: kCorrupt with the offset (truncated, overlong
  /// varint, group or unknown wire type, field number 0).
  arrow::Status Next(WireField* field);

 private:
  bool ReadVarint(uint64_t* value);
  arrow::Status Corrupt(const char* what) const;

  const char* begin_;
  const char* position_;
  const char* end_;
  uint64_t origin_;
};

/// Appends to `out`. Zero scalars are written too: callers that want proto3's omission test first.
void AppendVarint(std::string& out, uint64_t value);
void AppendVarintField(std::string& out, uint32_t number, uint64_t value);
void AppendBytesField(std::string& out, uint32_t number, std::string_view bytes);
/// Appends only tag and length; the caller appends exactly `size_bytes` bytes behind it.
void AppendBytesHeader(std::string& out, uint32_t number, size_t size_bytes);

/// Bytes that AppendVarint would write.
constexpr size_t VarintSize(uint64_t value) {
  size_t size = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++size;
  }
  return size;
}
/// Bytes that AppendBytesField would write for a field number below 16.
constexpr size_t BytesFieldSize(size_t size_bytes) {
  return 1 + VarintSize(size_bytes) + size_bytes;
}

}  // namespace pennon
