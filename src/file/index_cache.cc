#include "file/index_cache.h"

#include <utility>

namespace pennon {
namespace {

uint64_t KeyOf(uint32_t column, uint32_t page) { return (uint64_t{column} << 32) | page; }

}  // namespace

std::shared_ptr<const PageIndex> IndexCache::Find(uint32_t column, uint32_t page) {
  const std::lock_guard lock(mutex_);
  const auto found = indices_.find(KeyOf(column, page));
  return found == indices_.end() ? nullptr : found->second;
}

void IndexCache::Keep(uint32_t column, uint32_t page, std::shared_ptr<const PageIndex> index) {
  const uint64_t bytes = index->memory_bytes();
  if (bytes > bytes_max_) return;
  const std::lock_guard lock(mutex_);
  if (!indices_.emplace(KeyOf(column, page), std::move(index)).second) return;
  order_.push_back(KeyOf(column, page));
  bytes_ += bytes;
  while (bytes_ > bytes_max_) {
    const auto oldest = indices_.find(order_.front());
    order_.pop_front();
    bytes_ -= oldest->second->memory_bytes();
    indices_.erase(oldest);
  }
}

uint64_t IndexCache::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace pennon
