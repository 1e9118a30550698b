/// \file
/// The bytes of blobs of the second kind: in the data file itself, in files beside it, or
/// elsewhere. Spec: format/data-file.md, heading 11 (v2).
#pragma once

#include <arrow/array/data.h>
#include <arrow/result.h>

#include <memory>

#include "dataset/fragment_rows.h"
#include "file/data_file_reader.h"

namespace pennon {

/// Returns the bytes that descriptors (struct of kind, position, size, blob_id, blob_uri) lead to,
/// as large_binary. Cost: a store call for each run of neighbouring values, and one to open each
/// file. Errors: kCorrupt (unknown kind, a range outside its file), kNotFound, kTooLarge, kIo.
arrow::Result<std::shared_ptr<arrow::ArrayData>> FetchBlobBytes(const arrow::ArrayData& descriptors,
                                                                const DataFileReader& file,
                                                                const FragmentRows& rows);

}  // namespace pennon
