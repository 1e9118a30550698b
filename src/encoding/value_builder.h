/// \file
/// Where decoded values go: the growing buffers of one column's array, in Arrow's layout, so that
/// nothing is moved again when the array is done.
#pragma once

#include <arrow/array/data.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/growing_buffer.h"
#include "encoding/leaf_type.h"

namespace pennon {

/// Values of one leaf. Which members are in use follows from the leaf's kind.
class ValueBuilder {
 public:
  ValueBuilder(const LeafType& leaf_type, BufferBudget buffer_budget);

  /// Tells how many values will follow, for one allocation of the buffers whose size this
  /// determines.
  void Expect(uint64_t count);

  /// Appends `count` fixed-width values that lie one after the other.
  arrow::Status AppendFixed(const uint8_t* bytes, uint64_t count);
  /// The same without copying where possible: `owner` keeps the bytes alive.
  arrow::Status AppendShared(std::span<const uint8_t> bytes,
                             const std::shared_ptr<arrow::Buffer>& owner, uint64_t count);
  /// Appends one variable-width value.
  arrow::Status AppendVariable(std::span<const uint8_t> bytes);
  /// Appends `count` values of any content: zeros, empty strings. Used for slots that are null.
  arrow::Status AppendEmpty(uint64_t count);

  /// Makes room for `count` more offsets and starts the list of offsets when it is new.
  arrow::Status ReserveOffsets(uint64_t count);
  /// Writes the end of the value just appended to `bytes`. ReserveOffsets has made room.
  /// Errors: kTooLarge when 32-bit offsets do not reach.
  arrow::Status PushOffset();
  /// Checks that `extra` more bytes keep the offsets in range. Errors: kTooLarge.
  arrow::Status CheckOffsets(uint64_t extra) const;

  /// Returns the finished array of `length` values and starts anew. `validity` may be null.
  arrow::Result<std::shared_ptr<arrow::ArrayData>> Finish(std::shared_ptr<arrow::Buffer> validity,
                                                          uint64_t null_count);

  const LeafType* type;
  BufferBudget budget;
  uint64_t length = 0;
  GrowingBuffer values;   ///< kFixed, kDictionary (keys).
  GrowingBits bits;       ///< kBits.
  GrowingBuffer offsets;  ///< kVariable: length + 1 once there is a value.
  GrowingBuffer bytes;    ///< kVariable.
  std::vector<ValueBuilder> children;
  /// Validity of this builder's own values when it is the child of a fixed-size list. The validity
  /// of a column's top values comes from its levels and is not kept here.
  GrowingValidity validity;
  /// kDictionary: the dictionaries of the pages so far, with the number of keys each is for; null
  /// ones for slots that are null anyway.
  struct DictionaryPart {
    std::shared_ptr<arrow::ArrayData> values;
    uint64_t num_keys;
  };
  std::vector<DictionaryPart> dictionaries;

 private:
  /// What the last array had: kVariable, as a guess at the next one.
  uint64_t last_length_ = 0;
  uint64_t last_bytes_ = 0;
};

}  // namespace pennon
