// Decoding of FSST-coded strings, value by value and as one run, by the length of the strings.
#include "encoding/fsst.h"

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "base/little_endian.h"

namespace pennon {
namespace {

constexpr size_t kCodedBytes = 4096;

FsstTable MakeTable() {
  // 255 symbols of one to eight bytes, four on average, as tables of real text have them.
  std::string table;
  AppendLittleEndian<uint64_t>(table, (uint64_t{0x46535354} << 32) | (1u << 24) | 255u);
  std::string lengths;
  for (int i = 0; i < 255; ++i) {
    table += "abcdefgh";
    lengths.push_back(static_cast<char>(1 + i % 7));
  }
  table += lengths;
  table.resize(2312, '\0');
  return FsstTable::Parse(table).ValueOrDie();
}

std::vector<uint8_t> MakeCodes() {
  std::mt19937 random(1);
  std::vector<uint8_t> codes(kCodedBytes);
  for (uint8_t& code : codes) code = static_cast<uint8_t>(random() % 255);
  return codes;
}

void ValueByValue(benchmark::State& state) {
  const FsstTable table = MakeTable();
  const auto codes = MakeCodes();
  const auto step = static_cast<size_t>(state.range(0));
  std::vector<uint8_t> out(table.DecodedBytesMax(kCodedBytes) + FsstTable::kSlackBytes);
  uint8_t* end = nullptr;
  for (auto _ : state) {
    end = out.data();
    for (size_t at = 0; at < codes.size(); at += step) {
      end = table.Decode(std::span(codes).subspan(at, std::min(step, codes.size() - at)), end);
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (end - out.data()));
}
BENCHMARK(ValueByValue)->Arg(3)->Arg(7)->Arg(30)->Arg(500);

void OneRun(benchmark::State& state) {
  const FsstTable table = MakeTable();
  const auto codes = MakeCodes();
  std::vector<uint8_t> out(table.DecodedBytesMax(kCodedBytes) + FsstTable::kSlackBytes);
  std::vector<uint32_t> positions(kCodedBytes + 1);
  uint8_t* end = nullptr;
  for (auto _ : state) {
    end = table.DecodeRun(codes, out.data(), positions.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (end - out.data()));
}
BENCHMARK(OneRun);

}  // namespace
}  // namespace pennon
