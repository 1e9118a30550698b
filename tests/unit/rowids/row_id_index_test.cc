#include "rowids/row_id_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/rowids/id_table.h"
#include "support/rowids/wire_bytes.h"

namespace pennon {
namespace {

using testing_support::ExpectedLocations;
using testing_support::IdTable;
using testing_support::MakeIndex;

constexpr uint64_t Address(uint64_t fragment, uint64_t offset) { return (fragment << 32) | offset; }

RowLocation Live(uint64_t fragment, uint64_t offset) {
  return {RowAddress{Address(fragment, offset)}, RowState::kLive};
}

void ExpectAll(const RowIdIndex& index, const IdTable& table) {
  const auto expected = ExpectedLocations(table);
  std::vector<uint64_t> ids(expected.size());
  for (uint64_t id = 0; id < ids.size(); ++id) {
    ids[id] = ids.size() - 1 - id;
    ASSERT_EQ(index.Find(RowId{id}).ValueOrDie(), expected[id]) << id;
  }
  std::vector<RowLocation> found(ids.size());
  ASSERT_TRUE(index.FindMany(ids, found).ok());
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(found[i], expected[ids[i]]) << ids[i];
}

TEST(RowIdIndex, FindsRowsOfPlainFragments) {
  IdTable table;
  table.Append(4);
  table.Append(4);
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{5}).ValueOrDie(), Live(1, 1));
  EXPECT_EQ(made.index->Find(RowId{8}).ValueOrDie().state, RowState::kNeverGiven);
  EXPECT_EQ(made.source->deletion_calls, 0);
  ExpectAll(*made.index, table);
}

TEST(RowIdIndex, AnEmptyTableHasNothing) {
  const auto made = MakeIndex(IdTable()).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{0}).ValueOrDie().state, RowState::kNeverGiven);
  EXPECT_TRUE(made.index->FindMany({}, {}).ok());
  EXPECT_EQ(made.index->IdAt(RowAddress{0}).ValueOrDie(), std::nullopt);
}

// An updated row's old slot still carries its id: only the live one counts, whichever fragment
// comes first.
TEST(RowIdIndex, TheOneLiveSlotWins) {
  IdTable table;
  table.Append(4);
  table.Append(4);
  table.Update({1, 5}, FormChoice::kReference);
  table.Update({1}, FormChoice::kReference);
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{1}).ValueOrDie(), Live(3, 0));
  EXPECT_EQ(made.index->Find(RowId{5}).ValueOrDie(), Live(2, 1));
  ExpectAll(*made.index, table);
  // The stale slot still names its id; the live variant does not.
  EXPECT_EQ(made.index->IdAt(RowAddress{Address(2, 0)}).ValueOrDie(), RowId{1});
  EXPECT_EQ(made.index->LiveIdAt(RowAddress{Address(2, 0)}).ValueOrDie(), std::nullopt);
  EXPECT_EQ(made.index->LiveIdAt(RowAddress{Address(3, 0)}).ValueOrDie(), RowId{1});
}

TEST(RowIdIndex, TwoLiveSlotsAreCorruptAndBothAreNamed) {
  IdTable table;
  table.Append(4);
  table.AddFragment({9, 2}, FormChoice::kReference);
  const auto made = MakeIndex(table).ValueOrDie();
  const auto status = made.index->Find(RowId{2}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(status).find("id 2 at fragment 0 offset 2 (address 2) and at fragment 1 "
                                   "offset 1 (address 4294967297)"),
            std::string::npos)
      << status;
  std::vector<RowLocation> found(2);
  EXPECT_EQ(KindOf(made.index->FindMany(std::vector<uint64_t>{1, 2}, found)), ErrorKind::kCorrupt);
  // Other ids are none the worse.
  EXPECT_EQ(made.index->Find(RowId{9}).ValueOrDie(), Live(1, 0));
}

