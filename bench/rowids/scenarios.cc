#include "scenarios.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "rowids/segment_encoder.h"
#include "rowids/version_sequence.h"
#include "scenario_file.h"

namespace pennon::bench {
namespace {

using Ids = std::vector<uint64_t>;
using Random = std::mt19937_64;

struct Fragment {
  uint64_t num_rows = 0;
  std::string row_ids;
  Ids deleted;
};

// A table and the ids that a question may be about.
struct Table {
  std::vector<Fragment> fragments;
  uint64_t next_row_id = 0;
  Ids known;  // empty: all ids below the counter
};

constexpr uint64_t kIds = 10'000'000;

// The bytes are always those that the reference engine would have written.
std::string Encoded(const Ids& ids) { return EncodeRowIdSequence(ids, FormChoice::kReference); }

Fragment MakeFragment(const Ids& ids) { return {ids.size(), Encoded(ids), {}}; }

Ids Iota(uint64_t begin, uint64_t end) {
  Ids ids(end - begin);
  std::iota(ids.begin(), ids.end(), begin);
  return ids;
}

Ids SomeOffsets(uint64_t num_rows, uint64_t per_mille, Random& random) {
  Ids offsets;
  for (uint64_t i = 0; i < num_rows; ++i) {
    if (random() % 1000 < per_mille) offsets.push_back(i);
  }
  return offsets;
}

Table Ranges(uint64_t num_fragments, uint64_t rows, uint64_t deleted_per_mille) {
  Random random(num_fragments + deleted_per_mille);
  Table table;
  for (uint64_t i = 0; i < num_fragments; ++i) {
    Fragment fragment{rows, RangeRowIds(i * rows, (i + 1) * rows), {}};
    if (deleted_per_mille > 0) fragment.deleted = SomeOffsets(rows, deleted_per_mille, random);
    table.fragments.push_back(std::move(fragment));
  }
  table.next_row_id = num_fragments * rows;
  return table;
}

// Ten fragments of a million ids, of which `keep(i)` chooses from all numbers.
Table Kept(const std::function<bool(uint64_t, Random&)>& keep) {
  Random random(11);
  Table table;
  Ids ids;
  for (uint64_t id = 0; table.fragments.size() < 10; ++id) {
    if (!keep(id, random)) continue;
    ids.push_back(id);
    table.known.push_back(id);
    table.next_row_id = id + 1;
    if (ids.size() == kIds / 10) {
      table.fragments.push_back(MakeFragment(ids));
      ids.clear();
    }
  }
  return table;
}

// Runs of 250 ids as Range segments of their own, as clustered deletions leave them.
Table RunsOf250() {
  Random random(12);
  Table table;
  uint64_t id = 0;
  for (int fragment = 0; fragment < 10; ++fragment) {
    std::string row_ids;
    for (int run = 0; run < 4000; ++run) {
      row_ids += RangeRowIds(id, id + 250);
      for (uint64_t i = 0; i < 250; ++i) table.known.push_back(id + i);
      id += 250 + 1 + random() % 500;
    }
    table.fragments.push_back({1'000'000, std::move(row_ids), {}});
  }
  table.next_row_id = id;
  return table;
}

Table Dealt(uint64_t num_fragments) {
  Random random(num_fragments);
  std::vector<Ids> hands(num_fragments);
  for (uint64_t id = 0; id < kIds; ++id) hands[random() % num_fragments].push_back(id);
  Table table;
  for (const Ids& ids : hands) table.fragments.push_back(MakeFragment(ids));
  table.next_row_id = kIds;
  return table;
}

Table Shuffled(uint64_t num_fragments) {
  Random random(20 + num_fragments);
  Ids all = Iota(0, kIds);
  std::shuffle(all.begin(), all.end(), random);
  Table table;
  for (uint64_t i = 0; i < num_fragments; ++i) {
    const auto part = static_cast<ptrdiff_t>(kIds / num_fragments);
    const auto begin = all.begin() + static_cast<ptrdiff_t>(i) * part;
    table.fragments.push_back(MakeFragment(Ids(begin, begin + part)));
  }
  table.next_row_id = kIds;
  return table;
}

// Each update moves its rows, in the order of their ids, to a new fragment and leaves their old
// slots deleted.
Table Updated(int num_updates, uint64_t per_ten_thousand, uint64_t deleted_per_mille) {
  Random random(30);
  Table table = Ranges(10, kIds / 10, 0);
  std::vector<std::pair<uint32_t, uint32_t>> places(kIds);
  for (uint64_t id = 0; id < kIds; ++id) places[id] = {id / (kIds / 10), id % (kIds / 10)};
  const auto remove = [&](uint64_t id) {
    table.fragments[places[id].first].deleted.push_back(places[id].second);
  };
  for (int update = 0; update < num_updates; ++update) {
    Ids moved;
    for (uint64_t n = kIds / 10'000 * per_ten_thousand; n > 0; --n)
      moved.push_back(random() % kIds);
    std::sort(moved.begin(), moved.end());
    moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
    const auto fragment = static_cast<uint32_t>(table.fragments.size());
    for (uint32_t i = 0; i < moved.size(); ++i) {
      remove(moved[i]);
      places[moved[i]] = {fragment, i};
    }
    table.fragments.push_back(MakeFragment(moved));
  }
  for (uint64_t id = 0; id < kIds; ++id) {
    if (random() % 1000 < deleted_per_mille) remove(id);
  }
  for (Fragment& fragment : table.fragments)
    std::sort(fragment.deleted.begin(), fragment.deleted.end());
  return table;
}

const std::vector<std::pair<std::string, std::function<Table()>>>& Tables() {
  static const auto* tables = new std::vector<std::pair<std::string, std::function<Table()>>>{
      {"range_1", [] { return Ranges(1, kIds, 0); }},
      {"range_1000", [] { return Ranges(1000, 100'000, 0); }},
      {"range_10000", [] { return Ranges(10'000, 100'000, 0); }},
      {"deleted_1", [] { return Ranges(1, 1'000'000, 100); }},
      {"deleted_100", [] { return Ranges(100, 100'000, 100); }},
      {"holes_1",
       [] { return Kept([](uint64_t, Random& random) { return random() % 100 != 0; }); }},
      {"bitmap_10",
       [] { return Kept([](uint64_t, Random& random) { return random() % 10 != 0; }); }},
      {"bitmap_50",
       [] { return Kept([](uint64_t, Random& random) { return random() % 2 != 0; }); }},
      {"runs_250", RunsOf250},
      {"sorted_5",
       [] { return Kept([](uint64_t, Random& random) { return random() % 20 == 0; }); }},
      {"dealt_16", [] { return Dealt(16); }},
      {"dealt_100", [] { return Dealt(100); }},
      {"shuffled_1", [] { return Shuffled(1); }},
      {"shuffled_10", [] { return Shuffled(10); }},
      {"shuffled_100", [] { return Shuffled(100); }},
      {"updates_20", [] { return Updated(20, 100, 0); }},
      {"updates_100", [] { return Updated(100, 10, 100); }},
  };
  return *tables;
}

void WriteTable(const Table& table, const std::string& path) {
  ScenarioWriter writer;
  writer.Number(table.fragments.size());
  writer.Number(table.next_row_id);
  for (size_t i = 0; i < table.fragments.size(); ++i) {
    writer.Number(i);
    writer.Number(table.fragments[i].num_rows);
    writer.Blob(table.fragments[i].row_ids);
    writer.Words(table.fragments[i].deleted);
  }
  Random random(99);
  Ids questions(1'000'000);
  for (uint64_t& id : questions) {
    id = table.known.empty() ? random() % table.next_row_id
                             : table.known[random() % table.known.size()];
  }
  writer.Words(questions);
  writer.Save(path);
}

// Sequences of a million ids.
const std::map<std::string, std::function<Ids(Random&)>>& Sequences() {
  static const auto sparse = [](uint64_t one_in, Random& random) {
    Ids ids;
    for (uint64_t id = 0; ids.size() < 1'000'000; ++id) {
      if (random() % 1000 < one_in) ids.push_back(id);
    }
    return ids;
  };
  static const auto* sequences = new std::map<std::string, std::function<Ids(Random&)>>{
      {"seq_range", [](Random&) { return Iota(5, 1'000'005); }},
      {"seq_holes", [](Random& random) { return sparse(990, random); }},
      {"seq_bitmap", [](Random& random) { return sparse(500, random); }},
      {"seq_sorted", [](Random& random) { return sparse(50, random); }},
      {"seq_array",
       [](Random& random) {
         Ids ids = Iota(0, 1'000'000);
         std::shuffle(ids.begin(), ids.end(), random);
         return ids;
       }},
      {"seq_array_u64",
       [](Random& random) {
         Ids ids(1'000'000);
         for (size_t i = 0; i < ids.size(); ++i) ids[i] = (i << 40) | (random() & 0xFFFFFF);
         std::shuffle(ids.begin(), ids.end(), random);
         return ids;
       }},
  };
  return *sequences;
}

void WriteSequence(const Ids& ids, const std::string& path) {
  ScenarioWriter writer;
  writer.Blob(Encoded(ids));
  Random random(98);
  Ids offsets(100'000);
  for (uint64_t& offset : offsets) offset = random() % ids.size();
  writer.Words(offsets);
  writer.Words(SomeOffsets(ids.size(), 20, random));
  writer.Save(path);
}

void WriteLineage(uint64_t num_runs, uint64_t rows_per_run, const std::string& path) {
  VersionSequence sequence;
  for (uint64_t i = 0; i < num_runs; ++i)
    sequence.Append(1 + i % (2 * rows_per_run - 1), Version{1 + (i * 7) % 50});
  ScenarioWriter writer;
  writer.Blob(sequence.Encode());
  Random random(97);
  Ids offsets(100'000);
  for (uint64_t& offset : offsets) offset = random() % sequence.size();
  writer.Words(offsets);
  writer.Save(path);
}

const std::map<std::string, uint64_t>& Lineages() {
  static const auto* lineages = new std::map<std::string, uint64_t>{{"lineage_1000000", 1'000'000}};
  return *lineages;
}

}  // namespace

std::vector<std::string> ScenarioNames(const std::string& kind) {
  std::vector<std::string> names;
  if (kind == "index") {
    for (const auto& [name, make] : Tables()) names.push_back(name);
  } else if (kind == "sequence") {
    for (const auto& [name, make] : Sequences()) names.push_back(name);
  } else if (kind == "lineage") {
    for (const auto& [name, runs] : Lineages()) names.push_back(name);
  }
  return names;
}

bool WriteScenario(const std::string& name, const std::string& path) {
  for (const auto& [table, make] : Tables()) {
    if (table == name) return WriteTable(make(), path), true;
  }
  if (const auto sequence = Sequences().find(name); sequence != Sequences().end()) {
    Random random(41);
    return WriteSequence(sequence->second(random), path), true;
  }
  if (const auto lineage = Lineages().find(name); lineage != Lineages().end()) {
    return WriteLineage(lineage->second, 2, path), true;
  }
  return false;
}

}  // namespace pennon::bench
