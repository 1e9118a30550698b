/// \file
/// From row ids that a filter asks for to the rows that may carry them, without reading data.
/// Spec: format/row-ids.md, heading 6.
#pragma once

#include <arrow/status.h>

#include <vector>

#include "dataset/scan_plan.h"
#include "pennon/dataset/dataset.h"
#include "pennon/dataset/filter.h"

namespace pennon {

/// Keeps of every step, on a table with stable row ids, the rows whose ids may lie in `bounds`;
/// steps without any go. Cost: a look-up in the row id index for each id, if these are not many;
/// else the headers of the sequences. Errors: kCorrupt; those of RowIdIndexOf.
arrow::Status KeepRowIds(const Dataset& dataset, const RowNumberBounds& bounds,
                         std::vector<ScanStep>* steps);

}  // namespace pennon
