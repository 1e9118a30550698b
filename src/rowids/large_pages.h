/// \file
/// Memory that is asked at random places all over. Spec: design.md, heading 3 (one or two cache
/// misses a look-up).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace pennon {

/// Allocator for large arrays: asks the system for pages of 2 MiB where it has them, so that a look
/// at a random place does not cost a second miss for the page's address. What is smaller than such
/// a page comes from the heap as ever.
template <typename T>
struct LargePages {
  using value_type = T;
  static constexpr size_t kPageBytes = size_t{1} << 21;

  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>&) noexcept {}  // NOLINT: allocators convert

  T* allocate(size_t count) {
    if (count > std::numeric_limits<size_t>::max() / sizeof(T)) throw std::bad_alloc();
    const size_t size_bytes = count * sizeof(T);
    const size_t alignment = size_bytes < kPageBytes ? alignof(T) : kPageBytes;
    void* memory = ::operator new (size_bytes, std::align_val_t{alignment});
#ifdef MADV_HUGEPAGE
    // A wish: where it is not granted, everything is as it was.
    if (size_bytes >= kPageBytes) madvise(memory, size_bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) noexcept {
    const size_t alignment = count * sizeof(T) < kPageBytes ? alignof(T) : kPageBytes;
    ::operator delete (memory, std::align_val_t{alignment});
  }

  /// Elements that a vector is not told the value of are left as the type's own constructor leaves
  /// them: bytes have none and are not touched.
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace pennon
