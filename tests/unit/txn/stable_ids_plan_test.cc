#include "txn/stable_ids_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "format/transaction.h"
#include "pennon/base/error.h"
#include "rowset/roaring.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Entry;
using testing_support::Field;
using testing_support::FragmentBytes;
using testing_support::FragmentSpec;
using testing_support::IndexBytes;
using testing_support::IndexSectionBytes;
using testing_support::IndexSpec;
using testing_support::ManifestBuffer;
using testing_support::ManifestSpec;
using testing_support::RangeIds;
using testing_support::Rows;
using testing_support::Scalar;
using testing_support::VersionRuns;

constexpr uint64_t kRowsOfId = uint64_t{1} << 32;

Manifest Decode(const ManifestSpec& spec) {
  return DecodeManifest(ManifestBuffer(spec)).ValueOrDie();
}

/// Version 4 with fragments 0 (10 rows), 2 (20 rows, one deleted) and a counter at 5.
ManifestSpec Table() {
  ManifestSpec spec;
  spec.version = 4;
  spec.fragments = {Rows(0, 10), Rows(2, 20)};
  spec.fragments[1].deletion = {.read_version = 3, .id = 8, .num_deleted_rows = 1};
  spec.reader_flags = 1;
  spec.writer_flags = 1;
  spec.max_fragment_id = 5;
  spec.transaction = "old";
  spec.transaction_file = "3-old.txn";
  return spec;
}

std::string Coverage(std::vector<uint32_t> fragments) {
  return EncodeRoaring(RoaringSet::FromSorted(fragments));
}

IndexSpec Index(std::string name, std::string type, std::vector<uint32_t> fragments = {0, 2}) {
  IndexSpec spec;
  spec.name = std::move(name);
  spec.type = std::move(type);
  spec.fragment_bitmap = Coverage(std::move(fragments));
  return spec;
}

constexpr StableIdsOptions kAddresses{};
constexpr StableIdsOptions kConsecutive{.ids = IdChoice::kConsecutive};

StableIdsPlan Plan(const ManifestSpec& spec, const StableIdsOptions& options = kAddresses) {
  const Manifest manifest = Decode(spec);
  return PlanStableIds(manifest, options).ValueOrDie();
}

std::vector<std::string> Codes(const StableIdsPlan& plan) {
  std::vector<std::string> codes;
  for (const auto& blocker : plan.blockers) {
    codes.push_back(blocker.code);
    EXPECT_FALSE(blocker.what.empty() || blocker.way_out.empty()) << blocker.code;
  }
  return codes;
}

using Strings = std::vector<std::string>;

TEST(StableIdsPlan, GivesAddresses) {
  const StableIdsPlan plan = Plan(Table());
  EXPECT_TRUE(plan.possible());
  EXPECT_FALSE(plan.already_stable);
  EXPECT_EQ(plan.first_row_id, 0u);
  EXPECT_EQ(plan.next_row_id, 6 * kRowsOfId);
  EXPECT_EQ(plan.num_fragments, 2u);
  EXPECT_EQ(plan.num_rows, 30u);
  EXPECT_EQ(plan.num_unused_sequences, 0u);
}

TEST(StableIdsPlan, CountsOnWhenAsked) {
  ManifestSpec spec = Table();
  StableIdsPlan plan = Plan(spec, kConsecutive);
  EXPECT_TRUE(plan.possible());
  EXPECT_EQ(plan.first_row_id, 0u);
  EXPECT_EQ(plan.next_row_id, 30u);
  spec.next_row_id = 1000;
  plan = Plan(spec, kConsecutive);
  EXPECT_TRUE(plan.possible());
  EXPECT_EQ(plan.first_row_id, 1000u);
  EXPECT_EQ(plan.next_row_id, 1030u);
}

struct CounterCase {
  std::vector<uint32_t> fragments;
  std::optional<uint32_t> max_fragment_id;
  uint64_t first;
  uint64_t next;
};

