/// \file
/// The five numbers of the format that must never be mixed up, each a type of its own.
/// Spec: format/table.md, heading 1 (row address); format/row-ids.md, heading 6.
#pragma once

#include <cstdint>

namespace pennon {

/// Stable identity of a row. Equals the address only on a table without stable row ids.
enum class RowId : uint64_t {};
/// Where a row lies now: fragment id in the high 32 bits, row offset in the low 32.
enum class RowAddress : uint64_t {};
/// Position inside one fragment's files, deleted rows counted.
enum class RowOffset : uint32_t {};
/// Number of a fragment; never given out twice in a table.
enum class FragmentId : uint32_t {};
/// Number of a committed state, from 1. The top bit marks a detached version.
enum class Version : uint64_t {};

constexpr uint64_t ToInteger(RowId id) { return static_cast<uint64_t>(id); }
constexpr uint64_t ToInteger(RowAddress address) { return static_cast<uint64_t>(address); }
constexpr uint32_t ToInteger(RowOffset offset) { return static_cast<uint32_t>(offset); }
constexpr uint32_t ToInteger(FragmentId id) { return static_cast<uint32_t>(id); }
constexpr uint64_t ToInteger(Version version) { return static_cast<uint64_t>(version); }

constexpr RowAddress MakeRowAddress(FragmentId fragment, RowOffset offset) {
  return RowAddress{(uint64_t{ToInteger(fragment)} << 32) | ToInteger(offset)};
}
constexpr FragmentId FragmentOf(RowAddress address) {
  return FragmentId{static_cast<uint32_t>(ToInteger(address) >> 32)};
}
constexpr RowOffset OffsetOf(RowAddress address) {
  return RowOffset{static_cast<uint32_t>(ToInteger(address))};
}
constexpr Version NextVersion(Version version) { return Version{ToInteger(version) + 1}; }
/// A detached version lies beside the main line and never becomes the newest.
constexpr bool IsDetached(Version version) { return (ToInteger(version) >> 63) != 0; }

}  // namespace pennon
