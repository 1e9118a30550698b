#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/arrow_functions.h"
#include "dataset/morsel.h"
#include "dataset/morsel_source.h"
#include "dataset/open_table.h"
#include "dataset/row_id_pruning.h"
#include "dataset/scan_plan.h"
#include "format/schema_arrow.h"
#include "pennon/base/error.h"
#include "pennon/dataset/scan.h"

namespace pennon {
namespace {

/// Work on a morsel that is too small costs more in calls than it saves in memory.
constexpr uint64_t kMorselBytesMin = uint64_t{1} << 20;
constexpr uint64_t kMorselBytesMax = uint64_t{16} << 20;
/// Of narrow rows so many, or one batch if that is more: few morsels are under way at a time, and
/// what they read and make stays in the cache.
constexpr uint64_t kMorselRows = uint64_t{1} << 17;

/// A morsel on its way.
struct Slot {
  enum class State : uint8_t { kWaiting, kRunning, kDone };

  Morsel morsel;
  uint64_t bytes = 0;
  State state = State::kWaiting;
  arrow::Result<Batches> batches = Batches{};
};

/// What the reader shares with its helpers, and what is left to those that come when it is gone.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Slot>> slots;  // in the order of the scan
  size_t num_waiting = 0;                   // slots that nobody works on
  size_t num_called = 0;                    // helpers that wait for a thread or work
  size_t num_working = 0;                   // of those; they use the reader
  std::atomic<bool> is_cancelled = false;

  /// The next morsel that nobody works on; null if there is none. Under the lock.
  std::shared_ptr<Slot> StartNext() {
    if (num_waiting == 0) return nullptr;
    --num_waiting;
    const auto next = std::find_if(slots.begin(), slots.end(), [](const auto& slot) {
      return slot->state == Slot::State::kWaiting;
    });
    (*next)->state = Slot::State::kRunning;
    return *next;
  }
};

class ScanReader : public arrow::RecordBatchReader {
 public:
  ScanReader(std::shared_ptr<const Dataset> dataset, std::shared_ptr<const OpenTable> table,
             ScanPlan plan, const ScanSpec& spec)
      : dataset_(std::move(dataset)),
        table_(std::move(table)),
        plan_(std::move(plan)),
        ordered_(spec.ordered),
        read_ahead_bytes_(spec.read_ahead_bytes),
        num_threads_(static_cast<size_t>(table_->session->pool().num_threads())),
        source_(*table_, plan_, SizeOf(spec, num_threads_, plan_.has_filter()), true) {
    options_.batch_rows = std::max<uint64_t>(1, spec.batch_rows);
    options_.batch_bytes = std::max<uint64_t>(1, spec.batch_bytes);
    options_.stop_token = spec.stop_token;
    options_.is_cancelled = &shared_->is_cancelled;
    // Without a filter the plan has been cut to the rows wanted already.
    if (plan_.has_filter()) {
      to_skip_ = spec.offset;
      to_give_ = spec.limit;
    }
  }

  ~ScanReader() override { Stop(); }

  std::shared_ptr<arrow::Schema> schema() const override { return plan_.output.schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (!status_.ok()) return status_;
    status_ = FindNext(batch);
    if (!status_.ok() || *batch == nullptr) Stop();
    return status_;
  }

  arrow::Status Close() override {
    Stop();
    if (status_.ok()) status_ = MakeError(ErrorKind::kCancelled, "scan was closed");
    return arrow::Status::OK();
  }

 private:
  static MorselSize SizeOf(const ScanSpec& spec, size_t num_threads, bool has_filter) {
    // One morsel a thread is being worked on, and as many may wait.
    const uint64_t share = spec.read_ahead_bytes / (2 * num_threads + 1);
    return {.rows_first = std::max<uint64_t>(1, spec.batch_rows),
            .bytes = std::clamp(share, kMorselBytesMin, kMorselBytesMax),
            .rows_max = has_filter ? UINT64_MAX : std::max(spec.batch_rows, kMorselRows)};
  }

