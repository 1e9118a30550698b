#include "rowids/batch_order.h"

#include <algorithm>

#include "rowids/radix_sort.h"

namespace pennon {

BatchOrder::BatchOrder(std::span<const uint64_t> ids) : ids_(ids) {
  ascends_ = std::is_sorted(ids.begin(), ids.end());
  if (ascends_) return;
  const auto [smallest, largest] = std::minmax_element(ids.begin(), ids.end());
  smallest_ = *smallest;
  constexpr uint64_t kHalf = uint64_t{1} << 32;
  if (*largest - smallest_ < kHalf && ids.size() < kHalf) {
    packed_.resize(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) packed_[i] = ((ids[i] - smallest_) << 32) | i;
    RadixSort(&packed_, [](uint64_t packed) { return packed >> 32; });
  } else {
    wide_.resize(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) wide_[i] = {ids[i], i};
    RadixSort(&wide_, [](const Wide& wide) { return wide.id; });
  }
}

}  // namespace pennon
