// What a filter costs: parsing, and rows a second of the forms that scans meet most.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <benchmark/benchmark.h>

#include <random>

#include "base/arrow_functions.h"
#include "pennon/dataset/filter.h"

namespace {

/// 64 batches of 8,192 rows: uniform scores in [0, 1), ids, texts of 16 bytes, a tenth of the hints
/// null.
const arrow::RecordBatchVector& Batches() {
  static const arrow::RecordBatchVector batches = [] {
    constexpr int kBatches = 64, kRows = 8192;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    arrow::RecordBatchVector made;
    for (int b = 0; b < kBatches; ++b) {
      arrow::Int64Builder ids;
      arrow::DoubleBuilder scores;
      arrow::StringBuilder texts;
      arrow::Int32Builder hints;
      for (int i = 0; i < kRows; ++i) {
        (void)ids.Append(b * kRows + i);
        (void)scores.Append(uniform(random));
        (void)texts.Append("user-" + std::to_string(10'000'000'000 + random() % 1'000'000));
        (void)(random() % 10 == 0 ? hints.AppendNull()
                                  : hints.Append(static_cast<int32_t>(random() % 1000)));
      }
      const auto schema = arrow::schema(
          {arrow::field("id", arrow::int64()), arrow::field("score", arrow::float64()),
           arrow::field("name", arrow::utf8()), arrow::field("hint", arrow::int32())});
      made.push_back(arrow::RecordBatch::Make(
          schema, kRows,
          arrow::ArrayVector{*ids.Finish(), *scores.Finish(), *texts.Finish(), *hints.Finish()}));
    }
    return made;
  }();
  return batches;
}

int64_t NumRows() {
  int64_t rows = 0;
  for (const auto& batch : Batches()) rows += batch->num_rows();
  return rows;
}

void Evaluate(benchmark::State& state, const char* sql) {
  const auto filter = pennon::ParseFilter(sql, *Batches()[0]->schema());
  if (!filter.ok()) return state.SkipWithError(filter.status().ToString().c_str());
  int64_t passing = 0;
  for (auto _ : state) {
    passing = 0;
    for (const auto& batch : Batches()) passing += filter->Evaluate(*batch)->count();
    benchmark::DoNotOptimize(passing);
  }
  state.SetItemsProcessed(state.iterations() * NumRows());
  state.counters["passing"] = static_cast<double>(passing) / static_cast<double>(NumRows());
}

BENCHMARK_CAPTURE(Evaluate, one_percent, "score > 0.99");
BENCHMARK_CAPTURE(Evaluate, half, "score > 0.5");
BENCHMARK_CAPTURE(Evaluate, range, "id between 1000 and 200000");
BENCHMARK_CAPTURE(Evaluate, with_nulls, "hint < 500");
BENCHMARK_CAPTURE(Evaluate, two_terms, "score > 0.5 and hint < 500");
BENCHMARK_CAPTURE(Evaluate, text_equal, "name = 'user-10000000017'");
BENCHMARK_CAPTURE(Evaluate, text_behind_number, "score > 0.99 and name like '%7'");
BENCHMARK_CAPTURE(Evaluate, like_part, "name like '%777%'");
BENCHMARK_CAPTURE(Evaluate, in_list, "hint in (1, 5, 17, 333, 777)");
BENCHMARK_CAPTURE(Evaluate, arithmetic, "id % 10 = 3");

/// The same predicate by Arrow's own functions, for comparison.
void ArrowGreater(benchmark::State& state) {
  (void)pennon::LoadArrowFunctions();
  const arrow::Datum constant(0.99);
  for (auto _ : state) {
    int64_t passing = 0;
    for (const auto& batch : Batches()) {
      const auto mask = arrow::compute::CallFunction("greater", {batch->column(1), constant});
      passing += static_cast<const arrow::BooleanArray&>(*mask->make_array()).true_count();
    }
    benchmark::DoNotOptimize(passing);
  }
  state.SetItemsProcessed(state.iterations() * NumRows());
}
BENCHMARK(ArrowGreater);

void Parse(benchmark::State& state, const char* sql) {
  const auto schema = Batches()[0]->schema();
  for (auto _ : state) benchmark::DoNotOptimize(pennon::ParseFilter(sql, *schema).ok());
}
BENCHMARK_CAPTURE(Parse, simple, "score > 0.99");
BENCHMARK_CAPTURE(Parse, several_terms,
                  "score > 0.5 and (name like 'user-1%' or hint in (1, 2, 3)) and id % 10 = 3");

void Rows(benchmark::State& state) {
  const auto filter = pennon::ParseFilter("score > 0.99", *Batches()[0]->schema());
  for (auto _ : state) {
    for (const auto& batch : Batches())
      benchmark::DoNotOptimize(filter->Evaluate(*batch)->Rows().size());
  }
  state.SetItemsProcessed(state.iterations() * NumRows());
}
BENCHMARK(Rows);

}  // namespace