TEST(StableIdsPlan, CountsAboveTheHighWaterMark) {
  const CounterCase cases[] = {
      {{}, {}, 0, 0},
      {{}, 0, 0, kRowsOfId},
      {{}, 41, 0, 42 * kRowsOfId},
      {{7}, {}, 7 * kRowsOfId, 8 * kRowsOfId},
      {{7}, 3, 7 * kRowsOfId, 8 * kRowsOfId},
      {{7}, 9, 7 * kRowsOfId, 10 * kRowsOfId},
      {{9, 2, 5}, {}, 2 * kRowsOfId, 10 * kRowsOfId},
      {{4294967294}, {}, 4294967294 * kRowsOfId, 4294967295 * kRowsOfId},
  };
  for (const auto& item : cases) {
    ManifestSpec spec;
    for (const uint32_t id : item.fragments) spec.fragments.push_back(Rows(id, 1));
    spec.max_fragment_id = item.max_fragment_id;
    const StableIdsPlan plan = Plan(spec);
    EXPECT_TRUE(plan.possible());
    EXPECT_EQ(plan.first_row_id, item.first);
    EXPECT_EQ(plan.next_row_id, item.next);
  }
}

TEST(StableIdsPlan, HasNothingToDoOnAStableTable) {
  ManifestSpec spec = Table();
  spec.reader_flags |= 2;
  spec.writer_flags |= 2;
  spec.next_row_id = 30;
  spec.fragments[0].row_ids = RangeIds(0, 10);
  spec.fragments[1].row_ids = RangeIds(10, 20);
  spec.writer = std::nullopt;  // Nothing is in the way of doing nothing.
  const StableIdsPlan plan = Plan(spec);
  EXPECT_TRUE(plan.already_stable);
  EXPECT_FALSE(plan.possible());
  EXPECT_TRUE(plan.blockers.empty());
  EXPECT_EQ(plan.next_row_id, 30u);
  EXPECT_EQ(plan.num_fragments, 2u);
}

struct BlockerCase {
  const char* what;
  std::function<void(ManifestSpec*)> change;
  StableIdsOptions options;
  Strings codes;
  const char* message;
};

TEST(StableIdsPlan, NamesWhatIsInTheWay) {
  const BlockerCase cases[] = {
      {"no writer",
       [](ManifestSpec* s) { s->writer = std::nullopt; },
       kAddresses,
       {"row_counts_unreliable"},
       "the newest manifest does not say which writer made it, so its row counts cannot be relied "
       "on"},
      {"unknown rows",
       [](ManifestSpec* s) {
         s->fragments.push_back(Rows(3, 0));
         s->fragments.push_back(Rows(4, 0));
       },
       kAddresses,
       {"row_count_unknown"},
       "2 fragment(s) do not record how many rows they hold, the first is fragment 3"},
      {"too long",
       [](ManifestSpec* s) { s->fragments.push_back(Rows(3, kRowsOfId + 1)); },
       kAddresses,
       {"fragment_too_long"},
       "fragment 3 has more than 2^32 rows"},
      {"spilled",
       [](ManifestSpec* s) { s->fragments[1].extra = Field(14, ""); },
       kAddresses,
       {"spilled_lineage_present"},
       "fragment 2 has hidden lineage columns although the table has no stable ids"},
      {"stable before",
       [](ManifestSpec* s) { s->next_row_id = 77; },
       kAddresses,
       {"was_stable_before"},
       "ids below 77 were given out when the table had stable ids before, and an address could be "
       "one of them"},
      {"fragment ids used up",
       [](ManifestSpec* s) { s->max_fragment_id = 4294967295; },
       kAddresses,
       {"ids_exhausted"},
       "fragment ids are used up to 2^32-1, no row id above all addresses is left"},
      {"row ids used up",
       [](ManifestSpec* s) { s->next_row_id = ~uint64_t{0} - 10; },
       kConsecutive,
       {"ids_exhausted"},
       "counting on from next_row_id would pass 2^64"},
      {"refused flag",
       [](ManifestSpec* s) { s->writer_flags |= 1 << 17; },
       kAddresses,
       {"unsupported_feature"},
       "table uses features that this version of pennon cannot write: object-metadata"},
      {"log in use",
       [](ManifestSpec* s) {
         s->index_section = IndexSectionBytes({Index("__lance_mem_wal", "MemWal")});
       },
       kAddresses,
       {"mem_wal_index"},
       "system index \"__lance_mem_wal\" says that a memory write-ahead log is in use"},
      {"index with consecutive ids",
       [](ManifestSpec* s) { s->index_section = IndexSectionBytes({Index("k_idx", "BTree")}); },
       kConsecutive,
       {"index_holds_addresses"},
       "index \"k_idx\" (BTree): its entries hold addresses, which would be read as ids"},
  };
  for (const auto& item : cases) {
    ManifestSpec spec = Table();
    item.change(&spec);
    const StableIdsPlan plan = Plan(spec, item.options);
    EXPECT_FALSE(plan.possible()) << item.what;
    EXPECT_EQ(Codes(plan), item.codes) << item.what;
    if (!plan.blockers.empty()) {
      EXPECT_EQ(plan.blockers[0].what, item.message) << item.what;
    }
  }
}

