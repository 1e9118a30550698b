// Bytes become a set or an error; a set that came out answers about itself and survives being
// written again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rowset/roaring.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pennon;
  const auto result = DecodeRoaring({reinterpret_cast<const char*>(data), size});
  if (!result.ok()) return 0;
  const RoaringSet& set = *result;
  uint64_t walked = 0;
  RoaringRunCursor cursor(set);
  for (ValueRange run; cursor.Next(&run); walked += run.size()) {
    if (!set.Contains(static_cast<uint32_t>(run.begin)) || set.Rank(run.begin) != walked)
      std::abort();
    if (set.SelectAbsent(run.begin - walked) < run.end) std::abort();
  }
  if (walked != set.count()) std::abort();
  const auto again = DecodeRoaring(EncodeRoaring(set));
  if (!again.ok() || !(*again == set)) std::abort();
  return 0;
}
