#include "file/file_schema.h"

#include <arrow/buffer.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/wire.h"
#include "format/schema_message.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr size_t kBlobDescriptorFields = 5;

/// Files list the fields of a stored blob descriptor (2.2) behind it as if they lay at the top,
/// without ids: puts them where they belong.
arrow::Status AdoptBlobDescriptors(TableSchema* schema) {
  std::vector<FieldTree> fields;
  for (FieldTree& field : schema->fields) {
    FieldTree* const last = fields.empty() ? nullptr : &fields.back();
    const bool is_descriptor = field.id == -1 && last != nullptr &&
                               last->logical_type == "struct" &&
                               last->metadata.contains(kBlobKey) && IsPackedStruct(*last) &&
                               last->children.size() < kBlobDescriptorFields;
    if (!is_descriptor) {
      fields.push_back(std::move(field));
      continue;
    }
    last->children.push_back(std::move(field));
    ARROW_RETURN_NOT_OK(ResolveType(last));
  }
  schema->fields = std::move(fields);
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<TableSchema> ReadFileSchema(DataFileReader* file) {
  if (file->num_global_buffers() == 0) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("data file has no schema: {}", file->path()));
  }
  ARROW_ASSIGN_OR_RAISE(const auto descriptor, file->ReadGlobalBuffer(0));
  std::string_view schema;
  WireField field;
  for (WireReader reader{std::string_view(*descriptor)}; !reader.done();) {
    auto status = reader.Next(&field);
    if (!status.ok())
      return AddContext(status, fmt::format(" (file descriptor): {}", file->path()));
    if (field.number == 1 && field.type == WireType::kBytes) schema = field.bytes;
  }
  auto parsed = ParseSchemaMessage(schema);
  if (!parsed.ok()) return AddContext(parsed.status(), fmt::format(": {}", file->path()));
  ARROW_RETURN_NOT_OK(AdoptBlobDescriptors(&*parsed));
  return parsed;
}

}  // namespace pennon
