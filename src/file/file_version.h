/// \file
/// The versions of the data-file format.
/// Spec: format/data-file.md, heading 3.
#pragma once

#include <cstdint>
#include <string_view>

namespace pennon {

enum class FileVersion : uint8_t { kV2_0, kV2_1, kV2_2 };

/// Returns "2.0", "2.1" or "2.2".
constexpr std::string_view FileVersionName(FileVersion version) {
  switch (version) {
    case FileVersion::kV2_0:
      return "2.0";
    case FileVersion::kV2_1:
      return "2.1";
    case FileVersion::kV2_2:
      return "2.2";
  }
  return "?";
}

}  // namespace pennon
