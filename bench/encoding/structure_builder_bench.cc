// Unravelling of levels: plain nullable columns, and lists by their length.
#include "encoding/structure_builder.h"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

namespace pennon {
namespace {

constexpr size_t kSlots = 8192;

void NullableItems(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<uint16_t> def(kSlots);
  for (uint16_t& level : def) level = random() % 10 == 0;
  const Layers layers{LayerKind::kNullableItem};
  StructureBuilder builder({StructureNode{}}, 1, {});
  for (auto _ : state) {
    Levels levels;
    levels.has_def = true;
    levels.def = def;
    levels.num_slots = kSlots;
    benchmark::DoNotOptimize(builder.Append(layers, levels, kSlots).ok());
    benchmark::DoNotOptimize(builder.Finish(0).ok());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSlots));
}
BENCHMARK(NullableItems);

void Lists(benchmark::State& state) {
  std::mt19937 random(1);
  const auto mean = static_cast<unsigned>(state.range(0));
  std::vector<uint16_t> rep, def;
  uint64_t num_rows = 0;
  while (rep.size() < kSlots) {
    const auto length = static_cast<unsigned>(random() % (2 * mean + 1));
    ++num_rows;
    rep.push_back(1);
    def.push_back(length == 0 ? 2 : 0);
    for (unsigned i = 1; i < length; ++i) {
      rep.push_back(0);
      def.push_back(random() % 20 == 0 ? 1 : 0);
    }
  }
  const Layers layers{LayerKind::kNullableItem, LayerKind::kEmptyableList};
  StructureBuilder builder({StructureNode{}, StructureNode{true, false, 1}}, 2, {});
  for (auto _ : state) {
    // Append uses the levels up.
    std::vector<uint16_t> rep_copy = rep;
    std::vector<uint16_t> def_copy = def;
    Levels levels{true, true, rep_copy, def_copy, rep.size()};
    benchmark::DoNotOptimize(builder.Append(layers, levels, num_rows).ok());
    benchmark::DoNotOptimize(builder.Finish(0).ok());
    benchmark::DoNotOptimize(builder.Finish(1).ok());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rep.size()));
}
BENCHMARK(Lists)->Arg(1)->Arg(5)->Arg(50);

}  // namespace
}  // namespace pennon
