// Our side of ./dev bench rowids; bench/vs_reference/rowids is the other.
//   names KIND | write NAME FILE | index FILE ANSWERS BATCH | sequence FILE ANSWERS | lineage FILE
//   ANSWERS | scale
// Prints one JSON object of figures: nanoseconds of CPU, the least of several rounds.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rowids/row_id_index.h"
#include "rowids/segment_encoder.h"
#include "rowids/version_sequence.h"
#include "scenario_file.h"
#include "scenarios.h"

namespace pennon::bench {
namespace {

uint64_t CpuNs() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// Keeps the compiler from dropping what is not used.
template <typename T>
void Use(const T& value) {
  asm volatile("" : : "r,m"(&value) : "memory");
}

// The least time of several rounds: at least `rounds`, and more while they are short.
template <typename Round>
uint64_t Least(int rounds, Round&& round) {
  uint64_t best = ~uint64_t{0};
  const uint64_t begin = CpuNs();
  for (int done = 0; done < rounds || (CpuNs() - begin < 200'000'000 && done < 1000); ++done) {
    const uint64_t start = CpuNs();
    round();
    best = std::min(best, CpuNs() - start);
  }
  return best;
}

double Each(uint64_t ns, size_t count) {
  return static_cast<double>(ns) / static_cast<double>(count);
}

void SaveWords(const std::string& path, const std::vector<uint64_t>& words) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(words.size() * sizeof(uint64_t)));
}

// Deletion vectors that are in memory already, as the reference has them.
class LoadedSource : public RowIdSource {
 public:
  explicit LoadedSource(std::vector<DeletionVector> deletions) : deletions_(std::move(deletions)) {}
  arrow::Result<std::vector<DeletionVector>> LoadDeletions(
      std::span<const FragmentId> fragments) override {
    std::vector<DeletionVector> loaded;
    for (const FragmentId id : fragments) loaded.push_back(deletions_[ToInteger(id)]);
    return loaded;
  }
  arrow::Result<std::vector<RowIdSequence>> LoadSequences(std::span<const FragmentId>) override {
    return std::vector<RowIdSequence>{};
  }

 private:
  std::vector<DeletionVector> deletions_;
};

struct Table {
  std::vector<std::string> row_ids;
  std::vector<IndexedFragment> fragments;
  RowIdIndexInput input;
};

std::unique_ptr<Table> ReadTable(ScenarioReader* reader) {
  auto table = std::make_unique<Table>();
  const uint64_t num_fragments = reader->Number();
  table->input.next_row_id = reader->Number();
  std::vector<DeletionVector> deletions;
  for (uint64_t i = 0; i < num_fragments; ++i) {
    IndexedFragment fragment{.id = FragmentId{static_cast<uint32_t>(reader->Number())}};
    fragment.physical_rows = reader->Number();
    table->row_ids.push_back(reader->Blob());
    const auto deleted = reader->Words();
    fragment.has_deletions = !deleted.empty();
    deletions.push_back(DeletionVector::FromOffsets({deleted.begin(), deleted.end()}));
    table->fragments.push_back(fragment);
  }
  for (size_t i = 0; i < num_fragments; ++i) table->fragments[i].row_ids = table->row_ids[i];
  table->input.fragments = table->fragments;
  table->input.source = std::make_shared<LoadedSource>(std::move(deletions));
  return table;
}

std::shared_ptr<const RowIdIndex> MakeIndex(const Table& table) {
  return RowIdIndex::Make(table.input).ValueOrDie();
}

