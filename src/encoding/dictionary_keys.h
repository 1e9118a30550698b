/// \file
/// Dictionary pages: keys that stand for the values of the page's dictionary, either looked up
/// (plain columns) or handed on (Arrow dictionary columns, where the dictionaries of several pages
/// become one). Spec: format/data-file.md, headings 4.1 and 6.1.
#pragma once

#include <arrow/array/data.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>

#include "encoding/value_builder.h"

namespace pennon {

/// Appends to `out` the dictionary's value for each of the `count` keys of `key_bytes` (1, 2, 4 or
/// 8) bytes. `dictionary` is an array of out's type (fixed or variable width) without nulls.
/// Errors: kCorrupt: a key that the dictionary does not have.
arrow::Status AppendLookedUp(const uint8_t* keys, uint32_t key_bytes, uint64_t count,
                             const arrow::ArrayData& dictionary, ValueBuilder* out);

/// Appends keys and remembers their dictionary. Errors: kCorrupt, as above; kTooLarge: a key that
/// does not fit the column's key type.
arrow::Status AppendKeys(const uint8_t* keys, uint32_t key_bytes, uint64_t count,
                         const std::shared_ptr<arrow::ArrayData>& dictionary, ValueBuilder* out);

/// Fills buffers and dictionary of `array` from a kDictionary builder. Dictionaries of several
/// pages are joined, and made unique only where the key type does not reach otherwise. Errors:
/// kTooLarge: it does not reach even so.
arrow::Status FinishDictionary(ValueBuilder* builder, arrow::ArrayData* array);

}  // namespace pennon
