#include "base/budget_pool.h"

#include <fmt/format.h>

#include "pennon/base/error.h"

namespace pennon {

BudgetPool::BudgetPool(int64_t limit_bytes)
    : pool_(arrow::default_memory_pool()), limit_bytes_(limit_bytes) {}

arrow::Status BudgetPool::Take(int64_t size) {
  int64_t held = held_bytes_;
  do {
    if (size > limit_bytes_ - held) {
      return MakeError(ErrorKind::kTooLarge,
                       fmt::format("memory budget exceeded: limit {} bytes, held {}, asked for {}",
                                   limit_bytes_, held, size));
    }
  } while (!held_bytes_.compare_exchange_weak(held, held + size));
  int64_t most = max_bytes_;
  while (most < held + size && !max_bytes_.compare_exchange_weak(most, held + size)) {
  }
  return arrow::Status::OK();
}

arrow::Status BudgetPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(Take(size));
  const arrow::Status status = pool_->Allocate(size, alignment, out);
  if (!status.ok()) {
    held_bytes_ -= size;
    return status;
  }
  total_bytes_ += size;
  ++num_allocations_;
  return status;
}

arrow::Status BudgetPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                     uint8_t** ptr) {
  if (new_size > old_size) ARROW_RETURN_NOT_OK(Take(new_size - old_size));
  const arrow::Status status = pool_->Reallocate(old_size, new_size, alignment, ptr);
  if (!status.ok()) {
    if (new_size > old_size) held_bytes_ -= new_size - old_size;
    return status;
  }
  if (new_size < old_size) held_bytes_ -= old_size - new_size;
  if (new_size > old_size) total_bytes_ += new_size - old_size;
  ++num_allocations_;
  return status;
}

void BudgetPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  pool_->Free(buffer, size, alignment);
  held_bytes_ -= size;
}

std::string BudgetPool::backend_name() const { return pool_->backend_name(); }

}  // namespace pennon
