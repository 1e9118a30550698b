// The last bytes of a file: a footer whose tables lie inside, or an error.
#include <cstdint>
#include <cstdlib>

#include "file/footer.h"
#include "pennon/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto footer = pennon::ParseFooter({data, size}, size, "fuzz");
  if (footer.ok()) {
    if (footer->column_table.end > size || footer->global_buffer_table.end > size) std::abort();
    for (uint64_t at = footer->column_table.begin; at < footer->column_table.end; at += 16) {
      const auto entry = pennon::ParseTableEntry(data + at, size);
      if (entry.ok() && (entry->begin > entry->end || entry->end > size)) std::abort();
    }
    return 0;
  }
  const auto kind = pennon::KindOf(footer.status());
  if (kind != pennon::ErrorKind::kCorrupt && kind != pennon::ErrorKind::kUnsupportedFeature) {
    std::abort();
  }
  return 0;
}
