/// \file
/// Blobs of a 2.0 file: the column holds where each value's bytes lie in the file.
/// Spec: format/data-file.md, headings 9 (last paragraph) and 11.
#pragma once

#include <arrow/result.h>

#include <memory>

#include "encoding/field_decoder.h"
#include "encoding/field_shape.h"

namespace pennon {

/// Makes the decoder of a blob column: its descriptors as they are stored for a struct type, its
/// bytes for large_binary.
arrow::Result<std::unique_ptr<FieldDecoder>> MakeV20BlobDecoder(const FieldShape& shape,
                                                                const RowRanges& rows,
                                                                const DecodeContext& context);

}  // namespace pennon
