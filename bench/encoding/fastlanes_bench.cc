// Unpacking of one group by word and width: the ceiling of every bit-packed column.
#include "encoding/fastlanes.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace pennon {
namespace {

template <typename T>
void Unpack(benchmark::State& state) {
  const auto width = static_cast<unsigned>(state.range(0));
  const std::vector<uint8_t> packed(FastLanesBytes(sizeof(T) * 8), 0x5A);
  std::vector<uint8_t> out(kFastLanesGroup * sizeof(T));
  for (auto _ : state) {
    UnpackFastLanes<T>(packed.data(), width, out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kFastLanesGroup);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(Unpack<uint8_t>)->Arg(1)->Arg(5)->Arg(8);
BENCHMARK(Unpack<uint16_t>)->Arg(1)->Arg(9)->Arg(16);
BENCHMARK(Unpack<uint32_t>)->Arg(1)->Arg(10)->Arg(23)->Arg(32);
BENCHMARK(Unpack<uint64_t>)->Arg(1)->Arg(20)->Arg(51)->Arg(63)->Arg(64);

void OneValue(benchmark::State& state) {
  const std::vector<uint8_t> packed(FastLanesBytes(64), 0x5A);
  uint32_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(FastLanesValue<uint64_t>(packed.data(), 51, at));
    at = (at + 389) % kFastLanesGroup;
  }
}
BENCHMARK(OneValue);

}  // namespace
}  // namespace pennon
