// Runs reading tasks for bench/read.py: one JSON object a line comes in, one goes out with the time
// of that run. The process stays, so that caches and threads are as warm as the reference's in its
// own process.
#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "pennon/dataset/scan.h"
#include "pennon/dataset/take.h"

namespace {

using pennon::Dataset;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Counts what a task asks of the store.
class Counter : public pennon::StoreObserver {
 public:
  arrow::Status Before(const pennon::StoreEvent& event) override {
    if (event.call == pennon::StoreCall::kRead) {
      ++calls;
      bytes += event.num_bytes;
    }
    return arrow::Status::OK();
  }
  arrow::Status After(const pennon::StoreEvent&) override { return arrow::Status::OK(); }

  std::atomic<uint64_t> calls = 0;
  std::atomic<uint64_t> bytes = 0;
};

/// What an answer is compared by: rows, and sums over the columns that the tables of the benchmark
/// have.
struct Digest {
  uint64_t rows = 0;
  std::map<std::string, double> sums;

  void Add(const std::string& name, const arrow::Array& array) {
    double& sum = sums[name];
    switch (array.type_id()) {
      case arrow::Type::INT64:
      case arrow::Type::TIMESTAMP:
        for (int64_t i = 0; i < array.length(); ++i) {
          sum += static_cast<double>(array.data()->GetValues<int64_t>(1)[i] % 1000003);
        }
        break;
      case arrow::Type::UINT64:
        for (int64_t i = 0; i < array.length(); ++i) {
          sum += static_cast<double>(array.data()->GetValues<uint64_t>(1)[i] % 1000003);
        }
        break;
      case arrow::Type::DOUBLE:
        for (int64_t i = 0; i < array.length(); ++i) sum += array.data()->GetValues<double>(1)[i];
        break;
      case arrow::Type::STRING:
        sum += static_cast<double>(
            static_cast<const arrow::StringArray&>(array).total_values_length());
        break;
      case arrow::Type::FIXED_SIZE_LIST: {
        const auto items =
            static_cast<const arrow::FixedSizeListArray&>(array).Flatten().ValueOrDie();
        for (int64_t i = 0; i < items->length(); ++i) sum += items->data()->GetValues<float>(1)[i];
        break;
      }
      default:
        break;
    }
  }