TEST(StableIdsPlan, NamesAllThatIsInTheWayEachWithItsOwnFragment) {
  ManifestSpec spec = Table();
  spec.writer = std::nullopt;
  spec.next_row_id = 5;
  spec.fragments = {Rows(1, 5), Rows(2, 0), Rows(3, kRowsOfId + 1), Rows(4, 5), Rows(5, 0)};
  spec.fragments[3].extra = Field(12, "");
  const StableIdsPlan plan = Plan(spec);
  EXPECT_EQ(Codes(plan),
            (Strings{"row_count_unknown", "fragment_too_long", "spilled_lineage_present",
                     "row_counts_unreliable", "was_stable_before"}));
  EXPECT_EQ(plan.blockers[0].what,
            "2 fragment(s) do not record how many rows they hold, the first is fragment 2");
  EXPECT_EQ(plan.blockers[1].what, "fragment 3 has more than 2^32 rows");
  EXPECT_EQ(plan.blockers[2].what,
            "fragment 4 has hidden lineage columns although the table has no stable ids");
}

struct WriterCase {
  const char* library;
  const char* version;
  bool is_reliable;  ///< With an index present.
};

TEST(StableIdsPlan, DistrustsIndexCoverageOfOldWriters) {
  const WriterCase cases[] = {
      {"lance", "0.8.14", false}, {"lance", "0.8.15", true},  {"lance", "0.8.16", true},
      {"lance", "0.9.0", true},   {"lance", "0.7.99", false}, {"lance", "14.0.2", true},
      {"lance", "1.0.0", true},   {"lance", "0.8.0", false},  {"lance", "", false},
      {"lance", "main", false},   {"lance", "14", false},     {"pennon", "0.1.0", true},
      {"pennon", "", true},       {"", "0.1.0", true},        {"lance", "0.8.15-rc1", true},
      {"lance", "0.8.2", false},
  };
  for (const auto& item : cases) {
    ManifestSpec spec = Table();
    spec.writer = std::pair<std::string, std::string>(item.library, item.version);
    EXPECT_TRUE(Plan(spec).possible()) << item.version;
    spec.index_section = IndexSectionBytes({Index("k_idx", "BTree")});
    const StableIdsPlan plan = Plan(spec);
    EXPECT_EQ(plan.possible(), item.is_reliable) << item.library << " " << item.version;
    if (!item.is_reliable) {
      EXPECT_EQ(Codes(plan), Strings{"index_coverage_unreliable"});
    }
  }
}

TEST(StableIdsPlan, AFullFragmentIsNotTooLong) {
  ManifestSpec spec = Table();
  spec.fragments = {Rows(0, kRowsOfId)};
  EXPECT_TRUE(Plan(spec).possible());
}

struct IndexCase {
  const char* type;
  std::optional<uint32_t> index_version;
  bool stores_addresses;  ///< On stable tables too, so consecutive ids do not break it.
};

