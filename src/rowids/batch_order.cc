#include "rowids/batch_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pennon {
namespace {

constexpr uint64_t kStretches = 256;

template <typename T, typename Pack>
void Deal(std::span<const uint64_t> ids, uint64_t smallest, uint64_t largest, std::vector<T>* dealt,
          Pack pack) {
  uint32_t shift = 0;
  while ((largest - smallest) >> shift >= kStretches) ++shift;
  std::array<size_t, kStretches> places{};
  for (const uint64_t id : ids) ++places[(id - smallest) >> shift];
  size_t place = 0;
  for (size_t& count : places) place += std::exchange(count, place);
  dealt->resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i)
    (*dealt)[places[(ids[i] - smallest) >> shift]++] = pack(ids[i], i);
}

}  // namespace

BatchOrder::BatchOrder(std::span<const uint64_t> ids) : ids_(ids) {
  ascends_ = std::is_sorted(ids.begin(), ids.end());
  if (ascends_) return;
  const auto [smallest, largest] = std::minmax_element(ids.begin(), ids.end());
  smallest_ = *smallest;
  constexpr uint64_t kHalf = uint64_t{1} << 32;
  if (*largest - smallest_ < kHalf && ids.size() < kHalf) {
    Deal(ids, smallest_, *largest, &packed_,
         [&](uint64_t id, size_t i) { return ((id - smallest_) << 32) | i; });
  } else {
    Deal(ids, smallest_, *largest, &wide_, [](uint64_t id, size_t i) { return Wide{id, i}; });
  }
}

}  // namespace pennon
