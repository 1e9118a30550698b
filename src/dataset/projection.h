/// \file
/// From the columns that a caller names to the fields that are read, and from these to the columns
/// that come out. Spec: format/data-file.md, headings 2 and 12.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/schema.h"
#include "pennon/dataset/scan.h"

namespace pennon {

/// The columns that every table has, in the order in which they are appended.
enum class SystemColumn : uint8_t { kRowId, kRowAddress, kCreatedAt, kLastUpdatedAt };
inline constexpr size_t kNumSystemColumns = 4;

std::string_view NameOf(SystemColumn column);
std::optional<SystemColumn> FindSystemColumn(std::string_view name);

/// One column that comes out.
struct ProjectedColumn {
  std::shared_ptr<arrow::Field> field;
  std::optional<SystemColumn> system;
  /// Of a column of the table: its root among Projection::roots, and the children to go down from
  /// there.
  size_t root = 0;
  std::vector<int> path;
};

struct Projection {
  /// Fields to read, with only the parts that are needed; each root of the table once.
  std::vector<FieldTree> roots;
  std::vector<ProjectedColumn> columns;
  std::shared_ptr<arrow::Schema> schema;
  bool blobs_as_bytes = false;

  bool Needs(SystemColumn column) const;
};

/// Resolves what the caller selects. Errors: kInvalidArgument (no such field, a column twice).
arrow::Result<Projection> MakeProjection(const TableSchema& schema, const ColumnSelection& select);

/// Makes the columns a filter wants: each root of the table under its own name, with the parts that
/// `fields` go into.
arrow::Result<Projection> MakeFilterProjection(const TableSchema& schema,
                                               const std::vector<arrow::FieldRef>& fields);

/// Returns one column of the output. `roots`: the arrays read, as they are shown; `systems`: by
/// SystemColumn, null for those not needed. A child is null where a struct above it is.
arrow::Result<std::shared_ptr<arrow::Array>> ProjectColumn(
    const ProjectedColumn& column, const std::vector<std::shared_ptr<arrow::Array>>& roots,
    const std::vector<std::shared_ptr<arrow::Array>>& systems);

}  // namespace pennon
