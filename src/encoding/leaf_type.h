/// \file
/// How the values of one column lie in memory, as far as decoding is concerned.
/// Spec: format/data-file.md, heading 4.1.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace pennon {

enum class LeafKind : uint8_t {
  kNull,           ///< No values at all.
  kBits,           ///< One bit a value.
  kFixed,          ///< Whole bytes, the same number for each value.
  kVariable,       ///< Offsets and bytes.
  kFixedSizeList,  ///< A fixed number of items each; one child.
  kStruct,         ///< Packed struct; one child a field.
  kDictionary,     ///< Keys of `width_bytes`, values in a dictionary of the child's type.
};

struct LeafType {
  LeafKind kind = LeafKind::kNull;
  /// kFixed: bytes of a value; kVariable: bytes of an offset (4 or 8); kDictionary: bytes of a key.
  uint32_t width_bytes = 0;
  /// kFixedSizeList: items of each list.
  uint64_t list_size = 0;
  std::vector<LeafType> children;
  /// The Arrow type of the finished array.
  std::shared_ptr<arrow::DataType> type;

  /// Bits of one value when all values have the same number; 0 for the others.
  uint64_t FixedBits() const;
};

/// Returns the layout of a type that lies in one column. `is_packed`: a struct that does so too.
/// Errors: kUnsupportedFeature for types the format does not store in one column.
arrow::Result<LeafType> MakeLeafType(const std::shared_ptr<arrow::DataType>& type,
                                     bool is_packed = false);

/// A layout of unsigned words without an Arrow array behind it: levels, dictionary keys.
LeafType MakeWordType(uint32_t width_bytes);

}  // namespace pennon