int RunIndex(const std::string& path, const std::string& answers_path, size_t batch) {
  ScenarioReader reader(path);
  const auto table = ReadTable(&reader);
  const auto questions = reader.Words();
  const uint64_t first_ns =
      Least(3, [&] { Use(MakeIndex(*table)->Find(RowId{questions[0]}).ValueOrDie()); });

  // Every round starts from the bytes, so what the index makes on the way is paid for in each.
  std::vector<uint64_t> answers(questions.size());
  uint64_t all_ns = ~uint64_t{0};
  uint64_t warm_ns = ~uint64_t{0};
  uint64_t memory_bytes = 0;
  for (int round = 0; round < 3; ++round) {
    const uint64_t start = CpuNs();
    const auto index = MakeIndex(*table);
    for (size_t i = 0; i < questions.size(); ++i) {
      const auto location = index->Find(RowId{questions[i]}).ValueOrDie();
      answers[i] = location.state == RowState::kLive ? ToInteger(location.address) : ~uint64_t{0};
    }
    const uint64_t end = CpuNs();
    all_ns = std::min(all_ns, end - start);
    for (const uint64_t id : questions) Use(index->Find(RowId{id}).ValueOrDie());
    warm_ns = std::min(warm_ns, CpuNs() - end);
    memory_bytes = index->memory_bytes();
  }
  SaveWords(answers_path, answers);

  const std::span<const uint64_t> unsorted(questions.data(), std::min(batch, questions.size()));
  std::vector<uint64_t> sorted(unsorted.begin(), unsorted.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<RowLocation> locations(sorted.size());
  const auto index = MakeIndex(*table);
  for (const uint64_t id : questions) Use(index->Find(RowId{id}).ValueOrDie());
  const uint64_t unsorted_ns = Least(3, [&] { Use(index->FindMany(unsorted, locations).ok()); });
  for (size_t i = 0; i < unsorted.size(); ++i) {
    const bool same =
        (locations[i].state == RowState::kLive) == (answers[i] != ~uint64_t{0}) &&
        (locations[i].state != RowState::kLive || ToInteger(locations[i].address) == answers[i]);
    if (!same) return std::fprintf(stderr, "a batch answers otherwise than single look-ups\n"), 1;
  }
  const uint64_t sorted_ns = Least(3, [&] { Use(index->FindMany(sorted, locations).ok()); });
  // A batch that comes first, before anything was asked.
  const uint64_t cold_batch_ns =
      Least(3, [&] { Use(MakeIndex(*table)->FindMany(unsorted, locations).ok()); });
  std::printf(
      "{\"first_ns\": %lu, \"all_ns\": %lu, \"each_ns\": %.2f, \"warm_ns\": %.2f, \"unsorted_ns\": "
      "%.2f, "
      "\"sorted_ns\": %.2f, \"cold_batch_ns\": %.2f, \"memory_bytes\": %lu}\n",
      first_ns, all_ns, Each(all_ns - std::min(all_ns, first_ns), questions.size()),
      Each(warm_ns, questions.size()), Each(unsorted_ns, unsorted.size()),
      Each(sorted_ns, sorted.size()), Each(cold_batch_ns, unsorted.size()), memory_bytes);
  return 0;
}

void AppendIds(const RowIdSequence& sequence, std::vector<uint64_t>* answers) {
  const auto ids = sequence.ToVector().ValueOrDie();
  answers->insert(answers->end(), ids.begin(), ids.end());
}

int RunSequence(const std::string& path, const std::string& answers_path) {
  ScenarioReader reader(path);
  const std::string encoded = reader.Blob();
  const auto offsets = reader.Words();
  const auto words = reader.Words();
  const std::vector<uint32_t> masked(words.begin(), words.end());
  const auto open = [&] { return DecodeRowIdSequence(encoded, nullptr).ValueOrDie(); };
  const auto sequence = open();
  const uint64_t size = sequence.size();
  std::vector<uint64_t> answers;
  AppendIds(sequence, &answers);
  for (const uint64_t offset : offsets) {
    answers.push_back(ToInteger(sequence.Get(RowOffset{static_cast<uint32_t>(offset)})));
  }
  const uint64_t open_ns = Least(5, [&] { Use(open()); });
  const uint64_t read_ns = Least(5, [&] { Use(open().Validate().ok()); });
  const uint64_t write_ns =
      Least(5, [&] { Use(EncodeRowIdSequence(sequence, FormChoice::kReference).ValueOrDie()); });
  // From plain ids, form chosen on the way.
  const auto ids = sequence.ToVector().ValueOrDie();
  const uint64_t encode_ns =
      Least(5, [&] { Use(EncodeRowIdSequence(ids, FormChoice::kSmallest)); });
  // A fresh sequence for each round: what the first look-up makes is paid for.
  const uint64_t get_ns = Least(3, [&] {
    const auto fresh = open();
    for (const uint64_t offset : offsets) Use(fresh.Get(RowOffset{static_cast<uint32_t>(offset)}));
  });
  std::vector<uint64_t> buffer(size);
  const uint64_t iterate_ns = Least(3, [&] { Use(open().Read(0, buffer).ok()); });
  const uint64_t slice_ns = Least(3, [&] { Use(open().Slice(size / 2, 1000).ValueOrDie()); });
  const uint64_t mask_ns = Least(3, [&] { Use(open().Mask(masked).ValueOrDie()); });
  AppendIds(sequence.Mask(masked).ValueOrDie(), &answers);
  const std::vector<uint64_t> sizes = {size / 4, size / 4, size / 4, size / 4, size % 4};
  const uint64_t rechunk_ns = Least(3, [&] {
    const std::vector<RowIdSequence> sequences = {open()};
    Use(Rechunk(sequences, sizes, false).ValueOrDie());
  });
  const std::vector<RowIdSequence> sequences = {sequence};
  for (const auto& chunk : Rechunk(sequences, sizes, false).ValueOrDie())
    AppendIds(chunk, &answers);
  SaveWords(answers_path, answers);
  std::printf(
      "{\"open_ns\": %lu, \"read_ns\": %lu, \"write_ns\": %lu, \"encode_ns\": %lu, \"get_ns\": "
      "%.2f, "
      "\"iterate_ns\": %lu, \"slice_ns\": %lu, \"mask_ns\": %lu, \"rechunk_ns\": %lu, \"ids\": "
      "%lu, "
      "\"encoded_bytes\": %zu, \"smallest_bytes\": %zu}\n",
      open_ns, read_ns, write_ns, encode_ns, Each(get_ns, offsets.size()), iterate_ns, slice_ns,
      mask_ns, rechunk_ns, size, encoded.size(),
      EncodeRowIdSequence(ids, FormChoice::kSmallest).size());
  return 0;
}

int RunLineage(const std::string& path, const std::string& answers_path) {
  ScenarioReader reader(path);
  const std::string encoded = reader.Blob();
  const auto offsets = reader.Words();
  const auto sequence = DecodeVersionSequence(encoded).ValueOrDie();
  std::vector<uint64_t> answers(sequence.size());
  if (!sequence.Read(0, answers).ok()) return 1;
  for (const uint64_t offset : offsets) {
    answers.push_back(ToInteger(sequence.VersionAt(RowOffset{static_cast<uint32_t>(offset)})));
  }
  SaveWords(answers_path, answers);
  const uint64_t read_ns = Least(3, [&] { Use(DecodeVersionSequence(encoded).ValueOrDie()); });
  const uint64_t write_ns = Least(3, [&] { Use(sequence.Encode()); });
  const uint64_t at_ns = Least(3, [&] {
    for (const uint64_t offset : offsets)
      Use(sequence.VersionAt(RowOffset{static_cast<uint32_t>(offset)}));
  });
  std::printf("{\"read_ns\": %lu, \"write_ns\": %lu, \"at_ns\": %.2f}\n", read_ns, write_ns,
              Each(at_ns, offsets.size()));
  return 0;
}

// 18,000 fragments of 833,333 rows, nine in ten with holes: 15 billion ids from one manifest.
int RunScale() {
  constexpr uint64_t kFragments = 18'000;
  constexpr uint64_t kRows = 833'333;
  std::vector<std::string> forms;
  std::mt19937_64 random(5);
  Table table;
  uint64_t encoded_bytes = 0;
  uint64_t id = 0;
  std::vector<uint64_t> absent;
  for (uint64_t i = 0; i < kFragments; ++i) {
    SequenceWriter writer;
    if (i % 10 == 0) {
      writer.AddRange(id, id + kRows, false);
      id += kRows;
    } else {
      // Holes come one by one, some hundreds of them.
      RunStatistics statistics;
      std::vector<std::pair<uint64_t, uint64_t>> runs;
      for (uint64_t left = kRows; left > 0;) {
        const uint64_t length = std::min<uint64_t>(left, 1 + random() % 3000);
        runs.emplace_back(id, length);
        statistics.Add(id, length);
        left -= length;
        id += length + 1;
      }
      absent.push_back(id - 1);
      writer.AddRuns(statistics, ChooseForm(statistics, FormChoice::kReference), false,
                     [&](auto&& fn) {
                       for (const auto& [first, length] : runs) fn(first, length);
                     });
    }
    table.row_ids.push_back(writer.Finish());
    encoded_bytes += table.row_ids.back().size();
  }
  for (uint64_t i = 0; i < kFragments; ++i) {
    table.fragments.push_back({.id = FragmentId{static_cast<uint32_t>(i)},
                               .physical_rows = kRows,
                               .row_ids = table.row_ids[i]});
  }
  table.input.fragments = table.fragments;
  table.input.next_row_id = id;
  uint64_t memory_bytes = 0;
  const uint64_t first_ns = Least(3, [&] {
    const auto index = MakeIndex(table);
    Use(index->Find(RowId{id / 3}).ValueOrDie());
    memory_bytes = index->memory_bytes();
  });
  const auto index = MakeIndex(table);
  for (const uint64_t gone : absent) {
    if (index->Find(RowId{gone - 1}).ValueOrDie().state != RowState::kLive) return 1;
  }
  std::printf(
      "{\"first_ns\": %lu, \"encoded_bytes\": %lu, \"memory_bytes\": %lu, "
      "\"touched_memory_bytes\": %lu}\n",
      first_ns, encoded_bytes, memory_bytes, index->memory_bytes());
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  const std::string job = arguments.empty() ? "" : arguments[0];
  if (job == "names" && arguments.size() == 2) {
    for (const auto& name : ScenarioNames(arguments[1])) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (job == "write" && arguments.size() == 3)
    return WriteScenario(arguments[1], arguments[2]) ? 0 : 1;
  if (job == "index" && arguments.size() == 4) {
    return RunIndex(arguments[1], arguments[2], std::strtoull(arguments[3].c_str(), nullptr, 10));
  }
  if (job == "sequence" && arguments.size() == 3) return RunSequence(arguments[1], arguments[2]);
  if (job == "lineage" && arguments.size() == 3) return RunLineage(arguments[1], arguments[2]);
  if (job == "scale") return RunScale();
  return std::fprintf(stderr, "unknown job\n"), 2;
}

}  // namespace
}  // namespace pennon::bench

int main(int argc, char** argv) { return pennon::bench::Main({argv + 1, argv + argc}); }
