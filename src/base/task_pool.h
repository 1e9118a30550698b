/// \file
/// A fixed number of threads that run tasks first come, first served. The threads belong to whoever
/// made the pool.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pennon {

/// Threads start with the first task. Safe for concurrent use. Tasks never wait for other tasks of
/// the same pool.
class TaskPool {
 public:
  /// `num_threads` 0: one for each core.
  explicit TaskPool(int num_threads);
  /// Runs what is queued, then ends the threads. Not called from a task.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  int num_threads() const { return num_threads_; }

  /// Queues a task. It must not throw.
  void Submit(std::function<void()> task);

  /// Whether tasks wait for a thread: one that could go on for long then makes room for them.
  bool has_queued() const { return num_queued_.load(std::memory_order_relaxed) > 0; }

  /// Runs `work(i)` for all i in [0, count), on the pool's threads and on the caller's, and returns
  /// when all are done. May be called by many threads, but not from a task.
  void ForEach(size_t count, const std::function<void(size_t)>& work);

 private:
  void Run();

  const int num_threads_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<size_t> num_queued_ = 0;  // tasks_.size()
  std::vector<std::thread> threads_;
  bool is_ending_ = false;
};

}  // namespace pennon
