#include "base/recycling_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace pennon {
namespace {

// Blocks of 2^14 up to 2^26 bytes are kept: 12 doublings, each in eight steps.
constexpr int kSmallestBits = 14;
constexpr int64_t kSmallest = int64_t{1} << kSmallestBits;
constexpr int64_t kLargest = int64_t{1} << (kSmallestBits + 12);
[[maybe_unused]] constexpr int64_t kKeptBytesMax = int64_t{64} << 20;
constexpr int64_t kAlignment = 64;

// Numbers threads from 1; 0 is nobody.
uint32_t ThisThread() {
  static std::atomic<uint32_t> next{1};
  thread_local const uint32_t number = next++;
  return number;
}

struct SizeClass {
  int number = -1;  // -1: passes through
  int64_t bytes = 0;
};

int64_t BytesOf(int number) {
  const int64_t lower = int64_t{1} << (kSmallestBits + number / 8);
  return lower + (number % 8 + 1) * (lower / 8);
}

SizeClass ClassOf(int64_t size, int64_t alignment) {
  if (size <= kSmallest || size > kLargest || alignment > kAlignment) return {-1, size};
  // 2^(bits-1) < size <= 2^bits, in steps of an eighth of the lower one.
  const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(size - 1)));
  const int64_t step = int64_t{1} << (bits - 4);
  const int64_t steps = (size - (int64_t{1} << (bits - 1)) + step - 1) / step;
  const int number = (bits - 1 - kSmallestBits) * 8 + static_cast<int>(steps) - 1;
  return {number, BytesOf(number)};
}

}  // namespace

#if defined(__has_feature)
#define PENNON_HAS_FEATURE(name) __has_feature(name)
#else
#define PENNON_HAS_FEATURE(name) 0
#endif

arrow::MemoryPool* RecyclingPool::Shared() {
#if defined(__SANITIZE_ADDRESS__) || PENNON_HAS_FEATURE(address_sanitizer)
  return arrow::default_memory_pool();
#else
  // Never destroyed: buffers may be freed after main has returned.
  static auto* const kPool = new RecyclingPool(arrow::default_memory_pool(), kKeptBytesMax);
  return kPool;
#endif
}

void RecyclingPool::Count(int64_t delta) {
  const int64_t used = used_bytes_.fetch_add(delta, std::memory_order_relaxed) + delta;
  int64_t most = max_bytes_.load(std::memory_order_relaxed);
  while (most < used && !max_bytes_.compare_exchange_weak(most, used, std::memory_order_relaxed)) {
  }
}

arrow::Status RecyclingPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  const SizeClass wanted = ClassOf(size, alignment);
  *out = nullptr;
  if (wanted.number >= 0) {
    const std::lock_guard lock(mutex_);
    Kept& kept = kept_[static_cast<size_t>(wanted.number)];
    kept.last_asked = ++num_asked_;
    if (!kept.blocks.empty()) {
      // A few are looked at: what was freed long ago is in no cache.
      constexpr size_t kLookedAt = 32;
      const auto stop =
          kept.blocks.rbegin() + static_cast<ptrdiff_t>(std::min(kLookedAt, kept.blocks.size()));
      const auto own = std::find_if(kept.blocks.rbegin(), stop,
                                    [](const Block& block) { return block.owner == ThisThread(); });
      const auto found = own == stop ? kept.blocks.end() - 1 : std::prev(own.base());
      *out = found->data;
      kept.blocks.erase(found);
      kept_bytes_ -= wanted.bytes;
      owners_[*out] = ThisThread();
    }
  }
  if (*out == nullptr) {
    const int64_t rounded = wanted.number >= 0 ? kAlignment : alignment;
    ARROW_RETURN_NOT_OK(below_->Allocate(wanted.bytes, rounded, out));
    if (wanted.number >= 0) {
      const std::lock_guard lock(mutex_);
      owners_[*out] = ThisThread();
    }
  }
  Count(size);
  total_bytes_.fetch_add(size, std::memory_order_relaxed);
  num_allocations_.fetch_add(1, std::memory_order_relaxed);
  return arrow::Status::OK();
}

arrow::Status RecyclingPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                        uint8_t** ptr) {
  const SizeClass before = ClassOf(old_size, alignment);
  const SizeClass after = ClassOf(new_size, alignment);
  if (before.number < 0 && after.number < 0) {
    ARROW_RETURN_NOT_OK(below_->Reallocate(old_size, new_size, alignment, ptr));
    Count(new_size - old_size);
    return arrow::Status::OK();
  }
  if (before.number == after.number) {  // the block has room
    Count(new_size - old_size);
    return arrow::Status::OK();
  }
  uint8_t* moved = nullptr;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
  std::memcpy(moved, *ptr, static_cast<size_t>(std::min(old_size, new_size)));
  Free(*ptr, old_size, alignment);
  *ptr = moved;
  return arrow::Status::OK();
}

void RecyclingPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  const SizeClass freed = ClassOf(size, alignment);
  used_bytes_.fetch_sub(size, std::memory_order_relaxed);
  if (freed.number < 0) return below_->Free(buffer, size, alignment);
  const std::lock_guard lock(mutex_);
  uint32_t owner = 0;
  if (const auto found = owners_.find(buffer); found != owners_.end()) {
    owner = found->second;
    owners_.erase(found);
  }
  while (kept_bytes_ + freed.bytes > kept_bytes_max_) {
    int64_t block_bytes = 0;
    Kept* const other = LongestUnasked(freed.number, &block_bytes);
    if (other == nullptr) return below_->Free(buffer, freed.bytes, kAlignment);
    below_->Free(other->blocks.back().data, block_bytes, kAlignment);
    other->blocks.pop_back();
    kept_bytes_ -= block_bytes;
  }
  kept_[static_cast<size_t>(freed.number)].blocks.push_back({buffer, owner});
  kept_bytes_ += freed.bytes;
}

/// Among the other sizes that have blocks and were not asked for since the size `except`; null if
/// there is none.
RecyclingPool::Kept* RecyclingPool::LongestUnasked(int except, int64_t* block_bytes) {
  Kept* found = nullptr;
  uint64_t before = kept_[static_cast<size_t>(except)].last_asked;
  for (int number = 0; number < kNumClasses; ++number) {
    Kept& kept = kept_[static_cast<size_t>(number)];
    if (kept.blocks.empty() || kept.last_asked >= before) continue;
    before = kept.last_asked;
    found = &kept;
    *block_bytes = BytesOf(number);
  }
  return found;
}

void RecyclingPool::ReleaseUnused() {
  const std::lock_guard lock(mutex_);
  for (int number = 0; number < kNumClasses; ++number) {
    Kept& kept = kept_[static_cast<size_t>(number)];
    for (const Block& block : kept.blocks) below_->Free(block.data, BytesOf(number), kAlignment);
    kept.blocks.clear();
  }
  kept_bytes_ = 0;
}

int64_t RecyclingPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

}  // namespace pennon