// Sorted arrays that are asked often are searched in line: what is absent, deleted, at either end
// of an array or spread unevenly must come out the same, in this version and in the next.
TEST(RowIdIndex, SparseFragmentsAskedOften) {
  std::mt19937_64 random(17);
  IdTable table;
  uint64_t id = 0;
  for (int fragment = 0; fragment < 4; ++fragment) {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 3000; ++i) {
      id += 1 + random() % (fragment == 3 && i < 2900 ? 2 : 60);
      ids.push_back(id);
    }
    table.next_row_id = id + 1;
    table.AddFragment(ids, FormChoice::kReference);
    if (fragment == 1) table.Delete({ids[0], ids[7], ids[2999]});
  }
  const auto made = MakeIndex(table).ValueOrDie();
  for (int round = 0; round < 3; ++round) ExpectAll(*made.index, table);
  table.Delete({id});
  table.Append(10);
  const auto next = MakeIndex(table, made.index.get()).ValueOrDie();
  for (int round = 0; round < 2; ++round) ExpectAll(*next.index, table);
}

// A header may claim far more ids than its fragment has rows; making the index must not follow it.
TEST(RowIdIndex, ClaimsBeyondThePhysicalRowsCostNothing) {
  using namespace testing_support;  // NOLINT: a vocabulary of bytes
  const std::string claims = Sequence(RangeSegment(0, uint64_t{1} << 60));
  const std::string few =
      EncodeRowIdSequence(std::vector<uint64_t>{3, 9, 12, 700}, FormChoice::kReference);
  // Sixteen of them are 2^64 ids.
  for (const uint32_t num_claims : {5u, 16u}) {
    std::vector<IndexedFragment> fragments;
    for (uint32_t i = 0; i < num_claims; ++i)
      fragments.push_back({.id = FragmentId{i}, .physical_rows = 10, .row_ids = claims});
    fragments.push_back({.id = FragmentId{num_claims}, .physical_rows = 4, .row_ids = few});
    const auto index =
        RowIdIndex::Make({.fragments = fragments, .next_row_id = uint64_t{1} << 60}).ValueOrDie();
    EXPECT_LT(index->memory_bytes(), 100'000u);
    for (int i = 0; i < 3000; ++i) {
      EXPECT_EQ(KindOf(index->Find(RowId{uint64_t{1} << 40}).status()), ErrorKind::kCorrupt);
      EXPECT_EQ(KindOf(index->Find(RowId{9}).status()), ErrorKind::kCorrupt);
    }
    EXPECT_LT(index->memory_bytes(), 100'000u);
  }
}

// Case 25: an answer at the place of every question, with the reason when there is no row.
TEST(RowIdIndex, BatchesKeepOrderDuplicatesAndReasons) {
  IdTable table;
  table.Append(6);
  table.Delete({1, 4});
  const auto made = MakeIndex(table).ValueOrDie();
  const std::vector<uint64_t> ids = {5, 1, 0, 99, 3, 3, 2};
  std::vector<RowLocation> found(ids.size());
  ASSERT_TRUE(made.index->FindMany(ids, found).ok());
  EXPECT_EQ(found[0], Live(0, 5));
  EXPECT_EQ(found[1], (RowLocation{RowAddress{1}, RowState::kDeleted}));
  EXPECT_EQ(found[2], Live(0, 0));
  EXPECT_EQ(found[3].state, RowState::kNeverGiven);
  EXPECT_EQ(found[4], Live(0, 3));
  EXPECT_EQ(found[5], Live(0, 3));
  std::vector<RowLocation> short_by_one(ids.size() - 1);
  EXPECT_EQ(KindOf(made.index->FindMany(ids, short_by_one)), ErrorKind::kInvalidArgument);
}

// Case 24: files of 5, every third row deleted, two updates, compacted into one.
TEST(RowIdIndex, FindsEveryRowAfterACompactionWithGaps) {
  for (const auto choice : {FormChoice::kReference, FormChoice::kSmallest}) {
    IdTable table;
    for (int i = 0; i < 4; ++i) table.Append(5);
    table.Delete({0, 3, 6, 9, 12, 15, 18});
    table.Update({4, 11}, choice);
    table.Compact(0, 5, choice);
    ASSERT_EQ(table.fragments.size(), 1u);
    const auto made = MakeIndex(table).ValueOrDie();
    ExpectAll(*made.index, table);
    EXPECT_EQ(made.index->Find(RowId{0}).ValueOrDie().state, RowState::kGone);
  }
}

// Case 37: a batch with one dead id in five stays aligned.
TEST(RowIdIndex, BatchesWithDeadIdsStayAligned) {
  IdTable table;
  table.Append(600);
  std::vector<uint64_t> dead;
  for (uint64_t id = 0; id < 600; id += 5) dead.push_back(id);
  table.Delete(dead);
  const auto made = MakeIndex(table).ValueOrDie();
  std::vector<uint64_t> ids(600);
  for (uint64_t i = 0; i < 600; ++i) ids[i] = i;
  std::vector<RowLocation> found(600);
  ASSERT_TRUE(made.index->FindMany(ids, found).ok());
  for (uint64_t id = 0; id < 600; ++id)
    EXPECT_EQ(found[id].state == RowState::kDeleted, id % 5 == 0);
  EXPECT_EQ(made.source->deletion_calls, 1);
}

// Case 32: the counter, not the number of rows, bounds the ids.
TEST(RowIdIndex, FewRowsWithHighIds) {
  IdTable table;
  table.Append(9);
  table.Compact(0, 1, FormChoice::kReference);
  table.Delete({0, 1, 2, 3, 4, 5});
  table.Compact(1, 1, FormChoice::kReference);
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{8}).ValueOrDie(), Live(2, 2));
}

