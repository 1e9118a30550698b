// Opens any bytes as a row id sequence and asks it everything. What validates must come back equal
// when encoded.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "rowids/row_id_sequence.h"
#include "rowids/segment_encoder.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pennon;  // NOLINT: one function
  const auto opened =
      DecodeRowIdSequence(std::string_view(reinterpret_cast<const char*>(data), size), nullptr);
  if (!opened.ok()) return 0;
  const RowIdSequence& sequence = *opened;
  const bool valid = sequence.Validate().ok();
  constexpr uint64_t kRowsMax = 20000;
  const uint64_t rows = std::min(sequence.size(), kRowsMax);
  std::vector<uint64_t> ids(rows);
  const bool readable = sequence.Read(0, ids).ok();
  Require(readable || !valid);
  (void)sequence.Describe(1000);
  (void)sequence.Bounds();
  (void)sequence.memory_bytes();
  Require(!sequence.At(RowOffset{0xFFFFFFFF}).ok() || sequence.size() > 0xFFFFFFFF);
  for (uint32_t i = 0; i < rows; i += 1 + i / 16) {
    const RowId id = sequence.Get(RowOffset{i});
    const auto position = sequence.PositionOf(id);
    if (valid)
      Require(id == RowId{ids[i]} && position.has_value() && sequence.Get(*position) == id);
  }
  if (!valid || sequence.size() > kRowsMax) {
    (void)sequence.Mask(std::vector<uint32_t>{0});
    (void)sequence.Slice(rows / 2, rows - rows / 2);
    return 0;
  }
  for (const auto choice : {FormChoice::kSmallest, FormChoice::kReference}) {
    const auto again =
        DecodeRowIdSequence(EncodeRowIdSequence(sequence, choice).ValueOrDie()).ValueOrDie();
    Require(again.ToVector().ValueOrDie() == ids);
    const auto anew = DecodeRowIdSequence(EncodeRowIdSequence(ids, choice)).ValueOrDie();
    Require(anew.ToVector().ValueOrDie() == ids);
    std::vector<uint32_t> offsets;
    for (uint32_t i = 0; i < rows; i += 3) offsets.push_back(i);
    Require(sequence.Mask(offsets, choice).ValueOrDie().size() == rows - offsets.size());
    Require(sequence.Slice(rows / 3, rows / 2, choice).ValueOrDie().size() == rows / 2);
  }
  return 0;
}
