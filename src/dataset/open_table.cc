#include "dataset/open_table.h"

#include <fmt/format.h>

#include "pennon/base/error.h"

namespace pennon {

arrow::Result<std::shared_ptr<const OpenTable>> TableReading::Open() {
  const std::lock_guard lock(mutex_);
  if (table_ != nullptr) return table_;
  auto table = std::make_shared<OpenTable>();
  table->snapshot = snapshot_;
  const Manifest& manifest = snapshot_->manifest;
  auto schema = BuildSchema(manifest.fields, manifest.schema_metadata);
  if (!schema.ok())
    return AddContext(schema.status(), fmt::format(": {}", snapshot_->manifest_path));
  table->schema = *std::move(schema);
  table->session = session_;
  table_ = std::move(table);
  return table_;
}

}  // namespace pennon
