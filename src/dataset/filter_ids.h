/// \file
/// What a predicate says about the numbers in one uint64 column, as ranges.
/// Spec: docs/filters.md, heading "Row ids and addresses".
#pragma once

#include <arrow/compute/expression.h>

#include <string_view>
#include <vector>

#include "pennon/dataset/filter.h"

namespace pennon {

/// Returns bounds of column `column`, which is never null, over the rows where `expression` is
/// true. Understands comparisons and `in` with constants, and/or/not; anything else bounds nothing.
RowNumberBounds BoundRowNumbers(const arrow::compute::Expression& expression,
                                std::string_view column);

/// Set algebra of ascending, disjoint ranges.
std::vector<RowNumberRange> Intersect(const std::vector<RowNumberRange>& left,
                                      const std::vector<RowNumberRange>& right);
std::vector<RowNumberRange> Unite(std::vector<RowNumberRange> left,
                                  const std::vector<RowNumberRange>& right);
std::vector<RowNumberRange> Complement(const std::vector<RowNumberRange>& ranges);

}  // namespace pennon
