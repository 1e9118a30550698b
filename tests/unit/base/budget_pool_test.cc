#include "base/budget_pool.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <gtest/gtest.h>

#include "pennon/base/error.h"

namespace pennon {
namespace {

TEST(BudgetPool, GivesUpToItsLimitAndTakesBack) {
  BudgetPool pool(1000);
  auto first = arrow::AllocateBuffer(600, &pool).ValueOrDie();
  EXPECT_EQ(KindOf(arrow::AllocateBuffer(600, &pool).status()), ErrorKind::kTooLarge);
  first.reset();
  EXPECT_EQ(pool.bytes_allocated(), 0);
  EXPECT_TRUE(arrow::AllocateBuffer(900, &pool).ok());
  EXPECT_EQ(pool.bytes_allocated(), 0);
  EXPECT_LE(pool.max_memory(), 1000);
  EXPECT_GE(pool.max_memory(), 900);
}

TEST(BudgetPool, CountsGrowthOfABuffer) {
  BudgetPool pool(1000);
  auto buffer = arrow::AllocateResizableBuffer(100, &pool).ValueOrDie();
  EXPECT_TRUE(buffer->Resize(800).ok());
  EXPECT_EQ(KindOf(buffer->Resize(2000)), ErrorKind::kTooLarge);
  EXPECT_TRUE(buffer->Resize(10).ok());
  EXPECT_LT(pool.bytes_allocated(), 100);
}

TEST(BudgetPool, RefusesAnAbsurdSizeAtOnce) {
  BudgetPool pool(1000);
  EXPECT_EQ(KindOf(arrow::AllocateBuffer(int64_t{1} << 60, &pool).status()), ErrorKind::kTooLarge);
  EXPECT_EQ(pool.num_allocations(), 0);
}

}  // namespace
}  // namespace pennon
