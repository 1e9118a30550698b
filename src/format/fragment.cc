#include "format/fragment.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/wire.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint32_t kFieldId = 1;
constexpr uint32_t kFieldFiles = 2;
constexpr uint32_t kFieldDeletionFile = 3;
constexpr uint32_t kFieldPhysicalRows = 4;
constexpr uint32_t kFieldRowIds = 5;
constexpr uint32_t kFieldLastUpdated = 7;
constexpr uint32_t kFieldCreated = 9;
constexpr uint32_t kFieldOverlays = 11;
constexpr uint32_t kFieldRowIdsColumn = 12;
constexpr uint32_t kFieldLastUpdatedColumn = 13;
constexpr uint32_t kFieldCreatedColumn = 14;

arrow::Status Expect(const WireField& field, WireType type, const char* message = "fragment") {
  if (field.type == type) return arrow::Status::OK();
  return MakeError(ErrorKind::kCorrupt, fmt::format("{} has field {} of a wrong type at byte {}",
                                                    message, field.number, field.begin_offset));
}

arrow::Status AppendPackedIntegers(const WireField& field, std::vector<int32_t>* out) {
  const auto* position = reinterpret_cast<const uint8_t*>(field.bytes.data());
  const auto* end = position + field.bytes.size();
  while (position < end) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (position == end || shift > 63) {
        return MakeError(
            ErrorKind::kCorrupt,
            fmt::format("data file has a bad field list at byte {}", field.begin_offset));
      }
      const uint8_t byte = *position++;
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) break;
    }
    out->push_back(static_cast<int32_t>(value));
  }
  return arrow::Status::OK();
}

/// Reads a repeated int32, packed or one by one.
arrow::Status AppendIntegers(const WireField& field, std::vector<int32_t>* out) {
  if (field.type != WireType::kVarint) {
    ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes, "data file"));
    return AppendPackedIntegers(field, out);
  }
  out->push_back(static_cast<int32_t>(field.value));
  return arrow::Status::OK();
}

arrow::Result<DataFile> DecodeDataFile(const WireField& message) {
  DataFile file;
  WireReader reader(message.bytes, message.bytes_offset);
  WireField field;
  while (!reader.done()) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == 1) ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes, "data file"));
    if (field.number >= 4 && field.number <= 7)
      ARROW_RETURN_NOT_OK(Expect(field, WireType::kVarint, "data file"));
    switch (field.number) {
      case 1:
        file.path = field.bytes;
        break;
      case 2:
        ARROW_RETURN_NOT_OK(AppendIntegers(field, &file.fields));
        break;
      case 3:
        ARROW_RETURN_NOT_OK(AppendIntegers(field, &file.column_indices));
        break;
      case 4:
        file.major_version = static_cast<uint32_t>(field.value);
        break;
      case 5:
        file.minor_version = static_cast<uint32_t>(field.value);
        break;
      case 6:
        file.size_bytes = field.value;
        break;
      case 7:
        file.base_id = static_cast<uint32_t>(field.value);
        break;
      default:
        break;
    }
  }
  return file;
}

arrow::Result<DeletionFile> DecodeDeletionFileMessage(const WireField& message,
                                                      FragmentId fragment) {
  DeletionFile file;
  WireReader reader(message.bytes, message.bytes_offset);
  WireField field;
  uint64_t type = 0;
  while (!reader.done()) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number <= 4 || field.number == 7) {
      ARROW_RETURN_NOT_OK(Expect(field, WireType::kVarint, "deletion file"));
    }
    switch (field.number) {
      case 1:
        type = field.value;
        break;
      case 2:
        file.read_version = field.value;
        break;
      case 3:
        file.id = field.value;
        break;
      case 4:
        file.num_deleted_rows = field.value;
        break;
      case 7:
        file.base_id = static_cast<uint32_t>(field.value);
        break;
      default:
        break;
    }
  }
  if (type > 1) {
    return MakeError(
        ErrorKind::kUnsupportedFeature,
        fmt::format("deletion file type {} of fragment {} is unknown", type, ToInteger(fragment)));
  }
  file.type = type == 0 ? DeletionFileType::kArray : DeletionFileType::kBitmap;
  return file;
}

