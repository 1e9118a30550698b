// Any bytes are walked to their end or to an error. What was read and is written again is read as
// the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/wire.h"

namespace {

/// Reads all fields; returns false at the first error.
bool ReadAll(std::string_view message, uint64_t origin, std::vector<pennon::WireField>* fields) {
  pennon::WireReader reader(message, origin);
  while (!reader.done()) {
    pennon::WireField field;
    const uint64_t begin = reader.offset();
    if (!reader.Next(&field).ok()) return false;
    if (field.begin_offset != begin || reader.offset() <= begin ||
        reader.offset() > origin + message.size())
      std::abort();
    if (field.type == pennon::WireType::kBytes &&
        (field.bytes_offset + field.bytes.size() != reader.offset() ||
         field.bytes != message.substr(field.bytes_offset - origin, field.bytes.size()))) {
      std::abort();
    }
    fields->push_back(field);
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  std::vector<pennon::WireField> fields;
  const bool is_whole = ReadAll(message, 1000, &fields);

  std::string again;
  std::vector<pennon::WireField> written;
  for (const auto& field : fields) {
    if (field.type == pennon::WireType::kBytes) {
      const size_t before = again.size();
      pennon::AppendBytesField(again, field.number, field.bytes);
      if (field.number < 16 && again.size() - before != pennon::BytesFieldSize(field.bytes.size()))
        std::abort();
      written.push_back(field);
    } else if (field.type == pennon::WireType::kVarint) {
      pennon::AppendVarintField(again, field.number, field.value);
      written.push_back(field);
    }
  }
  std::vector<pennon::WireField> reread;
  if (!ReadAll(again, 0, &reread) || reread.size() != written.size()) std::abort();
  for (size_t i = 0; i < reread.size(); ++i) {
    if (reread[i].number != written[i].number || reread[i].type != written[i].type ||
        reread[i].value != written[i].value || reread[i].bytes != written[i].bytes) {
      std::abort();
    }
  }
  // Written the shortest way, so never longer than what was read.
  if (is_whole && again.size() > size) std::abort();
  return 0;
}
