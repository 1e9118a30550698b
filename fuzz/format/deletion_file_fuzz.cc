// The first byte picks the file form, the rest is the file. What comes out lies within its fragment
// and survives being written again.
#include <arrow/buffer.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "format/deletion_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pennon;
  if (size == 0) return 0;
  const auto type = data[0] % 2 == 0 ? DeletionFileType::kArray : DeletionFileType::kBitmap;
  const DeletionFileExpectation expected{.physical_rows = 100000};
  const auto file = std::make_shared<arrow::Buffer>(data + 1, static_cast<int64_t>(size - 1));
  const auto deletions = DecodeDeletionFile(type, file, expected);
  if (!deletions.ok() || deletions->empty()) return 0;
  if (ToInteger(deletions->max()) >= expected.physical_rows) std::abort();
  const auto encoded = EncodeDeletionFile(*deletions);
  if (!encoded.ok() || encoded->type != type) std::abort();
  const auto again =
      DecodeDeletionFile(type, encoded->bytes, {expected.physical_rows, deletions->count()});
  if (!again.ok() || !(*again == *deletions)) std::abort();
  return 0;
}