  arrow::Status FindNext(std::shared_ptr<arrow::RecordBatch>* batch) {
    while (!to_give_.has_value() || *to_give_ > 0) {
      if (next_ < current_.size()) {
        auto found = std::move(current_[next_++]);
        const auto rows = static_cast<uint64_t>(found->num_rows());
        const uint64_t skip = std::min(rows, to_skip_);
        const uint64_t give = std::min(rows - skip, to_give_.value_or(rows));
        to_skip_ -= skip;
        if (to_give_.has_value()) *to_give_ -= give;
        if (give == 0) continue;
        *batch = give == rows
                     ? std::move(found)
                     : found->Slice(static_cast<int64_t>(skip), static_cast<int64_t>(give));
        return arrow::Status::OK();
      }
      ARROW_RETURN_NOT_OK(Schedule());
      if (bytes_ahead_ == 0) break;
      ARROW_ASSIGN_OR_RAISE(current_, AwaitSlot());
      next_ = 0;
    }
    return arrow::Status::OK();
  }

  /// Puts morsels in line until enough is on its way, and calls helpers.
  arrow::Status Schedule() {
    while (!is_exhausted_ && (bytes_ahead_ == 0 || bytes_ahead_ < read_ahead_bytes_)) {
      if (options_.stop_token.IsStopRequested())
        return MakeError(ErrorKind::kCancelled, "scan was cancelled");
      ARROW_ASSIGN_OR_RAISE(auto next, source_.Next());
      if (!next.has_value()) {
        is_exhausted_ = true;
        break;
      }
      auto slot = std::make_shared<Slot>();
      slot->bytes = std::max<uint64_t>(1, next->bytes);
      slot->morsel = std::move(next->morsel);
      bytes_ahead_ += slot->bytes;
      const std::lock_guard lock(shared_->mutex);
      shared_->slots.push_back(std::move(slot));
      ++shared_->num_waiting;
    }
    CallHelpers();
    return arrow::Status::OK();
  }

  /// The consumer's thread works too while it waits, unless one thread is all there may be.
  bool ConsumerHelps() const { return num_threads_ > 1; }

  /// As many as there is work for beside the consumer's own, and threads for.
  void CallHelpers() {
    size_t num_new = 0;
    {
      const std::lock_guard lock(shared_->mutex);
      // A consumer whose batches are ready goes away with them.
      const size_t own = ConsumerHelps() && FirstReady() == shared_->slots.end() ? 1 : 0;
      const size_t for_helpers = shared_->num_waiting - std::min(shared_->num_waiting, own);
      const size_t threads = num_threads_ - (ConsumerHelps() ? 1 : 0);
      const size_t wanted = std::min(for_helpers + shared_->num_working, threads);
      num_new = wanted - std::min(wanted, shared_->num_called);
      shared_->num_called += num_new;
    }
    TaskPool& pool = table_->session->pool();
    for (size_t i = 0; i < num_new; ++i)
      pool.Submit([this, &pool, shared = shared_] { Help(this, pool, shared); });
  }

  /// Works on morsels until none waits, or until somebody else waits for the thread. The reader may
  /// be gone when this begins: then `shared` says so.
  static void Help(ScanReader* reader, TaskPool& pool, const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    ++shared->num_working;
    bool makes_room = false;
    while (!shared->is_cancelled && !makes_room) {
      const auto slot = shared->StartNext();
      if (slot == nullptr) break;
      reader->Work(*slot, &lock);
      makes_room = pool.has_queued() && shared->num_waiting > 0;
    }
    --shared->num_working;
    if (makes_room && !shared->is_cancelled) {
      pool.Submit([reader, &pool, shared] { Help(reader, pool, shared); });
    } else {
      --shared->num_called;
    }
    shared->changed.notify_all();
  }

