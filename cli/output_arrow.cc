// Arrow IPC, both kinds, and Parquet.
#include <arrow/ipc/writer.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "base/late_library.h"
#include "output_dictionary.h"
#include "output_writers.h"
#include "pennon/base/error.h"

namespace pennon::cli {
namespace {

class ArrowWriter : public RowWriter {
 public:
  ArrowWriter(std::shared_ptr<arrow::io::OutputStream> stream,
              std::shared_ptr<arrow::ipc::RecordBatchWriter> writer, bool has_footer)
      : stream_(std::move(stream)), writer_(std::move(writer)), has_footer_(has_footer) {}

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    if (has_footer_) {  // A file has one dictionary for each column, a stream may replace it.
      ARROW_ASSIGN_OR_RAISE(const auto merged, dictionaries_.Merge(batch));
      ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(*merged));
    } else {
      ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(batch));
    }
    return stream_->Flush();
  }
  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(writer_->Close());
    return stream_->Flush();
  }

 private:
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  const bool has_footer_;
  DictionaryMerger dictionaries_;
};

using OpenParquet = arrow::Result<std::unique_ptr<parquet::arrow::FileWriter>>(
    const arrow::Schema&, arrow::MemoryPool*, std::shared_ptr<arrow::io::OutputStream>,
    std::shared_ptr<parquet::WriterProperties>, std::shared_ptr<parquet::ArrowWriterProperties>);

/// parquet::arrow::FileWriter::Open of the types above. Runs that write no Parquet do not load its
/// library.
constexpr const char* kOpenParquetSymbol =
    "_ZN7parquet5arrow10FileWriter4OpenERKN5arrow6SchemaEPNS2_10MemoryPoolESt10shared_ptrINS2_2io12"
    "OutputStreamEES8_INS_16WriterPropertiesEES8_INS_21ArrowWriterPropertiesEE";

class ParquetWriter : public RowWriter {
 public:
  ParquetWriter(std::shared_ptr<arrow::Schema> schema,
                std::shared_ptr<arrow::io::OutputStream> stream,
                std::unique_ptr<parquet::arrow::FileWriter> writer)
      : schema_(std::move(schema)), stream_(std::move(stream)), writer_(std::move(writer)) {}

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckSchema(batch, *schema_));
    return writer_->WriteRecordBatch(batch);  // Gathers batches into row groups.
  }
  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(writer_->Close());
    return stream_->Flush();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

}  // namespace

RowWriterResult MakeArrowWriter(const std::shared_ptr<arrow::Schema>& schema,
                                std::shared_ptr<arrow::io::OutputStream> stream, bool has_footer) {
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  options.emit_dictionary_deltas = true;  // Dictionaries may grow from batch to batch.
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
  if (has_footer) {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeFileWriter(stream, schema, options));
  } else {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeStreamWriter(stream, schema, options));
  }
  return std::make_unique<ArrowWriter>(std::move(stream), std::move(writer), has_footer);
}

RowWriterResult MakeParquetWriter(const std::shared_ptr<arrow::Schema>& schema,
                                  std::shared_ptr<arrow::io::OutputStream> stream) {
  constexpr int64_t kRowsPerGroup = 1 << 20;
  const auto properties = parquet::WriterProperties::Builder()
                              .compression(arrow::Compression::ZSTD)
                              ->max_row_group_length(kRowsPerGroup)
                              ->build();
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_ASSIGN_OR_RAISE(auto* const open,
                        FindLateFunctionOf<OpenParquet>(PENNON_PARQUET_FILE, kOpenParquetSymbol));
  auto writer = open(*schema, arrow::default_memory_pool(), stream, properties, arrow_properties);
  if (!writer.ok()) {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     "Parquet cannot hold these columns: " + writer.status().message());
  }
  return std::make_unique<ParquetWriter>(schema, std::move(stream), std::move(*writer));
}

}  // namespace pennon::cli
