#include "dataset/projection.h"

#include <arrow/array/array_nested.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr std::string_view kSystemNames[] = {kRowIdColumn, kRowAddressColumn, kRowCreatedAtColumn,
                                             kRowLastUpdatedAtColumn};

/// A wanted field before the roots are cut to what is needed.
struct WantedField {
  std::string name;
  std::vector<const FieldTree*> path;
};

std::shared_ptr<arrow::Field> SystemField(SystemColumn column) {
  return arrow::field(std::string(NameOf(column)), arrow::uint64());
}

ArrowView ViewOf(bool blobs_as_bytes) {
  return {blobs_as_bytes ? BlobView::kBytes : BlobView::kDescriptors, true};
}

/// Collects columns and the ids of the fields they need.
class Builder {
 public:
  Builder(const TableSchema& schema, bool blobs_as_bytes) : schema_(schema) {
    projection_.blobs_as_bytes = blobs_as_bytes;
  }

  arrow::Status AddSystem(SystemColumn column) {
    ARROW_RETURN_NOT_OK(AddName(std::string(NameOf(column))));
    ProjectedColumn out;
    out.field = SystemField(column);
    out.system = column;
    projection_.columns.push_back(std::move(out));
    paths_.emplace_back();
    return arrow::Status::OK();
  }

  arrow::Status AddField(std::string name, std::vector<const FieldTree*> path) {
    ARROW_RETURN_NOT_OK(AddName(name));
    ids_.insert(path.back()->id);
    ProjectedColumn out;
    ARROW_ASSIGN_OR_RAISE(auto field,
                          ToArrowField(*path.back(), ViewOf(projection_.blobs_as_bytes)));
    const bool nullable =
        std::any_of(path.begin(), path.end(), [](const FieldTree* step) { return step->nullable; });
    out.field = field->WithName(std::move(name))->WithNullable(nullable);
    projection_.columns.push_back(std::move(out));
    paths_.push_back(std::move(path));
    return arrow::Status::OK();
  }

  /// Adds the ids of a field without a column for it: the parts of a root that a filter reads.
  void AddPart(const std::vector<const FieldTree*>& path) { ids_.insert(path.back()->id); }

  bool Has(SystemColumn column) const { return names_.contains(std::string(NameOf(column))); }

  arrow::Result<Projection> Finish() {
    std::vector<const FieldTree*> sources;
    for (const FieldTree& root : schema_.fields) {
      auto kept = KeepFields(root, ids_);
      if (!kept.has_value()) continue;
      projection_.roots.push_back(std::move(*kept));
      sources.push_back(&root);
    }
    for (size_t i = 0; i < paths_.size(); ++i) {
      if (paths_[i].empty()) continue;
      ProjectedColumn& column = projection_.columns[i];
      column.root = static_cast<size_t>(std::find(sources.begin(), sources.end(), paths_[i][0]) -
                                        sources.begin());
      const FieldTree* at = &projection_.roots[column.root];
      for (size_t step = 1; step < paths_[i].size(); ++step) {
        const auto child = std::find_if(
            at->children.begin(), at->children.end(),
            [&](const FieldTree& field) { return field.name == paths_[i][step]->name; });
        column.path.push_back(static_cast<int>(child - at->children.begin()));
        at = &*child;
      }
    }
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (const ProjectedColumn& column : projection_.columns) fields.push_back(column.field);
    ARROW_ASSIGN_OR_RAISE(const auto whole, ToArrowSchema({{}, schema_.metadata}));
    projection_.schema = arrow::schema(std::move(fields), whole->metadata());
    return std::move(projection_);
  }

 private:
  arrow::Status AddName(const std::string& name) {
    if (names_.insert(name).second) return arrow::Status::OK();
    return MakeError(ErrorKind::kInvalidArgument, fmt::format("column is named twice: {}", name));
  }

  const TableSchema& schema_;
  Projection projection_;
  std::vector<std::vector<const FieldTree*>> paths_;
  std::unordered_set<std::string> names_;
  std::set<int32_t> ids_;
};

}  // namespace

