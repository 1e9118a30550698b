// Any bytes give a list of indexes or kCorrupt. Entries are kept byte for byte.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "format/index_section.h"
#include "pennon/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pennon;
  const std::string_view section(reinterpret_cast<const char*>(data), size);
  const auto entries = DecodeIndexSection(section);
  if (!entries.ok()) {
    if (KindOf(entries.status()) != ErrorKind::kCorrupt) std::abort();
    return 0;
  }
  std::vector<std::string_view> encoded;
  for (const auto& entry : *entries) {
    if (!entry.encoded.empty() &&
        (entry.encoded.data() < section.data() ||
         entry.encoded.data() + entry.encoded.size() > section.data() + size)) {
      std::abort();
    }
    encoded.push_back(entry.encoded);
  }
  const std::string written = EncodeIndexSection(encoded);
  const auto again = DecodeIndexSection(written);
  if (!again.ok() || again->size() != entries->size()) std::abort();
  for (size_t i = 0; i < again->size(); ++i) {
    if ((*again)[i].encoded != (*entries)[i].encoded || (*again)[i].name != (*entries)[i].name ||
        (*again)[i].uuid != (*entries)[i].uuid ||
        (*again)[i].fragment_bitmap != (*entries)[i].fragment_bitmap) {
      std::abort();
    }
  }
  return 0;
}