TEST(StableIdsPlan, KnowsWhichIndexesConsecutiveIdsBreak) {
  const IndexCase cases[] = {
      {"BTree", {}, false},    {"BTree", 0, false},      {"BTree", 1, true},  {"Bitmap", 0, false},
      {"LabelList", 1, false}, {"Inverted", 2, false},   {"NGram", 0, false}, {"Vector", 1, false},
      {"ZoneMap", 0, true},    {"BloomFilter", 0, true}, {"Fm", 0, true},     {"", {}, false},
  };
  for (const auto& item : cases) {
    ManifestSpec spec = Table();
    IndexSpec index = Index("k_idx", item.type);
    index.index_version = item.index_version;
    spec.index_section = IndexSectionBytes({index});

    EXPECT_TRUE(Plan(spec).possible()) << item.type;
    EXPECT_TRUE(Plan(spec).indexes[0].kept) << item.type;

    const StableIdsPlan plan = Plan(spec, kConsecutive);
    EXPECT_EQ(plan.possible(), item.stores_addresses) << item.type;
    StableIdsOptions drop = kConsecutive;
    drop.drop_broken_indexes = true;
    const StableIdsPlan dropping = Plan(spec, drop);
    EXPECT_TRUE(dropping.possible()) << item.type;
    EXPECT_EQ(dropping.indexes[0].kept, item.stores_addresses) << item.type;
  }
}

TEST(StableIdsPlan, ConsecutiveIdsOfOneFragmentZeroAreAddresses) {
  ManifestSpec spec = Table();
  spec.fragments = {Rows(0, 10)};
  spec.index_section = IndexSectionBytes({Index("k_idx", "Bitmap", {0})});
  EXPECT_TRUE(Plan(spec, kConsecutive).possible());
  spec.fragments = {};
  EXPECT_TRUE(Plan(spec, kConsecutive).possible());
  spec.fragments = {Rows(1, 10)};
  EXPECT_FALSE(Plan(spec, kConsecutive).possible());
  spec.fragments = {Rows(0, 10)};
  spec.next_row_id = 1;
  EXPECT_FALSE(Plan(spec, kConsecutive).possible());
}

TEST(StableIdsPlan, LetsTheReuseIndexGoUnlessAnIndexNeedsIt) {
  ManifestSpec spec = Table();
  const IndexSpec reuse = Index("__lance_frag_reuse", "FragmentReuse", {});
  spec.index_section =
      IndexSectionBytes({Index("fine", "BTree", {0, 2}), reuse, Index("part", "BTree", {2})});
  StableIdsPlan plan = Plan(spec);
  EXPECT_TRUE(plan.possible());
  ASSERT_EQ(plan.indexes.size(), 3u);
  EXPECT_TRUE(plan.indexes[0].kept);
  EXPECT_FALSE(plan.indexes[1].kept);
  EXPECT_TRUE(plan.indexes[2].kept);

  // Fragment 1 is gone: only the reuse index can translate that index's entries.
  IndexSpec unknown = Index("unknown", "BTree");
  unknown.fragment_bitmap.clear();
  spec.index_section = IndexSectionBytes({Index("old", "BTree", {0, 1}), unknown, reuse});
  plan = Plan(spec);
  EXPECT_EQ(Codes(plan), (Strings{"index_needs_reuse_index", "index_needs_reuse_index"}));
  EXPECT_EQ(plan.blockers[0].what,
            "index \"old\" (BTree): its entries hold addresses from before a deferred compaction");
  StableIdsOptions drop;
  drop.drop_broken_indexes = true;
  plan = Plan(spec, drop);
  EXPECT_TRUE(plan.possible());
  for (const auto& index : plan.indexes) EXPECT_FALSE(index.kept) << index.name;

  // Without a reuse index the same coverage is no trouble: the entries of gone fragments find
  // nothing.
  spec.index_section = IndexSectionBytes({Index("old", "BTree", {0, 1}), unknown});
  EXPECT_TRUE(Plan(spec).possible());
}

