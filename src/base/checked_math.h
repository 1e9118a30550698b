/// \file
/// Sums and products of numbers that come from outside.
#pragma once

#include <cstdint>

namespace pennon {

/// Returns a + b, or the largest number when it does not fit.
constexpr uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/// Returns a * b, or the largest number when it does not fit.
constexpr uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/// Returns a / b rounded up; b is not 0.
constexpr uint64_t CeilDivide(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace pennon
