// The metadata of one column: pages whose buffers lie inside the file, or an error that names the
// column.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "encoding/page_layout.h"
#include "file/column_metadata.h"
#include "pennon/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr uint64_t kFileSize = 1 << 20;
  const auto version = data[0] % 2 == 0 ? pennon::FileVersion::kV2_0 : pennon::FileVersion::kV2_2;
  const auto pages = pennon::ParseColumnMetadata(
      {reinterpret_cast<const char*>(data) + 1, size - 1}, {7, version, kFileSize});
  if (!pages.ok()) {
    if (pages.status().message().find("(column 7)") == std::string::npos) std::abort();
    return 0;
  }
  for (const pennon::PageInfo& page : pages->pages) {
    for (const pennon::ByteRange& buffer : page.buffers) {
      if (buffer.begin > buffer.end || buffer.end > kFileSize) std::abort();
    }
    if (page.message == pennon::EncodingMessage::kPageLayout) {
      const auto layout = pennon::ParsePageLayout(page.encoding);
      if (layout.ok() && layout->layers.empty()) std::abort();
    }
  }
  return 0;
}