TEST(StableIdsPlan, DoesNotUnpackVastCoverage) {
  // All 2^32 fragments in less than a megabyte: a list of them would take 16 GB.
  ManifestSpec spec = Table();
  IndexSpec index = Index("vast", "BTree");
  index.fragment_bitmap = EncodeRoaring(RoaringSet::FromRange({0, kRowsOfId}));
  ASSERT_LT(index.fragment_bitmap.size(), size_t{1} << 20);
  spec.index_section = IndexSectionBytes({index, Index("__lance_frag_reuse", "FragmentReuse", {})});
  EXPECT_EQ(Codes(Plan(spec)), Strings{"index_needs_reuse_index"});
}

TEST(StableIdsPlan, RefusesBrokenIndexes) {
  ManifestSpec spec = Table();
  spec.index_section = "\x0a";
  EXPECT_EQ(KindOf(PlanStableIds(Decode(spec), {}).status()), ErrorKind::kCorrupt);
  IndexSpec broken = Index("k_idx", "BTree");
  broken.fragment_bitmap = "no bitmap";
  spec.index_section = IndexSectionBytes({broken, Index("__lance_frag_reuse", "FragmentReuse")});
  const auto status = PlanStableIds(Decode(spec), {}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(status).find("in the coverage of index \"k_idx\""), std::string::npos)
      << status;
}

StableIdsStamp Stamp() {
  StableIdsStamp stamp;
  stamp.timestamp_seconds = 1800000000;
  stamp.timestamp_nanos = 9;
  stamp.uuid = "new";
  stamp.writer = {"pennon", "0.1.0"};
  return stamp;
}

StableIdsCommit Build(const ManifestSpec& spec, const StableIdsOptions& options = kAddresses,
                      const StableIdsStamp& stamp = Stamp()) {
  const Manifest manifest = Decode(spec);
  const StableIdsPlan plan = PlanStableIds(manifest, options).ValueOrDie();
  return BuildStableIds(manifest, plan, stamp).ValueOrDie();
}

/// The manifest that must come out, in fields of its own.
ManifestSpec Expected(const ManifestSpec& before) {
  ManifestSpec after = before;
  after.version = before.version + 1;
  after.timestamp_seconds = 1800000000;
  after.timestamp_nanos = 9;
  after.reader_flags |= 2;
  after.writer_flags |= 2;
  after.writer = std::pair<std::string, std::string>("pennon", "0.1.0");
  return after;
}

void ExpectSame(const Manifest& actual, const ManifestSpec& expected_spec) {
  const Manifest expected = Decode(expected_spec);
  EXPECT_EQ(actual.version, expected.version);
  ASSERT_EQ(actual.fragments.size(), expected.fragments.size());
  for (size_t i = 0; i < actual.fragments.size(); ++i) {
    EXPECT_EQ(testing_support::ToHex(actual.fragments[i].encoded),
              testing_support::ToHex(expected.fragments[i].encoded));
  }
  EXPECT_EQ(actual.reader_flags, expected.reader_flags);
  EXPECT_EQ(actual.writer_flags, expected.writer_flags);
  EXPECT_EQ(actual.max_fragment_id, expected.max_fragment_id);
  EXPECT_EQ(actual.next_row_id, expected.next_row_id);
  EXPECT_EQ(actual.timestamp_seconds, expected.timestamp_seconds);
  EXPECT_EQ(actual.timestamp_nanos, expected.timestamp_nanos);
  EXPECT_EQ(actual.writer_version->library, expected.writer_version->library);
  EXPECT_EQ(actual.writer_version->version, expected.writer_version->version);
  EXPECT_EQ(actual.config, expected.config);
  EXPECT_EQ(actual.branch, expected.branch);
  EXPECT_EQ(actual.data_format_version, expected.data_format_version);
  EXPECT_EQ(actual.index_section, expected.index_section);
}

