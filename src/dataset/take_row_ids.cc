#include <arrow/record_batch.h>
#include <arrow/table.h>

#include <algorithm>
#include <utility>

#include "dataset/gather_rows.h"
#include "dataset/open_table.h"
#include "format/field_path.h"
#include "pennon/base/error.h"
#include "pennon/dataset/take.h"

namespace pennon {
namespace {

/// Ids that are answered together; a request for more is answered piece by piece.
constexpr size_t kIdsTogetherMax = size_t{1} << 20;

/// Where the rows of ids lie. `addresses` are those of the live rows, in the order asked.
struct PlacedRows {
  std::vector<RowPlace> places;
  std::vector<uint64_t> addresses;
};

arrow::Result<PlacedRows> PlaceRows(const Dataset& dataset, std::span<const uint64_t> row_ids) {
  ARROW_ASSIGN_OR_RAISE(const auto located, LocateRowIds(dataset, row_ids));
  PlacedRows placed;
  placed.places.reserve(located.size());
  for (const LocatedRow& row : located) {
    placed.places.push_back(row.place);
    if (row.place == RowPlace::kLive) placed.addresses.push_back(ToInteger(*row.address));
  }
  return placed;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeBatch(const Dataset& dataset,
                                                             std::span<const uint64_t> addresses,
                                                             const ColumnSelection& select) {
  ARROW_ASSIGN_OR_RAISE(const auto table, TakeAddresses(dataset, addresses, select));
  if (table->num_columns() == 0) {
    return arrow::RecordBatch::Make(table->schema(), table->num_rows(),
                                    std::vector<std::shared_ptr<arrow::Array>>{});
  }
  return table->CombineChunksToBatch();
}

/// Drops the rows that do not pass, and says so in their places.
arrow::Status KeepPassing(const Dataset& dataset, const Filter& filter, PlacedRows* placed) {
  // Columns are chosen by path, and then called what the path says; the filter knows their names.
  ColumnSelection select;
  select.columns.emplace();
  for (const std::string& name : filter.column_names())
    select.columns->push_back(FormatFieldPath({name}));
  ARROW_ASSIGN_OR_RAISE(auto batch, TakeBatch(dataset, placed->addresses, select));
  ARROW_ASSIGN_OR_RAISE(batch, batch->RenameColumns(filter.column_names()));
  ARROW_ASSIGN_OR_RAISE(const RowSelection passing, filter.Evaluate(*batch));
  std::vector<uint64_t> addresses;
  int64_t row = 0;
  for (RowPlace& place : placed->places) {
    if (place != RowPlace::kLive) continue;
    if (passing.passes(row)) {
      addresses.push_back(placed->addresses[static_cast<size_t>(row)]);
    } else {
      place = RowPlace::kFilteredOut;
    }
    ++row;
  }
  placed->addresses = std::move(addresses);
  return arrow::Status::OK();
}

/// The rows of one piece of a request.
struct TakenPiece {
  std::vector<RowPlace> places;
  std::shared_ptr<arrow::RecordBatch> live_rows;
};

arrow::Result<TakenPiece> TakePiece(const Dataset& dataset, std::span<const uint64_t> row_ids,
                                    const TakeSpec& spec) {
  ARROW_ASSIGN_OR_RAISE(PlacedRows placed, PlaceRows(dataset, row_ids));
  if (spec.filter.has_value()) {
    ARROW_RETURN_NOT_OK(KeepPassing(dataset, *spec.filter, &placed));
  }
  ARROW_ASSIGN_OR_RAISE(auto rows, TakeBatch(dataset, placed.addresses, spec.select));
  return TakenPiece{std::move(placed.places), std::move(rows)};
}

std::shared_ptr<arrow::Schema> Nullable(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) fields.push_back(field->WithNullable(true));
  return arrow::schema(std::move(fields), schema.metadata());
}

/// Spreads the live rows over the places, with null rows between them.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> Align(const TakenPiece& piece) {
  const auto schema = Nullable(*piece.live_rows->schema());
  const auto num_places = static_cast<int64_t>(piece.places.size());
  if (piece.live_rows->num_rows() == num_places) {
    return arrow::RecordBatch::Make(schema, num_places, piece.live_rows->columns());
  }
  std::vector<int64_t> sources;
  sources.reserve(piece.places.size());
  int64_t live = 0;
  for (const RowPlace place : piece.places)
    sources.push_back(place == RowPlace::kLive ? live++ : kNullRow);
  return GatherRows(*piece.live_rows, sources, schema);
}

/// Calls `take_piece(ids, first position)` for each piece of a request, at least once.
template <typename Function>
arrow::Status ForEachPiece(std::span<const uint64_t> row_ids, const Function& take_piece) {
  size_t first = 0;
  do {
    const size_t size = std::min(row_ids.size() - first, kIdsTogetherMax);
    ARROW_RETURN_NOT_OK(take_piece(row_ids.subspan(first, size), first));
    first += size;
  } while (first < row_ids.size());
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<AlignedRows> TakeRowIdsAligned(const Dataset& dataset,
                                             std::span<const uint64_t> row_ids,
                                             const TakeSpec& spec) {
  AlignedRows aligned;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  ARROW_RETURN_NOT_OK(ForEachPiece(row_ids, [&](std::span<const uint64_t> ids, size_t) {
    ARROW_ASSIGN_OR_RAISE(const TakenPiece piece, TakePiece(dataset, ids, spec));
    ARROW_ASSIGN_OR_RAISE(auto batch, Align(piece));
    aligned.places.insert(aligned.places.end(), piece.places.begin(), piece.places.end());
    batches.push_back(std::move(batch));
    return arrow::Status::OK();
  }));
  ARROW_ASSIGN_OR_RAISE(aligned.rows, arrow::Table::FromRecordBatches(batches));
  return aligned;
}

arrow::Result<FoundRows> TakeRowIdsFound(const Dataset& dataset, std::span<const uint64_t> row_ids,
                                         const TakeSpec& spec) {
  FoundRows found;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  ARROW_RETURN_NOT_OK(ForEachPiece(row_ids, [&](std::span<const uint64_t> ids, size_t first) {
    ARROW_ASSIGN_OR_RAISE(TakenPiece piece, TakePiece(dataset, ids, spec));
    for (size_t i = 0; i < ids.size(); ++i) {
      if (piece.places[i] == RowPlace::kLive) continue;
      found.missing.push_back({first + i, RowId{ids[i]}, piece.places[i]});
    }
    batches.push_back(std::move(piece.live_rows));
    return arrow::Status::OK();
  }));
  ARROW_ASSIGN_OR_RAISE(found.rows, arrow::Table::FromRecordBatches(batches));
  return found;
}

}  // namespace pennon
