#include "dataset/open_table.h"

#include <arrow/compute/initialize.h>
#include <fmt/format.h>

#include "pennon/base/error.h"

namespace pennon {

arrow::Result<std::shared_ptr<const OpenTable>> TableReading::Open() {
  const std::lock_guard lock(mutex_);
  if (table_ != nullptr) return table_;
  // Arrow fills its registry of functions without a lock: that must be over before threads read.
  static const arrow::Status kFunctionsReady = arrow::compute::Initialize();
  ARROW_RETURN_NOT_OK(kFunctionsReady);
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