TEST(StableIdsPlan, BuildsTheNextVersion) {
  ManifestSpec spec = Table();
  spec.config = {{"a", "b"}};
  spec.branch = "try";
  spec.fragments[0].extra = Scalar(15, 7) + Field(16, "metadata");
  spec.index_section = IndexSectionBytes({Index("k_idx", "BTree"), Index("v_idx", "Vector")});
  const StableIdsCommit commit = Build(spec);

  ManifestSpec expected = Expected(spec);
  // Sequences come behind everything else of their fragment.
  expected.fragments[0].extra += Field(5, RangeIds(0, 10));
  expected.fragments[1].extra += Field(5, RangeIds(2 * kRowsOfId, 20));
  expected.next_row_id = 6 * kRowsOfId;
  const Manifest manifest =
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
  ExpectSame(manifest, expected);

  EXPECT_EQ(commit.transaction_file, "4-new.txn");
  EXPECT_EQ(manifest.transaction_file, "4-new.txn");
  EXPECT_EQ(manifest.transaction, commit.transaction);
  const Transaction transaction = DecodeTransaction(commit.transaction).ValueOrDie();
  EXPECT_EQ(transaction.operation, "Rewrite");
  EXPECT_EQ(transaction.read_version, Version{4});
  EXPECT_EQ(transaction.uuid, "new");
  EXPECT_EQ(transaction.properties.at("__lance_commit_message"), "pennon migrate: stable row ids");
  ASSERT_EQ(transaction.rewrite_groups.size(), 1u);
  const std::vector<FragmentId> ids = {FragmentId{0}, FragmentId{2}};
  EXPECT_EQ(transaction.rewrite_groups[0].old_fragments, ids);
  EXPECT_EQ(transaction.rewrite_groups[0].new_fragments, ids);
}

TEST(StableIdsPlan, BuildsTheSameBytesEveryTime) {
  EXPECT_EQ(Build(Table()).manifest_file, Build(Table()).manifest_file);
}

TEST(StableIdsPlan, NumbersInTheOrderOfTheManifest) {
  ManifestSpec spec = Table();
  spec.next_row_id = 100;
  spec.fragments = {Rows(0, 10), Rows(1, 1), Rows(7, 5)};
  const auto commit = Build(spec, kConsecutive);
  const Manifest manifest =
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
  EXPECT_EQ(manifest.fragments[0].row_ids.bytes, RangeIds(100, 10));
  EXPECT_EQ(manifest.fragments[1].row_ids.bytes, RangeIds(110, 1));
  EXPECT_EQ(manifest.fragments[2].row_ids.bytes, RangeIds(111, 5));
  EXPECT_EQ(manifest.next_row_id, 116u);
}

TEST(StableIdsPlan, StampsLineage) {
  StableIdsStamp stamp = Stamp();
  FragmentStamps first;
  first.created = VersionSequence::Uniform(10, Version{1});
  first.last_updated = VersionSequence::Uniform(10, Version{3});
  FragmentStamps second;
  second.created.Append(15, Version{1});
  second.created.Append(5, Version{2});
  second.last_updated = second.created;
  stamp.lineage = {EncodeStamps(first), EncodeStamps(second)};
  const auto commit = Build(Table(), kAddresses, stamp);
  const Manifest manifest =
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
  EXPECT_EQ(manifest.fragments[0].created.bytes, VersionRuns({{10, 1}}));
  EXPECT_EQ(manifest.fragments[0].last_updated.bytes, VersionRuns({{10, 3}}));
  EXPECT_EQ(manifest.fragments[1].created.bytes, VersionRuns({{15, 1}, {5, 2}}));
  EXPECT_EQ(manifest.fragments[1].last_updated.bytes, VersionRuns({{15, 1}, {5, 2}}));
}

TEST(StableIdsPlan, ReplacesSequencesThatNobodyReads) {
  ManifestSpec spec = Table();
  spec.fragments[0].row_ids = RangeIds(500, 10);
  spec.fragments[0].created = VersionRuns({{10, 2}});
  spec.fragments[1].last_updated = VersionRuns({{20, 2}});
  EXPECT_EQ(Plan(spec).num_unused_sequences, 2u);
  const auto commit = Build(spec);
  const Manifest manifest =
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
  EXPECT_EQ(manifest.fragments[0].row_ids.bytes, RangeIds(0, 10));
  EXPECT_EQ(manifest.fragments[0].created.placement, LineagePlacement::kAbsent);
  EXPECT_EQ(manifest.fragments[1].last_updated.placement, LineagePlacement::kAbsent);
}

