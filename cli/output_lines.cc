// JSON lines and CSV: text, a row a line, written batch by batch.
#include <arrow/type.h>

#include "output_value.h"
#include "output_writers.h"
#include "pennon/base/error.h"

namespace pennon::cli {
namespace {

/// Text handed to the stream at once.
constexpr size_t kChunkBytes = 1 << 18;

class LineWriter : public RowWriter {
 public:
  LineWriter(std::shared_ptr<arrow::Schema> schema, std::shared_ptr<arrow::io::OutputStream> stream,
             ValueStyle style)
      : schema_(std::move(schema)), stream_(std::move(stream)), style_(style) {}

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckSchema(batch, *schema_));
    ARROW_RETURN_NOT_OK(Begin());
    std::vector<CellWriter> cells;
    for (const auto& column : batch.columns()) {
      ARROW_ASSIGN_OR_RAISE(CellWriter cell, MakeCellWriter(column, style_));
      cells.push_back(std::move(cell));
    }
    std::string text;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      AppendRow(batch, cells, row, &text);
      if (text.size() >= kChunkBytes) {
        ARROW_RETURN_NOT_OK(stream_->Write(text));
        text.clear();
      }
    }
    ARROW_RETURN_NOT_OK(stream_->Write(text));
    return stream_->Flush();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(Begin());
    return stream_->Flush();
  }

 protected:
  virtual void AppendRow(const arrow::RecordBatch& batch, const std::vector<CellWriter>& cells,
                         int64_t row, std::string* out) = 0;
  virtual std::string Header() const { return ""; }

  const std::shared_ptr<arrow::Schema> schema_;

 private:
  arrow::Status Begin() {
    if (has_begun_) return arrow::Status::OK();
    has_begun_ = true;
    return stream_->Write(Header());
  }

  std::shared_ptr<arrow::io::OutputStream> stream_;
  ValueStyle style_;
  bool has_begun_ = false;
};

class JsonWriter : public LineWriter {
 public:
  JsonWriter(const std::shared_ptr<arrow::Schema>& schema,
             std::shared_ptr<arrow::io::OutputStream> stream)
      : LineWriter(schema, std::move(stream), ValueStyle::kJson) {
    for (const auto& field : schema->fields()) {
      std::string key = keys_.empty() ? "{" : ",";
      AppendJsonText(field->name(), &key);
      keys_.push_back(key + ":");
    }
  }

 private:
  void AppendRow(const arrow::RecordBatch&, const std::vector<CellWriter>& cells, int64_t row,
                 std::string* out) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      *out += keys_[i];
      cells[i](row, out);
    }
    *out += cells.empty() ? "{}\n" : "}\n";
  }

  std::vector<std::string> keys_;
};

/// RFC 4180, with lines that end in a line feed. Null is nothing, empty text is "".
class CsvWriter : public LineWriter {
 public:
  CsvWriter(const std::shared_ptr<arrow::Schema>& schema,
            std::shared_ptr<arrow::io::OutputStream> stream, const OutputOptions& options)
      : LineWriter(schema, std::move(stream), ValueStyle::kCsv), options_(options) {}

 private:
  static void AppendField(std::string_view value, std::string* out) {
    if (!value.empty() && value.find_first_of(",\"\r\n") == std::string_view::npos) {
      *out += value;
      return;
    }
    *out += '"';
    for (char c : value) out->append(c == '"' ? 2 : 1, c);
    *out += '"';
  }

  std::string Header() const override {
    std::string header;
    for (const auto& field : schema_->fields()) {
      if (!header.empty()) header += ',';
      AppendField(field->name(), &header);
    }
    return options_.has_header ? header + "\n" : "";
  }

  void AppendRow(const arrow::RecordBatch& batch, const std::vector<CellWriter>& cells, int64_t row,
                 std::string* out) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) *out += ',';
      if (batch.column(static_cast<int>(i))->IsNull(row)) continue;
      value_.clear();
      cells[i](row, &value_);
      AppendField(value_, out);
    }
    *out += '\n';
  }

  OutputOptions options_;
  std::string value_;
};

}  // namespace

arrow::Status CheckSchema(const arrow::RecordBatch& batch, const arrow::Schema& schema) {
  if (batch.schema()->Equals(schema, /*check_metadata=*/false)) return arrow::Status::OK();
  return MakeError(ErrorKind::kInvalidArgument,
                   "a batch has another schema than the output: " + batch.schema()->ToString());
}

RowWriterResult MakeJsonWriter(const std::shared_ptr<arrow::Schema>& schema,
                               std::shared_ptr<arrow::io::OutputStream> stream) {
  return std::make_unique<JsonWriter>(schema, std::move(stream));
}

RowWriterResult MakeCsvWriter(const std::shared_ptr<arrow::Schema>& schema,
                              std::shared_ptr<arrow::io::OutputStream> stream,
                              const OutputOptions& options) {
  return std::make_unique<CsvWriter>(schema, std::move(stream), options);
}

}  // namespace pennon::cli
