/// \file
/// From arrays as data files hold them to arrays as users see them: parts of a struct from several
/// files joined, JSON as text, blobs as bytes. Spec: format/data-file.md, headings 2.2 (JSON), 11
/// (blobs) and 12 (fields in several files).
#pragma once

#include <arrow/array/data.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/fragment_rows.h"
#include "file/data_file_reader.h"
#include "format/schema.h"

namespace pennon {

/// One file's part of a field.
struct StoredPart {
  const FieldShape* shape = nullptr;
  std::shared_ptr<arrow::ArrayData> data;
  DataFileReader* file = nullptr;
};

/// True if the arrays that files hold of the field are what users see, whichever file they are of.
bool IsShownAsStored(const FieldTree& field);

/// Returns `length` rows of `field` as they are shown. Without parts the field reads as null.
/// Errors: kCorrupt (JSON or blob descriptors that make no sense, parts that do not agree), those
/// of reading blobs.
arrow::Result<std::shared_ptr<arrow::Array>> ShowField(const FieldTree& field,
                                                       std::vector<StoredPart> parts,
                                                       int64_t length, bool blobs_as_bytes,
                                                       const FragmentRows& rows);

/// Bytes that one row of a field takes when decoded: exact for fixed widths, a guess from the
/// stored size for others.
arrow::Result<double> EstimateDecodedRowBytes(DataFileReader& file, const FieldShape& shape);

}  // namespace pennon
