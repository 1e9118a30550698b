#include "dataset/blob_bytes.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/coalesce.h"
#include "pennon/base/error.h"
#include "table/location.h"

namespace pennon {
namespace {

enum BlobKind : uint8_t {
  kInline = 0,
  kPacked = 1,
  kDedicated = 2,
  kExternal = 3,
  kManaged = 4,
  kManagedWithBase = 5,
};

/// Where the bytes of one value lie.
struct Place {
  int64_t row = 0;
  ByteRange range;
  /// The range ends where the file does.
  bool to_end = false;
};

bool IsUri(std::string_view text) { return text.find("://") != text.npos || text.starts_with('/'); }

/// Files beside a data file are named by the bits of their number, lowest first.
std::string SideFilePath(std::string_view data_file, uint32_t blob_id) {
  constexpr std::string_view kSuffix = ".lance";
  std::string path(data_file.ends_with(kSuffix)
                       ? data_file.substr(0, data_file.size() - kSuffix.size())
                       : data_file);
  path.push_back('/');
  for (int bit = 0; bit < 32; ++bit) path.push_back((blob_id >> bit & 1) != 0 ? '1' : '0');
  return path + ".blob";
}

/// The folder that paths are relative to: of a base, or of the table.
arrow::Result<std::string> BaseFolder(const Snapshot& snapshot, std::optional<uint32_t> base_id) {
  DataFile file;
  file.base_id = base_id;
  file.path = "x";
  ARROW_ASSIGN_OR_RAISE(std::string path,
                        DataFilePath(snapshot.table.root, snapshot.manifest, file));
  path.resize(path.size() - 2);
  const std::string_view data = "/data";
  if (path.ends_with(data)) path.resize(path.size() - data.size());
  return path;
}

arrow::Result<std::string> FilePathOf(uint8_t kind, uint32_t blob_id, std::string_view uri,
                                      const DataFileReader& file, const FragmentRows& rows) {
  const Snapshot& snapshot = rows.snapshot();
  switch (kind) {
    case kInline:
      return file.path();
    case kPacked:
    case kDedicated:
      return SideFilePath(file.path(), blob_id);
    case kExternal: {
      if (blob_id == 0 || IsUri(uri)) return ParseLocation(uri);
      ARROW_ASSIGN_OR_RAISE(const std::string folder, BaseFolder(snapshot, blob_id));
      return JoinPath(folder, uri);
    }
    case kManaged: {
      // Relative to the base that the data file itself is in.
      std::optional<uint32_t> base;
      for (const DataFile& candidate : rows.fragment().files) {
        ARROW_ASSIGN_OR_RAISE(const auto path,
                              DataFilePath(snapshot.table.root, snapshot.manifest, candidate));
        if (path == file.path()) base = candidate.base_id;
      }
      ARROW_ASSIGN_OR_RAISE(const std::string folder, BaseFolder(snapshot, base));
      return JoinPath(folder, uri);
    }
    case kManagedWithBase: {
      ARROW_ASSIGN_OR_RAISE(const std::string folder, BaseFolder(snapshot, blob_id));
      return JoinPath(folder, uri);
    }
    default:
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("blob descriptor has an unknown kind: {}", kind));
  }
}

arrow::Status FetchFile(const std::string& path, std::vector<Place> places,
                        const FragmentRows& rows, std::vector<RangeBytes>* values) {
  ARROW_ASSIGN_OR_RAISE(const auto file, rows.snapshot().store->OpenFile(path));
  std::vector<ByteRange> ranges;
  for (Place& place : places) {
    if (place.to_end) place.range.end = std::max(file->size_bytes(), place.range.begin);
    if (place.range.end > file->size_bytes()) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("blob lies outside its file: bytes {} to {} of {}: {}",
                                   place.range.begin, place.range.end, file->size_bytes(), path));
    }
    ranges.push_back(place.range);
  }
  ARROW_ASSIGN_OR_RAISE(auto fetched, FetchRanges(file.get(), ranges, {}));
  for (size_t i = 0; i < places.size(); ++i)
    (*values)[static_cast<size_t>(places[i].row)] = std::move(fetched[i]);
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> JoinValues(
    const std::vector<RangeBytes>& values, std::shared_ptr<arrow::Buffer> validity) {
  const auto length = static_cast<int64_t>(values.size());
  int64_t size = 0;
  for (const RangeBytes& value : values) size += static_cast<int64_t>(value.data.size());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                        arrow::AllocateBuffer((length + 1) * 8));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes, arrow::AllocateBuffer(size));
  auto* offset = reinterpret_cast<int64_t*>(offsets->mutable_data());
  uint8_t* to = bytes->mutable_data();
  *offset++ = 0;
  for (const RangeBytes& value : values) {
    if (!value.data.empty()) std::memcpy(to, value.data.data(), value.data.size());
    to += value.data.size();
    *offset++ = to - bytes->data();
  }
  return arrow::ArrayData::Make(arrow::large_binary(), length,
                                {std::move(validity), std::move(offsets), std::move(bytes)});
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::ArrayData>> FetchBlobBytes(const arrow::ArrayData& descriptors,
                                                                const DataFileReader& file,
                                                                const FragmentRows& rows) {
  const arrow::StructArray fields(descriptors.Copy());
  const auto& kinds = static_cast<const arrow::UInt8Array&>(*fields.field(0));
  const auto& positions = static_cast<const arrow::UInt64Array&>(*fields.field(1));
  const auto& sizes = static_cast<const arrow::UInt64Array&>(*fields.field(2));
  const auto& blob_ids = static_cast<const arrow::UInt32Array&>(*fields.field(3));
  const auto& uris = static_cast<const arrow::StringArray&>(*fields.field(4));
  std::map<std::string, std::vector<Place>> by_file;
  std::shared_ptr<arrow::Buffer> validity;
  if (fields.null_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateBitmap(fields.length()));
    arrow::bit_util::SetBitsTo(validity->mutable_data(), 0, fields.length(), true);
  }
  for (int64_t i = 0; i < fields.length(); ++i) {
    if (fields.IsNull(i)) {
      arrow::bit_util::ClearBit(validity->mutable_data(), i);
      continue;
    }
    Place place;
    place.row = i;
    place.range = {positions.Value(i), positions.Value(i) + sizes.Value(i)};
    place.to_end = kinds.Value(i) == kExternal && sizes.Value(i) == 0;
    if (place.range.end < place.range.begin)
      return MakeError(ErrorKind::kCorrupt, "blob descriptor overflows");
    if (sizes.Value(i) == 0 && !place.to_end) continue;
    ARROW_ASSIGN_OR_RAISE(const std::string path, FilePathOf(kinds.Value(i), blob_ids.Value(i),
                                                             uris.GetView(i), file, rows));
    by_file[path].push_back(place);
  }
  std::vector<RangeBytes> values(static_cast<size_t>(fields.length()));
  for (auto& [path, places] : by_file)
    ARROW_RETURN_NOT_OK(FetchFile(path, std::move(places), rows, &values));
  return JoinValues(values, std::move(validity));
}

}  // namespace pennon