  /// Reads a morsel, without the lock.
  void Work(Slot& slot, std::unique_lock<std::mutex>* lock) {
    lock->unlock();
    arrow::Result<Batches> batches = MakeError(ErrorKind::kCancelled, "scan was closed");
    if (!shared_->is_cancelled) batches = ReadMorsel(slot.morsel, options_);
    slot.morsel = {};
    lock->lock();
    slot.batches = std::move(batches);
    slot.state = Slot::State::kDone;
    shared_->changed.notify_all();
  }

  /// The slot whose batches are given out next, if it is done. Under the lock.
  std::deque<std::shared_ptr<Slot>>::iterator FirstReady() {
    auto& slots = shared_->slots;
    const auto is_done = [](const auto& slot) { return slot->state == Slot::State::kDone; };
    if (!ordered_) return std::find_if(slots.begin(), slots.end(), is_done);
    return !slots.empty() && is_done(slots.front()) ? slots.begin() : slots.end();
  }

  arrow::Result<Batches> AwaitSlot() {
    std::unique_lock lock(shared_->mutex);
    while (!shared_->is_cancelled) {
      if (const auto found = FirstReady(); found != shared_->slots.end()) {
        const std::shared_ptr<Slot> slot = *found;
        shared_->slots.erase(found);
        bytes_ahead_ -= slot->bytes;
        return std::move(slot->batches);
      }
      const auto slot = ConsumerHelps() ? shared_->StartNext() : nullptr;
      if (slot != nullptr) {
        Work(*slot, &lock);
      } else {
        shared_->changed.wait(lock);
      }
    }
    return MakeError(ErrorKind::kCancelled, "scan was closed");
  }

  void Stop() {
    std::unique_lock lock(shared_->mutex);
    shared_->is_cancelled = true;
    shared_->changed.notify_all();
    shared_->changed.wait(lock, [this] { return shared_->num_working == 0; });
    shared_->slots.clear();
    shared_->num_waiting = 0;
    current_.clear();
    next_ = 0;
    bytes_ahead_ = 0;
    is_exhausted_ = true;
  }

  const std::shared_ptr<const Dataset> dataset_;
  const std::shared_ptr<const OpenTable> table_;
  const ScanPlan plan_;
  const bool ordered_;
  const uint64_t read_ahead_bytes_;
  const size_t num_threads_;
  MorselOptions options_;
  MorselSource source_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  uint64_t bytes_ahead_ = 0;
  bool is_exhausted_ = false;
  Batches current_;
  size_t next_ = 0;
  uint64_t to_skip_ = 0;
  std::optional<uint64_t> to_give_;
  arrow::Status status_;
};

/// Cuts the steps to the live rows [offset, offset + limit).
arrow::Status CutToRows(const OpenTable& table, uint64_t offset, std::optional<uint64_t> limit,
                        std::vector<ScanStep>* steps) {
  if (offset == 0 && !limit.has_value()) return arrow::Status::OK();
  std::vector<ScanStep> kept;
  uint64_t left = limit.value_or(UINT64_MAX);
  for (ScanStep& step : *steps) {
    if (left == 0) break;
    const FragmentRows rows(*table.snapshot, *table.session, *step.fragment);
    ARROW_ASSIGN_OR_RAISE(const uint64_t live, rows.NumLiveRows());
    if (offset >= live) {
      offset -= live;
      continue;
    }
    const uint64_t take = std::min(left, live - offset);
    if (take < live) {
      ARROW_ASSIGN_OR_RAISE(const auto deletions, rows.Deletions());
      const auto first = deletions->LiveOffset(offset);
      const auto last = deletions->LiveOffset(offset + take - 1);
      if (!first.has_value() || !last.has_value()) {
        return MakeError(
            ErrorKind::kCorrupt,
            fmt::format("deletions of fragment {} leave fewer rows than the manifest says",
                        ToInteger(step.fragment->id)));
      }
      step.candidates = RowRanges{{ToInteger(*first), uint64_t{ToInteger(*last)} + 1}};
    }
    offset = 0;
    left -= take;
    kept.push_back(std::move(step));
  }
  *steps = std::move(kept);
  return arrow::Status::OK();
}

/// True if rows are cut out of what is read: Arrow does that.
bool DropsRows(const ScanPlan& plan) {
  return plan.has_filter() ||
         std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const ScanStep& step) { return step.fragment->deletion_file.has_value(); });
}

