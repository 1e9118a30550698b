// The index against hash maps, over random histories of a table.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "rowids/row_id_index.h"
#include "support/rowids/id_table.h"

namespace pennon {
namespace {

using testing_support::ExpectedLocations;
using testing_support::IdTable;
using testing_support::MakeIndex;

// Some live ids; every `one_in`-th on average, in the order of the ids or shuffled.
std::vector<uint64_t> SomeLive(const IdTable& table, uint64_t one_in, bool shuffle,
                               std::mt19937_64& random) {
  std::vector<uint64_t> ids;
  for (const auto& [id, address] : table.LiveRows()) {
    if (random() % one_in == 0) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  if (shuffle) std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

void Change(IdTable* table, std::mt19937_64& random) {
  const auto choice = random() % 2 == 0 ? FormChoice::kSmallest : FormChoice::kReference;
  switch (random() % 6) {
    case 0:
      return table->Append(1 + random() % 800);
    case 1:
    case 2:
      return table->Update(SomeLive(*table, 1 + random() % 12, random() % 3 == 0, random), choice);
    case 3:
      return table->Delete(SomeLive(*table, 2 + random() % 30, false, random));
    case 4:
      table->next_row_id += random() % 1000;  // numbers that no fragment has
      return;
    default:
      if (table->next_fragment > 0) {
        table->Compact(static_cast<uint32_t>(random() % table->next_fragment), 1 + random() % 5,
                       choice);
      }
  }
}

void CheckIndex(const RowIdIndex& index, const IdTable& table, std::mt19937_64& random) {
  const auto expected = ExpectedLocations(table);
  std::vector<uint64_t> ids(expected.size());
  for (uint64_t& id : ids) id = random() % expected.size();
  if (random() % 3 == 0) std::sort(ids.begin(), ids.end());
  std::vector<RowLocation> found(ids.size());
  const auto status = index.FindMany(ids, found);
  RC_ASSERT(status.ok());
  for (size_t i = 0; i < ids.size(); ++i) RC_ASSERT(found[i] == expected[ids[i]]);
  for (uint64_t id = 0; id < expected.size(); ++id)
    RC_ASSERT(index.Find(RowId{id}).ValueOrDie() == expected[id]);
  for (const auto& [number, fragment] : table.fragments) {
    for (uint32_t i = 0; i < fragment.ids.size(); i += 1 + static_cast<uint32_t>(random() % 20)) {
      const auto address = MakeRowAddress(FragmentId{number}, RowOffset{i});
      RC_ASSERT(index.IdAt(address).ValueOrDie() == RowId{fragment.ids[i]});
      const auto live = index.LiveIdAt(address).ValueOrDie();
      RC_ASSERT(live.has_value() == (fragment.deleted.count(i) == 0));
    }
    const auto beyond =
        MakeRowAddress(FragmentId{number}, RowOffset{static_cast<uint32_t>(fragment.ids.size())});
    RC_ASSERT(index.IdAt(beyond).ValueOrDie() == std::nullopt);
    RC_ASSERT(index.LiveIdAt(beyond).ValueOrDie() == std::nullopt);
  }
}

RC_GTEST_PROP(RowIdIndexProperty, AnswersLikeHashMapsOverHistories, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  IdTable table;
  table.next_row_id = random() % 2 == 0 ? 0 : random() % 100000;
  table.Append(random() % 8 == 0 ? 6000 : 100 + random() % 900);
  std::shared_ptr<const RowIdIndex> previous;
  for (int round = 0; round < 2; ++round) {
    for (uint64_t changes = random() % 8; changes > 0; --changes) Change(&table, random);
    if (random() % 3 == 0) {
      for (auto& [number, fragment] : table.fragments) fragment.is_spilled = random() % 4 == 0;
    }
    const auto made =
        MakeIndex(table, previous.get(), random() % 4 == 0 ? 0 : 1 << 30).ValueOrDie();
    // Twice: what the first pass makes the second pass uses.
    CheckIndex(*made.index, table, random);
    CheckIndex(*made.index, table, random);
    RC_ASSERT(made.source->deletion_calls <= static_cast<int>(2 * table.fragments.size() + 2));
    previous = made.index;
  }
}

}  // namespace
}  // namespace pennon
