#include "rowids/fragment_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/segment_encoder.h"

namespace pennon {
namespace {

class OneSource : public RowIdSource {
 public:
  arrow::Result<std::vector<DeletionVector>> LoadDeletions(
      std::span<const FragmentId> fragments) override {
    ++calls;
    std::vector<DeletionVector> loaded;
    for (size_t i = short_by; i < fragments.size(); ++i) loaded.push_back(deletions);
    return loaded;
  }
  arrow::Result<std::vector<RowIdSequence>> LoadSequences(
      std::span<const FragmentId> fragments) override {
    ++calls;
    std::vector<RowIdSequence> loaded;
    for (size_t i = short_by; i < fragments.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto sequence, DecodeRowIdSequence(RangeRowIds(5, 9)));
      loaded.push_back(std::move(sequence));
    }
    return loaded;
  }

  DeletionVector deletions;
  size_t short_by = 0;
  int calls = 0;
};

TEST(FragmentTable, FindsFragmentsByIdInAnyOrder) {
  const auto table = [](std::vector<uint32_t> ids) {
    std::vector<IndexedFragment> fragments;
    for (const uint32_t id : ids) fragments.push_back({.id = FragmentId{id}});
    return std::make_unique<FragmentTable>(fragments, nullptr, nullptr);
  };
  const auto dense = table({3, 4, 5, 6});
  const auto gaps = table({1, 4, 9, 100, 4000000000u});
  const auto mixed = table({9, 2, 7});
  EXPECT_EQ(dense->OrdinalOf(FragmentId{5}), 2u);
  EXPECT_EQ(dense->OrdinalOf(FragmentId{7}), std::nullopt);
  EXPECT_EQ(dense->OrdinalOf(FragmentId{2}), std::nullopt);
  EXPECT_EQ(gaps->OrdinalOf(FragmentId{100}), 3u);
  EXPECT_EQ(gaps->OrdinalOf(FragmentId{4000000000u}), 4u);
  EXPECT_EQ(gaps->OrdinalOf(FragmentId{5}), std::nullopt);
  EXPECT_EQ(mixed->OrdinalOf(FragmentId{2}), 1u);
  EXPECT_EQ(mixed->OrdinalOf(FragmentId{9}), 0u);
  EXPECT_EQ(mixed->OrdinalOf(FragmentId{8}), std::nullopt);
  EXPECT_EQ(table({})->OrdinalOf(FragmentId{0}), std::nullopt);
}

TEST(FragmentTable, TellsDeletedRowsBeforeAndAfterItMakesBits) {
  auto source = std::make_shared<OneSource>();
  std::vector<uint32_t> offsets;
  for (uint32_t i = 0; i < 1000; i += 3) offsets.push_back(i);
  source->deletions = DeletionVector::FromOffsets(offsets);
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{0}, .physical_rows = 1000, .has_deletions = true},
      {.id = FragmentId{1}, .physical_rows = 5}};
  const FragmentTable table(fragments, nullptr, source);
  EXPECT_EQ(table.IsDeletedIfKnown(0, 3), std::nullopt);
  EXPECT_EQ(table.IsDeletedIfKnown(1, 3), false);
  const std::vector<uint32_t> both = {0, 1};
  ASSERT_TRUE(table.LoadDeletions(both).ok());
  ASSERT_TRUE(table.LoadDeletions(both).ok());
  EXPECT_EQ(source->calls, 1);
  const uint64_t before = table.memory_bytes();
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(table.IsDeletedIfKnown(0, i), i % 3 == 0);
  }
  EXPECT_EQ(table.IsDeletedIfKnown(0, 1000000), false);
  EXPECT_GT(table.memory_bytes(), before);
}

TEST(FragmentTable, FewDeletionsMakeNoBits) {
  auto source = std::make_shared<OneSource>();
  source->deletions = DeletionVector::FromOffsets({5, 99999});
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{0}, .physical_rows = 1000000, .has_deletions = true}};
  const FragmentTable table(fragments, nullptr, source);
  const std::vector<uint32_t> all = {0};
  ASSERT_TRUE(table.LoadDeletions(all).ok());
  const uint64_t before = table.memory_bytes();
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(table.IsDeletedIfKnown(0, i), i == 5);
  EXPECT_EQ(table.memory_bytes(), before);
}

TEST(FragmentTable, LoadsSpilledSequencesOnce) {
  auto source = std::make_shared<OneSource>();
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{0}, .physical_rows = 4, .is_spilled = true}};
  const FragmentTable table(fragments, nullptr, source);
  EXPECT_EQ(table.SequenceIfThere(0), nullptr);
  EXPECT_EQ(table.Sequence(0).ValueOrDie()->size(), 4u);
  EXPECT_EQ(table.Sequence(0).ValueOrDie()->size(), 4u);
  EXPECT_EQ(source->calls, 1);
}

TEST(FragmentTable, ASourceThatBreaksItsWordIsAnError) {
  auto source = std::make_shared<OneSource>();
  source->short_by = 1;
  const std::vector<IndexedFragment> fragments = {
      {.id = FragmentId{0}, .physical_rows = 4, .has_deletions = true, .is_spilled = true}};
  const FragmentTable table(fragments, nullptr, source);
  const std::vector<uint32_t> all = {0};
  EXPECT_EQ(KindOf(table.LoadDeletions(all)), ErrorKind::kInternal);
  EXPECT_EQ(KindOf(table.LoadSequences(all)), ErrorKind::kInternal);
}

TEST(FragmentTable, AdoptsOnlyEqualSequences) {
  std::vector<uint64_t> ids;
  for (uint64_t id = 0; id < 100000; ++id) {
    if (id % 3 != 0) ids.push_back(id);
  }
  const std::string old_bytes = EncodeRowIdSequence(ids, FormChoice::kReference);
  const std::string same_bytes = old_bytes;
  ids.erase(ids.begin() + 50000);
  const std::string other_bytes = EncodeRowIdSequence(ids, FormChoice::kReference);
  const auto describe = [&](const std::string& bytes) {
    return std::vector<IndexedFragment>{
        {.id = FragmentId{4}, .physical_rows = ids.size(), .row_ids = bytes}};
  };
  const FragmentTable previous(describe(old_bytes), nullptr, nullptr);
  previous.SequenceIfThere(0)->size();  // makes the ranks
  FragmentTable same(describe(same_bytes), nullptr, nullptr);
  FragmentTable other(describe(other_bytes), nullptr, nullptr);
  const uint64_t before = same.memory_bytes();
  same.Adopt(previous);
  other.Adopt(previous);
  EXPECT_GT(same.memory_bytes(), before + 500);
  EXPECT_EQ(other.memory_bytes(), before);
  EXPECT_EQ(same.SequenceIfThere(0)->encoded().data(), same_bytes.data());
  EXPECT_EQ(same.SequenceIfThere(0)->PositionOf(RowId{4}), RowOffset{2});
  EXPECT_EQ(same.SequenceIfThere(0)->ToVector(), previous.SequenceIfThere(0)->ToVector());
}

}  // namespace
}  // namespace pennon