TEST(StableIdsPlan, DropsOnlyTheIndexesThatMustGo) {
  ManifestSpec spec = Table();
  IndexSpec kept = Index("zones", "ZoneMap");
  kept.extra = Scalar(900, 5);
  spec.index_section = IndexSectionBytes(
      {Index("k_idx", "BTree"), kept, Index("__lance_frag_reuse", "FragmentReuse", {})});
  StableIdsOptions options = kConsecutive;
  options.drop_broken_indexes = true;
  auto commit = Build(spec, options);
  EXPECT_EQ(DecodeManifest(arrow::Buffer::FromString(commit.manifest_file))->index_section,
            IndexSectionBytes({kept}));
  // With none left there is no section.
  spec.index_section = IndexSectionBytes({Index("__lance_frag_reuse", "FragmentReuse", {})});
  commit = Build(spec);
  EXPECT_FALSE(
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file))->index_section.has_value());
}

TEST(StableIdsPlan, WritesNoTransactionFileWhereThereAreNone) {
  ManifestSpec spec = Table();
  spec.writer_flags |= 1 << 5;
  const auto commit = Build(spec);
  EXPECT_EQ(commit.transaction_file, "");
  const Manifest manifest =
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
  EXPECT_EQ(manifest.transaction_file, "");
  EXPECT_EQ(manifest.transaction, commit.transaction);
  EXPECT_EQ(manifest.writer_flags, 1u | 2u | 32u);
}

TEST(StableIdsPlan, AnEmptyTableGetsThemToo) {
  ManifestSpec spec;
  const auto commit = Build(spec);
  const Manifest manifest =
      DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
  EXPECT_TRUE(manifest.has_stable_row_ids());
  EXPECT_EQ(manifest.next_row_id, 0u);
  EXPECT_FALSE(manifest.max_fragment_id.has_value());
  EXPECT_TRUE(DecodeTransaction(commit.transaction)->rewrite_groups.empty());
}

TEST(StableIdsPlan, RecordsTheCounterThatTheListShows) {
  ManifestSpec spec = Table();
  spec.max_fragment_id = std::nullopt;
  auto commit = Build(spec);
  EXPECT_EQ(DecodeManifest(arrow::Buffer::FromString(commit.manifest_file))->max_fragment_id, 2u);
  spec.max_fragment_id = 1;  // Behind the list: a writer forgot it.
  commit = Build(spec);
  EXPECT_EQ(DecodeManifest(arrow::Buffer::FromString(commit.manifest_file))->max_fragment_id, 2u);
}

TEST(StableIdsPlan, DoesNotBuildWhatIsNotPossible) {
  ManifestSpec spec = Table();
  spec.next_row_id = 3;
  const Manifest manifest = Decode(spec);
  const auto plan = PlanStableIds(manifest, {}).ValueOrDie();
  EXPECT_EQ(KindOf(BuildStableIds(manifest, plan, Stamp()).status()), ErrorKind::kInternal);
}

TEST(StableIdsPlan, KeepsALongTransactionOutOfTheManifest) {
  // Longer than 20 MiB: by its uuid here, by the number of its fragments in life.
  Manifest manifest = Decode(Table());
  StableIdsStamp stamp = Stamp();
  for (const bool is_long : {true, false}) {
    for (const bool has_files : {true, false}) {
      stamp.uuid = std::string((20 << 20) - (is_long ? 0 : 1000), 'u');
      manifest.writer_flags = has_files ? 1 : 1 | 32;
      const auto plan = PlanStableIds(manifest, {}).ValueOrDie();
      const auto commit = BuildStableIds(manifest, plan, stamp).ValueOrDie();
      const auto next =
          DecodeManifest(arrow::Buffer::FromString(commit.manifest_file)).ValueOrDie();
      EXPECT_EQ(next.transaction.has_value(), !is_long || !has_files);
      EXPECT_EQ(commit.transaction_file.empty(), !has_files);
      EXPECT_EQ(next.transaction_file, commit.transaction_file);
    }
  }
}

}  // namespace
}  // namespace pennon
