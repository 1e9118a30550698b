#include "base/task_pool.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace pennon {

TaskPool::TaskPool(int num_threads)
    : num_threads_(num_threads > 0
                       ? num_threads
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskPool::Submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    num_queued_.store(tasks_.size(), std::memory_order_relaxed);
    if (threads_.empty()) {
      for (int i = 0; i < num_threads_; ++i) threads_.emplace_back([this] { Run(); });
    }
  }
  ready_.notify_one();
}

void TaskPool::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ready_.wait(lock, [this] { return is_ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    num_queued_.store(tasks_.size(), std::memory_order_relaxed);
    lock.unlock();
    task();
    // What the task holds goes before the lock is taken again.
    task = nullptr;
    lock.lock();
  }
}

void TaskPool::ForEach(size_t count, const std::function<void(size_t)>& work) {
  struct Shared {
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    std::condition_variable done;
    size_t num_left = 0;
  };
  // Helpers may come too late to find work, when this call has returned already: they keep what
  // they look at.
  const auto shared = std::make_shared<Shared>();
  shared->num_left = count;
  const auto help = [shared, count, &work] {
    size_t finished = 0;
    for (size_t i = shared->next++; i < count; i = shared->next++) {
      work(i);
      ++finished;
    }
    if (finished == 0) return;
    const std::lock_guard lock(shared->mutex);
    shared->num_left -= finished;
    if (shared->num_left == 0) shared->done.notify_all();
  };
  const size_t helpers =
      std::min(count == 0 ? 0 : count - 1, static_cast<size_t>(num_threads_ - 1));
  for (size_t i = 0; i < helpers; ++i) Submit(help);
  help();
  std::unique_lock lock(shared->mutex);
  shared->done.wait(lock, [&] { return shared->num_left == 0; });
}

}  // namespace pennon
