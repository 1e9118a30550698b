/// \file
/// Page indices of one file, kept between reads within a budget.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "encoding/field_decoder.h"

namespace pennon {

/// Drops the index that has been kept longest when a new one does not fit. Safe for concurrent use.
class IndexCache : public PageIndexCache {
 public:
  explicit IndexCache(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  std::shared_ptr<const PageIndex> Find(uint32_t column, uint32_t page) override;
  void Keep(uint32_t column, uint32_t page, std::shared_ptr<const PageIndex> index) override;
  uint64_t memory_bytes() const;

 private:
  const uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<const PageIndex>> indices_;
  std::deque<uint64_t> order_;
  uint64_t bytes_ = 0;
};

}  // namespace pennon
