/// \file
/// The portable serialisation of 32-bit roaring bitmaps: deletion files of the `.bin` form and an
/// index's fragment_bitmap. Bytes are checked in full before a set comes out of them.
/// Spec: format/table.md, headings 3 and 10; the RoaringFormatSpec.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "rowset/roaring_set.h"

namespace pennon {

/// Decodes one bitmap that takes up all of `bytes`. Refuses what two readers could understand
/// differently: keys or values out of order, duplicates, cardinalities that disagree with the
/// containers, overlapping runs, wrong container positions, bytes left over. Memory: at most three
/// times the size of `bytes` plus 12 bytes a container. Errors: kCorrupt with the byte offset;
/// kTooLarge when there are more than `size_bytes_max` bytes.
arrow::Result<RoaringSet> DecodeRoaring(std::string_view bytes,
                                        uint64_t size_bytes_max = uint64_t{1} << 30);

/// Encodes a set; containers become runs where that is the smaller form.
std::string EncodeRoaring(const RoaringSet& set);

}  // namespace pennon
