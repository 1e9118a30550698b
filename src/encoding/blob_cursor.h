/// \file
/// Blob pages: a page of descriptors, position and size, whose bytes lie elsewhere in the file.
/// Gives the descriptors or fetches the bytes, as the column's type asks. Spec:
/// format/data-file.md, headings 6.4 and 11.
#pragma once

#include <memory>

#include "encoding/leaf_type.h"
#include "encoding/page_cursor.h"

namespace pennon {

/// Layout of the descriptors: struct<position: uint64, size: uint64>.
const LeafType& BlobDescriptorType();

/// `descriptors`: the cursor of the page's descriptors, over the same rows.
std::unique_ptr<PageCursor> MakeBlobCursor(PageSelection selection,
                                           std::unique_ptr<PageCursor> descriptors);

}  // namespace pennon