TEST(RowIdIndex, ReadsOnlyTheDeletionsItNeeds) {
  IdTable table;
  for (int i = 0; i < 50; ++i) table.Append(10);
  for (uint64_t i = 0; i < 50; ++i) table.Delete({10 * i});
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{123}).ValueOrDie(), Live(12, 3));
  EXPECT_EQ(made.source->deletion_calls, 1);
  EXPECT_EQ(made.source->num_deletions_loaded, 1);
  EXPECT_EQ(made.index->Find(RowId{124}).ValueOrDie(), Live(12, 4));
  EXPECT_EQ(made.source->deletion_calls, 1);
  // A batch asks for all that it lacks at once.
  std::vector<uint64_t> ids;
  for (uint64_t id = 0; id < 500; ++id) ids.push_back(id);
  std::vector<RowLocation> found(ids.size());
  ASSERT_TRUE(made.index->FindMany(ids, found).ok());
  EXPECT_EQ(made.source->deletion_calls, 2);
  EXPECT_EQ(made.source->num_deletions_loaded, 50);
}

TEST(RowIdIndex, SpilledSequencesAreReadWhenNothingElseAnswers) {
  IdTable table;
  table.Append(100);
  table.Append(100);
  table.Update({3, 150}, FormChoice::kReference);
  table.fragments.at(1).is_spilled = true;
  table.fragments.at(2).is_spilled = true;
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{7}).ValueOrDie(), Live(0, 7));
  EXPECT_EQ(made.source->sequence_calls, 0);
  EXPECT_EQ(made.index->Find(RowId{3}).ValueOrDie(), Live(2, 0));
  EXPECT_EQ(made.source->sequence_calls, 1);
  ExpectAll(*made.index, table);
  EXPECT_EQ(made.source->sequence_calls, 1);
  EXPECT_EQ(made.index->IdAt(RowAddress{Address(1, 20)}).ValueOrDie(), RowId{120});
}

