/// \file
/// Bytes of a deletion file, in both forms, to and from a deletion vector. Checked in full before
/// use.
/// Spec: format/table.md, heading 3 (deletion files).
#pragma once

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>

#include "format/fragment.h"
#include "rowset/deletion_vector.h"

namespace pennon {

/// What the manifest says about the fragment; 0 means that it does not say.
struct DeletionFileExpectation {
  uint64_t physical_rows = 0;
  uint64_t num_deleted_rows = 0;
};

/// Reads a whole deletion file. The array form may list offsets in any order. Does not know the
/// file's name: callers add it. Memory: the file unpacked, at most 8 bytes for each row that the
/// fragment can have (2^28 rows where nothing is known). Errors: kCorrupt (not such a file, another
/// schema than one column `row_id: uint32 not null`, more than one batch, nulls, a row twice, a row
/// beyond the fragment, another count than expected); kTooLarge beyond the memory bound.
arrow::Result<DeletionVector> DecodeDeletionFile(DeletionFileType type,
                                                 const std::shared_ptr<arrow::Buffer>& file,
                                                 const DeletionFileExpectation& expected);

struct EncodedDeletionFile {
  DeletionFileType type = DeletionFileType::kArray;
  std::shared_ptr<arrow::Buffer> bytes;
};

/// Writes a vector that is not empty in its form; DeletionVector follows the format's rule for
/// choosing it. Errors: kInternal for an empty vector: no deletion file is written then.
arrow::Result<EncodedDeletionFile> EncodeDeletionFile(const DeletionVector& deletions);

}  // namespace pennon