/// Handles the six fields that place a lineage sequence; returns false for any other field.
arrow::Result<bool> SetLineage(const WireField& field, Fragment* fragment) {
  LineageSequence* target = nullptr;
  switch (field.number) {
    case kFieldRowIds:
    case kFieldRowIdsColumn:
      target = &fragment->row_ids;
      break;
    case kFieldLastUpdated:
    case kFieldLastUpdatedColumn:
      target = &fragment->last_updated;
      break;
    case kFieldCreated:
    case kFieldCreatedColumn:
      target = &fragment->created;
      break;
    default:
      return false;
  }
  ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes));
  if (field.number >= kFieldRowIdsColumn) {
    *target = {LineagePlacement::kColumn, {}, 0};
  } else {
    *target = {LineagePlacement::kInline, field.bytes, field.bytes_offset};
  }
  return true;
}

}  // namespace

arrow::Result<Fragment> DecodeFragment(std::string_view bytes, uint64_t origin) {
  Fragment fragment;
  fragment.encoded = bytes;
  WireReader reader(bytes, origin);
  WireField field;
  while (!reader.done()) {
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    ARROW_ASSIGN_OR_RAISE(const bool is_lineage, SetLineage(field, &fragment));
    if (is_lineage) continue;
    switch (field.number) {
      case kFieldId:
        ARROW_RETURN_NOT_OK(Expect(field, WireType::kVarint));
        if (field.value > std::numeric_limits<uint32_t>::max()) {
          return MakeError(ErrorKind::kCorrupt,
                           fmt::format("fragment id does not fit 32 bits: {}", field.value));
        }
        fragment.id = FragmentId{static_cast<uint32_t>(field.value)};
        break;
      case kFieldFiles: {
        ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes));
        ARROW_ASSIGN_OR_RAISE(auto file, DecodeDataFile(field));
        fragment.files.push_back(std::move(file));
        break;
      }
      case kFieldDeletionFile: {
        ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes));
        ARROW_ASSIGN_OR_RAISE(fragment.deletion_file,
                              DecodeDeletionFileMessage(field, fragment.id));
        break;
      }
      case kFieldPhysicalRows:
        ARROW_RETURN_NOT_OK(Expect(field, WireType::kVarint));
        fragment.physical_rows = field.value;
        break;
      case kFieldOverlays:
        ++fragment.num_overlays;
        break;
      default:
        break;
    }
  }
  return fragment;
}

std::string DeletionFilePath(FragmentId fragment, const DeletionFile& file) {
  return fmt::format("_deletions/{}-{}-{}.{}", ToInteger(fragment), file.read_version, file.id,
                     file.type == DeletionFileType::kArray ? "arrow" : "bin");
}

std::string EncodeFragmentIdOnly(FragmentId id) {
  std::string out;
  if (ToInteger(id) != 0) AppendVarintField(out, kFieldId, ToInteger(id));
  return out;
}

arrow::Status AppendFragmentWithLineage(std::string_view encoded, const InlineLineage& lineage,
                                        std::string& out) {
  WireReader reader(encoded);
  WireField field;
  while (!reader.done()) {
    const uint64_t begin = reader.offset();
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == kFieldRowIds || field.number == kFieldLastUpdated ||
        field.number == kFieldCreated)
      continue;
    out.append(encoded.substr(begin, reader.offset() - begin));
  }
  if (!lineage.row_ids.empty()) AppendBytesField(out, kFieldRowIds, lineage.row_ids);
  if (!lineage.last_updated.empty()) AppendBytesField(out, kFieldLastUpdated, lineage.last_updated);
  if (!lineage.created.empty()) AppendBytesField(out, kFieldCreated, lineage.created);
  return arrow::Status::OK();
}

}  // namespace pennon