TEST(RowIdIndex, ReadingBackLoadsOneSpilledSequence) {
  IdTable table;
  table.Append(10);
  table.Append(10);
  for (auto& [number, fragment] : table.fragments) fragment.is_spilled = true;
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->IdAt(RowAddress{Address(1, 2)}).ValueOrDie(), RowId{12});
  EXPECT_EQ(made.source->sequence_calls, 1);
  ExpectAll(*made.index, table);
}

TEST(RowIdIndex, ErrorsOfTheSourceComeBackAndAreNotKept) {
  IdTable table;
  table.Append(10);
  table.Append(10);
  table.Delete({3});
  table.fragments.at(1).is_spilled = true;
  const auto made = MakeIndex(table).ValueOrDie();
  made.source->fails = true;
  std::vector<RowLocation> found(1);
  EXPECT_EQ(KindOf(made.index->Find(RowId{2}).status()), ErrorKind::kIo);
  EXPECT_EQ(KindOf(made.index->Find(RowId{12}).status()), ErrorKind::kIo);
  EXPECT_EQ(KindOf(made.index->FindMany(std::vector<uint64_t>{2}, found)), ErrorKind::kIo);
  EXPECT_EQ(KindOf(made.index->IdAt(RowAddress{Address(1, 0)}).status()), ErrorKind::kIo);
  EXPECT_EQ(KindOf(made.index->LiveIdAt(RowAddress{0}).status()), ErrorKind::kIo);
  made.source->fails = false;
  ExpectAll(*made.index, table);
}

TEST(RowIdIndex, SequencesThatDoNotFitTheirFragmentAreCorrupt) {
  const std::string bytes = RangeRowIds(0, 10);
  const auto make = [&](uint64_t rows) {
    const std::vector<IndexedFragment> fragments = {
        {.id = FragmentId{7}, .physical_rows = rows, .row_ids = bytes}};
    return RowIdIndex::Make({.fragments = fragments, .next_row_id = 10}).ValueOrDie();
  };
  const auto longer = make(4);
  EXPECT_EQ(longer->Find(RowId{3}).ValueOrDie(), Live(7, 3));
  const auto status = longer->Find(RowId{4}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(status).find("id 4, fragment 7 of 4 rows"), std::string::npos) << status;
  EXPECT_EQ(KindOf(make(12)->IdAt(RowAddress{Address(7, 11)}).status()), ErrorKind::kCorrupt);
}

TEST(RowIdIndex, CorruptHeadersNameTheFragment) {
  const std::string bytes = testing_support::Sequence(testing_support::RangeSegment(5, 4));
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{3}, .physical_rows = 1, .row_ids = bytes}};
  const auto status = RowIdIndex::Make({.fragments = fragments}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(status).find("(fragment 3)"), std::string::npos) << status;
}

TEST(RowIdIndex, FragmentsMayComeInAnyOrder) {
  const std::string first = RangeRowIds(0, 5);
  const std::string second = RangeRowIds(5, 9);
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{9}, .physical_rows = 4, .row_ids = second},
      {.id = FragmentId{2}, .physical_rows = 5, .row_ids = first}};
  const auto index = RowIdIndex::Make({.fragments = fragments, .next_row_id = 9}).ValueOrDie();
  EXPECT_EQ(index->Find(RowId{6}).ValueOrDie(), Live(9, 1));
  EXPECT_EQ(index->IdAt(RowAddress{Address(2, 4)}).ValueOrDie(), RowId{4});
  EXPECT_EQ(index->IdAt(RowAddress{Address(5, 4)}).ValueOrDie(), std::nullopt);
}

