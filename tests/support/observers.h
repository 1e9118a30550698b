/// \file
/// Observers of a store for tests: one that writes down every call, one that makes the n-th call
/// fail, one that lets a test act in the middle of a call. Meant for one thread at a time unless
/// said otherwise.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pennon/base/error.h"
#include "pennon/io/store_observer.h"

namespace pennon::testing_support {

inline const char* StoreCallName(StoreCall call) {
  constexpr const char* kNames[] = {"open", "read", "read whole",    "list",
                                    "stat", "put",  "put if absent", "remove"};
  return kNames[static_cast<size_t>(call)];
}

/// Writes down every call that was tried, in order. Safe for many threads.
class RecordingObserver : public StoreObserver {
 public:
  arrow::Status Before(const StoreEvent& event) override {
    const std::lock_guard lock(mutex_);
    tried_.push_back(event);
    return arrow::Status::OK();
  }
  arrow::Status After(const StoreEvent& event) override {
    const std::lock_guard lock(mutex_);
    done_.push_back(event);
    return arrow::Status::OK();
  }

  std::vector<StoreEvent> tried() const {
    const std::lock_guard lock(mutex_);
    return tried_;
  }
  /// Calls that came back without an error; whole reads with the bytes they gave.
  std::vector<StoreEvent> done() const {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  size_t Count() const { return tried().size(); }
  size_t Count(StoreCall call) const {
    const auto events = tried();
    return static_cast<size_t>(std::count_if(events.begin(), events.end(),
                                             [call](const auto& e) { return e.call == call; }));
  }
  /// "list _versions": each call tried, with the path below `root`.
  std::vector<std::string> Calls(const std::string& root) const {
    std::vector<std::string> out;
    for (const auto& event : tried()) {
      const bool is_below = event.path.starts_with(root + "/");
      out.push_back(fmt::format("{} {}", StoreCallName(event.call),
                                is_below ? event.path.substr(root.size() + 1) : event.path));
    }
    return out;
  }
  uint64_t BytesPut() const {
    uint64_t bytes = 0;
    for (const auto& event : tried()) {
      if (event.call == StoreCall::kPut || event.call == StoreCall::kPutIfAbsent) {
        bytes += event.num_bytes;
      }
    }
    return bytes;
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    tried_.clear();
    done_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<StoreEvent> tried_;
  std::vector<StoreEvent> done_;
};

enum class FaultPoint { kBefore, kAfter };
enum class FaultSpan { kOnce, kForEver };

struct Fault {
  uint64_t nth_call = 1;  ///< From 1; 0: never.
  FaultPoint point = FaultPoint::kBefore;
  FaultSpan span = FaultSpan::kOnce;

  std::string ToString() const {
    return fmt::format("call {} fails {} its effect, {}", nth_call,
                       point == FaultPoint::kBefore ? "before" : "after",
                       span == FaultSpan::kOnce ? "once" : "for ever");
  }
};

/// All four ways in which the n-th call can fail.
inline std::vector<Fault> FaultsAt(uint64_t nth_call) {
  std::vector<Fault> out;
  for (const auto point : {FaultPoint::kBefore, FaultPoint::kAfter}) {
    for (const auto span : {FaultSpan::kOnce, FaultSpan::kForEver}) {
      out.push_back({nth_call, point, span});
    }
  }
  return out;
}

/// Makes one call, or that and all later ones, fail with kIo.
class FailingObserver : public StoreObserver {
 public:
  explicit FailingObserver(Fault fault) : fault_(fault) {}
  arrow::Status Before(const StoreEvent& event) override {
    ++num_calls_;
    return fault_.point == FaultPoint::kBefore ? Decide(event) : arrow::Status::OK();
  }
  arrow::Status After(const StoreEvent& event) override {
    return fault_.point == FaultPoint::kAfter ? Decide(event) : arrow::Status::OK();
  }

  bool has_failed() const { return has_failed_; }
  uint64_t num_calls() const { return num_calls_; }
  /// The call that failed first.
  const StoreEvent& failed() const { return failed_; }

 private:
  arrow::Status Decide(const StoreEvent& event) {
    const bool hit =
        fault_.nth_call != 0 && (fault_.span == FaultSpan::kOnce ? num_calls_ == fault_.nth_call
                                                                 : num_calls_ >= fault_.nth_call);
    if (!hit) return arrow::Status::OK();
    if (!has_failed_) failed_ = event;
    has_failed_ = true;
    return MakeError(ErrorKind::kIo, fmt::format("injected fault: {}", event.path));
  }

  Fault fault_;
  uint64_t num_calls_ = 0;
  bool has_failed_ = false;
  StoreEvent failed_;
};

/// Lets a test act before a call is made; what it does with the store below is not observed.
class HookObserver : public StoreObserver {
 public:
  explicit HookObserver(std::function<void(const StoreEvent&)> before)
      : before_(std::move(before)) {}
  arrow::Status Before(const StoreEvent& event) override {
    before_(event);
    return arrow::Status::OK();
  }
  arrow::Status After(const StoreEvent&) override { return arrow::Status::OK(); }

 private:
  std::function<void(const StoreEvent&)> before_;
};

}  // namespace pennon::testing_support
