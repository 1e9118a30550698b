/// \file
/// Set algebra over roaring sets. Every result is a new set; a chunk that only one side has is
/// copied as it is. Cost: one pass over both sets, at most 8 KiB of scratch.
/// Spec: format/table.md, heading 3 (a deletion file replaces the one before); format/commit.md,
/// heading 4 (merging).
#pragma once

#include "rowset/roaring_set.h"

namespace pennon {

/// Returns the values in `left` or `right` or both.
RoaringSet Union(const RoaringSet& left, const RoaringSet& right);
/// Returns the values in both.
RoaringSet Intersect(const RoaringSet& left, const RoaringSet& right);
/// Returns the values of `left` that are not in `right`.
RoaringSet Subtract(const RoaringSet& left, const RoaringSet& right);

}  // namespace pennon
