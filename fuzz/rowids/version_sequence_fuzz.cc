// Reads any bytes as a lineage sequence, asks it everything, and writes it again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "rowids/version_sequence.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pennon;  // NOLINT: one function
  const auto decoded =
      DecodeVersionSequence(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!decoded.ok()) return 0;
  const VersionSequence& sequence = *decoded;
  const uint64_t rows = std::min<uint64_t>(sequence.size(), 20000);
  std::vector<uint64_t> versions(rows);
  Require(sequence.Read(0, versions).ok());
  for (uint32_t i = 0; i < rows; i += 1 + i / 16)
    Require(ToInteger(sequence.VersionAt(RowOffset{i})) == versions[i]);
  const auto again = DecodeVersionSequence(sequence.Encode()).ValueOrDie();
  Require(again.size() == sequence.size() && again.num_runs() == sequence.num_runs());
  for (size_t i = 0; i < sequence.num_runs(); ++i) Require(again.run(i) == sequence.run(i));
  Require(sequence.Slice(rows / 3, rows / 2).ValueOrDie().size() == rows / 2);
  std::vector<uint32_t> offsets;
  for (uint32_t i = 0; i < rows; i += 3) offsets.push_back(i);
  Require(sequence.Mask(offsets).ValueOrDie().size() == sequence.size() - offsets.size());
  return 0;
}
