// Membership, rank, live rows and bytes of deletion vectors, by shape: few scattered rows, every other row, long runs.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "rowset/deletion_vector.h"
#include "rowset/roaring.h"

namespace pennon {
namespace {

constexpr uint32_t kRows = 10'000'000;
enum Shape : int64_t { kScattered, kEveryOther, kRuns };

DeletionVector Make(int64_t shape) {
  std::vector<uint32_t> offsets;
  std::mt19937 random(1);
  if (shape == kScattered) {
    for (int i = 0; i < 4000; ++i) offsets.push_back(random() % kRows);
  }
  if (shape == kEveryOther) {
    for (uint32_t row = 0; row < kRows; row += 2) offsets.push_back(row);
  }
  for (uint32_t row = 0; shape == kRuns && row < kRows; row += 20'000) {
    for (uint32_t i = 0; i < 7'000; ++i) offsets.push_back(row + i);
  }
  return DeletionVector::FromOffsets(std::move(offsets));
}

std::vector<uint32_t> Questions() {
  std::mt19937 random(2);
  std::vector<uint32_t> questions(4096);
  for (uint32_t& question : questions) question = random() % kRows;
  return questions;
}

void Label(benchmark::State& state, const DeletionVector& deletions) {
  static const char* const kNames[] = {"scattered", "every_other", "runs"};
  state.SetLabel(kNames[state.range(0)]);
  state.counters["bytes"] = static_cast<double>(deletions.memory_bytes());
}

void Contains(benchmark::State& state) {
  const DeletionVector deletions = Make(state.range(0));
  const auto questions = Questions();
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(deletions.Contains(RowOffset{questions[i++ % 4096]}));
  Label(state, deletions);
}

void Rank(benchmark::State& state) {
  const DeletionVector deletions = Make(state.range(0));
  const auto questions = Questions();
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(deletions.Rank(questions[i++ % 4096]));
  Label(state, deletions);
}

void LiveOffset(benchmark::State& state) {
  const DeletionVector deletions = Make(state.range(0));
  const auto questions = Questions();
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(deletions.LiveOffset(questions[i++ % 4096] / 2));
  Label(state, deletions);
}

void LiveRanges(benchmark::State& state) {
  const DeletionVector deletions = Make(state.range(0));
  for (auto _ : state) {
    LiveRangeCursor cursor(deletions, {0, kRows});
    uint64_t rows = 0;
    for (OffsetRange run; cursor.Next(&run);) rows += run.size();
    benchmark::DoNotOptimize(rows);
  }
  Label(state, deletions);
}

void Decode(benchmark::State& state) {
  const DeletionVector deletions = Make(state.range(0));
  const std::string bytes = EncodeRoaring(deletions.offsets());
  for (auto _ : state) benchmark::DoNotOptimize(DecodeRoaring(bytes).ok());
  Label(state, deletions);
  state.counters["encoded"] = static_cast<double>(bytes.size());
}

BENCHMARK(Contains)->DenseRange(kScattered, kRuns);
BENCHMARK(Rank)->DenseRange(kScattered, kRuns);
BENCHMARK(LiveOffset)->DenseRange(kScattered, kRuns);
BENCHMARK(LiveRanges)->DenseRange(kScattered, kRuns)->Unit(benchmark::kMicrosecond);
BENCHMARK(Decode)->DenseRange(kScattered, kRuns)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pennon