  void Add(const arrow::RecordBatch& batch) {
    rows += static_cast<uint64_t>(batch.num_rows());
    for (int i = 0; i < batch.num_columns(); ++i) Add(batch.column_name(i), *batch.column(i));
  }
};

struct Session {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<Counter> counter = std::make_shared<Counter>();
};

arrow::Result<Session> Open(const Json& task) {
  Session session;
  pennon::OpenOptions options;
  if (task.value("count_calls", false)) options.observer = session.counter;
  ARROW_ASSIGN_OR_RAISE(session.dataset, Dataset::Open(task.at("table"), options));
  return session;
}

arrow::Result<pennon::ScanSpec> SpecOf(const Json& task, const Dataset& dataset) {
  pennon::ScanSpec spec;
  if (task.contains("columns"))
    spec.select.columns = task.at("columns").get<std::vector<std::string>>();
  spec.select.with_row_id = task.value("with_row_id", false);
  if (task.contains("where")) {
    ARROW_ASSIGN_OR_RAISE(const auto schema, pennon::FilterSchema(dataset));
    ARROW_ASSIGN_OR_RAISE(spec.filter,
                          pennon::ParseFilter(task.at("where").get<std::string>(), *schema));
  }
  if (task.contains("batch_rows")) spec.batch_rows = task.at("batch_rows");
  if (task.contains("read_ahead_bytes")) spec.read_ahead_bytes = task.at("read_ahead_bytes");
  return spec;
}

/// Runs one task; adds its rows to `digest` when there is one.
arrow::Result<uint64_t> Run(const Json& task, const Session& session, Digest* digest) {
  const std::string kind = task.at("kind");
  if (kind == "scan") {
    ARROW_ASSIGN_OR_RAISE(auto spec, SpecOf(task, *session.dataset));
    ARROW_ASSIGN_OR_RAISE(const auto reader, pennon::Scan(session.dataset, std::move(spec)));
    uint64_t rows = 0;
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
      if (batch == nullptr) return rows;
      rows += static_cast<uint64_t>(batch->num_rows());
      if (digest != nullptr) digest->Add(*batch);
    }
  }
  if (kind == "count") {
    ARROW_ASSIGN_OR_RAISE(const auto spec, SpecOf(task, *session.dataset));
    pennon::CountSpec count;
    count.filter = spec.filter;
    ARROW_ASSIGN_OR_RAISE(const uint64_t rows, pennon::CountRows(*session.dataset, count));
    if (digest != nullptr) digest->rows = rows;
    return rows;
  }
  if (kind == "take") {
    const auto addresses = task.at("addresses").get<std::vector<uint64_t>>();
    ARROW_ASSIGN_OR_RAISE(const auto table, pennon::TakeAddresses(*session.dataset, addresses));
    if (digest != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, table->CombineChunksToBatch());
      digest->Add(*batch);
    }
    return static_cast<uint64_t>(table->num_rows());
  }
  if (kind == "take_ids") {
    const auto ids = task.at("ids").get<std::vector<uint64_t>>();
    ARROW_ASSIGN_OR_RAISE(const auto found, pennon::TakeRowIdsFound(*session.dataset, ids));
    if (digest != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, found.rows->CombineChunksToBatch());
      digest->Add(*batch);
    }
    return static_cast<uint64_t>(found.rows->num_rows());
  }
  if (kind == "copy") {
    // A plain copy of as many bytes as a column decodes to.
    static std::vector<char> from;
    static std::vector<char> to;
    const auto size = task.at("bytes").get<size_t>();
    if (from.size() != size) {
      from.assign(size, 1);
      to.assign(size, 2);
    }
    std::memcpy(to.data(), from.data(), size);
    return static_cast<uint64_t>(static_cast<unsigned char>(to[size / 2]));
  }
  return pennon::MakeError(pennon::ErrorKind::kInvalidArgument, "no such task: " + kind);
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What this process held at most; getrusage would count what its parent held when it was forked.
uint64_t PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

arrow::Result<Json> Answer(const Json& task, std::map<std::string, Session>* sessions) {
  const std::string key =
      task.value("table", "") + (task.value("count_calls", false) ? " counted" : "");
  const bool opens = task.value("opens", false);  // opening belongs to the task
  if (task.at("kind") != "copy" && !opens && !sessions->contains(key)) {
    ARROW_ASSIGN_OR_RAISE((*sessions)[key], Open(task));
  }
  Digest digest;
  const bool wants_digest = task.value("digest", false);
  const double cpu_before = CpuSeconds();
  const auto begin = Clock::now();
  if (opens) {
    ARROW_ASSIGN_OR_RAISE((*sessions)[key], Open(task));
  }
  const Session& session = (*sessions)[key];
  if (!opens) {
    session.counter->calls = 0;
    session.counter->bytes = 0;
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t rows, Run(task, session, wants_digest ? &digest : nullptr));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  Json out = {{"rows", rows},
              {"seconds", seconds},
              {"cpu_seconds", CpuSeconds() - cpu_before},
              {"calls", session.counter->calls.load()},
              {"bytes", session.counter->bytes.load()},
              {"peak_bytes", PeakBytes()}};
  if (wants_digest) {
    for (const auto& [name, sum] : digest.sums) out["sums"][name] = sum;
  }
  return out;
}

}  // namespace

int main() {
  std::map<std::string, Session> sessions;
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = Answer(Json::parse(line), &sessions);
    if (!answer.ok()) {
      std::cout << Json{{"error", answer.status().ToString()}}.dump() << std::endl;
      continue;
    }
    std::cout << answer->dump() << std::endl;
  }
  return 0;
}
