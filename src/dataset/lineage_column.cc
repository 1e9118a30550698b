#include "dataset/lineage_column.h"

#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "file/data_file_reader.h"
#include "pennon/base/error.h"
#include "table/location.h"

namespace pennon {
namespace {

struct Carrier {
  const DataFile* file = nullptr;
  uint32_t column = 0;
};

arrow::Result<Carrier> FindCarrier(const Fragment& fragment, int32_t field) {
  Carrier carrier;
  for (const auto& file : fragment.files) {
    const auto found = std::find(file.fields.begin(), file.fields.end(), field);
    if (found == file.fields.end()) continue;
    const auto position = static_cast<size_t>(found - file.fields.begin());
    if (carrier.file != nullptr || position >= file.column_indices.size() ||
        file.column_indices[position] < 0) {
      return MakeError(
          ErrorKind::kCorrupt,
          fmt::format(
              "hidden column {} of fragment {} lies in two data files, or in none of their columns",
              field, ToInteger(fragment.id)));
    }
    carrier = {&file, static_cast<uint32_t>(file.column_indices[position])};
  }
  if (carrier.file == nullptr) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("no data file carries hidden column {} of fragment {}", field,
                                 ToInteger(fragment.id)));
  }
  return carrier;
}

}  // namespace

arrow::Result<std::vector<uint64_t>> ReadLineageColumn(const Snapshot& snapshot,
                                                       const Fragment& fragment, int32_t field) {
  ARROW_ASSIGN_OR_RAISE(const Carrier carrier, FindCarrier(fragment, field));
  ARROW_ASSIGN_OR_RAISE(const std::string path,
                        DataFilePath(snapshot.table.root, snapshot.manifest, *carrier.file));
  ARROW_ASSIGN_OR_RAISE(auto file, snapshot.store->OpenFile(path));
  ARROW_ASSIGN_OR_RAISE(const auto reader, DataFileReader::Open(std::move(file)));
  FieldShape shape;
  shape.type = arrow::uint64();
  shape.column = carrier.column;
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, reader->NumRows(shape));
  if (num_rows != fragment.physical_rows) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("hidden column {} has {} rows, fragment {} has {}: {}", field,
                                 num_rows, ToInteger(fragment.id), fragment.physical_rows, path));
  }
  ARROW_ASSIGN_OR_RAISE(const auto arrays, reader->ReadRange(std::span(&shape, 1), {0, num_rows}));
  const arrow::UInt64Array values(arrays.front());
  if (values.null_count() != 0) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("hidden column {} holds nulls: {}", field, path));
  }
  return std::vector<uint64_t>(values.raw_values(), values.raw_values() + values.length());
}

}  // namespace pennon
