/// \file
/// Decodes every value of a version, to know that it can be read.
/// Spec: format/data-file.md, headings 4 to 12.
#pragma once

#include <arrow/status.h>

#include <vector>

#include "dataset/fault_sink.h"
#include "dataset/open_table.h"

namespace pennon {

/// Decodes all rows, deleted ones too, of every field of the fragments, field by field, and checks
/// the arrays. `skip[i]`: fragment i is left out, its files have been named already. Appends to
/// `not_checked` what is in a file version that is not read. Cost: reads all data once; blobs of
/// their own are read as well. Memory: some batches a thread. Errors: only kIo of the store that
/// says nothing about a file, kCancelled.
arrow::Status VerifyData(const OpenTable& table, const std::vector<bool>& skip, FaultSink* sink,
                         VerifyCounters* checked, std::vector<std::string>* not_checked);

}  // namespace pennon
