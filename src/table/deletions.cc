#include "table/deletions.h"

#include <fmt/format.h>

#include "format/deletion_file.h"
#include "pennon/base/error.h"
#include "table/location.h"

namespace pennon {
namespace {

constexpr uint64_t kDeletionFileBytesMax = uint64_t{1} << 32;

}  // namespace

arrow::Result<DeletionVector> LoadDeletions(Store& store, const std::string& root,
                                            const Manifest& manifest, const Fragment& fragment) {
  if (!fragment.deletion_file.has_value()) return DeletionVector{};
  ARROW_ASSIGN_OR_RAISE(const std::string path, DeletionFilePath(root, manifest, fragment));
  auto file = store.ReadWhole(path, kDeletionFileBytesMax);
  if (!file.ok()) {
    if (KindOf(file.status()) != ErrorKind::kNotFound) return file.status();
    return MakeError(
        ErrorKind::kNotFound,
        fmt::format("deletion file of fragment {} is missing: {}", ToInteger(fragment.id), path));
  }
  DeletionFileExpectation expected;
  expected.physical_rows = fragment.physical_rows;
  expected.num_deleted_rows = fragment.deletion_file->num_deleted_rows;
  auto deletions = DecodeDeletionFile(fragment.deletion_file->type, *file, expected);
  if (!deletions.ok()) return AddContext(deletions.status(), ": " + path);
  return deletions;
}

}  // namespace pennon
