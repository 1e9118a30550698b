/// \file
/// A memory pool with a limit of its own, for third-party decoders that allocate what the input
/// asks for.
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace pennon {

/// Passes allocations on to Arrow's default pool until `limit_bytes` are held at once. Thread safe.
/// Must outlive every buffer made from it.
class BudgetPool : public arrow::MemoryPool {
 public:
  explicit BudgetPool(int64_t limit_bytes);

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  /// Errors: kTooLarge (the limit is named), or out of memory.
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override { return held_bytes_; }
  int64_t max_memory() const override { return max_bytes_; }
  int64_t total_bytes_allocated() const override { return total_bytes_; }
  int64_t num_allocations() const override { return num_allocations_; }
  std::string backend_name() const override;

 private:
  arrow::Status Take(int64_t size);

  arrow::MemoryPool* pool_;
  int64_t limit_bytes_;
  std::atomic<int64_t> held_bytes_ = 0;
  std::atomic<int64_t> max_bytes_ = 0;
  std::atomic<int64_t> total_bytes_ = 0;
  std::atomic<int64_t> num_allocations_ = 0;
};

}  // namespace pennon
