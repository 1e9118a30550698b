#include "base/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <vector>

namespace pennon {
namespace {

TEST(TaskPoolTest, RunsEveryTaskBeforeItEnds) {
  std::atomic<int> ran = 0;
  {
    TaskPool pool(3);
    EXPECT_EQ(pool.num_threads(), 3);
    for (int i = 0; i < 1000; ++i) pool.Submit([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 1000);
}

TEST(TaskPoolTest, ForEachVisitsEachIndexOnce) {
  TaskPool pool(2);
  for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<std::atomic<int>> seen(count);
    pool.ForEach(count, [&](size_t i) { ++seen[i]; });
    for (const auto& times : seen) EXPECT_EQ(times, 1);
  }
}

TEST(TaskPoolTest, ForEachOfManyCallersAtOnce) {
  TaskPool pool(2);
  std::atomic<int> total = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) pool.ForEach(20, [&](size_t) { ++total; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 50 * 20);
}

TEST(TaskPoolTest, OneThreadLeavesForEachToTheCaller) {
  TaskPool pool(1);
  std::set<std::thread::id> threads;
  pool.ForEach(10, [&](size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
  EXPECT_GT(TaskPool(0).num_threads(), 0);
}

}  // namespace
}  // namespace pennon