TEST(RowIdIndex, IdsOfEveryMagnitude) {
  const uint64_t high = ~uint64_t{0};
  IdTable table;
  table.AddFragment({0, high, uint64_t{1} << 40, 5}, FormChoice::kReference);
  table.AddFragment({uint64_t{3} << 40, uint64_t{3} << 41, high - 1}, FormChoice::kSmallest);
  const auto made = MakeIndex(table).ValueOrDie();
  EXPECT_EQ(made.index->Find(RowId{high}).ValueOrDie(), Live(0, 1));
  EXPECT_EQ(made.index->Find(RowId{high - 1}).ValueOrDie(), Live(1, 2));
  EXPECT_EQ(made.index->Find(RowId{uint64_t{1} << 40}).ValueOrDie(), Live(0, 2));
  EXPECT_EQ(made.index->Find(RowId{high - 2}).ValueOrDie().state, RowState::kNeverGiven);
}

// A sequence of very many tiny segments must not cost an entry for each.
TEST(RowIdIndex, ManyTinySegmentsCostLittle) {
  std::string bytes;
  constexpr uint64_t kSegments = 20000;
  for (uint64_t i = 0; i < kSegments; ++i)
    bytes += RangeRowIds(2 * (kSegments - i), 2 * (kSegments - i) + 1);
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{0}, .physical_rows = kSegments, .row_ids = bytes}};
  const auto index =
      RowIdIndex::Make({.fragments = fragments, .next_row_id = 3 * kSegments}).ValueOrDie();
  EXPECT_LT(index->memory_bytes(), 12 * kSegments);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < kSegments; i += 37) {
      ASSERT_EQ(index->Find(RowId{2 * (kSegments - i)}).ValueOrDie(), Live(0, i));
      ASSERT_EQ(index->Find(RowId{2 * (kSegments - i) + 1}).ValueOrDie().state, RowState::kGone);
    }
  }
}

// What is asked often becomes quick; the answers stay the same, and memory stays within its budget.
TEST(RowIdIndex, MergesWhatIsDearWithinItsBudget) {
  std::mt19937_64 random(8);
  IdTable table;
  std::vector<std::vector<uint64_t>> hands(12);
  for (uint64_t id = 0; id < 12000; ++id) hands[random() % hands.size()].push_back(id);
  for (auto& ids : hands) {
    if (random() % 3 == 0) std::shuffle(ids.begin(), ids.end(), random);
    table.AddFragment(ids, FormChoice::kReference);
  }
  table.next_row_id = 12000;
  const auto merging = MakeIndex(table).ValueOrDie();
  const auto frugal = MakeIndex(table, nullptr, 0).ValueOrDie();
  const uint64_t before = merging.index->memory_bytes();
  for (int round = 0; round < 2; ++round) {
    ExpectAll(*merging.index, table);
    ExpectAll(*frugal.index, table);
  }
  EXPECT_GT(merging.index->memory_bytes(), before + 12000);
  EXPECT_LT(merging.index->memory_bytes(), before + 12000 * 12);
  EXPECT_LT(frugal.index->memory_bytes(), before + 12000);
  EXPECT_GE(merging.index->Health().num_groups, 1u);
  EXPECT_GE(merging.index->Health().num_grouped_rows, 5000u);
}

// An id that two fragments list live must be reported whether or not its stretch has been merged.
TEST(RowIdIndex, MergedStretchesStillTellLiveTwice) {
  std::mt19937_64 random(9);
  IdTable table;
  std::vector<uint64_t> ids(20000);
  for (uint64_t id = 0; id < ids.size(); ++id) ids[id] = id;
  std::shuffle(ids.begin(), ids.end(), random);
  table.AddFragment(ids, FormChoice::kReference);
  table.AddFragment({77, 3}, FormChoice::kReference);
  table.next_row_id = 20000;
  const auto made = MakeIndex(table).ValueOrDie();
  for (int round = 0; round < 300; ++round) {
    EXPECT_EQ(KindOf(made.index->Find(RowId{77}).status()), ErrorKind::kCorrupt);
    EXPECT_TRUE(made.index->Find(RowId{78}).ok());
  }
}

