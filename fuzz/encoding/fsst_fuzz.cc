// A symbol table and a coded value: decoded within the bound that the table states.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "encoding/fsst.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kTableBytes = 2312;
  const size_t table_size = size < kTableBytes ? size : kTableBytes;
  const auto table = pennon::FsstTable::Parse({reinterpret_cast<const char*>(data), table_size});
  if (!table.ok()) return 0;
  const std::vector<uint8_t> coded(data + table_size, data + size);
  const uint64_t bound = table->DecodedBytesMax(coded.size());
  std::vector<uint8_t> out(bound + pennon::FsstTable::kSlackBytes);
  const uint8_t* end = table->Decode(coded, out.data());
  if (end < out.data() || static_cast<uint64_t>(end - out.data()) > bound) std::abort();
  return 0;
}
