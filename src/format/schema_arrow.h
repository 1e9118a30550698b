/// \file
/// Between Lance fields and Arrow fields, in the views that users see.
/// Spec: format/data-file.md, headings 2.2 (logical types) and 11 (blobs).
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>

#include "format/schema.h"

namespace pennon {

/// How blob columns appear.
enum class BlobView {
  kDeclared,     ///< As the user declared them: the schema of the table.
  kDescriptors,  ///< Where the bytes lie: what a scan gives unless asked otherwise.
  kBytes,        ///< large_binary.
};

struct ArrowView {
  BlobView blobs = BlobView::kDeclared;
  /// JSON columns as text with the extension name arrow.json, not as their stored binary form.
  bool json_as_text = true;
};

/// Returns the Arrow field in one view, with name, nullability and metadata. `field.type` need not
/// be set. Errors: as ResolveType.
arrow::Result<std::shared_ptr<arrow::Field>> ToArrowField(const FieldTree& field,
                                                          const ArrowView& view);

/// Returns the Arrow schema in one view, with the schema's metadata.
arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const TableSchema& schema,
                                                            const ArrowView& view = {});

/// Returns the Lance schema that stores `schema`, without ids except where the field metadata asks
/// for one
/// ("lance:field_id"). Extension types become their storage with the extension's name in the
/// metadata. Errors: kUnsupportedFeature, naming the field and its type.
arrow::Result<TableSchema> FromArrowSchema(const arrow::Schema& schema);

}  // namespace pennon