TEST(RowIdIndex, SharesWhatAnotherVersionMade) {
  IdTable table;
  std::vector<uint64_t> odd;
  for (uint64_t id = 0; id < 200000; ++id) {
    if (id % 3 != 0) odd.push_back(id);
  }
  table.AddFragment(odd, FormChoice::kReference);
  table.next_row_id = 200000;
  const auto first = MakeIndex(table).ValueOrDie();
  ExpectAll(*first.index, table);
  table.Delete({1, 2, 199999});
  table.Append(10);
  const auto second = MakeIndex(table, first.index.get()).ValueOrDie();
  const auto fresh = MakeIndex(table).ValueOrDie();
  // The ranks of the bitmap are there before anything is asked.
  EXPECT_GT(second.index->memory_bytes(), fresh.index->memory_bytes() + 1000);
  ExpectAll(*second.index, table);
}

// A version that only deletes, appends or updates some rows keeps the stretches that another one
// has merged.
TEST(RowIdIndex, SharesMergedStretches) {
  for (const bool shuffle : {false, true}) {
    std::mt19937_64 random(12);
    IdTable table;
    std::vector<std::vector<uint64_t>> hands(6);
    for (uint64_t id = 0; id < 18000; ++id) hands[random() % hands.size()].push_back(id);
    for (auto& ids : hands) {
      if (shuffle) std::shuffle(ids.begin(), ids.end(), random);
      table.AddFragment(ids, FormChoice::kReference);
    }
    table.next_row_id = 18000;
    const auto first = MakeIndex(table).ValueOrDie();
    ExpectAll(*first.index, table);
    const uint64_t merged = first.index->memory_bytes();
    table.Delete({4, 5, 17999});
    table.Append(100);
    std::shared_ptr<const RowIdIndex> previous = first.index;
    for (int version = 0; version < 5; ++version) {
      const auto second = MakeIndex(table, previous.get()).ValueOrDie();
      EXPECT_GT(second.index->memory_bytes() + 4096, merged)
          << "merged stretches are there from the start";
      ExpectAll(*second.index, table);
      previous = second.index;
      std::vector<uint64_t> moved;
      for (const auto& [id, address] : table.LiveRows()) {
        if (random() % 50 == 0) moved.push_back(id);
      }
      table.Update(moved, FormChoice::kReference);
    }
    // A fragment that is rewritten takes its group with it.
    table.Compact(0, 2, FormChoice::kReference);
    ExpectAll(*MakeIndex(table, previous.get()).ValueOrDie().index, table);
  }
}

TEST(RowIdIndex, ManyReadersAtOnce) {
  std::mt19937_64 random(10);
  IdTable table;
  table.next_row_id = 100;
  table.Append(4000);
  for (int update = 0; update < 8; ++update) {
    std::vector<uint64_t> moved;
    for (const auto& [id, address] : table.LiveRows()) {
      if (random() % 4 == 0) moved.push_back(id);
    }
    if (update % 2 == 0) std::sort(moved.begin(), moved.end());
    table.Update(moved, FormChoice::kReference);
  }
  table.fragments.at(3).is_spilled = true;
  const auto expected = ExpectedLocations(table);
  const auto made = MakeIndex(table).ValueOrDie();
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      std::mt19937_64 own(reader);
      for (int round = 0; round < 4000; ++round) {
        const uint64_t id = own() % expected.size();
        const auto location = made.index->Find(RowId{id});
        if (!location.ok() || *location != expected[id]) ++wrong;
        if (round % 500 == 0) {
          std::vector<uint64_t> ids(200);
          for (uint64_t& one : ids) one = own() % expected.size();
          std::vector<RowLocation> found(ids.size());
          if (!made.index->FindMany(ids, found).ok()) ++wrong;
          for (size_t i = 0; i < ids.size(); ++i) wrong += found[i] == expected[ids[i]] ? 0 : 1;
          (void)made.index->memory_bytes();
          (void)made.index->LiveIdAt(location->address);
        }
      }
    });
  }
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace pennon
