// A table for people: columns as wide as the first rows need, cut to what the terminal has.
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "output_value.h"
#include "output_width.h"
#include "output_writers.h"
#include "text_table.h"

namespace pennon::cli {
namespace {

/// Rows looked at before the widths are fixed.
constexpr size_t kSampleRows = 1000;
/// Nobody reads more of a cell; without a terminal it is still the limit of one.
constexpr size_t kCellWidthMax = 80;
/// Narrower columns say nothing.
constexpr size_t kCellWidthMin = 6;
constexpr size_t kGap = 2;

class TableWriter : public RowWriter {
 public:
  TableWriter(std::shared_ptr<arrow::Schema> schema,
              std::shared_ptr<arrow::io::OutputStream> stream, OutputOptions options)
      : schema_(std::move(schema)), stream_(std::move(stream)), options_(options) {}

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckSchema(batch, *schema_));
    std::vector<CellWriter> cells;
    for (const auto& column : batch.columns()) {
      ARROW_ASSIGN_OR_RAISE(CellWriter cell, MakeCellWriter(column, ValueStyle::kTable));
      cells.push_back(std::move(cell));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::vector<std::string> texts(cells.size());
      for (size_t i = 0; i < cells.size(); ++i) cells[i](row, &texts[i]);
      ++num_rows_;
      if (has_begun_) {
        ARROW_RETURN_NOT_OK(WriteLine(texts));
        continue;
      }
      sample_.push_back(std::move(texts));
      if (sample_.size() == kSampleRows) ARROW_RETURN_NOT_OK(Begin());
    }
    return has_begun_ ? stream_->Flush() : arrow::Status::OK();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(Begin());
    std::string end;
    if (options_.has_row_count) {
      end = (num_rows_ > 0 || shown_ > 0 ? "\n" : "") + FormatNumberOf(num_rows_, "row");
      const auto num_fields = static_cast<size_t>(schema_->num_fields());
      if (shown_ < num_fields) {
        end += fmt::format(", {} not shown: ", FormatNumberOf(num_fields - shown_, "column"));
        std::string names;
        for (size_t i = shown_; i < num_fields; ++i) names += (i > shown_ ? ", " : "") + Title(i);
        end += names;
      }
      end += '\n';
    }
    ARROW_RETURN_NOT_OK(stream_->Write(end));
    return stream_->Flush();
  }

 private:
  std::string Title(size_t index) const {
    std::string title;
    AppendEscapedForPeople(schema_->field(static_cast<int>(index))->name(), &title);
    return title;
  }

  /// Fixes the widths and writes what has gathered.
  arrow::Status Begin() {
    if (has_begun_) return arrow::Status::OK();
    has_begun_ = true;
    FixWidths();
    if (options_.has_header && shown_ > 0) {
      std::vector<std::string> titles;
      for (size_t i = 0; i < static_cast<size_t>(schema_->num_fields()); ++i)
        titles.push_back(Title(i));
      ARROW_RETURN_NOT_OK(WriteLine(titles));
    }
    for (const auto& texts : sample_) ARROW_RETURN_NOT_OK(WriteLine(texts));
    sample_.clear();
    return arrow::Status::OK();
  }

  void FixWidths() {
    const auto num_fields = static_cast<size_t>(schema_->num_fields());
    for (size_t i = 0; i < num_fields; ++i) {
      size_t width = DisplayWidth(Title(i));
      for (const auto& texts : sample_) width = std::max(width, DisplayWidth(texts[i]));
      widths_.push_back(std::min(width, kCellWidthMax));
    }
    shown_ = num_fields;
    if (options_.table_width == 0) return;
    // The widest give way first; when all are narrow, the last columns go.
    while (Total() > options_.table_width) {
      const auto widest =
          std::max_element(widths_.begin(), widths_.begin() + static_cast<ptrdiff_t>(shown_));
      if (*widest > kCellWidthMin) {
        --*widest;
      } else if (shown_ > 1) {
        --shown_;
      } else {
        break;
      }
    }
  }

  size_t Total() const {
    size_t total = shown_ == 0 ? 0 : kGap * (shown_ - 1);
    for (size_t i = 0; i < shown_; ++i) total += widths_[i];
    return total;
  }

  arrow::Status WriteLine(const std::vector<std::string>& texts) {
    std::string line;
    for (size_t i = 0; i < shown_; ++i) {
      const std::string cell = FitWidth(texts[i], widths_[i]);
      const std::string padding(widths_[i] - std::min(widths_[i], DisplayWidth(cell)), ' ');
      if (i > 0) line.append(kGap, ' ');
      const bool is_right = IsRightAligned(*schema_->field(static_cast<int>(i))->type());
      line += is_right ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    line += '\n';
    return stream_->Write(line);
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  OutputOptions options_;
  std::vector<std::vector<std::string>> sample_;
  std::vector<size_t> widths_;
  size_t shown_ = 0;  ///< The first columns, those that fit.
  uint64_t num_rows_ = 0;
  bool has_begun_ = false;
};

}  // namespace

RowWriterResult MakeTableWriter(const std::shared_ptr<arrow::Schema>& schema,
                                std::shared_ptr<arrow::io::OutputStream> stream,
                                const OutputOptions& options) {
  return std::make_unique<TableWriter>(schema, std::move(stream), options);
}

}  // namespace pennon::cli
