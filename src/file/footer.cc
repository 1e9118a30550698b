#include "file/footer.h"

#include <fmt/format.h>

#include <cstring>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t kMagicBytes = 8;  // two version numbers and the word itself
constexpr char kMagic[] = "LANC";
constexpr uint64_t kEntryBytes = 16;

arrow::Result<FileVersion> VersionOf(unsigned major, unsigned minor, std::string_view path) {
  if ((major == 0 && minor == 3) || (major == 2 && minor == 0)) return FileVersion::kV2_0;
  if (major == 2 && minor == 1) return FileVersion::kV2_1;
  if (major == 2 && minor == 2) return FileVersion::kV2_2;
  if (major == 0 && minor < 3) {
    return MakeError(
        ErrorKind::kUnsupportedFeature,
        fmt::format(
            "legacy Lance file of version 0.1: rewrite the table with data storage version 2.0 or "
            "newer (an older pylance can): {}",
            path));
  }
  return MakeError(
      ErrorKind::kUnsupportedFeature,
      fmt::format(
          "data file has an unstable or newer version that is not read: {}.{}, rewrite the table "
          "with data storage version 2.2: {}",
          major, minor, path));
}

}  // namespace

arrow::Result<Footer> ParseFooter(std::span<const uint8_t> tail, uint64_t file_size,
                                  std::string_view path) {
  const auto corrupt = [&](const char* what) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("{}: {} bytes: {}", what, file_size, path));
  };
  if (tail.size() < kMagicBytes) return corrupt("data file is too short");
  const uint8_t* magic = tail.data() + tail.size() - kMagicBytes;
  if (std::memcmp(magic + 4, kMagic, 4) != 0)
    return corrupt("not a Lance data file: wrong magic at the end");
  Footer footer;
  ARROW_ASSIGN_OR_RAISE(footer.version, VersionOf(LoadLittleEndian<uint16_t>(magic),
                                                  LoadLittleEndian<uint16_t>(magic + 2), path));
  if (tail.size() < kFooterBytes) return corrupt("data file is too short for its footer");
  const uint8_t* bytes = tail.data() + tail.size() - kFooterBytes;
  footer.column_metadata_begin = LoadLittleEndian<uint64_t>(bytes);
  footer.column_table.begin = LoadLittleEndian<uint64_t>(bytes + 8);
  footer.global_buffer_table.begin = LoadLittleEndian<uint64_t>(bytes + 16);
  footer.num_global_buffers = LoadLittleEndian<uint32_t>(bytes + 24);
  footer.num_columns = LoadLittleEndian<uint32_t>(bytes + 28);
  footer.column_table.end =
      SaturatingAdd(footer.column_table.begin, footer.num_columns * kEntryBytes);
  footer.global_buffer_table.end =
      SaturatingAdd(footer.global_buffer_table.begin, footer.num_global_buffers * kEntryBytes);
  const uint64_t end = file_size - kFooterBytes;
  if (footer.column_table.end > end || footer.global_buffer_table.end > end ||
      footer.column_metadata_begin > footer.column_table.begin) {
    return corrupt("footer points beyond the end of the data file");
  }
  return footer;
}

arrow::Result<ByteRange> ParseTableEntry(const uint8_t* entry, uint64_t file_size) {
  const auto begin = LoadLittleEndian<uint64_t>(entry);
  const uint64_t end = SaturatingAdd(begin, LoadLittleEndian<uint64_t>(entry + 8));
  if (end > file_size) {
    return MakeError(
        ErrorKind::kCorrupt,
        fmt::format("table entry points beyond the end of the file: bytes {} to {} of {}", begin,
                    end, file_size));
  }
  return ByteRange{begin, end};
}

}  // namespace pennon
