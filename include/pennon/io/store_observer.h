/// \file
/// Sees every call to the store, before and after, and may make it fail: for progress, accounting
/// and fault tests.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <string>

#include "pennon/export.h"

namespace pennon {

enum class StoreCall { kOpen, kRead, kReadWhole, kList, kStat, kPut, kPutIfAbsent, kRemove };

struct StoreEvent {
  StoreCall call = StoreCall::kOpen;
  std::string path;
  /// Bytes asked for (reads by range) or handed over (puts); bytes received once a whole read is
  /// done; else 0.
  uint64_t num_bytes = 0;
};

/// Methods are called by many threads at once and must be quick. A failed status replaces the
/// outcome of the call: from Before the call is not made, from After its effect stays.
class PENNON_EXPORT StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  virtual arrow::Status Before(const StoreEvent& event) = 0;
  virtual arrow::Status After(const StoreEvent& event) = 0;
};

}  // namespace pennon
