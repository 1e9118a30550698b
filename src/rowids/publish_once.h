/// \file
/// A value that is made at its first use and never changes afterwards, shared by any number of
/// readers.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace pennon {

/// Holds nothing or one T. Readers never wait: two that come first both make the value, and one
/// copy is kept.
template <typename T>
class PublishOnce {
 public:
  PublishOnce() = default;
  PublishOnce(const PublishOnce&) = delete;
  PublishOnce& operator=(const PublishOnce&) = delete;
  ~PublishOnce() { delete value_.load(std::memory_order_relaxed); }

  /// Returns the value, or null if nobody has made it yet.
  const T* get() const { return value_.load(std::memory_order_acquire); }

  /// Returns the value; calls `make()` for it if there is none.
  template <typename Make>
  const T& GetOrMake(Make&& make) const {
    const T* value = get();
    return value != nullptr ? *value : Set(std::make_unique<const T>(make()));
  }

  /// Keeps `made` unless there is a value already; returns the one that is kept.
  const T& Set(std::unique_ptr<const T> made) const {
    const T* expected = nullptr;
    if (value_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *expected;
  }

 private:
  mutable std::atomic<const T*> value_{nullptr};
};

}  // namespace pennon
