#include "base/wire.h"

#include <fmt/format.h>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {

bool WireReader::ReadVarint(uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (position_ == end_) return false;
    const auto byte = static_cast<uint8_t>(*position_++);
    if (shift == 63 && byte > 1) return false;
    result |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return false;
}

arrow::Status WireReader::Corrupt(const char* what) const {
  return MakeError(ErrorKind::kCorrupt, fmt::format("{} at byte {}", what, offset()));
}

arrow::Status WireReader::Next(WireField* field) {
  field->begin_offset = offset();
  uint64_t tag = 0;
  if (!ReadVarint(&tag)) return Corrupt("message is cut short or has a bad tag");
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF)
    return Corrupt("message has an impossible field number");
  field->number = static_cast<uint32_t>(tag >> 3);
  field->bytes = {};
  field->value = 0;
  const auto left = static_cast<size_t>(end_ - position_);
  switch (tag & 7) {
    case 0:
      field->type = WireType::kVarint;
      if (!ReadVarint(&field->value)) return Corrupt("message has a bad integer");
      return arrow::Status::OK();
    case 1:
      field->type = WireType::kFixed64;
      if (left < 8) return Corrupt("message is cut short");
      field->value = LoadLittleEndian<uint64_t>(position_);
      position_ += 8;
      return arrow::Status::OK();
    case 2: {
      field->type = WireType::kBytes;
      uint64_t size = 0;
      if (!ReadVarint(&size)) return Corrupt("message has a bad length");
      if (size > static_cast<uint64_t>(end_ - position_))
        return Corrupt("field is longer than its message");
      field->bytes_offset = offset();
      field->bytes = std::string_view(position_, size);
      position_ += size;
      return arrow::Status::OK();
    }
    case 5:
      field->type = WireType::kFixed32;
      if (left < 4) return Corrupt("message is cut short");
      field->value = LoadLittleEndian<uint32_t>(position_);
      position_ += 4;
      return arrow::Status::OK();
    default:
      return Corrupt("message has an unknown wire type");
  }
}

void AppendVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void AppendVarintField(std::string& out, uint32_t number, uint64_t value) {
  AppendVarint(out, uint64_t{number} << 3);
  AppendVarint(out, value);
}

void AppendBytesHeader(std::string& out, uint32_t number, size_t size_bytes) {
  AppendVarint(out, (uint64_t{number} << 3) | 2);
  AppendVarint(out, size_bytes);
}

void AppendBytesField(std::string& out, uint32_t number, std::string_view bytes) {
  AppendBytesHeader(out, number, bytes.size());
  out.append(bytes);
}

}  // namespace pennon
