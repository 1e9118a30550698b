/// \file
/// The writer of each output format, each in a file of its own. Callers use MakeRowWriter in
/// output.h.
#pragma once

#include <memory>

#include "output.h"

namespace pennon::cli {

using RowWriterResult = arrow::Result<std::unique_ptr<RowWriter>>;

RowWriterResult MakeTableWriter(const std::shared_ptr<arrow::Schema>& schema,
                                std::shared_ptr<arrow::io::OutputStream> stream,
                                const OutputOptions& options);
RowWriterResult MakeJsonWriter(const std::shared_ptr<arrow::Schema>& schema,
                               std::shared_ptr<arrow::io::OutputStream> stream);
RowWriterResult MakeCsvWriter(const std::shared_ptr<arrow::Schema>& schema,
                              std::shared_ptr<arrow::io::OutputStream> stream,
                              const OutputOptions& options);
RowWriterResult MakeArrowWriter(const std::shared_ptr<arrow::Schema>& schema,
                                std::shared_ptr<arrow::io::OutputStream> stream, bool has_footer);
RowWriterResult MakeParquetWriter(const std::shared_ptr<arrow::Schema>& schema,
                                  std::shared_ptr<arrow::io::OutputStream> stream);

/// Errors: kInvalidArgument unless the batch has exactly this schema, metadata aside.
arrow::Status CheckSchema(const arrow::RecordBatch& batch, const arrow::Schema& schema);

}  // namespace pennon::cli
