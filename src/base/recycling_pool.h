/// \file
/// Memory for buffers that come and go: batches of a scan, pages read. Freed blocks are kept for a
/// while and given out again, so that the next batch is decoded into memory that is mapped and in
/// the cache already.
#pragma once

#include <arrow/memory_pool.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace pennon {

/// Takes blocks from a pool below it. Small ones and very large ones pass through; the others are
/// rounded up to a size class (an eighth more at most) and kept when freed, up to `kept_bytes_max`
/// in all; beyond, blocks of the size that was asked for longest ago make room. A thread gets the
/// last freed of the blocks that it had before, whoever freed it, for that one lies in the cache of
/// its core; if there is none, the last freed of all. Safe for concurrent use.
class RecyclingPool : public arrow::MemoryPool {
 public:
  /// The pool that scans and takes use; it outlives every buffer. Under the address sanitizer it is
  /// Arrow's own: a block that is kept would hide its use after it was freed.
  static arrow::MemoryPool* Shared();

  RecyclingPool(arrow::MemoryPool* below, int64_t kept_bytes_max)
      : below_(below), kept_bytes_max_(kept_bytes_max) {}
  ~RecyclingPool() override { ReleaseUnused(); }

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  /// Gives all kept blocks back.
  void ReleaseUnused() override;

  /// Bytes in use, without those kept.
  int64_t bytes_allocated() const override { return used_bytes_; }
  int64_t max_memory() const override { return max_bytes_; }
  int64_t total_bytes_allocated() const override { return total_bytes_; }
  int64_t num_allocations() const override { return num_allocations_; }
  std::string backend_name() const override { return below_->backend_name(); }

  int64_t kept_bytes() const;

 private:
  static constexpr int kNumClasses = 8 * 12;

  struct Block {
    uint8_t* data = nullptr;
    uint32_t owner = 0;  // the number of the thread that had it last
  };
  /// Kept blocks of one size.
  struct Kept {
    std::vector<Block> blocks;
    uint64_t last_asked = 0;  // when, by num_asked_
  };

  void Count(int64_t delta);
  Kept* LongestUnasked(int except, int64_t* block_bytes);

  arrow::MemoryPool* below_;
  const int64_t kept_bytes_max_;
  mutable std::mutex mutex_;
  std::array<Kept, kNumClasses> kept_;
  std::unordered_map<const uint8_t*, uint32_t> owners_;  // of blocks in use
  uint64_t num_asked_ = 0;
  int64_t kept_bytes_ = 0;
  std::atomic<int64_t> used_bytes_ = 0;
  std::atomic<int64_t> max_bytes_ = 0;
  std::atomic<int64_t> total_bytes_ = 0;
  std::atomic<int64_t> num_allocations_ = 0;
};

}  // namespace pennon
