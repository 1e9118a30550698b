/// \file
/// The description of a page of file version 2.0 as a tree of plain structs, buffers resolved to
/// byte ranges. Spec: format/data-file.md, heading 9.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "encoding/column_pages.h"
#include "encoding/general_compression.h"

namespace pennon {

enum class V20Kind : uint8_t {
  kFlat,
  kNoNulls,    ///< One child: the values.
  kSomeNulls,  ///< Two children: validity, values.
  kAllNulls,
  kFixedSizeList,  ///< One child: the items. `count`: items of one list.
  kList,           ///< One child: the end offsets. `count`: items of the page.
  kStruct,
  kBinary,           ///< Two children: end offsets, bytes.
  kDictionary,       ///< Two children: indices, items. `count`: items.
  kFsst,             ///< One child, a kBinary.
  kPackedStruct,     ///< One child a field.
  kBitpacked,        ///< A plain bit stream.
  kFastLanes,        ///< Groups of 1024 in FastLanes order.
  kFixedSizeBinary,  ///< One child: the bytes. `count`: bytes of one value.
};

struct V20Encoding {
  V20Kind kind = V20Kind::kFlat;
  /// kFlat, kPackedStruct, kBitpacked, kFastLanes: where the bytes lie in the file.
  ByteRange buffer;
  /// kFlat: bits of one value. kBitpacked, kFastLanes: bits of one packed value.
  uint64_t bits = 0;
  /// kBitpacked, kFastLanes: bits of one plain value.
  uint64_t plain_bits = 0;
  bool is_signed = false;
  /// kFlat: the buffer is compressed as a whole.
  std::optional<CompressionScheme> compression;
  uint64_t count = 0;
  /// kList, kBinary: added to the offset of a null; offsets below it belong to valid values. Never
  /// 0.
  uint64_t null_adjustment = 1;
  std::string symbol_table;
  std::vector<V20Encoding> children;
};

/// Parses the encoding of `page`. Checks what can be checked without data: buffers exist, children
/// are there, widths are possible. `column_buffers`: the buffers of the column as a whole. Errors:
/// kCorrupt; kUnsupportedFeature for encodings that no released 2.0 writer made.
arrow::Result<V20Encoding> ParseV20Encoding(const PageInfo& page,
                                            std::span<const ByteRange> column_buffers);

}  // namespace pennon