std::string_view NameOf(SystemColumn column) { return kSystemNames[static_cast<size_t>(column)]; }

std::optional<SystemColumn> FindSystemColumn(std::string_view name) {
  for (size_t i = 0; i < kNumSystemColumns; ++i) {
    if (kSystemNames[i] == name) return static_cast<SystemColumn>(i);
  }
  return std::nullopt;
}

bool Projection::Needs(SystemColumn column) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const ProjectedColumn& out) { return out.system == column; });
}

arrow::Result<Projection> MakeProjection(const TableSchema& schema, const ColumnSelection& select) {
  Builder builder(schema, select.blobs_as_bytes);
  if (select.columns.has_value()) {
    for (const std::string& name : *select.columns) {
      if (const auto system = FindSystemColumn(name)) {
        ARROW_RETURN_NOT_OK(builder.AddSystem(*system));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto path, FindPath(schema, name));
      ARROW_RETURN_NOT_OK(builder.AddField(name, std::move(path)));
    }
  } else {
    for (const FieldTree& root : schema.fields)
      ARROW_RETURN_NOT_OK(builder.AddField(root.name, {&root}));
  }
  const bool appended[] = {select.with_row_id, select.with_row_address, select.with_row_versions,
                           select.with_row_versions};
  for (size_t i = 0; i < kNumSystemColumns; ++i) {
    const auto column = static_cast<SystemColumn>(i);
    if (appended[i] && !builder.Has(column)) ARROW_RETURN_NOT_OK(builder.AddSystem(column));
  }
  return builder.Finish();
}

arrow::Result<Projection> MakeFilterProjection(const TableSchema& schema,
                                               const std::vector<arrow::FieldRef>& fields) {
  ARROW_ASSIGN_OR_RAISE(const auto shown, ToArrowSchema(schema, {BlobView::kDescriptors, true}));
  Builder builder(schema, false);
  std::vector<size_t> roots;
  for (const arrow::FieldRef& field : fields) {
    if (field.IsName()) {
      if (const auto system = FindSystemColumn(*field.name())) {
        if (!builder.Has(*system)) ARROW_RETURN_NOT_OK(builder.AddSystem(*system));
        continue;
      }
    }
    ARROW_ASSIGN_OR_RAISE(const auto found, field.FindOne(*shown));
    std::vector<const FieldTree*> path;
    const std::vector<FieldTree>* level = &schema.fields;
    for (const int index : found.indices()) {
      path.push_back(&(*level)[static_cast<size_t>(index)]);
      // Blobs and lists are read whole.
      if (path.back()->logical_type != "struct" || IsBlob(*path.back())) break;
      level = &path.back()->children;
    }
    builder.AddPart(path);
    const auto root = static_cast<size_t>(found.indices()[0]);
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
  ARROW_ASSIGN_OR_RAISE(Projection projection, builder.Finish());
  for (size_t i = 0; i < projection.roots.size(); ++i) {
    ProjectedColumn column;
    ARROW_ASSIGN_OR_RAISE(column.field, ToArrowField(projection.roots[i], ViewOf(false)));
    column.root = i;
    projection.columns.push_back(std::move(column));
  }
  std::vector<std::shared_ptr<arrow::Field>> out;
  for (const ProjectedColumn& column : projection.columns) out.push_back(column.field);
  projection.schema = arrow::schema(std::move(out));
  return projection;
}

arrow::Result<std::shared_ptr<arrow::Array>> ProjectColumn(
    const ProjectedColumn& column, const std::vector<std::shared_ptr<arrow::Array>>& roots,
    const std::vector<std::shared_ptr<arrow::Array>>& systems) {
  if (column.system.has_value()) return systems[static_cast<size_t>(*column.system)];
  std::shared_ptr<arrow::Array> array = roots[column.root];
  for (const int child : column.path) {
    ARROW_ASSIGN_OR_RAISE(array,
                          static_cast<const arrow::StructArray&>(*array).GetFlattenedField(child));
  }
  return array;
}

}  // namespace pennon