arrow::Result<ScanPlan> PlanWithIds(const Dataset& dataset, const ScanPlanInput& input) {
  ARROW_ASSIGN_OR_RAISE(ScanPlan plan, MakeScanPlan(input));
  if (input.filter.has_value() && input.manifest.has_stable_row_ids()) {
    ARROW_RETURN_NOT_OK(KeepRowIds(dataset, input.filter->row_ids(), &plan.steps));
  }
  return plan;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> ScanSchema(const Dataset& dataset,
                                                         const ColumnSelection& select) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenForReading(dataset));
  ARROW_ASSIGN_OR_RAISE(const Projection projection, MakeProjection(table->schema, select));
  return projection.schema;
}

arrow::Result<std::shared_ptr<arrow::Schema>> FilterSchema(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenForReading(dataset));
  ARROW_ASSIGN_OR_RAISE(auto schema, ToArrowSchema(table->schema, {BlobView::kDescriptors, true}));
  for (size_t i = 0; i < kNumSystemColumns; ++i) {
    const std::string name(NameOf(static_cast<SystemColumn>(i)));
    ARROW_ASSIGN_OR_RAISE(
        schema, schema->AddField(schema->num_fields(), arrow::field(name, arrow::uint64(), false)));
  }
  return schema;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan(
    std::shared_ptr<const Dataset> dataset, ScanSpec spec) {
  ARROW_ASSIGN_OR_RAISE(auto table, OpenForReading(*dataset));
  ARROW_ASSIGN_OR_RAISE(
      ScanPlan plan, PlanWithIds(*dataset, {table->snapshot->manifest, table->schema, spec.select,
                                            spec.filter, spec.fragments}));
  if (!plan.has_filter())
    ARROW_RETURN_NOT_OK(CutToRows(*table, spec.offset, spec.limit, &plan.steps));
  if (DropsRows(plan)) ARROW_RETURN_NOT_OK(LoadArrowFunctions());
  return std::make_shared<ScanReader>(std::move(dataset), std::move(table), std::move(plan), spec);
}

arrow::Result<uint64_t> CountRows(const Dataset& dataset, const CountSpec& spec) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenForReading(dataset));
  ColumnSelection no_columns;
  no_columns.columns.emplace();
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan,
                        PlanWithIds(dataset, {table->snapshot->manifest, table->schema, no_columns,
                                              spec.filter, spec.fragments}));
  uint64_t total = 0;
  if (!plan.has_filter()) {
    for (const ScanStep& step : plan.steps) {
      const FragmentRows rows(*table->snapshot, *table->session, *step.fragment);
      ARROW_ASSIGN_OR_RAISE(const uint64_t live, rows.NumLiveRows());
      total += live;
    }
    return total;
  }
  MorselOptions options;
  options.batch_rows = uint64_t{1} << 16;
  options.batch_bytes = kMorselBytesMax;
  options.stop_token = spec.stop_token;
  MorselSource source(*table, plan, {UINT64_MAX / 4, kMorselBytesMax}, false);
  std::vector<Morsel> morsels;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto next, source.Next());
    if (!next.has_value()) break;
    morsels.push_back(std::move(next->morsel));
  }
  std::vector<arrow::Result<uint64_t>> counts(morsels.size(), uint64_t{0});
  table->session->pool().ForEach(morsels.size(),
                                 [&](size_t i) { counts[i] = CountMorsel(morsels[i], options); });
  for (const auto& count : counts) {
    ARROW_RETURN_NOT_OK(count.status());
    total += *count;
  }
  return total;
}

}  // namespace pennon
