/// \file
/// A protobuf message as a list of fields that tests can change, so that a manifest can be broken
/// one way at a time without touching the rest of its bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wire.h"

namespace pennon {

class WireMessage {
 public:
  WireMessage() = default;
  explicit WireMessage(std::string_view bytes) {
    WireReader reader(bytes);
    for (WireField field; !reader.done();) {
      const uint64_t begin = reader.offset();
      if (!reader.Next(&field).ok()) {
        ADD_FAILURE() << "not a message";
        return;
      }
      fields_.push_back({field.number, field.type, field.value, std::string(field.bytes),
                         std::string(bytes.substr(begin, reader.offset() - begin))});
    }
  }

  std::string Encode() const {
    std::string out;
    for (const Field& field : fields_) {
      if (!field.raw.empty()) {
        out += field.raw;
      } else if (field.type == WireType::kBytes) {
        AppendBytesField(out, field.number, field.bytes);
      } else {
        AppendVarintField(out, field.number, field.value);
      }
    }
    return out;
  }

  uint64_t Integer(uint32_t number) const {
    for (const Field& field : fields_) {
      if (field.number == number) return field.value;
    }
    return 0;
  }
  std::string Bytes(uint32_t number) const {
    for (const Field& field : fields_) {
      if (field.number == number) return field.bytes;
    }
    return "";
  }
  size_t Count(uint32_t number) const {
    size_t count = 0;
    for (const Field& field : fields_) count += field.number == number ? 1 : 0;
    return count;
  }

  void Remove(uint32_t number) {
    std::erase_if(fields_, [&](const Field& field) { return field.number == number; });
  }
  void SetInteger(uint32_t number, uint64_t value) {
    Remove(number);
    fields_.push_back({number, WireType::kVarint, value, "", ""});
  }
  void SetBytes(uint32_t number, std::string bytes) {
    Remove(number);
    AddBytes(number, std::move(bytes));
  }
  void AddBytes(uint32_t number, std::string bytes) {
    fields_.push_back({number, WireType::kBytes, 0, std::move(bytes), ""});
  }

  /// Changes the `index`-th message of a repeated field.
  void Edit(uint32_t number, size_t index, const std::function<void(WireMessage&)>& edit) {
    for (Field& field : fields_) {
      if (field.number != number || index-- != 0) continue;
      WireMessage inner(field.bytes);
      edit(inner);
      field = {number, WireType::kBytes, 0, inner.Encode(), ""};
      return;
    }
    ADD_FAILURE() << "no such message of field " << number;
  }
  void RemoveAt(uint32_t number, size_t index) {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].number != number || index-- != 0) continue;
      fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    ADD_FAILURE() << "no such field " << number;
  }
  /// Exchanges two values of a repeated field.
  void Swap(uint32_t number, size_t first, size_t second) {
    std::vector<Field*> found;
    for (Field& field : fields_) {
      if (field.number == number) found.push_back(&field);
    }
    std::swap(*found.at(first), *found.at(second));
  }

 private:
  struct Field {
    uint32_t number = 0;
    WireType type = WireType::kVarint;
    uint64_t value = 0;
    std::string bytes;
    std::string raw;  // as it was read; empty once it is changed
  };
  std::vector<Field> fields_;
};

}  // namespace pennon
