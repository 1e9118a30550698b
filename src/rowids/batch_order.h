/// \file
/// Walks a batch of ids so that neighbours in the id space come after each other, and tells where
/// in the batch each one stands. Spec: design.md, heading 3 (a batch is sorted once, walked once,
/// answered in the caller's order).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pennon {

/// Ascending ids are walked as they are. Others are dealt into a few hundred stretches of the id
/// space, each small enough for its part of the index to stay in the processor's cache, and walked
/// stretch by stretch: one pass does what a full sort would.
class BatchOrder {
 public:
  /// Borrows `ids`. Cost: two passes and 8 or 16 bytes an id, or one pass when they ascend.
  explicit BatchOrder(std::span<const uint64_t> ids);

  /// Calls `fn(id, index)` for every id.
  template <typename Fn>
  void ForEach(Fn&& fn) const {
    if (ascends_) {
      for (size_t i = 0; i < ids_.size(); ++i) fn(ids_[i], i);
      return;
    }
    for (const uint64_t packed : packed_)
      fn(smallest_ + (packed >> 32), static_cast<size_t>(packed & 0xFFFFFFFFu));
    for (const Wide& wide : wide_) fn(wide.id, wide.index);
  }

 private:
  struct Wide {
    uint64_t id;
    size_t index;
  };

  std::span<const uint64_t> ids_;
  bool ascends_ = true;
  uint64_t smallest_ = 0;
  std::vector<uint64_t> packed_;  // id less the smallest, and index, where 32 bits do for both
  std::vector<Wide> wide_;
};

}  // namespace pennon
