// Proving that no id is live twice: fresh fragments, fragments whose rows were updated here and there, shuffled ids.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "dataset/live_twice.h"
#include "rowids/segment_encoder.h"

namespace pennon {
namespace {

constexpr uint64_t kFragmentRows = 100'000;

LiveIds Fragment(size_t number, const std::vector<uint64_t>& ids, std::vector<uint32_t> deleted) {
  const auto bytes = EncodeRowIdSequence(ids, FormChoice::kSmallest);
  return {FragmentId{static_cast<uint32_t>(number)}, DecodeRowIdSequence(bytes).ValueOrDie(),
          DeletionVector::FromOffsets(std::move(deleted))};
}

void Run(benchmark::State& state, const std::vector<LiveIds>& fragments, uint64_t rows) {
  uint64_t found = 0;
  for (auto _ : state) FindLiveTwice(fragments, 1 << 25, [&](const LiveTwice&) { ++found; });
  if (found != 0) state.SkipWithError("ids were found twice");
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * rows));
}

void FreshFragments(benchmark::State& state) {
  std::vector<LiveIds> fragments;
  const auto num_fragments = static_cast<uint64_t>(state.range(0));
  for (uint64_t i = 0; i < num_fragments; ++i) {
    const auto bytes = RangeRowIds(i * kFragmentRows, (i + 1) * kFragmentRows);
    fragments.push_back({FragmentId{static_cast<uint32_t>(i)}, DecodeRowIdSequence(bytes).ValueOrDie(), {}});
  }
  Run(state, fragments, num_fragments * kFragmentRows);
}

// 50 fragments, 1 % of the rows moved to new ones.
void UpdatedFragments(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::vector<LiveIds> fragments;
  std::vector<uint64_t> moved;
  for (uint64_t i = 0; i < 50; ++i) {
    std::vector<uint32_t> deleted;
    for (uint32_t row = 0; row < kFragmentRows; ++row) {
      if (random() % 100 != 0) continue;
      deleted.push_back(row);
      moved.push_back(i * kFragmentRows + row);
    }
    const auto bytes = RangeRowIds(i * kFragmentRows, (i + 1) * kFragmentRows);
    fragments.push_back({FragmentId{static_cast<uint32_t>(i)}, DecodeRowIdSequence(bytes).ValueOrDie(),
                         DeletionVector::FromOffsets(std::move(deleted))});
  }
  std::shuffle(moved.begin(), moved.end(), random);
  fragments.push_back(Fragment(fragments.size(), moved, {}));
  Run(state, fragments, 50 * kFragmentRows);
}

// 5 million ids dealt to 50 fragments at random; sorted inside a fragment or not.
void ShuffledFragments(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> ids(50 * kFragmentRows);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  std::shuffle(ids.begin(), ids.end(), random);
  std::vector<LiveIds> fragments;
  for (size_t i = 0; i < 50; ++i) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(i * kFragmentRows);
    std::vector<uint64_t> part(begin, begin + kFragmentRows);
    if (state.range(0) != 0) std::sort(part.begin(), part.end());
    fragments.push_back(Fragment(i, part, {}));
  }
  Run(state, fragments, ids.size());
}

BENCHMARK(FreshFragments)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(UpdatedFragments)->Unit(benchmark::kMillisecond);
BENCHMARK(ShuffledFragments)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pennon
