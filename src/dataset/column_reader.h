/// \file
/// Reads fields of one fragment: from its data files, each of which may hold a part of a field,
/// from other places for system columns, and as null where no file has a field. Spec:
/// format/data-file.md, heading 12; format/table.md, heading 3.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/fragment_rows.h"
#include "dataset/projection.h"
#include "file/data_file_reader.h"

namespace pennon {

/// Where the parts of a projection lie in one fragment. Immutable, safe for concurrent use; borrows
/// the projection.
class FragmentColumns {
 public:
  /// Opens the data files needed. `like`: null, or columns of another fragment and the same
  /// projection; if they lie in its one file as they lie here, nothing is worked out again. Cost:
  /// as DataFileReader::Open for files not open yet.
  static arrow::Result<FragmentColumns> Make(std::shared_ptr<const FragmentRows> rows,
                                             const Projection& projection,
                                             const FragmentColumns* like = nullptr);

  const FragmentRows& rows() const { return *rows_; }
  const Projection& projection() const { return *projection_; }

  /// Bytes that one row takes when decoded, about; for strings and lists a guess from what is
  /// stored.
  arrow::Result<double> EstimateRowBytes() const;

 private:
  friend class ColumnWindow;

  /// What is read from a data file.
  struct Layout {
    std::vector<FieldShape> shapes;
    /// For each shape: the root it is (a part of), or the system column.
    std::vector<size_t> roots;
    std::vector<std::optional<SystemColumn>> systems;
  };

  struct Source {
    std::shared_ptr<DataFileReader> file;
    std::shared_ptr<const Layout> layout;
  };

  arrow::Result<bool> TakeAfter(const FragmentColumns& like);
  arrow::Result<std::shared_ptr<const Layout>> MakeLayout(
      const DataFile& file, const DataFileReader& reader,
      const std::vector<SystemColumn>& systems) const;

  std::shared_ptr<const FragmentRows> rows_;
  const Projection* projection_ = nullptr;
  std::vector<Source> sources_;
  /// System columns needed that lie in no file.
  std::vector<SystemColumn> computed_;
};

/// Rows of a projection, fetched, to be given out in pieces. Not safe for concurrent use.
class ColumnWindow {
 public:
  /// Fetches what `rows` need. The columns outlive the window.
  static arrow::Result<std::unique_ptr<ColumnWindow>> Open(const FragmentColumns& columns,
                                                           RowRanges rows);

  uint64_t rows_left() const { return rows_left_; }
  /// Returns the next `num_rows` rows, in the schema of the projection.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next(uint64_t num_rows);
  /// Adds rows of another fragment behind those that are left; Next must ask for all of them
  /// afterwards. Returns false and changes nothing if the rows do not join, as RowWindow::Join
  /// does, and when the fragments' files are not alike.
  arrow::Result<bool> Join(const FragmentColumns& columns, const RowRanges& rows);

 private:
  ColumnWindow(const FragmentColumns& columns, RowRanges rows);

  arrow::Result<RowRanges> TakeRows(uint64_t num_rows);

  const FragmentColumns& columns_;
  RowRanges rows_;
  uint64_t rows_left_ = 0;
  std::vector<std::unique_ptr<RowWindow>> windows_;
  /// Where the next row is in `rows_`.
  size_t range_ = 0;
  uint64_t range_done_ = 0;
};

}  // namespace pennon
